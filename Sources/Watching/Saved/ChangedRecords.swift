// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore

/// The records that transactions changed, each with all of its changes.
struct ChangedRecords {
  private(set) var changes: [RowIdentifier: CoalescedChange] = [:]
  /// The last transaction that was read; nil if there was none.
  private(set) var last: Int64?

  /// Changes that are read at once.
  private static let sliceLength = 2_000

  /// Reads whole transactions after a number. Call it in a snapshot.
  ///
  /// - Parameters:
  ///   - records: The number of records after which no further transaction is read; nil for no bound.
  ///   - deadline: The time after which no further transaction is read; nil for no bound.
  init(
    in store: PersistentStore, after number: Int64, records: Int? = nil, deadline: ContinuousClock.Instant? = nil
  ) throws {
    while true {
      let numbers = try store.transactionNumbers(after: last ?? number, limit: Self.sliceLength)
      for number in numbers {
        var done: Int64? = .min
        while let after = done {
          try StopSignal.check()
          done = try store.changes(ofTransaction: number, after: after, limit: Self.sliceLength) { change in
            let entity = store.layout.entity(number: change.row.entity)
            changes[change.row, default: CoalescedChange()].add(change, ofTransaction: number, in: entity)
          }
        }
        last = number
        if let records, changes.count >= records { return }
        if let deadline, ContinuousClock.now > deadline { return }
      }
      if numbers.count < Self.sliceLength { return }
    }
  }
}
