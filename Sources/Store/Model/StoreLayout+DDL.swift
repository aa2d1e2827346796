// SPDX-License-Identifier: MIT

internal import SQLite

/// The statements that create an empty store in Core Data's layout.
extension StoreLayout {
  var dataTables: [String] {
    let own = [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
    return own + entityTables.map(\.sql)
  }

  /// Entity tables and join tables, each followed by its indexes.
  var entityTables: [SchemaStatement] {
    // SQLite's names are case-insensitive, and all indexes of a file share one namespace.
    var indexNames: Set<String> = ["Z_TRANSACTIONSTRING_UNIQUE_NAME"]
    return entities.filter { $0.superNumber == 0 }.flatMap { entityTable($0, &indexNames) }
      + joinTables(&indexNames)
  }

  /// A column of an entity table and its group.
  private struct Column {
    let name: String
    let type: String
    let group: Int
    /// Whether it has the key of a related object and therefore an index.
    let isReference: Bool
  }

  /// Columns are grouped: integers and keys, order keys, times and floating point, texts, blobs. A group is ordered by
  /// entity number, then attributes before to-one relationships, each by name.
  private func columns(ofTableOf root: EntityLayout) -> [Column] {
    let family = entities.filter { $0.rootNumber == root.number }
    var columns: [Column] = []
    var seen: Set<String> = []
    func add(_ name: String?, _ type: String, _ group: Int, isReference: Bool = false) {
      guard let name, seen.insert(name).inserted else { return }
      columns.append(Column(name: name, type: type, group: group, isReference: isReference))
    }
    func addReference(_ key: String, _ entity: String?, _ order: String?) {
      add(key, "INTEGER", 0, isReference: true)
      add(entity, "INTEGER", 0)
      add(order, "INTEGER", 1)
    }
    for entity in family {
      for case .attribute(let index) in entity.bitmapOrder {
        let type = entity.entity.attributes[index].type
        add(entity.quotedColumn(index), type.columnType, type.columnGroup == 0 ? 0 : type.columnGroup + 1)
      }
      for case .relationship(let index) in entity.bitmapOrder {
        guard case .reference(let key, let target, let order) = entity.relationships[index].storage else { continue }
        addReference(key, target, order)
      }
    }
    for relationship in entities.flatMap(\.relationships) where relationship.destinationTable == root.quotedTable {
      guard case .inverseReference(let key, let owner, let order, true) = relationship.storage else { continue }
      addReference(key, owner, order)
    }
    return columns.enumerated().sorted { ($0.element.group, $0.offset) < ($1.element.group, $1.offset) }.map(\.element)
  }

  private func entityTable(_ root: EntityLayout, _ indexNames: inout Set<String>) -> [SchemaStatement] {
    let columns = columns(ofTableOf: root)
    let all = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + columns.map { "\($0.name) \($0.type)" }
    var statements = [SchemaStatement.table("CREATE TABLE \(root.quotedTable) ( \(all.joined(separator: ", ")) )")]
    func index(_ plain: String, _ parts: [String], _ constraint: UniqueConstraint? = nil) {
      let name = quoted(Self.unused(plain, &indexNames))
      let condition = constraint?.condition.map { " WHERE \($0)" } ?? ""
      statements.append(
        SchemaStatement(
          kind: .index(name),
          sql: """
            CREATE \(constraint == nil ? "" : "UNIQUE ")INDEX \(name) ON \(root.quotedTable) \
            (\(parts.joined(separator: ", ")))\(condition)
            """, constraint: constraint))
    }
    func ordered(_ column: String) -> String { "\(column) COLLATE BINARY ASC" }
    for entity in entities where entity.rootNumber == root.number {
      let parent = self.entity(number: entity.superNumber)
      for constraint in entity.uniqueConstraints.dropFirst(parent?.uniqueConstraints.count ?? 0) {
        index(constraint.indexName, constraint.columns.map(ordered), constraint)
      }
      var known = Set(parent?.entity.indexes ?? [])
      for names in entity.entity.indexes.dropFirst(parent?.entity.indexes.count ?? 0)
      where known.insert(names).inserted {
        let columns = names.compactMap { entity.columnProperty(named: $0).flatMap(entity.quotedColumn) }
        index("Z_\(entity.entity.name)_SwiftDataIndexOnBinary\(names.joined())", columns.map(ordered))
      }
    }
    for column in columns where column.isReference {
      index("\(root.tableName)_\(unquoted(column.name))_INDEX", [column.name])
    }
    if root.hasSubentities { index("\(root.tableName)_Z_ENT_INDEX", ["Z_ENT"]) }
    return statements
  }

  private func joinTables(_ indexNames: inout Set<String>) -> [SchemaStatement] {
    var statements: [SchemaStatement] = []
    var orders: [String: [String]] = [:]
    var shapes: [(table: String, own: String, other: String)] = []
    // The end that names the join table has the first column: see `ColumnNames`.
    let naming = entities.filter(\.hasSubentities) + entities.filter { !$0.hasSubentities }
    for relationship in naming.flatMap(\.relationships) {
      guard case .joinTable(let table, let own, let other, let order, _) = relationship.storage else { continue }
      if orders[table] == nil { shapes.append((table, own, other)) }
      orders[table, default: []] += (order.map { [$0] } ?? []).filter { !(orders[table] ?? []).contains($0) }
    }
    for shape in shapes {
      let ordered = (orders[shape.table] ?? []).sorted().map { ", \($0) INTEGER" }.joined()
      let name = quoted(Self.unused("\(unquoted(shape.table))_\(unquoted(shape.other))_INDEX", &indexNames))
      statements += [
        .table(
          """
          CREATE TABLE \(shape.table) ( \(shape.own) INTEGER, \(shape.other) INTEGER\(ordered), \
          PRIMARY KEY (\(shape.own), \(shape.other)) )
          """),
        SchemaStatement(
          kind: .index(name), sql: "CREATE INDEX \(name) ON \(shape.table) (\(shape.other), \(shape.own))"),
      ]
    }
    return statements
  }

  private static func unused(_ plain: String, _ taken: inout Set<String>) -> String {
    var name = plain
    var suffix = 0
    while !taken.insert(name.uppercased()).inserted {
      suffix += 1
      name = plain + String(suffix)
    }
    return name
  }

  var historyTables: [String] {
    let tombstones = tombstoneNames.map { ", \($0) BLOB" }.joined()
    return [
      """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
      ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )
      """,
      """
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
      ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
      ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
      """,
      "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
      "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
      "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
      "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
      "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
      "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
    ]
  }

  /// The rows of `Z_PRIMARYKEY`: number, name and superentity of every entity, including those of the history.
  var primaryKeyRows: [(number: Int, name: String, superNumber: Int)] {
    entities.map { ($0.number, $0.entity.name, $0.superNumber) } + [
      (HistoryEntity.change, "CHANGE", 0), (HistoryEntity.transaction, "TRANSACTION", 0),
      (HistoryEntity.transactionString, "TRANSACTIONSTRING", 0),
    ]
  }
}
