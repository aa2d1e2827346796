// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// The tables in which modules that are not here keep their content. Those of its own modules SQLite knows itself.
struct ShadowTables {
  private struct Owner {
    let name: String
    /// The module of a virtual table; nil for a vector index of libSQL.
    let module: String?
    var tables: [String] = []

    /// Whether the owner's module, as far as it is known, gives its tables names with this end.
    func names(_ end: Substring) -> Bool {
      switch module?.lowercased() {
      case nil: end == "shadow"
      case "vec0":
        end.wholeMatch(of: /info|chunks|rowids|auxiliary|(vector_chunks|metadatachunks|metadatatext)\d+/) != nil
      default: false
      }
    }
  }

  private var owners: [Owner] = []

  /// - Parameter columns: The columns of all tables.
  init(_ connection: Connection, _ columns: [String: [DatabaseTable.Column]]) throws {
    let rows = try connection.cursor(
      """
      SELECT name, CASE type WHEN 'table' THEN sql END FROM main.sqlite_master
      WHERE type = 'table' AND rootpage = 0 AND sql LIKE 'create virtual table%'
      OR type = 'index' AND sql LIKE '%libsql_vector_idx%' ORDER BY name
      """)
    let known = Set(try connection.mapRows("SELECT name FROM pragma_module_list") { $0.text(at: 0).lowercased() })
    while try rows.step() {
      let module = rows.optionalText(at: 1).map { sql in
        sql.firstMatch(of: /(?i)\bUSING\s+["'`\[]?(\w+)/).map { String($0.1) } ?? ""
      }
      guard module.map({ !known.contains($0.lowercased()) }) ?? true else { continue }
      owners.append(Owner(name: rows.text(at: 0), module: module))
    }
    for table in columns.keys.sorted() {
      // The longest name that the table begins with is that of its owner.
      let owner = owners.indices.filter { table.lowercased().hasPrefix(owners[$0].name.lowercased() + "_") }
        .max { owners[$0].name.count < owners[$1].name.count }
      if let owner {
        let end = table.lowercased().dropFirst(owners[owner].name.count + 1)
        guard owners[owner].names(end) || Self.isOpaque(columns[table] ?? []) else { continue }
        owners[owner].tables.append(table)
      } else if table == "libsql_vector_meta_shadow", let index = owners.firstIndex(where: { $0.module == nil }) {
        owners[index].tables.append(table)
      }
    }
  }

  var names: Set<String> { Set(owners.flatMap(\.tables)) }

  /// Whether a table holds blobs, and beside them only keys and counters. Any other may be a person's.
  private static func isOpaque(_ columns: [DatabaseTable.Column]) -> Bool {
    func isBlob(_ column: DatabaseTable.Column) -> Bool { column.declaredType.uppercased().contains("BLOB") }
    return columns.contains(where: isBlob)
      && columns.allSatisfy { isBlob($0) || $0.isInteger || $0.primaryKeyIndex > 0 }
  }

  /// Why a virtual table is not searched, as a clause; nil if its module is here.
  func reason(of table: String) -> String? {
    guard let owner = owners.first(where: { $0.name == table }), let module = owner.module else { return nil }
    return "its module \(module) is not here\(Self.belonging(owner.tables))"
  }

  /// Indexes of other engines, with their tables.
  var omissionsOfIndexes: [DatabaseTable.Omission] {
    owners.filter { $0.module == nil && !$0.tables.isEmpty }.map { owner in
      DatabaseTable.Omission(
        kind: .index, name: owner.name, reason: "it is a vector index of libSQL\(Self.belonging(owner.tables))")
    }
  }

  private static func belonging(_ tables: [String]) -> String {
    switch tables.count {
    case 0: ""
    case 1: ", and the table \(tables[0]) belongs to it"
    default: ", and the tables \(tables.listed) belong to it"
    }
  }
}
