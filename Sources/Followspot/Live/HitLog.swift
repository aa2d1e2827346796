// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import Store

/// A transaction that changed records of a selection, with these changes only.
package struct LoggedTransaction: Sendable {
  /// The name of the store in its group; nil if there is no group.
  package let store: String?
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
  package struct Store: Sendable {
    /// nil if there is no group.
    package let name: String?
    /// The newest transaction.
    package let token: Int64
    /// The first ten ranges of transactions that were asked for and are not in the history any more.
    package let missing: [ClosedRange<Int64>]
  }

  /// The number of selected records.
  package let records: Int
  package let stores: [Store]
  /// The names of the stores of the group that keep no history.
  package let withoutHistory: [String]

  /// The number of transactions that are read at once.
  private static let page = 200

  /// Calls `body` with the transactions that changed the present records of a selection, until it returns false. Those
  /// of several stores are in the order of their times.
  ///
  /// - Parameters:
  ///   - tokens: Only transactions after these.
  ///   - isReversed: Whether the newest transaction comes first.
  ///   - start: Called once before the first transaction.
  package static func read(
    _ selection: HitSelection, in search: any RecordSearch, after tokens: StoreTokens, isReversed: Bool,
    start: (HitLog) throws -> Void, _ body: (LoggedTransaction) throws -> Bool
  ) throws {
    try search.withStoreViews(selection.request) { views in
      try tokens.check(in: search.storeNames)
      let (views, others) = try views.withHistory()
      let logs = try views.map { try StoreLog($0, selection, after: tokens.number(of: $0.name) ?? 0, isReversed) }
      try start(
        HitLog(records: logs.reduce(0) { $0 + $1.rows.count }, stores: logs.map(\.summary), withoutHistory: others))
      // From here on only the stores are read, so that nothing is repeated.
      let pages = logs.map { log in { (last: LoggedTransaction?) in try log.page(behind: last, limit: Self.page) } }
      var merged = TimeMerge(pages, isNewestFirst: isReversed, time: \.secondsSince1970)
      while let (_, transaction) = try merged.next(), try body(transaction) {}
    }
  }
}

/// The transactions of one store that changed records of a selection.
private struct StoreLog {
  let rows: Set<RowIdentifier>
  let summary: HitLog.Store
  private let store: PersistentStore
  private let history: HitHistory
  private let tombstones: [RowIdentifier: [Value]]
  private let condition: HistoryCondition
  private let after: Int64
  private let isReversed: Bool

  init(_ one: StoreView, _ selection: HitSelection, after: Int64, _ isReversed: Bool) throws {
    (store, history, self.after, self.isReversed) = (one.view.store, HitHistory(one), after, isReversed)
    rows = try history.rows(of: selection)
    summary = HitLog.Store(
      name: one.name, token: try store.newest(), missing: try store.missingTransactions(after: after))
    tombstones = rows.isEmpty ? [:] : try history.lastTombstones(of: rows, after: 0)
    condition = .by(selection.author)
  }

  func page(behind last: LoggedTransaction?, limit: Int) throws -> [LoggedTransaction] {
    guard !rows.isEmpty else { return [] }
    let lower = isReversed ? after : last?.number ?? after
    let upper = isReversed ? last.map { $0.number - 1 } ?? .max : .max
    var found: [LoggedTransaction] = []
    try store.transactions(
      after: lower, through: upper, where: condition, isNewestFirst: isReversed, limit: limit, of: rows.contains
    ) { transaction in
      try StopSignal.check()
      found.append(
        LoggedTransaction(
          store: summary.name, number: transaction.number, secondsSince1970: transaction.secondsSince1970,
          author: transaction.author, isOneChange: store.tracking == .attached,
          changes: try transaction.changes.compactMap { try history.hitChange($0, tombstones) }))
      return true
    }
    return found
  }
}
