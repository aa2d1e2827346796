// SPDX-License-Identifier: MIT

internal import Base
internal import Store
internal import Synchronization

/// What a program searches: one store, or a group of stores.
protocol SearchSource: AnyObject, Sendable {
  associatedtype Search: RecordSearch

  /// Called with a sentence about an unusual event, on a thread of the source.
  var report: @Sendable (String) -> Void { get }
  var idle: IdleSearch<Search> { get }
  /// What all live answers of the source use.
  var live: SharedWhileUsed { get }
  var storePaths: [String] { get }

  /// Opens the files.
  func open() throws -> Search
}

/// A search that nobody uses now, so that not every call opens the files.
final class IdleSearch<Search: RecordSearch>: Sendable {
  private struct Box: @unchecked Sendable {  // handed from one call to the next, never shared
    let search: Search
  }

  private let box = Mutex<Box?>(nil)

  /// The search, which belongs to the caller then.
  func take() -> Search? {
    box.withLock { box in
      defer { box = nil }
      return box?.search
    }
  }

  func put(_ search: Search) {
    let box = Box(search: search)
    self.box.withLock { $0 = box }
  }
}

/// An object that exists as long as somebody else holds it, and is made again when it is needed.
final class SharedWhileUsed: Sendable {
  private struct Box { weak var object: (any AnyObject & Sendable)? }

  private let box = Mutex(Box())

  func object<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object {
    box.withLock { box in
      if let known = box.object as? Object { return known }
      let made = make()
      box.object = made
      return made
    }
  }
}

extension SearchSource {
  /// Runs `body` on a thread of its own.
  ///
  /// - Parameter deadline: The time after which the call ends with an error; nil for no limit. The thread ends when `body`
  ///   notices.
  /// - Throws: `FollowspotError`, after the deadline with the code `.timeout`; `CancellationError` after a cancellation.
  func work<Result: Sendable>(
    within deadline: Duration? = nil, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    do { return try await OwnThread.run(within: deadline, body) } catch { throw translated(error) }
  }

  /// An error as a program gets it.
  func translated(_ error: any Error) -> any Error {
    if error is CancellationError || (error as? OperationError)?.code == .stopped { return CancellationError() }
    return FollowspotError(embedding: error)
  }

  /// Runs `body` with an open search on a thread of its own.
  ///
  /// - Parameter deadline: As for `work`.
  /// - Throws: As `work`.
  func searching<Result: Sendable>(
    within deadline: Duration? = nil, _ body: @escaping @Sendable (Search) throws -> Result
  ) async throws -> Result {
    try await work(within: deadline) { try self.withSearch(body) }
  }

  /// Runs `body` with an open search, and once more with a new one if a store was replaced meanwhile.
  func withSearch<Result>(_ body: (Search) throws -> Result) throws -> Result {
    if let known = idle.take(), (try? known.isCurrent) == true {
      do {
        let result = try body(known)
        if known.missing.isEmpty {
          idle.put(known)
          return result
        }
      } catch let error as StoreError where error.asksForOpening {}
    }
    let search = try open()
    let result = try body(search)
    idle.put(search)
    return result
  }
}

extension RecordSearch {
  /// Whether no store was replaced since it was opened, and all of them answer.
  fileprivate var isCurrent: Bool {
    get throws { try missing.isEmpty && !searchers().contains(where: \.isOutdated) }
  }
}
