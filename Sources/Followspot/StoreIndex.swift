// SPDX-License-Identifier: MIT

internal import Base
public import FoundationEssentials
internal import SearchIndex
internal import Store
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// The full-text index of a store, which a program updates and searches itself.
///
/// The store is a file that the SwiftData module of this package or the `followspot` program writes. The index is the
/// same that `followspot` uses: either program can continue with it. All work is done on separate threads: no call
/// blocks the caller's thread, and cancelling the caller's task ends the work. `StoreIndex` handles no signals, and
/// reports to no service manager.
///
/// - Source: `Documentation.docc/Architecture.md` describes how a save becomes searchable.
public final class StoreIndex: Sendable {
  /// The store's file.
  public let store: URL
  /// The directory of the index.
  public let directory: URL

  private let definition: String?
  private let buildingMemory: Int
  let report: @Sendable (String) -> Void
  let idle = IdleSearch<Searcher>()
  let live = SharedWhileUsed()

  private let hasWarned = Mutex(false)

  /// Creates the handle of a store's index. No file is opened yet.
  ///
  /// - Parameters:
  ///   - store: The store's file, as in `ModelConfiguration(url:)`.
  ///   - directory: The directory of the index. It defaults to a directory beside the store, `films.store.index`, or to
  ///     the user's cache if that directory cannot be written.
  ///   - definition: Which attributes are indexed and how, as JSON: `followspot schema` prints it. nil keeps the
  ///     definition of the index. The first definition then indexes the attributes marked `.spotlight`, or all texts of
  ///     an entity without such attributes. `update` and `follow` throw if the definition is not valid.
  ///   - buildingMemory: Bytes of memory that a build may use (default: 256 MiB; 0 = as few as possible). With fewer, it
  ///     has fewer threads.
  ///   - report: Called with one sentence per unusual event, such as a comparison after a restore. It runs on a thread
  ///     of the index.
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

  /// Updates the index to the store's newest transaction, and builds it if there is none.
  ///
  /// When the call returns, a search finds everything that was saved before the call. If a follower or another program
  /// updates the index, the call waits for it.
  ///
  /// - Returns: The number of the newest indexed transaction.
  /// - Throws: `FollowspotError`; `CancellationError` after a cancellation. What was committed before stays.
  @discardableResult
  public func update() async throws -> Int64 {
    try await work {
      let options = try self.options()
      let wanted = try StoreFile.open(options.storePath).newest()
      return try self.whileLocked {
        try Pass.run(options).token
      } orWhen: {
        let outcome = try Waiting(storePath: options.storePath, directory: options.directory)
          .run(token: wanted, milliseconds: 0)
        return try outcome.isReached && self.serves(options) ? outcome.token : nil
      }
    }
  }

  /// Updates the index after every save to the store, of this process and of others. Returns when the task is
  /// cancelled.
  ///
  /// If another follower updates the index, the call reports its progress, and takes over when it ends. Temporary
  /// failures, such as a full disk, are reported, and the update is tried again.
  ///
  /// - Parameter reached: Called on a thread of the index with the number of the newest indexed transaction: at the
  ///   beginning, and after each commit of the index, whoever makes it.
  /// - Throws: `FollowspotError` for permanent failures, such as a missing store or a corrupt index.
  public func follow(reached: @escaping @Sendable (Int64) -> Void = { _ in }) async throws {
    do {
      try await work {
        var options = try self.options()
        var last: Int64?
        func notify(_ number: Int64?) {
          guard let number, number != last else { return }
          last = number
          reached(number)
        }
        options.committed = { notify($0.token?.number) }
        var other = CommittedToken(directory: options.directory)
        let follower = try self.whileLocked {
          // Only the program itself reports to a service manager.
          try Follower(options, manager: ServiceManager(environment: [:]))
        } orWhen: {
          notify(other.next())
          return nil
        }
        try follower.run { notify($0) }
      }
    } catch is CancellationError {
      return
    }
  }

  /// Builds a new index beside the old one, compares it with the store, and replaces the old one.
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

  var indexDirectory: IndexDirectory { IndexDirectory(path: directory.path) }

  private func options() throws -> Indexer.Options {
    var options = Indexer.Options(storePath: store.path, directory: indexDirectory)
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

  /// Repeats `body` while the index is locked, until it succeeds or `other` returns a result.
  private func whileLocked<Result>(_ body: () throws -> Result, orWhen other: () throws -> Result?) throws -> Result {
    while true {
      do { return try body() } catch {
        guard (error as? OperationError)?.code == .locked else { throw error }
      }
      if let result = try other() { return result }
      try StopSignal.check()
      usleep(20_000)
    }
  }

  /// Whether the serving generation was built with the requested definition.
  private func serves(_ options: Indexer.Options) throws -> Bool {
    guard let requested = options.definition else { return true }
    guard let serving = try options.directory.serving() else { return false }
    return try IndexState.read(path: serving.path).definition.digest() == requested.digest()
  }

  /// Closes the files that an idle searcher holds open.
  func forgetSearcher() { _ = idle.take() }
}

extension StoreIndex: SearchSource {
  var storePaths: [String] { [store.path] }

  func open() throws -> Searcher { try Searcher(storePath: store.path, directory: indexDirectory) }
}
