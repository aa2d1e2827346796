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

  /// Calls `body` with the transactions after `number` and their changes, oldest first.
  ///
  /// - Parameters:
  ///   - author: Only transactions of this author; nil for all.
  ///   - entity: Only transactions that changed this entity, and only its changes; nil for all.
  ///   - limit: The maximum number of results.
  package func transactions(
    after number: Int64 = 0, through last: Int64 = .max, author: String? = nil, entity: EntityLayout? = nil,
    limit: Int? = nil, _ body: (StoredTransaction) throws -> Void
  ) throws {
    let condition = HistoryCondition(after: number, through: last, author: author, entity: entity)
    try transactions(where: condition, limit: limit) { try body($0.part(of: entity)) }
  }

  /// Calls `body` with the transactions after `number` and their changes until it returns false.
  ///
  /// - Parameters:
  ///   - author: Only transactions of this author; nil for all.
  ///   - entity: Only transactions that changed this entity, and only its changes; nil for all.
  ///   - isNewestFirst: Whether the newest transaction comes first; otherwise the oldest.
  package func transactions(
    after number: Int64 = 0, author: String? = nil, entity: EntityLayout? = nil, isNewestFirst: Bool,
    while body: (StoredTransaction) throws -> Bool
  ) throws {
    let condition = HistoryCondition(after: number, through: .max, author: author, entity: entity)
    try headers(where: condition, orderBy: isNewestFirst ? ["t.Z_PK DESC"] : []) { header in
      var transaction = header
      try changes(ofTransaction: header.number) { transaction.changes.append($0) }
      return try body(transaction.part(of: entity))
    }
  }

  /// Calls `body` with the transactions that meet a condition and their changes.
  ///
  /// - Parameters:
  ///   - order: Terms over the columns of `HistoryCondition`. Equal transactions are ordered by number.
  ///   - limit: The maximum number of results.
  package func transactions(
    where condition: HistoryCondition, orderBy order: [String] = [], limit: Int? = nil,
    _ body: (StoredTransaction) throws -> Void
  ) throws {
    try headers(where: condition, orderBy: order, limit: limit) { header in
      var transaction = header
      try changes(ofTransaction: header.number) { transaction.changes.append($0) }
      try body(transaction)
      return true
    }
  }

  /// The transaction of a number without its changes; nil if the history does not contain it.
  package func header(ofTransaction number: Int64) throws -> StoredTransaction? {
    var found: StoredTransaction?
    try headers(where: HistoryCondition("\(HistoryCondition.Column.number.sql) = ?1", [.integer(number)])) {
      found = $0
      return false
    }
    return found
  }

  /// Calls `body` with the transactions that meet a condition, without their changes, until it returns false.
  private func headers(
    where condition: HistoryCondition, orderBy order: [String] = [], limit: Int? = nil,
    _ body: (StoredTransaction) throws -> Bool
  ) throws {
    try Self.translating(path) {
      let sql = """
        SELECT t.Z_PK, t.ZTIMESTAMP, a.ZNAME, b.ZNAME, p.ZNAME FROM \(HistoryCondition.tables)
        WHERE (\(condition.sql)) ORDER BY \((order + ["t.Z_PK"]).joined(separator: ", ")) LIMIT ?\(condition.nextParameter)
        """
      let statement = try compiling { () throws(SQLiteError) in
        try connection.borrow(sql, condition.values + [.integer(Int64(limit ?? -1))])
      }
      // A statement that is not finished would hold the snapshot.
      defer { connection.giveBack(statement, sql) }
      while try statement.step() {
        let transaction = StoredTransaction(
          number: statement.integer(at: 0), timestamp: statement.double(at: 1), author: statement.optionalText(at: 2),
          bundle: statement.optionalText(at: 3), process: statement.optionalText(at: 4), changes: [])
        guard try body(transaction) else { return }
      }
    }
  }

  /// Calls `body` with the changes of one transaction in the order in which they were written.
  ///
  /// - Parameters:
  ///   - change: Only changes after the change with this number.
  ///   - limit: The maximum number of results.
  /// - Returns: The number of the last change if the limit was reached, because more may follow; otherwise nil.
  @discardableResult
  package func changes(
    ofTransaction number: Int64, after change: Int64 = .min, limit: Int = -1, _ body: (StoredChange) throws -> Void
  ) throws -> Int64? {
    try Self.translating(path) {
      let sql = """
        SELECT \(changeColumns.joined(separator: ", ")) FROM ACHANGE
        WHERE ZTRANSACTIONID = ?1 AND Z_PK > ?2 ORDER BY Z_PK LIMIT ?3
        """
      var (count, last) = (0, change)
      try connection.eachRow(sql, [.integer(number), .integer(change), .integer(Int64(limit))]) { row in
        (count, last) = (count + 1, row.integer(at: 0))
        if let change = self.change(row) { try body(change) }
      }
      return count == limit ? last : nil
    }
  }

  /// The columns of a change that `changedRow` and `change` read.
  var changeColumns: [String] {
    ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"]
      + layout.tombstoneNames + loggedKeyColumns
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

  func changedRow(_ statement: Statement) -> RowIdentifier {
    RowIdentifier(entity: Int(statement.integer(at: 2)), key: statement.integer(at: 3))
  }

  /// The change in the current row of a statement; nil if it is of an unknown kind.
  func change(_ statement: Statement) -> StoredChange? {
    guard let kind = ChangeKind(rawValue: Int(statement.integer(at: 1))) else { return nil }
    let row = changedRow(statement)
    let entity = layout.entity(number: row.entity)
    let preserved = kind == .delete ? entity?.tombstoneOrder.count ?? 0 : 0
    return StoredChange(
      number: statement.integer(at: 0), kind: kind, row: row,
      bitmap: kind == .update && !statement.isNull(at: 4) ? Array(statement.bytes(at: 4)) : nil,
      tombstone: (0..<preserved).map { statement.value(at: Int32($0) + 5) },
      key: loggedKey(statement, at: Int32(layout.tombstoneColumns) + 5, of: entity))
  }

  /// The numbers of at most `limit` transactions after `number`, oldest first.
  package func transactionNumbers(after number: Int64, limit: Int) throws -> [Int64] {
    try mapRows(
      "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT ?2",
      [.integer(number), .integer(Int64(limit))]
    ) { $0.integer(at: 0) }
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

extension HistoryCondition {
  fileprivate init(after number: Int64, through last: Int64, author: String?, entity: EntityLayout?) {
    var terms = ["t.Z_PK > ?1", "t.Z_PK <= ?2"]
    if author != nil { terms.append("a.ZNAME = ?3") }
    if let entity {
      terms.append(
        "EXISTS (SELECT 1 FROM ACHANGE c WHERE c.ZTRANSACTIONID = t.Z_PK AND c.ZENTITY = \(entity.number))")
    }
    self.init(
      terms.joined(separator: " AND "), [.integer(number), .integer(last)] + (author.map { [.text($0)] } ?? []))
  }
}

extension StoredTransaction {
  /// The transaction with the changes of one entity only; nil for all.
  fileprivate func part(of entity: EntityLayout?) -> StoredTransaction {
    guard let entity else { return self }
    var part = self
    part.changes.removeAll { $0.row.entity != entity.number }
    return part
  }
}
