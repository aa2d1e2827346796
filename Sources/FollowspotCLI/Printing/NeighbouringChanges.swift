// SPDX-License-Identifier: MIT

internal import Store

/// Groups neighbouring changes of one author and moment, which are probably one transaction. Triggers cannot know the
/// transaction of a change. So each change has its own number in the history of an attached database.
struct NeighbouringChanges {
  /// The tolerance: SQLite's time is constant within a statement, and the log adds a random millisecond to it.
  private static let seconds = 0.005

  /// Whether two moments, in seconds, are equal within the tolerance.
  static func areEqual(_ one: Double, _ other: Double) -> Bool { abs(one - other) < seconds }

  /// The merged transaction.
  var transaction: StoredTransaction {
    var merged = first
    merged.changes = older.reversed() + first.changes
    return merged
  }
  private var first: StoredTransaction
  /// The changes of transactions before the first one, newest first.
  private var older: [StoredChange] = []
  /// The numbers of the merged transactions.
  private(set) var numbers: ClosedRange<Int64>

  private init(_ first: StoredTransaction) { (self.first, numbers) = (first, first.number...first.number) }

  /// Calls `body` with the groups of a store's transactions until it returns false. If the store is not an attached
  /// database, each transaction is a group.
  static func each(
    in store: PersistentStore, after number: Int64 = 0, through last: Int64 = .max,
    where condition: HistoryCondition = .all, isNewestFirst: Bool,
    of isWanted: ((RowIdentifier) -> Bool)? = nil, _ body: (NeighbouringChanges) throws -> Bool
  ) throws {
    var group: NeighbouringChanges?
    try store.transactions(after: number, through: last, where: condition, isNewestFirst: isNewestFirst, of: isWanted) {
      if store.tracking == .attached, group?.add($0) == true { return true }
      let complete = group
      group = NeighbouringChanges($0)
      guard let complete, try !body(complete) else { return true }
      group = nil
      return false
    }
    if let group { _ = try body(group) }
  }

  /// Adds the next or the previous transaction; returns false if its author or moment differs.
  private mutating func add(_ other: StoredTransaction) -> Bool {
    guard other.author == first.author, Self.areEqual(other.timestamp, first.timestamp) else { return false }
    if other.number < numbers.lowerBound {
      older += other.changes.reversed()
      numbers = other.number...numbers.upperBound
    } else {
      first.changes += other.changes
      numbers = numbers.lowerBound...other.number
    }
    return true
  }
}
