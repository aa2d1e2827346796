// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import Glibc
internal import SearchIndex
internal import Store

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

struct IndexCommand: Verb {
  static let description = CommandDescription(
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
    examples: ["followspot --store movies.store index", "followspot --store movies.store index --follow"])

  @Option("--follow", "keep running, and index every save") var follows: Bool
  @Option(age: "--purge-after", "AGE", "with --follow: purge history older than AGE, such as 7d, 12h, 30m")
  var purgeAfter: Double?
  private let definition = DefinitionOptions()
  private let building = BuildingOptions()
  @Option("--no-reconcile", "exit 6 instead of reconciling when history is missing") var forbidsReconciling: Bool

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    guard purgeAfter == nil || follows else {
      throw CommandError("--purge-after needs --follow", hint: "followspot history purge --keep AGE purges once")
    }
    if let stores = try call.groupedStores() { return try run(call, stores) }
    var options = try call.indexerOptions(
      definition: call.definition(definition.file), limits: building.limits())
    options.reconciles = !forbidsReconciling
    guard follows else {
      _ = StopSignal.catchFromNow()
      let isFirst = (try? options.directory.serving()) == nil
      let outcome = try Pass.run(options)
      if isFirst, Console.isErrorTerminal { try Call.sayBuilt(options, in: outcome.duration) }
      try PassReport(outcome).print()
      return .success
    }
    let outcome = try Follower(options, purgeAfter: purgeAfter, verify: .ofEnvironment).run { token in
      Console.say("following \(options.storePath) from token \(token), pid \(getpid())")
    }
    if let outcome { try PassReport(outcome).print() }
    return .success
  }

  private func run(_ call: Call, _ stores: [GroupedStore]) throws -> ExitCode {
    try call.refuseInGroup(
      "--definition", isGiven: definition.file != nil,
      hint: "name definitions in the configuration: followspot help config")
    let limits = try building.limits()
    let group = GroupIndexing(
      parts: stores.map(\.part),
      stores: try stores.map { store in
        var options = try Call.indexerOptions(of: store, limits: limits)
        options.reconciles = !forbidsReconciling
        return (store.name, options)
      })
    return try follows ? group.follow(purgeAfter) : group.update()
  }
}

struct WaitCommand: Verb {
  static let description = CommandDescription(
    name: "wait", summary: "wait until the index contains a transaction",
    details: """
      If no process updates the index, a note says so at once, and the wait continues.
      If a group or several stores are named, it waits for all of them.
      """,
    examples: ["followspot --store movies.store wait", "followspot --store movies.store wait --token 42 --timeout 2s"])

  @Option("--token", "N", "number of the transaction (default: the newest of the store)") var token: Int64?
  @Option(time: "--timeout", "TIME", "maximum time to wait; then exit 4 (default: 10s)") var timeout: Int?

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    try call.refuseInGroup("--token", isGiven: token != nil)
    let end = ContinuousClock.now + .milliseconds(timeout ?? 10_000)
    return try call.eachStore { try wait($0, until: end) }
  }

  private func wait(_ call: Call, until end: ContinuousClock.Instant) throws -> ExitCode {
    let waiting = Waiting(storePath: try call.storePath(), directory: try call.indexDirectory())
    let milliseconds = max(0, Int((end - .now) / .milliseconds(1)))
    let outcome = try waiting.run(token: token, milliseconds: milliseconds) {
      call.say("no process updates this index; waiting for one")
      Console.hint("followspot index --follow")
    }
    guard outcome.isReached else {
      let reached = outcome.token.map { "is at transaction \($0)" } ?? "does not exist"
      call.say(outcome.reason ?? "the index \(reached), not yet at \(outcome.wanted)")
      return .stale
    }
    return .success
  }
}

struct RebuildCommand: Verb {
  static let description = CommandDescription(
    name: "rebuild", summary: "build a new generation of the index while the old one stays in use",
    details: """
      The new generation is brought up to date and compared with the store before it is used. A running follower continues
      with the new generation.
      If a group or several stores are named, their indexes are built one after the other.
      """,
    examples: [
      "followspot --store movies.store rebuild", "followspot --store movies.store rebuild --definition movies.json",
    ])

  @Option("--replay", "replay the history from the first transaction instead of reading the rows") var replays: Bool
  private let definition = DefinitionOptions()
  @Option("--infer", "infer the default definition again from the current values") var infers: Bool
  private let building = BuildingOptions()
  @Option("--keep", "N", "earlier generations to keep for rollback (default: 1)") var kept: Int?

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    try call.refuseInGroup(
      "--definition", isGiven: definition.file != nil,
      hint: "name definitions in the configuration: followspot help config")
    return try call.eachStore(rebuild)
  }

  private func rebuild(_ call: Call) throws -> ExitCode {
    // `--infer` overrides the definition of the store's profile.
    let read = infers ? nil : try call.definition(definition.file)
    if infers, definition.file != nil { throw CommandError("--infer and --definition cannot be combined") }
    let rebuild = Rebuild(
      storePath: try call.storePath(), directory: try call.indexDirectory(), definition: read, infers: infers,
      origin: replays ? .replay : .null, keep: kept ?? 1, limits: try building.limits(), progress: ProgressLine.show,
      report: { call.say($0) })
    // Signals are caught only after the definition was read: its file may be a pipe without a writer, which blocks.
    _ = StopSignal.catchFromNow()
    let outcome = try rebuild.run()
    Console.accomplished = "generation \(outcome.generation) serves"
    Console.write(
      line:
        "\(call.label)generation=\(outcome.generation) documents=\(outcome.documents) token=\(outcome.token.number) "
        + "checksum=\(outcome.checksum)")
    return .success
  }
}

struct RollbackCommand: Verb {
  static let description = CommandDescription(
    name: "rollback", summary: "switch back to the previous generation of the index",
    details: "The next `index`, or a running follower, updates that generation to the newest transaction.",
    examples: ["followspot --store movies.store rollback", "followspot --index movies.store.index rollback"])

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    return try call.eachStore { call in
      guard let generation = try Rollback.run(in: try call.indexDirectory()) else {
        call.say("there is no older generation")
        return .negative
      }
      Console.accomplished = "generation \(generation) serves"
      Console.write(line: "\(call.label)generation=\(generation)")
      return .success
    }
  }
}
