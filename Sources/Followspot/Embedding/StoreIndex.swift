public import FoundationEssentials
internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// The full-text index of a store, kept in step and searched by a program itself.
///
/// The store is a file that SwiftData of this package writes, or the `followspot` program; the index is the one which
/// that program uses too, each may go on with what the other made. All work is done on threads of its own: no call holds
/// up the caller's thread, and cancelling the caller's task ends the work. Signals and service managers are left to the
/// program.
///
/// - Source: `Documentation.docc/Architecture.md` tells how a save becomes searchable.
public final class StoreIndex: Sendable {
  /// The store's file.
  public let store: URL
  /// Where the index lies.
  public let directory: URL

  private let definition: String?
  private let buildingMemory: Int
  private let report: @Sendable (String) -> Void
  /// A searcher at rest, so that not every search opens the files.
  private let idle = Mutex<IdleSearcher?>(nil)

  private let hasWarned = Mutex(false)

  private struct IdleSearcher: @unchecked Sendable {  // handed from one search to the next, never shared
    let searcher: Searcher
  }

  /// Names the index of a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - store: The store's file, as in `ModelConfiguration(url:)`.
  ///   - directory: Where the index lies, or is to lie; by default beside the store, `films.store.index`; in the
  ///     user's cache where that directory cannot be written.
  ///   - definition: What is indexed and how, as JSON that `followspot schema` prints and `followspot index --definition`
  ///     takes; nil for what the index holds already, and at first for the attributes marked `.spotlight` or, of an entity
  ///     without any, all texts. What is wrong with it is thrown by `update` and `follow`.
  ///   - buildingMemory: Bytes of shared memory (`/dev/shm`) that building the index may take beside the memory of the
  ///     process; 256 MiB by default, 0 for none. The disk holds what is beyond that.
  ///   - report: Told what happened beside the ordinary, such as a comparison after a restore, one sentence at a time, on
  ///     a thread of the work.
  public init(
    of store: URL, directory: URL? = nil, definition: String? = nil,
    buildingMemory: Int = 256 << 20, report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.store = store
    let standard = IndexDirectory.standard(forStore: store.path, environment: ProcessInfo.processInfo.environment)
    self.directory = directory ?? URL(filePath: standard.path, directoryHint: .isDirectory)
    self.definition = definition
    self.buildingMemory = max(0, buildingMemory)
    self.report = report
  }

  // MARK: Keeping in step

  /// Brings the index to the store's newest transaction, and builds it where there is none.
  ///
  /// What was saved before the call is found when it returns. Where a follower or another program keeps the index, its
  /// work is waited for.
  ///
  /// - Returns: The number of the transaction that the index has reached.
  /// - Throws: `FollowspotError`; `CancellationError` after a cancellation, what was committed stays.
  @discardableResult
  public func update() async throws -> Int64 {
    try await work {
      let options = try self.options()
      let wanted = try PersistentStore.open(options.storePath).newest()
      return try self.whileLocked {
        try Pass.run(options)?.token?.number ?? 0
      } orWhen: {
        let outcome = try Waiting(storePath: options.storePath, directory: options.directory)
          .run(token: wanted, milliseconds: 0)
        return try outcome.isReached && self.serves(options) ? outcome.token : nil
      }
    }
  }

  /// Follows every save to the store, of this process and of others, until the task is cancelled; it then returns.
  ///
  /// Where another follower keeps the index, its end is waited for. What passes by itself, such as a full disk, is
  /// reported and waited out.
  ///
  /// - Parameter reached: Called on the follower's thread with the number of each transaction up to which the index has
  ///   come: at the beginning, and after each commit of it.
  /// - Throws: `FollowspotError` for what waiting cannot mend: no store, a corrupt index.
  public func follow(reached: @escaping @Sendable (Int64) -> Void = { _ in }) async throws {
    do {
      try await work {
        var options = try self.options()
        var last: Int64?
        func tell(_ number: Int64?) {
          guard let number, number != last else { return }
          last = number
          reached(number)
        }
        options.committed = { tell($0.token?.number) }
        let follower = try self.whileLocked {
          // A service manager hears from the program itself.
          try Follower(options, manager: ServiceManager(environment: [:]))
        } orWhen: {
          nil
        }
        try follower.run { tell($0) }
      }
    } catch is CancellationError {
      return
    }
  }

  /// Builds the index anew beside the serving one, compares it with the store, and lets it serve.
  ///
  /// - Throws: `FollowspotError`, and then nothing has changed; `CancellationError`.
  public func rebuild() async throws {
    try await work {
      let options = try self.options()
      _ = try Rebuild(
        storePath: options.storePath, directory: options.directory, definition: options.definition,
        limits: options.building, report: options.report
      ).run()
    }
  }

  private func options() throws -> Indexer.Options {
    var options = Indexer.Options(storePath: store.path, directory: IndexDirectory(path: directory.path))
    options.definition = try definition.map { try IndexDefinition(json: Data($0.utf8)) }
    options.building.memory = buildingMemory
    let isFirst = hasWarned.withLock { hasWarned in
      defer { hasWarned = true }
      return !hasWarned
    }
    if isFirst, let warning = HardLinks.warning(of: store.path) { report(warning) }
    options.report = report
    return options
  }

  /// Tries `body` until nobody else holds the index, or `other` has a result of its own.
  private func whileLocked<Result>(_ body: () throws -> Result, orWhen other: () throws -> Result?) throws -> Result {
    while true {
      do { return try body() } catch {
        guard (error as? FollowspotError)?.code == .locked else { throw error }
      }
      if let result = try other() { return result }
      try StopSignal.check()
      usleep(20_000)
    }
  }

  /// Whether the serving generation is of the definition asked for.
  private func serves(_ options: Indexer.Options) throws -> Bool {
    guard let asked = options.definition else { return true }
    guard let serving = try options.directory.serving() else { return false }
    return try IndexState.read(path: serving.path).definition.digest() == asked.digest()
  }

  private func work<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    do { return try await OwnThread.run(body) } catch {
      if (error as? FollowspotError)?.code == .stopped { throw CancellationError() }
      throw FollowspotError(embedding: error)
    }
  }

  // MARK: Searching

  /// Searches the index and what was saved since it was brought up to date, and joins each hit with its row.
  ///
  /// - Parameters:
  ///   - query: In the query language of `followspot search`: words, `"a phrase"`, `title:word`, `year:1995..2010`,
  ///     `is:favorite`, `kind:Movie`, `toy*`, `AND OR NOT ( )`, `*` for everything.
  ///   - isLiteral: Takes the query as words only: for what a user typed into a search field.
  ///   - kinds: Names of the entities to search; all where it is empty.
  ///   - limit: Hits at most, the best ones; nil for all.
  /// - Returns: The hits in the order of their scores.
  /// - Throws: `FollowspotError`: `.query` with the place and a hint, `.indexMissing` before the first `update`.
  public func search(
    _ query: String, isLiteral: Bool = false, kinds: [String] = [], offset: Int = 0, limit: Int? = 20
  ) async throws -> SearchAnswer {
    precondition(offset >= 0 && (limit ?? 0) >= 0, "offset and limit count hits")
    var request = SearchRequest(query: query)
    (request.isLiteral, request.kinds, request.offset, request.limit) = (isLiteral, kinds, offset, limit)
    return try await work { [request] in
      do {
        return try self.answer(request)
      } catch let error as StoreError where error.code == .replaced {
        return try self.answer(request)
      }
    }
  }

  /// With the searcher at rest, unless another search has it or the files are others by now.
  private func answer(_ request: SearchRequest) throws -> SearchAnswer {
    let known = idle.withLock { idle in
      defer { idle = nil }
      return idle?.searcher
    }
    let searcher: Searcher
    if let known, !known.isOutdated {
      searcher = known
    } else {
      searcher = try Searcher(storePath: store.path, directory: IndexDirectory(path: directory.path))
    }
    let answer = SearchAnswer(try searcher.search(request))
    let resting = IdleSearcher(searcher: searcher)
    idle.withLock { $0 = resting }
    return answer
  }
}
