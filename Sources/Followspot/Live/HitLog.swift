// SPDX-License-Identifier: MIT

internal import Base
package import Search
internal import Store

/// A transaction that changed records of a selection, with these changes only.
package struct LoggedTransaction: Sendable {
  package let number: Int64
  /// By the clock of the process that saved.
  package let secondsSince1970: Double
  package let author: String?
  /// Whether it is one change of an attached database, whose triggers cannot know the transaction of a change.
  package let isOneChange: Bool
  package let changes: [HitChange]
}

/// What `HitLog.read` finds.
package struct HitLog: Sendable {
  /// The number of selected records.
  package let records: Int
  /// The newest transaction of the store.
  package let token: Int64
  /// The first ten ranges of transactions that were asked for and are not in the history any more.
  package let missing: [ClosedRange<Int64>]

  /// Calls `body` with the transactions that changed the present records of a selection, until it returns false.
  ///
  /// - Parameters:
  ///   - number: Only transactions after this one.
  ///   - isReversed: Whether the newest transaction comes first.
  ///   - start: Called once before the first transaction.
  package static func read(
    _ selection: HitSelection, in searcher: Searcher, after number: Int64, isReversed: Bool,
    start: (HitLog) throws -> Void, _ body: (LoggedTransaction) throws -> Bool
  ) throws {
    try searcher.withView(selection.request) { view in
      let (store, history) = (view.store, HitHistory(view: view))
      try store.requireHistory()
      let rows = try history.rows(of: selection)
      try start(
        HitLog(
          records: rows.count, token: try store.newest(), missing: try store.missingTransactions(after: number)))
      // From here on only the store is read, so that nothing is repeated.
      guard !rows.isEmpty else { return }
      let tombstones = try history.lastTombstones(of: rows, after: 0)
      try store.transactions(
        after: number, where: .by(selection.author), isNewestFirst: isReversed, of: rows.contains
      ) { transaction in
        try StopSignal.check()
        return try body(
          LoggedTransaction(
            number: transaction.number, secondsSince1970: transaction.secondsSince1970, author: transaction.author,
            isOneChange: store.tracking == .attached,
            changes: try transaction.changes.compactMap { try history.hitChange($0, tombstones) }))
      }
    }
  }
}
