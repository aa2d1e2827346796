internal import Followspot
internal import PersistentStore

extension CommandDescription {
  static func purgeHistory(_ call: Invocation) throws -> ExitCode {
    var options = Purge.Options(storePath: try call.storePath(), bound: try purgeBound(call))
    options.ignored = Set(call.options["--ignore"] ?? [])
    options.staleAfter = try call.staleAfter()
    let isDry = call.has("--dry-run")
    let outcome = try isDry ? Purge(options).dryRun() : Purge(options).run()
    if outcome.removed.transactions > 0, !isDry { Console.accomplished = "the purge is complete" }
    Console.write(outcome.json(isDry: isDry) + "\n")
    Console.flush()
    for sentence in outcome.sentences { Console.say(sentence) }
    if let name = outcome.heldBy?.name {
      Console.hint("followspot history consumers drop '\(name)' forgets it, --ignore '\(name)' passes it over")
    }
    return .success
  }

  private static func purgeBound(_ call: Invocation) throws -> Purge.Bound {
    switch (try call.age("--keep"), try call.integer("--before")) {
    case (let seconds?, nil): return .keep(seconds: seconds)
    case (nil, let number?): return .before(Int64(number))
    default:
      throw CommandError("history purge takes one of --keep AGE and --before N", hint: "followspot help history")
    }
  }
}

extension Purge.Outcome {
  fileprivate func json(isDry: Bool) -> String {
    var json = JSONWriter()
    json.object { json in
      json.pair("purged", removed.transactions)
      json.pair("changes", removed.changes)
      json.pair("oldest", oldest)
      json.pair("newest", newest)
      json.pair("heldBy", heldBy?.name)
      json.pair("dryRun", isDry)
    }
    return json.text
  }
}
