// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// The last deletion of a record that does not exist any more.
package struct StoredDeletion: Equatable, Sendable {
  package let row: RowIdentifier
  /// The `Z_PK` of the change that holds the tombstone.
  let change: Int64
  /// The number of the transaction that deleted the record.
  package let transaction: Int64
  /// Seconds since 2001-01-01 00:00 UTC.
  let timestamp: Double
  package let author: String?
  /// `StoredChange.key`.
  let key: [Value]

  package var secondsSince1970: Double { timestamp + Epoch.secondsFrom1970To2001 }
}

extension PersistentStore {
  /// Calls `body` with the last deletion of each record that does not exist, the newest first, until `body` returns
  /// false. A record that was inserted again under the same identifier is not deleted.
  ///
  /// - Parameters:
  ///   - condition: Only deletions by transactions that meet it.
  ///   - row: Only this record; nil for all.
  /// - Complexity: Reads all changes of the history.
  package func eachDeletion(
    where condition: HistoryCondition, of row: RowIdentifier? = nil, _ body: (StoredDeletion) throws -> Bool
  ) throws {
    let only = row.map { " AND ZENTITY = \($0.entity) AND ZENTITYPK = \($0.key)" } ?? ""
    let keys = loggedKeyColumns.map { ", c." + $0 }.joined()
    let sql = """
      SELECT c.Z_PK, c.ZENTITY, c.ZENTITYPK, t.Z_PK, t.ZTIMESTAMP, a.ZNAME\(keys) FROM \(HistoryCondition.tables)
      JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK
      WHERE (\(condition.sql)) AND c.Z_PK IN (
        SELECT MAX(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE = \(ChangeKind.delete.rawValue)\(only) GROUP BY ZENTITY, ZENTITYPK)
      ORDER BY t.Z_PK DESC, c.Z_PK DESC
      """
    try Self.translating(path) {
      let statement = try compiling { () throws(SQLiteError) in try connection.cursor(sql, condition.values) }
      while try statement.step() {
        let row = RowIdentifier(entity: Int(clamping: statement.integer(at: 1)), key: statement.integer(at: 2))
        guard let entity = layout.entity(number: row.entity), try !exists(entity, key: row.key) else { continue }
        let key = loggedKey(statement, at: 6, of: entity)
        guard try !isInUse(key, entity) else { continue }
        let deletion = StoredDeletion(
          row: row, change: statement.integer(at: 0), transaction: statement.integer(at: 3),
          timestamp: statement.double(at: 4), author: statement.optionalText(at: 5), key: key)
        guard try body(deletion) else { return }
      }
    }
  }

  /// Whether a row has the name of a deleted one, under whatever number.
  private func isInUse(_ key: [Value], _ entity: EntityLayout) throws -> Bool {
    guard !key.isEmpty, let tables, let name = tables.text(ofKey: key, entity) else { return false }
    return try tables.numbers(ofKey: name[...], entity).contains { try exists(entity, key: $0) }
  }

  /// The last deletion of a record; nil if the record exists, or if the history does not contain its deletion.
  package func deletion(of row: RowIdentifier) throws -> StoredDeletion? {
    guard tracking.hasHistory else { return nil }
    var found: StoredDeletion?
    try eachDeletion(where: .all, of: row) {
      found = $0
      return false
    }
    return found
  }

  /// Calls `body` with the tombstone of a deletion as a row. Attributes that are not preserved are NULL.
  ///
  /// - Parameter attributes: Indexes of the attributes to read, in the order of the row's columns.
  package func withTombstone<Result>(
    _ deletion: StoredDeletion, of entity: EntityLayout, attributes: [Int], _ body: (Row?) throws -> Result
  ) throws -> Result {
    let columns = attributes.map { attribute in
      let position = entity.tombstoneOrder.firstIndex(of: attribute)
      return position.flatMap { $0 < layout.tombstoneColumns ? "ZTOMBSTONE\($0)" : nil } ?? "NULL"
    }
    return try Self.translating(path) {
      let sql = "SELECT \((["ZENTITYPK"] + columns).joined(separator: ", ")) FROM ACHANGE WHERE Z_PK = ?1"
      return try connection.firstRow(sql, [.integer(deletion.change)]) { try body(Row(statement: $0)) } ?? body(nil)
    }
  }

  /// Calls `body` with each deleted row of an entity, as the history preserves it. Attributes that are not preserved are
  /// NULL.
  ///
  /// - Parameters:
  ///   - attributes: Indexes of the attributes to read, in the order of the row's columns.
  ///   - number: Only rows that were deleted after this transaction.
  package func deletedRows(
    of entity: EntityLayout, attributes: [Int], after number: Int64, _ body: (Row) throws -> Void
  ) throws {
    try Self.translating(path) {
      let columns = attributes.map { entity.tombstoneOrder.firstIndex(of: $0).map { "ZTOMBSTONE\($0)" } ?? "NULL" }
      let statement = try connection.cursor(
        """
        SELECT \((["ZENTITYPK"] + columns).joined(separator: ", ")) FROM ACHANGE
        WHERE ZTRANSACTIONID > ?1 AND ZCHANGETYPE = \(ChangeKind.delete.rawValue) AND ZENTITY = \(entity.number)
        ORDER BY ZTRANSACTIONID, Z_PK
        """, [.integer(number)])
      while try statement.step() { try body(Row(statement: statement)) }
    }
  }
}
