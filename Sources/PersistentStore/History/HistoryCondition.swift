package import SQLite

/// Which transactions are meant, as SQL.
///
/// An expression over these columns, with the parameters `?1`, `?2`, … for its values:
///
/// | column | content |
/// | --- | --- |
/// | `t.Z_PK` | the number |
/// | `t.ZTIMESTAMP` | seconds since 2001-01-01 00:00 UTC |
/// | `a.ZNAME` | the author, NULL where there is none |
/// | `b.ZNAME`, `p.ZNAME` | the bundle and the process |
package struct HistoryCondition: Sendable {
  package let sql: String
  package let values: [Value]

  package init(_ sql: String, _ values: [Value] = []) {
    self.sql = sql
    self.values = values
  }

  package static let all = HistoryCondition("1")

  /// The tables with the columns above.
  static let tables = """
    ATRANSACTION t
    LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS
    LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZBUNDLEIDTS
    LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = t.ZPROCESSIDTS
    """

  func bind(to statement: Statement) throws {
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index) + 1) }
  }

  /// The number of the first parameter that is free.
  var nextParameter: Int32 { Int32(values.count) + 1 }
}
