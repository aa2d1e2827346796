internal import SQLite

/// The statements that lay out an empty store, as Core Data lays it out.
extension StoreLayout {
  var dataTables: [String] {
    let own = [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
    // SQLite's names do not regard case, and all indexes of a file share one pool of names.
    var indexNames: Set<String> = ["Z_TRANSACTIONSTRING_UNIQUE_NAME"]
    return own + entities.flatMap { entityTable($0, &indexNames) }
  }

  private func entityTable(_ layout: EntityLayout, _ indexNames: inout Set<String>) -> [String] {
    var columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
    columns += layout.columnOrder.map {
      "\(layout.quotedColumn($0)) \(layout.entity.attributes[$0].type.columnType)"
    }
    let unique = layout.bitmapOrder.filter { layout.entity.attributes[$0].isUnique }.map {
      let plain = "Z_\(layout.entity.name)_UNIQUE_\(layout.entity.attributes[$0].name)"
      var name = plain
      var suffix = 0
      while !indexNames.insert(name.uppercased()).inserted {
        suffix += 1
        name = plain + String(suffix)
      }
      return
        "CREATE UNIQUE INDEX \(quoted(name)) ON \(layout.quotedTable) (\(layout.quotedColumn($0)) COLLATE BINARY ASC)"
    }
    return ["CREATE TABLE \(layout.quotedTable) ( \(columns.joined(separator: ", ")) )"] + unique
  }

  var historyTables: [String] {
    let tombstones = (0..<tombstoneColumns).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
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

  /// The rows of `Z_PRIMARYKEY`: number and name of every entity, the history's own included.
  var primaryKeyRows: [(number: Int, name: String)] {
    entities.map { ($0.number, $0.entity.name) } + [
      (HistoryEntity.change, "CHANGE"), (HistoryEntity.transaction, "TRANSACTION"),
      (HistoryEntity.transactionString, "TRANSACTIONSTRING"),
    ]
  }
}
