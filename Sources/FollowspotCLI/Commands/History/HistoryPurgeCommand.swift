// SPDX-License-Identifier: MIT

internal import Following
internal import PersistentStore
internal import ShellInterface

extension CommandDescription {
  static func purgeHistory(_ call: Invocation) throws -> ExitCode {
    var options = Purge.Options(storePath: try call.storePath(), bound: try purgeBound(call))
    options.ignored = Set(call.options["--ignore"] ?? [])
    options.staleAfter = try call.staleAfter()
    let isDry = call.has("--dry-run")
    let outcome = try isDry ? Purge(options).dryRun() : Purge(options).run()
    if outcome.removed.transactions > 0, !isDry { Console.accomplished = "the purge is complete" }
    try Console.write(json: PurgeDocument(outcome, isDryRun: isDry))
    Console.flush()
    for sentence in outcome.sentences { Console.say(sentence) }
    if let name = outcome.heldBy?.name {
      Console.hint("followspot history consumers drop '\(name)' removes it, --ignore '\(name)' ignores it once")
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
