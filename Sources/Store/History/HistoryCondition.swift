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
  let sql: String
  let values: [Value]

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

  /// The changes of a transaction in a subquery, as SQL.
  package struct Changes {
    let alias: String

    /// - Parameter alias: Of a change.
    package init(_ alias: String) { self.alias = alias }

    package var from: String { "ACHANGE \(alias)" }
    package var entity: String { "\(alias).ZENTITY" }
    package var key: String { "\(alias).ZENTITYPK" }

    /// That a change is one of the transaction, and of one of these entities.
    package func belong(to numbers: some Collection<Int>) -> String {
      "\(alias).ZTRANSACTIONID = \(Column.number.sql) "
        + "AND \(entity) IN (\(numbers.sorted().map(String.init).joined(separator: ", ")))"
    }

    /// That a change is an insert, an update or a delete.
    package var areKnown: String {
      "\(alias).ZCHANGETYPE IN (\(ChangeKind.allCases.map { String($0.rawValue) }.joined(separator: ", ")))"
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
      let changes = Changes("c")
      terms.append("EXISTS (SELECT 1 FROM \(changes.from) WHERE \(changes.belong(to: numbers)))")
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
