// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// Runs `body`. Statements on the store fail when `isOver` returns true.
  package func stopping<Result>(when isOver: @escaping () -> Bool, _ body: () throws -> Result) rethrows -> Result {
    try connection.stopping(when: isOver, body)
  }

  /// About how many rows the table of an entity has, from its highest key.
  package func estimatedRows(of entity: EntityLayout) throws -> Int64 {
    try Self.translating(path) {
      // Its keys are digests, not numbers of rows.
      guard tables?.hasDigestsAsKeys(entity) != true else { return 100_000 }
      let most = try connection.integer("SELECT Z_PK FROM \(entity.quotedTable) ORDER BY Z_PK DESC LIMIT 1") ?? 0
      return most < 1 << 40 ? max(1, most) : 100_000
    }
  }

  /// Whether an index of the file finds the rows of an entity by the value of an attribute.
  package func isIndexed(attribute index: Int, of entity: EntityLayout) throws -> Bool {
    // An ordinary database is read by expressions, which have no index.
    try tables == nil && isIndexed(entity.columnNames[index], ofTable: entity.tableName)
  }

  /// Whether an index of the file finds the rows of an entity by the key of a related row.
  package func isIndexed(reference: RelationshipLayout, of entity: EntityLayout) throws -> Bool {
    guard case .reference(let key, _, _) = reference.storage else { return false }
    guard let tables else { return try isIndexed(unquoted(key), ofTable: entity.tableName) }
    guard let column = tables.column(of: reference, entity) else { return false }
    return try isIndexed(unquoted(column.name), ofTable: column.table)
  }

  private func isIndexed(_ column: String, ofTable table: String) throws -> Bool {
    try hasRow(
      """
      SELECT 1 FROM pragma_index_list(?1, 'main') l, pragma_index_info(l.name, 'main') i
      WHERE i.seqno = 0 AND i.name = ?2 COLLATE NOCASE LIMIT 1
      """, [.text(table), .text(column)])
  }
}
