// SPDX-License-Identifier: MIT

internal import SQLite

/// A view in the connection's temporary schema with the name of a table: statements find the view first.
///
/// So the same statements read all stores, and the file stays unchanged.
struct TemporaryView {
  let sql: String

  private init(_ table: String, _ columns: [String]) {
    sql = "CREATE TEMP VIEW \(quoted(table)) AS SELECT \(columns.joined(separator: ", ")) FROM main.\(quoted(table))"
  }

  /// Views that return archived or JSON-encoded values as JSON.
  ///
  /// - Parameter encoded: The encoding by attribute, as `Entity.attribute`.
  static func decoding(_ encoded: [String: DecodedValue.Form], _ layout: StoreLayout, _ tables: FileTables)
    -> [TemporaryView]
  {
    var columns: [String: [String: DecodedValue.Form]] = [:]
    for entity in layout.entities {
      let lineage = entity.lineage.compactMap { layout.entity(number: $0)?.entity.name }
      for (index, attribute) in entity.entity.attributes.enumerated() where attribute.type == .json {
        guard let form = lineage.lazy.compactMap({ encoded["\($0).\(attribute.name)"] }).first else { continue }
        columns[entity.tableName, default: [:]][entity.columnNames[index].uppercased()] = form
      }
    }
    return columns.sorted { $0.key < $1.key }.map { table, decoded in
      TemporaryView(
        table,
        (tables.columns[table.uppercased()] ?? []).map { column in
          let name = quoted(column.name)
          return decoded[column.name.uppercased()].map { "\($0.function)(\(name)) AS \(name)" } ?? name
        })
    }
  }

  /// Views of history tables that differ from the current layout. Those of macOS 10.13 keep names in the transactions
  /// themselves, and others have fewer tombstone columns than the model needs.
  static func history(_ layout: StoreLayout, _ tables: FileTables) -> [TemporaryView] {
    var views: [TemporaryView] = []
    if tables.has(table: "ATRANSACTION"), !tables.has(column: "ZAUTHORTS", of: "ATRANSACTION") {
      func column(_ name: String) -> String { tables.has(column: name, of: "ATRANSACTION") ? name : "NULL" }
      let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
      views.append(
        TemporaryView("ATRANSACTION", ["Z_PK", "ZTIMESTAMP"] + names.map { "\(column($0)) AS \($0)TS" }))
      let all = names.map { "SELECT \(column($0)) AS ZNAME FROM main.ATRANSACTION" }.joined(separator: " UNION ")
      views.append(
        TemporaryView(
          sql:
            "CREATE TEMP VIEW ATRANSACTIONSTRING AS SELECT ZNAME AS Z_PK, ZNAME FROM (\(all)) WHERE ZNAME IS NOT NULL"))
    }
    let tombstones = (0..<layout.tombstoneColumns).map { "ZTOMBSTONE\($0)" }
    let missing = tombstones.filter { !tables.has(column: $0, of: "ACHANGE") }
    if tables.has(table: "ACHANGE"), !missing.isEmpty {
      views.append(TemporaryView("ACHANGE", ["*"] + missing.map { "NULL AS \($0)" }))
    }
    return views
  }

  private init(sql: String) { self.sql = sql }
}
