// SPDX-License-Identifier: MIT

internal import Base
public import FoundationEssentials
internal import Store

/// One change of the result of a saved search.
public struct SearchEvent: Sendable {
  /// How an object changed in the result.
  public enum Kind: String, Sendable {
    /// In the result now, and not before; or in the first result.
    case enter
    /// In the result before and now, with other values.
    case change
    /// In the result before, and not now.
    case leave
  }

  /// The position in the events of the search, from 1. It rises with each event and never repeats.
  public let number: Int64
  /// How the object changed in the result.
  public let kind: Kind
  /// The object's identifier, as `SearchHit.id`.
  public let id: String
  /// The name of the object's entity.
  public let entityName: String
  /// The title of the object; of a deleted one, its last known title.
  public let title: String
  /// The transaction as of which the search was evaluated.
  public let token: Int64
  /// The author of the last transaction that changed the object; nil if there is none, or if it is not known.
  public let author: String?
  /// The values of the object as a JSON object; nil if the object was deleted.
  public let json: Data?
}

extension StoreIndex {
  /// The events of a saved search since they were read last, by whichever process.
  ///
  /// An event counts as handled when the next one is asked for. After a crash, the last event comes again, with the same
  /// number. `purgeHistory` keeps what the events still need. Only one iterator at a time can have a saved search.
  ///
  /// - Parameters:
  ///   - name: The name of the saved search.
  ///   - startsWithResult: Whether the first events ever are those of the present result, with the kind `.enter`.
  ///   - follows: Whether the sequence waits for further saves. Otherwise it ends with the newest one.
  public func events(
    ofSavedSearch name: String, startsWithResult: Bool = false, follows: Bool = true
  ) -> SearchEvents {
    SearchEvents(index: self, name: name, startsWithResult: startsWithResult, follows: follows)
  }
}

/// The events of a saved search.
public struct SearchEvents: AsyncSequence, Sendable {
  /// One change of the result.
  public typealias Element = SearchEvent
  /// `.usage` if there is no such search, `.locked` if its events are read elsewhere, and others.
  public typealias Failure = FollowspotError

  let index: StoreIndex
  let name: String
  let startsWithResult: Bool
  let follows: Bool

  /// An iterator with a state of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(LiveEvents(self)) }

  /// Evaluates the search when it is asked for the next event.
  public struct Iterator: AsyncIteratorProtocol {
    /// One change of the result.
    public typealias Element = SearchEvent
    /// The errors of reading.
    public typealias Failure = FollowspotError

    /// nil after the end.
    private var events: LiveEvents?

    init(_ events: LiveEvents) { self.events = events }

    /// The next event; the one before counts as handled now. It waits for a save, on a thread of its own.
    ///
    /// - Returns: nil after a cancellation, after an error, or after the newest event if the sequence does not follow.
    /// - Throws: `FollowspotError`; the sequence has ended then.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(FollowspotError) -> SearchEvent? {
      guard let events else { return nil }
      do {
        if let event = try await events.next() { return event }
        self.events = nil
        return nil
      } catch {
        self.events = nil
        if error is CancellationError { return nil }
        throw FollowspotError(embedding: error)
      }
    }

    /// The next event; the one before counts as handled now. It waits for a save, on a thread of its own.
    ///
    /// - Returns: nil after a cancellation, after an error, or after the newest event if the sequence does not follow.
    /// - Throws: `FollowspotError`; the sequence has ended then.
    public mutating func next() async throws(FollowspotError) -> SearchEvent? { try await next(isolation: nil) }
  }
}

extension SearchEvent {
  init(_ event: SavedEvent) {
    (number, token, title, author) = (event.number, event.token, event.title, event.author)
    (id, entityName) = (event.record.uri, event.record.entityName)
    json = event.fields.map { Data($0.utf8) }
    kind =
      switch event.kind {
      case .match, .enter: .enter
      case .change: .change
      case .leave: .leave
      }
  }
}
