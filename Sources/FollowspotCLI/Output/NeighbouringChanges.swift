internal import PersistentStore

/// Groups neighbouring changes of one author and moment, which are probably one transaction. Triggers cannot know the
/// transaction of a change. So each change has its own number in the history of an attached database.
struct NeighbouringChanges {
  /// The tolerance: SQLite's time is constant within a statement, and the log adds a random millisecond to it.
  private static let seconds = 0.005

  /// The merged transaction.
  private(set) var transaction: StoredTransaction
  /// The numbers of the merged transactions.
  private(set) var numbers: ClosedRange<Int64>

  init(_ first: StoredTransaction) { (transaction, numbers) = (first, first.number...first.number) }

  /// Adds the next or the previous transaction; returns false if its author or moment differs.
  mutating func add(_ other: StoredTransaction) -> Bool {
    guard other.author == transaction.author, abs(other.timestamp - transaction.timestamp) < Self.seconds else {
      return false
    }
    if other.number < numbers.lowerBound {
      transaction.changes = other.changes + transaction.changes
      numbers = other.number...numbers.upperBound
    } else {
      transaction.changes += other.changes
      numbers = numbers.lowerBound...other.number
    }
    return true
  }
}
