// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
package import Store

/// The change feeds of several stores, or of one, in the order of the times of their transactions. Not thread-safe.
package final class MergedFeed {
  /// An event and where it is from.
  package struct Item {
    package let event: FeedEvent
    /// The name of the store in its group; nil if there is no group.
    package let name: String?
    package let store: PersistentStore
    /// Where a reader continues that has handled this event; nil as long as that is not known for all stores.
    package let position: FeedPositions?
  }

  private final class Member {
    let name: String?
    let feed: ChangeFeed
    /// nil before all records of the store were given.
    var position: FeedPosition?
    /// Events that were read and not given yet.
    var read: ArraySlice<(event: FeedEvent, store: PersistentStore)> = []
    /// The position behind them.
    var end: FeedPosition?
    var hasMore = true

    init(_ name: String?, _ feed: ChangeFeed) { (self.name, self.feed) = (name, feed) }
  }

  private let members: [Member]
  /// The number of changes of a store that are read at once.
  private static let page = 500

  /// - Parameter feeds: At least one; each with the name of its store in the group, or nil for the only one.
  package init(_ feeds: [(name: String?, feed: ChangeFeed)]) { members = feeds.map { Member($0.name, $0.feed) } }

  /// How far the events were given; nil as long as not all records of all stores were.
  package var position: FeedPositions? {
    let known = members.compactMap { member in member.position.map { (store: member.name, position: $0) } }
    return known.count == members.count ? FeedPositions(known) : nil
  }

  /// Continues at a position. Stores without one begin with all their records.
  ///
  /// - Throws: `OperationError.usage` for the position of other stores.
  package func start(at positions: FeedPositions?) throws {
    guard let positions else { return }
    let names = members.compactMap(\.name)
    guard positions.stores.isEmpty == names.isEmpty else {
      throw OperationError(
        .usage,
        names.isEmpty
          ? "there is no group, but the position is that of one: \(positions)"
          : "the position \(positions) belongs to one store, not to a group", recovery: .tokensOfStores(names))
    }
    if let other = positions.stores.first(where: { !names.contains($0) }) {
      throw OperationError(.usage, "the group has no store '\(other)'", recovery: .knownNames(names))
    }
    for member in members { member.position = positions[member.name] }
  }

  /// Gives `body` all records of the stores without a position, then the changes behind the position of each, for a third
  /// of a second at most.
  ///
  /// - Parameter limit: The maximum number of events; nil for all.
  /// - Returns: Whether more follow now.
  package func advance(limit: Int? = nil, _ body: (Item) throws -> Void) throws -> Bool {
    var left = limit ?? .max
    guard try giveRecords(&left, body), left > 0 else { return true }
    let deadline = ContinuousClock.now + ChangeFeed.longestPass
    repeat {
      var failure: (any Error)?
      for member in members {
        // The others go on while a store is away.
        do { try fill(member) } catch let error as StoreError where error.passesByItself { failure = failure ?? error }
      }
      guard let first = members.filter({ !$0.read.isEmpty }).min(by: { Self.time($0) < Self.time($1) }) else {
        if let failure { throw failure }
        let isOver = !members.contains(where: \.hasMore)
        for member in members { member.hasMore = true }
        return !isOver
      }
      guard let (event, store) = first.read.first else { return true }
      try give(event, of: first, store, body)
      first.read.removeFirst()
      if first.read.isEmpty { first.position = first.end ?? first.position }
      left -= 1
    } while left > 0 && ContinuousClock.now < deadline
    return true
  }

  /// Gives `body` all records of the stores without a position. The last record of all comes when the position of each
  /// store is known, also of those without records.
  ///
  /// - Returns: Whether all were given.
  private func giveRecords(_ left: inout Int, _ body: (Item) throws -> Void) throws -> Bool {
    let begun = members.filter { $0.position == nil }
    var (rest, held) = (left, (event: FeedEvent, member: Member, store: PersistentStore)?.none)
    defer { left = rest }
    func release() throws {
      guard let one = held else { return }
      (held, rest) = (nil, rest - 1)
      try give(one.event, of: one.member, one.store, body)
    }
    do {
      for member in begun {
        let most = rest - (held == nil ? 0 : 1)
        let end =
          most == 0
          ? nil
          : try member.feed.snapshot(limit: most) { event, store in
            try release()
            held = (event, member, store)
          }
        guard let end else {
          try release()
          return false
        }
        member.position = end
      }
      try release()
    } catch {
      // The records are given again.
      for member in begun { member.position = nil }
      throw error
    }
    return true
  }

  private func give(
    _ event: FeedEvent, of member: Member, _ store: PersistentStore, _ body: (Item) throws -> Void
  ) throws {
    let before = member.position
    member.position = event.position ?? before
    do { try body(Item(event: event, name: member.name, store: store, position: position)) } catch {
      // It is given again.
      member.position = before
      throw error
    }
  }

  private static func time(_ member: Member) -> Double { member.read.first?.event.secondsSince1970 ?? 0 }

  /// Reads the next events of a store, if all that were read were given.
  private func fill(_ member: Member) throws {
    guard member.read.isEmpty, member.hasMore, let position = member.position else { return }
    var found: [(event: FeedEvent, store: PersistentStore)] = []
    let (end, hasMore) = try member.feed.changes(after: position, limit: Self.page) { found.append(($0, $1)) }
    (member.read, member.end, member.hasMore) = (found[...], end, hasMore)
    if found.isEmpty { member.position = end }
  }

  // MARK: Consumers

  /// As `ChangeFeed.lock`, in all stores.
  package func lock(consumer name: String) throws -> [FileLock] { try members.map { try $0.feed.lock(consumer: name) } }

  /// Continues where a consumer has read up to. A store in which it is not registered begins with all its records.
  package func start(atConsumer name: String) throws {
    for member in members { member.position = try member.feed.position(ofConsumer: name) }
  }

  /// Notes that a consumer has handled all events that were given, and registers it if necessary.
  package func move(consumer name: String) throws {
    for member in members {
      if let position = member.position { try member.feed.move(consumer: name, to: position) }
    }
  }

  /// Waits until another process has saved since the last pass, or for a second at most.
  package func wait(_ waiter: ChangeWaiter) throws { try waiter.wait(for: members.map(\.feed.state)) }
}
