// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

extension StoreIndex {
  /// The changes of the store in the order in which they were saved, each with the present state of its object.
  ///
  /// A reader that stores the position of the last change it handled, and begins there the next time, sees every change
  /// exactly once. Nothing runs between the elements.
  ///
  /// - Parameters:
  ///   - position: Where to begin; nil begins with all objects, then continues with the changes after them. Objects that
  ///     change meanwhile can come twice.
  ///   - kind: The name of an entity; nil for all.
  ///   - author: Only transactions of this author; nil for all.
  ///   - follows: Whether the sequence waits for further saves. Otherwise it ends with the newest one.
  public func changes(
    after position: ChangePosition? = nil, kind: String? = nil, author: String? = nil, follows: Bool = true
  ) -> RecordChanges {
    RecordChanges(index: self, start: .position(position), kind: kind, author: author, follows: follows)
  }

  /// The changes of the store that a consumer of the history has not handled yet.
  ///
  /// The sequence begins where `acknowledge(_:by:)` has moved the consumer, or with all objects if no consumer has this
  /// name. `purge` keeps what the consumer has not handled. Only one iterator at a time can have a consumer.
  ///
  /// - Parameters:
  ///   - name: A short name without slashes.
  ///   - kind: The name of an entity; nil for all.
  ///   - author: Only transactions of this author; nil for all.
  ///   - follows: Whether the sequence waits for further saves. Otherwise it ends with the newest one.
  public func changes(
    forConsumer name: String, kind: String? = nil, author: String? = nil, follows: Bool = true
  ) -> RecordChanges {
    RecordChanges(index: self, start: .consumer(name), kind: kind, author: author, follows: follows)
  }

  /// Notes that a consumer has handled everything up to a position, and registers it if necessary.
  ///
  /// If the position lies inside a transaction, the whole transaction is given again the next time.
  ///
  /// - Parameters:
  ///   - position: `RecordChange.position` of a change that was handled.
  ///   - consumer: The name of the consumer.
  public func acknowledge(_ position: ChangePosition, by consumer: String) async throws {
    try await work {
      let feed = try ChangeFeed(storePath: self.store.path, directory: self.indexDirectory)
      try feed.move(consumer: consumer, to: position.position)
    }
  }
}

/// The changes of a store. Each iterator begins anew.
public struct RecordChanges: AsyncSequence, Sendable {
  /// One change of one object.
  public typealias Element = RecordChange
  /// `.historyGone` if changes after the position are not in the history any more, `.locked` if another iterator has the
  /// consumer, and others.
  public typealias Failure = FollowspotError

  enum Start: Sendable {
    case position(ChangePosition?)
    case consumer(String)
  }

  let index: StoreIndex
  let start: Start
  let kind: String?
  let author: String?
  let follows: Bool

  /// An iterator with a state of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(LiveFeed(self)) }

  /// Reads some changes at a time, when it is asked for the next one.
  public struct Iterator: AsyncIteratorProtocol {
    /// One change of one object.
    public typealias Element = RecordChange
    /// The errors of reading.
    public typealias Failure = FollowspotError

    /// nil after the end.
    private var feed: LiveFeed?

    init(_ feed: LiveFeed) { self.feed = feed }

    /// The next change. It waits for a save, on a thread of its own.
    ///
    /// - Returns: nil after a cancellation, after an error, or after the newest change if the sequence does not follow.
    /// - Throws: `FollowspotError`; the sequence has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(FollowspotError) -> RecordChange? {
      guard let feed else { return nil }
      do {
        if let change = try await feed.next() { return change }
        self.feed = nil
        return nil
      } catch {
        self.feed = nil
        if error is CancellationError { return nil }
        throw FollowspotError(embedding: error)
      }
    }

    /// The next change. It waits for a save, on a thread of its own.
    ///
    /// - Returns: nil after a cancellation, after an error, or after the newest change if the sequence does not follow.
    /// - Throws: `FollowspotError`; the sequence has ended then.
    public mutating func next() async throws(FollowspotError) -> RecordChange? { try await next(isolation: nil) }
  }
}
