// SPDX-License-Identifier: MIT

internal import SQLite

/// A copy of an ordinary database whose tables declare no foreign keys. Keys, unique indexes and rowids stay.
enum UndeclaredCopy {
  static func make(of source: String, at path: String) throws {
    let connection = try Connection(path: path, access: .create)
    try connection.execute("ATTACH \(literal(source)) AS source; BEGIN")
    let tables = try connection.mapRows(
      "SELECT name, wr FROM source.pragma_table_list WHERE schema = 'source' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    ) { (name: $0.text(at: 0), isWithoutRowid: $0.integer(at: 1) != 0) }
    for table in tables {
      let columns = try connection.mapRows(
        "SELECT name, type, \"notnull\", pk FROM source.pragma_table_info(?1, 'source')", [.text(table.name)]
      ) { (name: $0.text(at: 0), type: $0.text(at: 1), isRequired: $0.integer(at: 2) != 0, key: $0.integer(at: 3)) }
      let key = columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }
      let isAlias = key.count == 1 && key[0].type.uppercased() == "INTEGER"
      var parts = columns.map { column in
        "\(quoted(column.name)) \(column.type)\(column.isRequired ? " NOT NULL" : "")"
          + (isAlias && column.key > 0 ? " PRIMARY KEY" : "")
      }
      if !isAlias, !key.isEmpty { parts.append("PRIMARY KEY (\(key.map { quoted($0.name) }.joined(separator: ", ")))") }
      let name = quoted(table.name)
      try connection.execute(
        "CREATE TABLE main.\(name) (\(parts.joined(separator: ", ")))\(table.isWithoutRowid ? " WITHOUT ROWID" : "")")
      let rowid = isAlias || table.isWithoutRowid ? "" : "rowid, "
      let names = rowid + columns.map { quoted($0.name) }.joined(separator: ", ")
      try connection.execute("INSERT INTO main.\(name) (\(names)) SELECT \(names) FROM source.\(name)")
      let indexes = try connection.mapRows(
        "SELECT name FROM source.pragma_index_list(?1, 'source') WHERE \"unique\" AND origin <> 'pk' AND NOT partial",
        [.text(table.name)]
      ) { $0.text(at: 0) }
      for index in indexes {
        let keys = try connection.mapRows(
          "SELECT name FROM source.pragma_index_info(?1, 'source') ORDER BY seqno", [.text(index)]
        ) { $0.isNull(at: 0) ? nil : quoted($0.text(at: 0)) }.compactMap(\.self)
        try connection.execute(
          "CREATE UNIQUE INDEX \(quoted("unique " + index)) ON \(name) (\(keys.joined(separator: ", ")))")
      }
    }
    try connection.execute("COMMIT")
  }
}
