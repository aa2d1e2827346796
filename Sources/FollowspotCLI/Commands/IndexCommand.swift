// SPDX-License-Identifier: MIT

internal import Following
internal import FoundationEssentials
internal import Glibc
internal import Importing
internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import SearchIndex
internal import ShellInterface

extension Invocation {
  func definition() throws -> IndexDefinition? { try definitionPath().map(Self.definition) }

  private static func definition(_ path: String) throws -> IndexDefinition {
    let data = Data(try InputFile.open(path).copy())
    do {
      let definition = try IndexDefinition(json: data)
      let languages = [definition.language] + definition.entities.values.flatMap { $0.fields.flatMap(\.languages) }
      for language in languages where language != "none" && !Stemmer.exists(language) {
        throw DefinitionError("language", "there is no stemmer for '\(language)'; 'none' disables stemming")
      }
      return definition
    } catch let error as DefinitionError {
      throw DefinitionError(error.location.isEmpty ? path : "\(path): \(error.location)", error.reason)
    }
  }

  func buildingLimits() throws -> IndexBuilder.Limits {
    var limits = IndexBuilder.Limits()
    if let memory = try bytes("--memory") { limits.memory = memory }
    if let threads = try integer("--threads", atLeast: 1) {
      guard threads <= IndexBuilder.Limits.mostThreads else {
        throw CommandError("--threads takes at most \(IndexBuilder.Limits.mostThreads), not '\(threads)'")
      }
      limits.threads = threads
    }
    return limits
  }

  func indexerOptions() throws -> Indexer.Options {
    var options = Indexer.Options(storePath: try storePath(), directory: try indexDirectory())
    options.definition = try definition()
    options.building = try buildingLimits()
    options.reconciles = !has("--no-reconcile")
    options.report = { Console.say($0) }
    options.progress = ProgressLine.show
    return options
  }

  /// The options for one store of a group. Its messages begin with its name.
  func indexerOptions(of store: GroupedStore) throws -> Indexer.Options {
    guard value("--definition") == nil else {
      throw CommandError(
        "--definition is about one store, not several",
        hint: "name definitions in the configuration: followspot help config")
    }
    var options = Indexer.Options(storePath: store.path, directory: store.directory)
    options.definition = try store.definition.map(Self.definition)
    options.building = try buildingLimits()
    options.reconciles = !has("--no-reconcile")
    options.report = { Console.say("\(store.name): \($0)") }
    return options
  }
}

extension IdleVerify.Pace {
  /// The pace that `FOLLOWSPOT_VERIFY_PAUSE` sets: a pause in milliseconds, or `off`, which is nil.
  static var ofEnvironment: Self? {
    switch ProcessInfo.processInfo.environment["FOLLOWSPOT_VERIFY_PAUSE"] {
    case "off": nil
    case let text?: Int(text).map { Self(pause: .milliseconds($0)) } ?? Self()
    case nil: Self()
    }
  }
}

extension CommandDescription {
  private static let memoryOption = OptionDescription(
    "--memory", "SIZE", "shared memory that building an index may use (default: 256M; 0 = none)")
  private static let threadsOption = OptionDescription(
    "--threads", "N", "threads that build an index (default: one per usable core, fewer if memory is short)")

  static let index = CommandDescription(
    name: "index", arguments: "[--follow]", summary: "update the index, once or continuously (--follow)",
    details: """
      Read the history from the token of the index to the newest transaction, and update the index. The first pass
      builds the index. With --follow, the process runs until SIGTERM or SIGINT, and reports on standard error when it
      is ready. While there is nothing to index, it compares parts of the index with the store, and repairs differences.
      With --purge-after, it also purges old history once an hour, but keeps transactions that a consumer has not read.

      If a group or several stores are named, all of them are updated, one after the other. With --follow, one process
      follows them. An error of one store is reported, and the others are updated. Without --follow, the indexes of 32
      or more stores are also joined into one in the user's cache, so that searches of this group are faster.

      At its end, it prints how many records were inserted, updated, deleted, skipped (their indexed attributes are as
      before) and left out: one line of JSON for each store, or a sentence on a terminal.
      """,
    examples: ["followspot --store movies.store index", "followspot --store movies.store index --follow"],
    options: [
      OptionDescription("--follow", nil, "keep running, and index every save"),
      OptionDescription("--purge-after", "AGE", "with --follow: purge history older than AGE, such as 7d, 12h, 30m"),
      OptionDescription("--definition", "FILE", "index definition to use; it is kept in the index"),
      memoryOption,
      threadsOption,
      OptionDescription("--no-reconcile", nil, "exit 6 instead of reconciling when history is missing"),
    ]
  ) { call in
    try call.noPositionals()
    let purgeAfter = try call.age("--purge-after")
    guard purgeAfter == nil || call.has("--follow") else {
      throw CommandError("--purge-after needs --follow", hint: "followspot history purge --keep AGE purges once")
    }
    if let stores = try call.groupedStores() {
      return try GroupIndexing(call, stores).run(purgeAfter: purgeAfter)
    }
    let options = try call.indexerOptions()
    guard call.has("--follow") else {
      _ = StopSignal.catchFromNow()
      let isFirst = (try? options.directory.serving()) == nil
      let outcome = try Pass.run(options)
      if isFirst, Console.isErrorTerminal { try Invocation.sayBuilt(options, in: outcome.duration) }
      try PassReport(outcome: outcome).print()
      return .success
    }
    let outcome = try Follower(options, purgeAfter: purgeAfter, verify: .ofEnvironment).run {
      token in
      Console.say("following \(options.storePath) from token \(token), pid \(getpid())")
    }
    if let outcome { try PassReport(outcome: outcome).print() }
    return .success
  }

  static let wait = CommandDescription(
    name: "wait", arguments: "", summary: "wait until the index contains a transaction",
    details: "If no process updates the index, a note says so at once, and the wait continues.",
    examples: ["followspot --store movies.store wait", "followspot --store movies.store wait --token 42 --timeout 2s"],
    options: [
      OptionDescription("--token", "N", "number of the transaction (default: the newest of the store)"),
      OptionDescription("--timeout", "TIME", "maximum time to wait; then exit 4 (default: 10s)"),
    ]
  ) { call in
    try call.noPositionals()
    let wanted = try call.integer("--token").map(Int64.init)
    let milliseconds = try call.milliseconds("--timeout", default: 10_000)
    let waiting = Waiting(storePath: try call.storePath(), directory: try call.indexDirectory())
    let outcome = try waiting.run(token: wanted, milliseconds: milliseconds) {
      Console.say("no process updates this index; waiting for one")
      Console.hint("followspot index --follow")
    }
    guard outcome.isReached else {
      let reached = outcome.token.map { "is at transaction \($0)" } ?? "does not exist"
      Console.say(outcome.reason ?? "the index \(reached), not yet at \(outcome.wanted)")
      return .stale
    }
    return .success
  }

  static let rebuild = CommandDescription(
    name: "rebuild", arguments: "", summary: "build a new generation of the index while the old one stays in use",
    details: """
      The new generation is brought up to date and compared with the store before it is used. A running follower continues
      with the new generation.
      """,
    examples: [
      "followspot --store movies.store rebuild", "followspot --store movies.store rebuild --definition movies.json",
    ],
    options: [
      OptionDescription("--replay", nil, "replay the history from the first transaction instead of reading the rows"),
      OptionDescription("--definition", "FILE", "index definition to use; it is kept in the index"),
      OptionDescription("--infer", nil, "infer the default definition again from the current values"),
      memoryOption,
      threadsOption,
      OptionDescription("--keep", "N", "earlier generations to keep for rollback (default: 1)"),
    ]
  ) { call in
    try call.noPositionals()
    // `--infer` overrides the definition of the store's profile.
    let definition = call.has("--infer") ? nil : try call.definition()
    if call.has("--infer"), call.has("--definition") {
      throw CommandError("--infer and --definition cannot be combined")
    }
    let rebuild = Rebuild(
      storePath: try call.storePath(), directory: try call.indexDirectory(), definition: definition,
      infers: call.has("--infer"), origin: call.has("--replay") ? .replay : .null,
      keep: try call.integer("--keep") ?? 1,
      limits: try call.buildingLimits(), progress: ProgressLine.show, report: { Console.say($0) })
    // Signals are caught only after the definition was read: its file may be a pipe without a writer, which blocks.
    _ = StopSignal.catchFromNow()
    let outcome = try rebuild.run()
    Console.accomplished = "generation \(outcome.generation) serves"
    Console.write(
      "generation=\(outcome.generation) documents=\(outcome.documents) token=\(outcome.token.number) "
        + "checksum=\(outcome.checksum)\n")
    return .success
  }

  static let rollback = CommandDescription(
    name: "rollback", arguments: "", summary: "switch back to the previous generation of the index",
    details: "The next `index`, or a running follower, updates that generation to the newest transaction.",
    examples: ["followspot --store movies.store rollback", "followspot --index movies.store.index rollback"],
    options: []
  ) { call in
    try call.noPositionals()
    guard let generation = try Rollback.run(in: try call.indexDirectory()) else {
      Console.say("there is no older generation")
      return .negative
    }
    Console.accomplished = "generation \(generation) serves"
    Console.write("generation=\(generation)\n")
    return .success
  }
}
