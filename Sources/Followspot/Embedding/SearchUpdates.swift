// SPDX-License-Identifier: MIT

internal import Base

extension StoreIndex {
  /// The answer to a query, and then how it changes with each save, of this process and of others.
  ///
  /// Nothing runs between the elements: the next one is computed when it is asked for, and joins all saves since the last
  /// one. The sequence ends when its task is cancelled. Each iterator begins with a new answer. All sequences of an index
  /// wait on one thread, and a save is only searched for those whose answer it may change. That a save changes an answer
  /// without a record that is in it or matches now, such as the number of matches beyond the limit, is seen within three seconds.
  ///
  /// - Parameter query: A limit bounds the memory and the time of each answer.
  public func results(of query: SearchQuery) -> SearchUpdates { SearchUpdates(source: self, query: query) }
}

/// The answer to a query, and then how it changes.
///
/// If the store or the index is missing or unreadable for a while after the first answer, the sequence waits, and
/// `report` of the index or the group is called once.
public struct SearchUpdates: AsyncSequence, Sendable {
  /// A new answer with its difference from the last one.
  public typealias Element = SearchUpdate
  /// The errors of a search: `.query`, `.indexMissing` before the first update, and others.
  public typealias Failure = FollowspotError

  let source: any SearchSource
  let query: SearchQuery

  /// An iterator with a state of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(LiveAnswer(query, in: source.live.object { LiveAnswers(of: source) }))
  }

  /// Searches again when it is asked for the next element.
  public struct Iterator: AsyncIteratorProtocol {
    /// A new answer with its difference from the last one.
    public typealias Element = SearchUpdate
    /// The errors of a search.
    public typealias Failure = FollowspotError

    /// nil after the end.
    private var live: LiveAnswer?

    init(_ live: LiveAnswer) { self.live = live }

    /// Waits until the answer differs from the last one, on a thread of its own.
    ///
    /// - Returns: nil after a cancellation, or after an error.
    /// - Throws: `FollowspotError`; the sequence has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(FollowspotError) -> SearchUpdate? {
      guard let live else { return nil }
      do { return try await live.next() } catch {
        self.live = nil
        if error is CancellationError { return nil }
        throw FollowspotError(embedding: error)
      }
    }

    /// Waits until the answer differs from the last one, on a thread of its own.
    ///
    /// - Returns: nil after a cancellation, or after an error.
    /// - Throws: `FollowspotError`; the sequence has ended then.
    public mutating func next() async throws(FollowspotError) -> SearchUpdate? { try await next(isolation: nil) }
  }
}
