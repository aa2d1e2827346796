// SPDX-License-Identifier: MIT

extension DatabaseViews {
  /// Presents the change log in the layout of Core Data's history. A trigger cannot identify its SQLite transaction, so
  /// each change is a transaction of its own.
  func historyViews(_ attachment: Attachment) -> [String] {
    let declared = Dictionary(schema.found.tables.map { ($0.name, $0) }) { first, _ in first }
    var entities: [(lines: LoggedLines, entity: EntityLayout, source: DatabaseSchema.Source)] = []
    for source in schema.sources.values {
      guard let table = attachment.table(named: source.table.name), let declared = declared[source.table.name],
        let entity = layout.entity(named: source.entityName)
      else {
        continue
      }
      for logged in [table] + table.former {
        entities.append((LoggedLines(logged, of: source.table, declared: declared), entity, source))
      }
    }
    entities.sort { $0.lines.number < $1.lines.number }
    func byTable(otherwise: String, _ value: (LoggedLines, EntityLayout, DatabaseSchema.Source) -> String?) -> String {
      let cases = entities.compactMap { lines, entity, source in
        value(lines, entity, source).flatMap { $0 == otherwise ? nil : "WHEN \(lines.number) THEN \($0)" }
      }
      return cases.isEmpty ? otherwise : "CASE c.tableNumber \(cases.joined(separator: " ")) ELSE \(otherwise) END"
    }
    let numbers = byTable(otherwise: "0") { _, entity, _ in "\(entity.number)" }
    let keys = byTable(otherwise: "c.rowKey") { lines, _, _ in lines.key }
    let exists = byTable(otherwise: "1") { lines, _, _ in lines.exists }
    let tombstones = (0..<layout.tombstoneColumns).map { position in
      let values = byTable(otherwise: "NULL") { lines, entity, source in
        guard position < entity.tombstoneOrder.count else { return nil }
        let name = entity.entity.attributes[entity.tombstoneOrder[position]].name
        return source.columns[name].flatMap { column, reading in
          lines.value(of: column.name).map { reading.expression($0) }
        }
      }
      return ", \(values) AS ZTOMBSTONE\(position)"
    }
    let logged = (0..<attachment.keyColumns).map { index in
      ", \(byTable(otherwise: "c.key\(index)") { lines, _, _ in lines.nameValue(index) }) AS ZKEY\(index)"
    }
    // A row that a statement was to replace was deleted, unless the statement left it out.
    let kind = """
      CASE WHEN c.kind <> \(ChangeTriggers.replacement) THEN c.kind WHEN \(exists) THEN \(ChangeKind.update.rawValue) \
      ELSE \(ChangeKind.delete.rawValue) END
      """
    return [
      """
      CREATE TEMP VIEW ATRANSACTION AS SELECT number AS Z_PK, time AS ZTIMESTAMP, author AS ZAUTHORTS,
      NULL AS ZBUNDLEIDTS, NULL AS ZCONTEXTNAMETS, NULL AS ZPROCESSIDTS FROM main.followspot_change
      """,
      "CREATE TEMP VIEW ATRANSACTIONSTRING AS SELECT id AS Z_PK, name AS ZNAME FROM main.followspot_author",
      """
      CREATE TEMP VIEW ACHANGE AS SELECT c.number AS Z_PK, \(kind) AS ZCHANGETYPE, \(numbers) AS ZENTITY,
      \(keys) AS ZENTITYPK, c.number AS ZTRANSACTIONID, NULL AS ZCOLUMNS\(tombstones.joined())\(logged.joined())
      FROM main.followspot_change c
      """,
      EmptyHistory.primaryKey(maximum: "(SELECT ifnull(max(number), 0) FROM main.followspot_change)"),
    ]
  }
}
