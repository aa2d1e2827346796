// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import SearchIndex
internal import Store

/// Options of a query.
struct QueryOptions: OptionGroup {
  @Option("--kind", "ENTITY", "only records of this entity; may be repeated") var kinds: [String]
  @Option("--all", "require all words") private var requiresAll: Bool
  @Option("--any", "accept any of the words") private var acceptsAny: Bool
  @Option("--literal", "treat the query as plain words, without operators and fields") private var isLiteral: Bool
  @Option("--index-only", "search the index alone, without changes that are not indexed yet")
  private var isIndexOnly: Bool
  @Option(time: "--max-lag", "TIME", "exit 4 if the answer would be older than this: 0, 500ms, 10s")
  private var mostLag: Int?
  @Option("--at-least", "TOKEN", "wait until the answer includes this transaction; exit 4 after 10 s")
  private var atLeast: Int64?

  /// The options of a query that is neither widened nor corrected.
  static var exact: OptionSelection<QueryOptions> { .init(.init(), only: ["--kind", "--any", "--literal"]) }

  func request(_ words: [String]) throws -> SearchRequest {
    var request = SearchRequest(query: words.joined(separator: " "))
    if requiresAll, acceptsAny { throw CommandError("--all and --any cannot be combined") }
    request.words = requiresAll ? .all : acceptsAny ? .any : .widening
    request.isLiteral = isLiteral
    request.kinds = kinds
    request.isIndexOnly = isIndexOnly
    request.mostLag = mostLag.map { Double($0) / 1_000 }
    request.atLeast = atLeast
    return request
  }
}

extension Call {
  /// The index without its store that is named: a replica, or the index of another machine; nil if a store is named.
  func copy() throws -> IndexLocation? {
    guard place == nil else { return nil }
    if let replica = try replicaDirectory() { return .directory(replica) }
    guard try givenStores.count == 1, case .remote(let address)? = try groupedParts()?.first else { return nil }
    return .remote(RemoteIndex(address))
  }

  /// What searches the stores of this call: a group, a copy or one store.
  func recordSearch(_ requirement: GroupOptions.Requirement? = nil) throws -> any RecordSearch {
    try searchGroup(requirement)?.keptOpen() ?? searcher()
  }

  /// Opens the index for a search without building it.
  func searcher() throws -> Searcher { try copy().map(Searcher.init(copy:)) ?? searcherOfStore() }

  func searcherOfStore() throws -> Searcher {
    try Searcher(storePath: try storePath(), directory: try indexDirectory())
  }

  /// Opens the store, with the types that the index gives to the columns of an ordinary database.
  func store() throws -> PersistentStore {
    try StoreFile.open(try storePath(), readings: indexDirectory().readings)
  }

  /// The replica that `--index` or the environment names; nil if it is not a replica, or if `--store` names the store.
  func replicaDirectory() throws -> IndexDirectory? {
    guard globals.stores.isEmpty, hasIndexDirectory else { return nil }
    let directory = try indexDirectory()
    return directory.isReplica ? directory : nil
  }

  /// Opens the index for a search. A missing index is built first, if standard error is a terminal or if `builds` is
  /// true.
  func searcherBuildingIndex(_ builds: Bool = false) throws -> Searcher {
    if let copy = try copy() { return try Searcher(copy: copy) }
    do {
      return try searcherOfStore()
    } catch let error as IndexError where error.code == .missing {
      guard builds || Console.isErrorTerminal else {
        throw CommandError(error.message, hint: line(adding: "--build"), code: .missing)
      }
      let options = try indexerOptions(definition: definition())
      Console.say("\(options.storePath) has no index yet; building it")
      try Self.sayBuilt(options, in: StopSignal.catching { try Pass.run(options) }.duration)
      return try searcherOfStore()
    }
  }

  /// The records that a query or identifiers select.
  func hitSelection(_ words: [String], _ options: QueryOptions, author: String?) throws -> HitSelection {
    guard !words.isEmpty else { throw usageError("\(name) takes a query or an identifier") }
    var selection = HitSelection(try options.request(words))
    selection.author = author
    if let records = try namedRecords(words) {
      if !options.kinds.isEmpty { throw CommandError("--kind and identifiers cannot be combined") }
      selection.records = records
    }
    return selection
  }

  /// The records that words name; nil if one of them is not an identifier.
  func records(named words: [String]) throws -> [RecordURI]? {
    guard words.allSatisfy({ $0.contains("/") }) else { return nil }
    let store = try store()
    let records = try words.compactMap(store.record(named:))
    return records.count == words.count ? records : nil
  }

  /// As `records(named:)`, with the stores of a group.
  private func namedRecords(_ words: [String]) throws -> [NamedRecord]? {
    guard words.allSatisfy({ $0.contains("/") }) else { return nil }
    guard let group = try searchGroup(nil) else {
      return try records(named: words)?.map { NamedRecord(store: nil, record: $0) }
    }
    let found = try words.map(group.records(named:))
    return found.contains(where: \.isEmpty) ? nil : found.flatMap(\.self)
  }

  /// Runs `body` at the newest transactions of the stores. Identifiers need no index that is up to date.
  ///
  /// - Returns: The exit code: `incomplete` if a part of a group is missing, which is said.
  func upToDate(
    _ selection: HitSelection, _ body: (any RecordSearch, HitSelection) throws -> Void
  ) throws -> ExitCode {
    var selection = selection
    func open() throws -> any RecordSearch { try searchGroup(nil) ?? searcherOfStore() }
    func run(_ search: any RecordSearch, _ request: SearchRequest) throws -> ExitCode {
      selection.request = request
      try body(search, selection)
      return search.sayMissing(.success)
    }
    guard selection.records.isEmpty else {
      selection.request.isIndexOnly = true
      return try run(open(), selection.request)
    }
    let calls = try memberCalls() ?? [self]
    func update() throws {
      for call in calls {
        do { try call.update() } catch {
          // A store of a group that is gone is missing from the answer.
          if calls.count == 1 || (error as? OperationError)?.code == .stopped { throw error }
        }
      }
    }
    return try Self.upToDate(selection.request, open: open, update: update, run)
  }

  /// The number of pending changes up to which a search covers them. For more, a pass of the indexer is faster.
  private static let mostChanges = 10_000
  /// Processor time for that, in milliseconds.
  private static let mostMilliseconds = 60_000

  /// Searches at the store's newest transaction, including changes that are not indexed yet. If the history lacks some
  /// of these changes or has too many, the index is updated first. If a follower holds the lock, this waits for it.
  ///
  /// - Parameter body: Runs the request, whose `mostLag` is 0. It may be called twice, if the first call throws.
  /// - Throws: `OperationError.stale` if the answer can miss records even after the update.
  func upToDate<Answer>(_ request: SearchRequest, _ body: (Searcher, SearchRequest) throws -> Answer) throws -> Answer {
    try Self.upToDate(request, open: searcherOfStore, update: update, body)
  }

  private static func upToDate<Source, Answer>(
    _ request: SearchRequest, open: () throws -> Source, update: () throws -> Void,
    _ body: (Source, SearchRequest) throws -> Answer
  ) throws -> Answer {
    var request = request
    // An answer that lags can miss records or show outdated ones.
    request.mostLag = 0
    var patient = request
    (patient.overlayLimits.changes, patient.overlayLimits.milliseconds) = (mostChanges, mostMilliseconds)
    do {
      return try body(open(), patient)
    } catch let error as OperationError where error.code == .stale {
      // The index is updated below, and can answer then.
    }
    try update()
    return try body(open(), request)
  }

  /// Updates the index, or waits until the process has done that which holds its lock.
  private func update() throws {
    do {
      let options = try indexerOptions()
      try StopSignal.catching { _ = try Pass.run(options) }
    } catch let error as OperationError where error.code == .locked {
      _ = try Waiting(storePath: storePath(), directory: indexDirectory()).run(token: nil, milliseconds: 5_000)
    }
  }
}
