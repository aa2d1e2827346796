// SPDX-License-Identifier: MIT

internal import SearchIndex

struct VerifyCommand: Verb {
  static let description = CommandDescription(
    name: "verify", summary: "check that the index equals the store, and report differences",
    details: """
      Compare every row with its document, including the terms. A transaction that is not indexed yet is not a difference.
      The last line is 'equal …' (exit 0) or 'different …' (exit 1). Rows that are left out of the index are not
      differences. Standard error says why, and 'leftOut' is their number.
      If a group or several stores are named, each is verified, and its lines begin with its name.
      """,
    examples: ["followspot --store movies.store verify", "followspot --store movies.store verify --repair"])

  @Option("--quick", "compare digests only, not terms") var isQuick: Bool
  @Option("--repair", "repair the differences; not possible while a follower runs") var repairs: Bool

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    return try call.eachStore(verify)
  }

  private func verify(_ call: Call) throws -> ExitCode {
    let verify = Verify(
      storePath: try call.storePath(), directory: try call.indexDirectory(),
      progress: ProgressLine.show)
    if repairs {
      let repaired = try verify.repair()
      call.say("repaired: \(repaired.added) added, \(repaired.updated) updated, \(repaired.removed) removed")
    }
    let outcome = try verify.run(isQuick: isQuick)
    for sentence in outcome.leftOut.sentences() { call.say(sentence) }
    let leftOut = outcome.leftOut.total > 0 ? " leftOut=\(outcome.leftOut.total)" : ""
    if outcome.isEqual {
      Console.write(
        line:
          "\(call.label)equal documents=\(outcome.documents) token=\(outcome.token) checksum=\(outcome.checksum)\(leftOut)"
      )
      return .success
    }
    for (what, names) in [("missing", outcome.missing), ("extra", outcome.extra), ("stale", outcome.stale)] {
      for name in names { Console.write(line: "\(call.label)\(what) \(name)") }
    }
    if outcome.nameless > 0 { call.say("\(outcome.nameless) documents have lost their identity") }
    if !outcome.isChecksumRight { call.say("the stored checksum does not match the documents") }
    Console.write(
      line: "\(call.label)different missing=\(outcome.missing.count) extra=\(outcome.extra.count + outcome.nameless) "
        + "stale=\(outcome.stale.count)\(leftOut)")
    Console.flush()
    Console.hint(outcome.isDamaged ? "followspot rebuild" : "followspot verify --repair")
    return .negative
  }
}
