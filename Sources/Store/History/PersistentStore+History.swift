// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// The number of the newest transaction ever written, even if it was purged; 0 before the first save.
  package func newest() throws -> Int64 {
    try Self.translating(path) { try maximum(ofEntity: StoreLayout.HistoryEntity.transaction) }
  }

  /// The number of the oldest transaction that still exists.
  package func oldest() throws -> Int64? {
    try integer("SELECT MIN(Z_PK) FROM ATRANSACTION")
  }

  // MARK: Transactions

  /// Calls `body` with transactions and their changes until it returns false.
  ///
  /// - Parameters:
  ///   - number: Only transactions after this one.
  ///   - last: Only transactions up to this one.
  ///   - condition: Only transactions that meet it.
  ///   - order: Terms over the columns of `HistoryCondition`. Equal transactions are ordered by number.
  ///   - isNewestFirst: Whether the newest transaction comes first; otherwise the oldest. It has no effect with an order.
  ///   - limit: The maximum number of results.
  ///   - isWanted: Selects rows: only transactions that changed one of them, and only these changes. nil for all.
  package func transactions(
    after number: Int64 = 0, through last: Int64 = .max, where condition: HistoryCondition = .all,
    orderBy order: [String] = [], isNewestFirst: Bool = false, limit: Int? = nil,
    of isWanted: ((RowIdentifier) -> Bool)? = nil, _ body: (StoredTransaction) throws -> Bool
  ) throws {
    var condition = condition
    if let limit, !order.isEmpty { condition = condition.first(limit, orderBy: order) }
    var (current, count) = (StoredTransaction?.none, 0)
    try eachChange(
      after: number, through: last, where: condition, orderBy: order, isNewestFirst: isNewestFirst, of: isWanted
    ) { transaction, change in
      if let complete = current, complete.number != transaction.number {
        current = nil
        count += 1
        guard try body(complete) else { return false }
      }
      guard count != limit else { return false }
      if current == nil { current = transaction }
      if let change { current?.changes.append(change) }
      return true
    }
    if let current { _ = try body(current) }
  }

  /// The transaction of a number without its changes; nil if the history does not contain it.
  package func header(ofTransaction number: Int64) throws -> StoredTransaction? {
    var found: StoredTransaction?
    try eachChange(after: number - 1, through: number) { transaction, _ in
      found = transaction
      return false
    }
    return found
  }

  // MARK: Changes

  /// Calls `body` with changes, each with its transaction, until it returns false. The changes of a transaction come in
  /// the order in which they were written.
  ///
  /// The history has an index on transactions only. So this reads all changes of the selected transactions, whichever
  /// rows are wanted.
  ///
  /// - Parameters:
  ///   - number: Only changes after this transaction.
  ///   - change: Also the changes of that transaction after the one with this number; nil for none of them.
  ///   - body: Is given the transaction without changes, and one of its changes; nil if it has none, or if the change is
  ///     of an unknown kind.
  package func eachChange(
    after number: Int64, change: Int64? = nil, through last: Int64 = .max, where condition: HistoryCondition = .all,
    orderBy order: [String] = [], isNewestFirst: Bool = false, of isWanted: ((RowIdentifier) -> Bool)? = nil,
    _ body: (StoredTransaction, StoredChange?) throws -> Bool
  ) throws {
    let columns = changeColumns.map { "c." + $0 }
    let terms = order + [isNewestFirst ? "t.Z_PK DESC" : "t.Z_PK", "c.Z_PK"]
    let next = condition.nextParameter
    let sql = """
      SELECT \(columns.joined(separator: ", ")), t.Z_PK, t.ZTIMESTAMP, a.ZNAME, b.ZNAME, p.ZNAME
      FROM \(HistoryCondition.tables)
      LEFT JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK
      AND c.Z_PK > CASE t.Z_PK WHEN ?\(next) THEN ?\(next + 1) ELSE \(Int64.min) END
      WHERE t.Z_PK > ?\(next + 2) AND t.Z_PK <= ?\(next + 3) AND (\(condition.sql))
      ORDER BY \(terms.joined(separator: ", "))
      """
    let lower = change == nil ? number : number - 1
    let bounds = [number, change ?? .min, lower, last]
    try Self.translating(path) {
      let statement = try compiling { () throws(SQLiteError) in
        try connection.borrow(sql, condition.values + bounds.map(Value.integer))
      }
      // A statement that is not finished would hold the snapshot.
      defer { connection.giveBack(statement, sql) }
      let first = Int32(columns.count)
      var transaction: StoredTransaction?
      while try statement.step() {
        if let isWanted {
          guard !statement.isNull(at: 0), isWanted(changedRow(statement)) else { continue }
        }
        let number = statement.integer(at: first)
        if transaction?.number != number {
          if order.isEmpty { try refuseDisorder(number, after: transaction?.number, from: lower, isNewestFirst) }
          transaction = StoredTransaction(
            number: number, timestamp: statement.double(at: first + 1), author: statement.optionalText(at: first + 2),
            bundle: statement.optionalText(at: first + 3), process: statement.optionalText(at: first + 4), changes: [])
        }
        guard let transaction, try body(transaction, self.change(statement)) else { return }
      }
    }
  }

  /// Refuses a transaction that SQLite could only find in a damaged table: a reader that goes on after the last one would
  /// never end.
  private func refuseDisorder(
    _ number: Int64, after last: Int64?, from lower: Int64, _ isNewestFirst: Bool
  ) throws {
    let isInOrder = last.map { isNewestFirst ? number < $0 : number > $0 } ?? true
    guard isInOrder, number > lower else {
      let place = last.map { "follows transaction \($0)" } ?? "is not after \(lower)"
      throw StoreError(
        .corrupt, "\(path) is damaged: in the history, transaction \(number) \(place)", recovery: .restoreBackup)
    }
  }

  /// The columns of a change that `changedRow` and `change` read. An empty history has no columns of tombstones.
  private var changeColumns: [String] {
    ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"]
      + (tracking.hasHistory ? layout.tombstoneNames : []) + loggedKeyColumns
  }

  /// The columns of a change with the values that name its row; empty but for attached databases.
  var loggedKeyColumns: [String] {
    (0..<(tables?.loggedKeyColumns ?? 0)).map { "ZKEY\($0)" }
  }

  /// The values in these columns, the first of which is `first`; empty if the log does not have them.
  func loggedKey(_ statement: Statement, at first: Int32, of entity: EntityLayout?) -> [Value] {
    guard let entity, let count = tables?.keyColumns(of: entity), count <= loggedKeyColumns.count else {
      return []
    }
    let values = (0..<Int32(count)).map { statement.value(at: first + $0) }
    return values.contains(where: \.isNull) ? [] : values
  }

  private func changedRow(_ statement: Statement) -> RowIdentifier {
    RowIdentifier(entity: Int(statement.integer(at: 2)), key: statement.integer(at: 3))
  }

  /// The change in the current row of a statement; nil if there is none, or if it is of an unknown kind.
  private func change(_ statement: Statement) -> StoredChange? {
    guard !statement.isNull(at: 0), let kind = ChangeKind(rawValue: Int(statement.integer(at: 1))) else { return nil }
    let row = changedRow(statement)
    let entity = layout.entity(number: row.entity)
    let preserved = kind == .delete ? entity?.tombstoneOrder.count ?? 0 : 0
    return StoredChange(
      number: statement.integer(at: 0), kind: kind, row: row,
      bitmap: kind == .update && !statement.isNull(at: 4) ? Array(statement.bytes(at: 4)) : nil,
      tombstone: (0..<preserved).map { statement.value(at: Int32($0) + 5) },
      key: loggedKey(statement, at: Int32(layout.tombstoneColumns) + 5, of: entity))
  }

  /// The number of transactions after `number`, and how many of them meet a condition.
  package func countTransactions(
    after number: Int64, where condition: HistoryCondition
  ) throws -> (all: Int, matching: Int) {
    try Self.translating(path) {
      let sql = """
        SELECT COUNT(*), COUNT(CASE WHEN \(condition.sql) THEN 1 END) FROM \(HistoryCondition.tables)
        WHERE t.Z_PK > ?\(condition.nextParameter)
        """
      return try connection.firstRow(sql, condition.values + [.integer(number)]) {
        (Int($0.integer(at: 0)), Int($0.integer(at: 1)))
      } ?? (0, 0)
    }
  }

  /// Whether more than `count` changes were made after a transaction. Reads at most one change more.
  package func hasMoreChanges(than count: Int, after number: Int64) throws -> Bool {
    try hasRow(
      "SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONID > ?1 LIMIT 1 OFFSET ?2", [.integer(number), .integer(Int64(count))])
  }

  /// The distinct authors of the existing transactions.
  package func authors() throws -> [String] {
    try mapRows(
      "SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK IN (SELECT ZAUTHORTS FROM ATRANSACTION)"
    ) { $0.text(at: 0) }
  }

  /// The distinct rows that were changed after transaction `number`.
  package func changedRows(after number: Int64) throws -> Set<RowIdentifier> {
    try Self.translating(path) {
      var rows: Set<RowIdentifier> = []
      try connection.eachRow(
        "SELECT DISTINCT ZENTITY, ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID > ?1", [.integer(number)]
      ) { rows.insert(RowIdentifier(entity: Int($0.integer(at: 0)), key: $0.integer(at: 1))) }
      return rows
    }
  }

  /// At most `limit` distinct rows that were changed by the transactions that meet a condition.
  package func changedRows(where condition: HistoryCondition, limit: Int) throws -> [RowIdentifier] {
    try Self.translating(path) {
      let sql = """
        SELECT DISTINCT c.ZENTITY, c.ZENTITYPK FROM \(HistoryCondition.tables)
        JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK WHERE (\(condition.sql)) LIMIT ?\(condition.nextParameter)
        """
      return try connection.mapRows(sql, condition.values + [.integer(Int64(limit))]) {
        RowIdentifier(entity: Int($0.integer(at: 0)), key: $0.integer(at: 1))
      }
    }
  }
}
