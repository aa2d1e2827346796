// SPDX-License-Identifier: MIT

internal import SQLite

/// Changes across transactions. The history has an index on transactions only, so that each call reads all changes
/// between two transactions once.
extension PersistentStore {
  /// Calls `body` with the changes of some rows and the numbers of their transactions, until it returns false.
  ///
  /// - Parameters:
  ///   - number: Only changes after this transaction.
  ///   - last: Only changes up to this transaction.
  ///   - isReversed: Whether the newest change comes first, also inside a transaction.
  ///   - isWanted: Selects the rows.
  package func changes(
    after number: Int64, through last: Int64 = .max, isReversed: Bool = false, of isWanted: (RowIdentifier) -> Bool,
    _ body: (Int64, StoredChange) throws -> Bool
  ) throws {
    try Self.translating(path) {
      let columns = changeColumns
      let order = isReversed ? " DESC" : ""
      let statement = try connection.cursor(
        """
        SELECT \(columns.joined(separator: ", ")), ZTRANSACTIONID FROM ACHANGE
        WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2 ORDER BY ZTRANSACTIONID\(order), Z_PK\(order)
        """, [.integer(number), .integer(last)])
      while try statement.step() {
        guard isWanted(changedRow(statement)), let change = change(statement) else { continue }
        guard try body(statement.integer(at: Int32(columns.count)), change) else { return }
      }
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
