internal import PersistentStore

/// Puts changes of one author and moment together, as a person made them. Triggers cannot tell which transaction a change
/// belongs to, so each has a number of its own in the history of an attached database.
struct NeighbouringChanges {
  /// SQLite's time stands still within a statement, and the log adds a random millisecond to it.
  private static let seconds = 0.005

  /// The changes together, under the number of the first one.
  private(set) var transaction: StoredTransaction
  private(set) var last: Int64

  init(_ first: StoredTransaction) { (transaction, last) = (first, first.number) }

  /// Takes in the next transaction; false where it is of another author or moment.
  mutating func add(_ next: StoredTransaction) -> Bool {
    guard next.author == transaction.author, abs(next.timestamp - transaction.timestamp) < Self.seconds else {
      return false
    }
    transaction.changes += next.changes
    last = next.number
    return true
  }
}
