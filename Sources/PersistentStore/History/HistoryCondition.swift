// SPDX-License-Identifier: MIT

package import SQLite

/// A condition on transactions, as SQL.
///
/// An expression over these columns. The parameters `?1`, `?2`, … are its values.
///
/// | column | content |
/// | --- | --- |
/// | `t.Z_PK` | the number |
/// | `t.ZTIMESTAMP` | seconds since 2001-01-01 00:00 UTC |
/// | `a.ZNAME` | the author; NULL if there is none |
/// | `b.ZNAME`, `p.ZNAME` | the bundle and the process |
package struct HistoryCondition: Sendable {
  package let sql: String
  package let values: [Value]

  package init(_ sql: String, _ values: [Value] = []) {
    self.sql = sql
    self.values = values
  }

  package static let all = HistoryCondition("1")

  /// Transactions of one author; nil for all.
  package static func by(_ author: String?) -> HistoryCondition {
    HistoryCondition(authors: author.map { [$0] } ?? [], entities: nil)
  }

  /// The columns of the table above, as SQL.
  package enum Column: String, Sendable {
    case number = "t.Z_PK"
    case timestamp = "t.ZTIMESTAMP"
    case author = "a.ZNAME"
    case bundle = "b.ZNAME"
    case process = "p.ZNAME"

    package var sql: String { rawValue }
  }

  /// The changes of the transaction in a row, for a subquery in which they have an alias.
  package enum Changes {
    /// The table.
    package static let table = "ACHANGE"

    package static func entity(_ alias: String) -> String { "\(alias).ZENTITY" }

    package static func key(_ alias: String) -> String { "\(alias).ZENTITYPK" }

    /// That a change is one of the transaction, of a known kind, and of one of these entities.
    package static func condition(_ alias: String, entities numbers: [Int]) -> String {
      let kinds = ChangeKind.allCases.map { String($0.rawValue) }.joined(separator: ", ")
      return "\(alias).ZTRANSACTIONID = \(Column.number.sql) AND \(alias).ZCHANGETYPE IN (\(kinds)) "
        + "AND \(entity(alias)) IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }
  }

  /// Transactions from one time until before another, in seconds since 2001.
  package init(from start: Double, to end: Double) {
    self.init("\(Column.timestamp.sql) >= ?1 AND \(Column.timestamp.sql) < ?2", [.real(start), .real(end)])
  }

  /// Transactions of these authors that changed rows of these entities; empty for all authors, nil for all entities.
  package init(authors: Set<String>, entities numbers: Set<Int>?) {
    var terms: [String] = []
    if !authors.isEmpty {
      terms.append("\(Column.author.sql) IN (\((1...authors.count).map { "?\($0)" }.joined(separator: ", ")))")
    }
    if let numbers {
      terms.append(
        """
        EXISTS (SELECT 1 FROM ACHANGE c WHERE c.ZTRANSACTIONID = t.Z_PK \
        AND c.ZENTITY IN (\(numbers.sorted().map(String.init).joined(separator: ", "))))
        """)
    }
    self.init(terms.isEmpty ? "1" : terms.joined(separator: " AND "), authors.sorted().map { .text($0) })
  }

  /// The first transactions that meet the condition, in an order.
  func first(_ limit: Int, orderBy order: [String]) -> HistoryCondition {
    let terms = (order + ["t.Z_PK"]).joined(separator: ", ")
    return HistoryCondition(
      "t.Z_PK IN (SELECT t.Z_PK FROM \(Self.tables) WHERE (\(sql)) ORDER BY \(terms) LIMIT \(limit))", values)
  }

  /// The FROM clause that provides these columns.
  static let tables = """
    ATRANSACTION t
    LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS
    LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZBUNDLEIDTS
    LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = t.ZPROCESSIDTS
    """

  /// The number of the first unused parameter.
  var nextParameter: Int32 { Int32(values.count) + 1 }
}
