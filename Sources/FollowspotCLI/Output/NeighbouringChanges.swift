internal import PersistentStore

/// Groups neighbouring changes of one author and moment, which are probably one transaction. Triggers cannot know the
/// transaction of a change. So each change has its own number in the history of an attached database.
struct NeighbouringChanges {
  /// The tolerance: SQLite's time is constant within a statement, and the log adds a random millisecond to it.
  private static let seconds = 0.005

  /// The merged transaction, with the number of the first one.
  private(set) var transaction: StoredTransaction
  private(set) var last: Int64

  init(_ first: StoredTransaction) { (transaction, last) = (first, first.number) }

  /// Adds the next transaction; returns false if its author or moment differs.
  mutating func add(_ next: StoredTransaction) -> Bool {
    guard next.author == transaction.author, abs(next.timestamp - transaction.timestamp) < Self.seconds else {
      return false
    }
    transaction.changes += next.changes
    last = next.number
    return true
  }
}
