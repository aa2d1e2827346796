// SPDX-License-Identifier: MIT

/// Empty history tables, as temporary views, for a file without a history. The statements of this module then find no
/// transaction. The only token is number 1, with the file's marks as its stamp.
enum EmptyHistory {
  /// The number of the only token.
  private static let number: Int64 = 1

  private static let tables = [
    """
    CREATE TEMP VIEW ATRANSACTION AS SELECT 0 AS Z_PK, 0.0 AS ZTIMESTAMP, 0 AS ZAUTHORTS, 0 AS ZBUNDLEIDTS,
    0 AS ZCONTEXTNAMETS, 0 AS ZPROCESSIDTS WHERE 0
    """,
    "CREATE TEMP VIEW ATRANSACTIONSTRING AS SELECT 0 AS Z_PK, '' AS ZNAME WHERE 0",
    """
    CREATE TEMP VIEW ACHANGE AS SELECT 0 AS Z_PK, 0 AS ZCHANGETYPE, 0 AS ZENTITY, 0 AS ZENTITYPK,
    0 AS ZTRANSACTIONID, NULL AS ZCOLUMNS WHERE 0
    """,
  ]

  /// The views for an ordinary database.
  static let viewsOfDatabase = tables + [primaryKey(maximum: "\(number)")]

  /// The views for a store in Core Data's layout, whose own entity numbers stay.
  static let viewsOfStore =
    tables + [
      primaryKey(maximum: "\(number)") + " UNION ALL SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM main.Z_PRIMARYKEY "
        + "WHERE Z_ENT <> \(StoreLayout.HistoryEntity.transaction)"
    ]

  /// The view of `Z_PRIMARYKEY`, in which Core Data keeps the highest transaction number ever assigned.
  static func primaryKey(maximum: String) -> String {
    "CREATE TEMP VIEW Z_PRIMARYKEY AS SELECT \(StoreLayout.HistoryEntity.transaction) AS Z_ENT, "
      + "'TRANSACTION' AS Z_NAME, 0 AS Z_SUPER, \(maximum) AS Z_MAX"
  }
}
