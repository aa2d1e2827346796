internal import Followspot

extension CommandDescription {
  static let verify = CommandDescription(
    name: "verify", arguments: "", summary: "check that the index equals the store, and report differences",
    details: """
      Compare every row with its document, including the terms. A transaction that is not indexed yet is not a difference.
      The last line is 'equal …' (exit 0) or 'different …' (exit 1).
      """,
    examples: ["followspot --store movies.store verify", "followspot --store movies.store verify --repair"],
    options: [
      OptionDescription("--quick", nil, "compare digests only, not terms"),
      OptionDescription("--repair", nil, "repair the differences; not possible while a follower runs"),
    ]
  ) { call in
    try call.noPositionals()
    let verify = Verify(
      storePath: try call.storePath(), directory: try call.indexDirectory(),
      progress: ProgressLine.show)
    if call.has("--repair") {
      let repaired = try verify.repair()
      Console.say("repaired: \(repaired.added) added, \(repaired.updated) updated, \(repaired.removed) removed")
    }
    let outcome = try verify.run(isQuick: call.has("--quick"))
    if outcome.rejected > 0 {
      let rows = outcome.rejected == 1 ? "1 row was" : "\(outcome.rejected) rows were"
      Console.say("\(rows) rejected: followspot failed prints why")
    }
    if outcome.isEqual {
      Console.write("equal documents=\(outcome.documents) token=\(outcome.token) checksum=\(outcome.checksum)\n")
      return .success
    }
    for (what, names) in [("missing", outcome.missing), ("extra", outcome.extra), ("stale", outcome.stale)] {
      for name in names { Console.write("\(what) \(name)\n") }
    }
    if outcome.nameless > 0 { Console.say("\(outcome.nameless) documents have lost their identity") }
    if !outcome.isChecksumRight { Console.say("the stored checksum does not match the documents") }
    Console.write(
      "different missing=\(outcome.missing.count) extra=\(outcome.extra.count + outcome.nameless) "
        + "stale=\(outcome.stale.count)\n")
    Console.flush()
    Console.hint(outcome.isDamaged ? "followspot rebuild" : "followspot verify --repair")
    return .negative
  }
}
