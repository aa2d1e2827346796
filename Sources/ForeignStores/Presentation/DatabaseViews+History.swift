// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import StoreModel

extension DatabaseViews {
  /// Presents the change log in the layout of Core Data's history. A trigger cannot identify its SQLite transaction, so
  /// each change is a transaction of its own.
  func historyViews(_ attachment: Attachment) -> [String] {
    var entities: [(table: Int, entity: EntityLayout, source: DatabaseSchema.Source, preserved: [String])] = []
    for source in schema.sources.values {
      guard let table = attachment.table(named: source.table.name), let entity = layout.entity(named: source.entityName)
      else {
        continue
      }
      entities.append((table.number, entity, source, table.preserved))
    }
    entities.sort { $0.table < $1.table }
    func byTable(_ values: [(Int, String)], otherwise: String) -> String {
      guard !values.isEmpty else { return otherwise }
      let cases = values.map { "WHEN \($0) THEN \($1)" }.joined(separator: " ")
      return "CASE c.tableNumber \(cases) ELSE \(otherwise) END"
    }
    let numbers = byTable(entities.map { ($0.table, "\($0.entity.number)") }, otherwise: "0")
    let keys = entities.compactMap { table, _, source, _ in
      source.table.numbers.map { numbers in
        // Earlier versions logged numbers instead of keys.
        (table, "ifnull(\(numbers.number(of: numbers.columns.indices.map { "c.key\($0)" })), c.rowKey)")
      }
    }
    let tombstones = (0..<layout.tombstoneColumns).map { position in
      let values = entities.compactMap { table, entity, source, preserved -> (Int, String)? in
        guard position < entity.tombstoneOrder.count else { return nil }
        let name = entity.entity.attributes[entity.tombstoneOrder[position]].name
        guard let column = source.columns[name], let logged = preserved.firstIndex(of: column.name) else { return nil }
        return (table, column.reading.expression("c.value\(logged)"))
      }
      return ", \(byTable(values, otherwise: "NULL")) AS ZTOMBSTONE\(position)"
    }
    let logged = (0..<attachment.keyColumns).map { ", c.key\($0) AS ZKEY\($0)" }.joined()
    return [
      """
      CREATE TEMP VIEW ATRANSACTION AS SELECT number AS Z_PK, time AS ZTIMESTAMP, author AS ZAUTHORTS,
      NULL AS ZBUNDLEIDTS, NULL AS ZCONTEXTNAMETS, NULL AS ZPROCESSIDTS FROM main.followspot_change
      """,
      "CREATE TEMP VIEW ATRANSACTIONSTRING AS SELECT id AS Z_PK, name AS ZNAME FROM main.followspot_author",
      """
      CREATE TEMP VIEW ACHANGE AS SELECT c.number AS Z_PK, c.kind AS ZCHANGETYPE, \(numbers) AS ZENTITY,
      \(byTable(keys, otherwise: "c.rowKey")) AS ZENTITYPK, c.number AS ZTRANSACTIONID, NULL AS ZCOLUMNS\(tombstones.joined())\(logged)
      FROM main.followspot_change c
      """,
      EmptyHistory.primaryKey(maximum: "(SELECT ifnull(max(number), 0) FROM main.followspot_change)"),
    ]
  }
}
