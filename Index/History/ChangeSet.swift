// SPDX-License-Identifier: MIT

internal import Base
package import Store

/// The changes of records between two transactions: one for each record.
package struct ChangeSet {
  /// What ends the reading before the last transaction.
  package struct Limits {
    /// The number of records after which no further change is read.
    var records = Int.max
    var transactions = Int.max
    /// The time after which no further transaction is read.
    var deadline: ContinuousClock.Instant?
    /// Whether the reading may end inside a transaction.
    var splitsTransactions = false

    package init(records: Int = .max, deadline: ContinuousClock.Instant? = nil) {
      (self.records, self.deadline) = (records, deadline)
    }
  }

  package private(set) var records: [RowIdentifier: CoalescedChange] = [:]
  /// The last transaction that was read; nil if there was none.
  package private(set) var last: Int64?
  /// The number of the last change read if more changes of its transaction follow; otherwise nil.
  private(set) var lastChange: Int64?

  init() {}

  /// Reads the changes after a transaction. Call it in a snapshot.
  ///
  /// - Parameters:
  ///   - change: Also the changes of that transaction after the one with this number; nil for none of them.
  ///   - isCounted: As for `CoalescedChange.add`.
  package init(
    in store: PersistentStore, after number: Int64, change: Int64? = nil, through last: Int64 = .max,
    limits: Limits = Limits(), of isWanted: ((RowIdentifier) -> Bool)? = nil,
    isCounted: (StoredTransaction) -> Bool = { _ in true }
  ) throws {
    var (transactions, newest) = (0, Int64?.none)
    try store.eachChange(after: number, change: change, through: last, of: isWanted) { transaction, change in
      try StopSignal.check()
      let isNext = transaction.number != self.last
      if isNext {
        let isLate = transactions > 0 && limits.deadline.map { ContinuousClock.now > $0 } == true
        if isLate || transactions == limits.transactions || records.count >= limits.records { return false }
        transactions += 1
        self.last = transaction.number
      } else if limits.splitsTransactions, records.count >= limits.records {
        lastChange = newest
        return false
      }
      guard let change else { return true }
      newest = change.number
      records[change.row, default: CoalescedChange()].add(
        change, of: transaction, in: store.layout.entity(number: change.row.entity), isCounted: isCounted(transaction))
      return true
    }
  }

  /// Adds records of which anything may have changed.
  mutating func add(_ rows: some Sequence<RowIdentifier>) {
    for row in rows { records[row, default: CoalescedChange()].addUnknown() }
  }
}
