// SPDX-License-Identifier: MIT

internal import Base

/// That columns of a table of an ordinary database refer to the rows of a table, and how that is known.
package struct TableRelation: Codable, Equatable, Sendable {
  package enum Origin: String, Codable, Sendable {
    /// The schema declares a foreign key.
    case declared
    /// The names and the values say so.
    case inferred
    /// The index definition says so.
    case given
  }

  /// That only rows with a value in another column refer to the table.
  package struct Condition: Codable, Equatable, Sendable {
    /// The attribute of the other column.
    let column: String
    /// As text.
    let value: String
  }

  /// The attributes of the columns that refer, in the order of `keys`.
  package let columns: [String]
  /// The entity of the table that is referred to.
  package let target: String
  /// The attributes of its key.
  package let keys: [String]
  package let origin: Origin
  /// nil if all rows refer to the table.
  package var condition: Condition?
  /// How clearly names or telling values say it (`RelationCandidate`); nil unless it was inferred.
  var strength: Int?
  /// The number of rows that refer to something, and of those that refer to nothing that exists; 0 if nobody counted.
  package var rows = 0
  package var dangling = 0
  /// Whether only some rows were counted.
  var isSampled = false

  /// As an index definition names the columns: `author_id`, or `item_type=Photo,item_id`.
  package var columnList: String {
    ([condition.map { "\($0.column)=\($0.value)" }].compactMap(\.self) + columns).joined(separator: ",")
  }

  /// Whether the number of references that dangle is allowed.
  var isAllowed: Bool { rows > 0 && Self.allows(dangling, of: rows) }

  /// One reference in a hundred may dangle.
  static func allows(_ dangling: Int, of rows: Int) -> Bool { dangling * 100 <= rows }

  /// Why it is a relation: `declared`, `inferred: name and 3,490 of 3,503 values`, `inferred: all 200 sampled values`.
  package var reason: String {
    switch origin {
    case .declared: return "declared"
    case .given: return "given by the definition"
    case .inferred:
      let counts =
        dangling == 0
        ? "all \(NumberText.grouped(rows))" : "\(NumberText.grouped(rows - dangling)) of \(NumberText.grouped(rows))"
      let areValuesAlone = strength.map(RelationCandidate.strengthsOfValuesAlone.contains) ?? false
      let name = areValuesAlone ? "" : "name and "
      return "inferred: \(name)\(counts)\(isSampled ? " sampled" : "") values"
    }
  }
}
