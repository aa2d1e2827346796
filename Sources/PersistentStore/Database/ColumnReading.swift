/// How the values of one column of an ordinary database are read, and thereby the type that the column gets.
package enum ColumnReading: Equatable, Sendable {
  case text, data, integer, double, boolean
  /// Text that is JSON. Any other text or number becomes a JSON string or number.
  case json
  case date(DateSpelling)

  /// All of them, in the order in which they are listed for people.
  package static let all: [ColumnReading] =
    [.text, .integer, .double, .boolean, .data, .json] + DateSpelling.allCases.map { .date($0) }

  /// Its name in JSON: that of the case, `date` for dates as text, else that of the spelling.
  package var name: String {
    switch self {
    case .text: "text"
    case .data: "data"
    case .integer: "integer"
    case .double: "double"
    case .boolean: "boolean"
    case .json: "json"
    case .date(.text): "date"
    case .date(let spelling): spelling.rawValue
    }
  }

  package init?(name: String) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// What the declaration alone tells of a column without values.
  static func declared(_ column: DatabaseTable.Column) -> ColumnReading {
    if column.declaredType.uppercased().contains("BLOB") { return .data }
    return column.isInteger ? .integer : .text
  }

  var type: AttributeType {
    switch self {
    case .text: .string
    case .data: .data
    case .integer: .integer64
    case .double: .double
    case .boolean: .boolean
    case .json: .json
    case .date: .date
    }
  }

  /// The SQL expression that reads `column`. A value that does not fit becomes `misfit`. NULL and the empty text
  /// become NULL: many programs write an empty text where there is no value.
  func expression(_ column: String, misfit: String = "NULL") -> String {
    func guarded(_ condition: String, _ value: String) -> String {
      let otherwise = misfit == "NULL" ? "" : " WHEN \(column) IS NULL OR \(column) = '' THEN NULL ELSE \(misfit)"
      return "CASE WHEN \(condition) THEN \(value)\(otherwise) END"
    }
    let isNumber = "typeof(\(column)) IN ('integer', 'real')"
    return switch self {
    case .text:
      "CASE typeof(\(column)) WHEN 'text' THEN \(column) WHEN 'null' THEN NULL ELSE CAST(\(column) AS TEXT) END"
    case .data: guarded("typeof(\(column)) = 'blob'", column)
    case .integer: guarded("typeof(\(column)) = 'integer'", column)
    case .double: guarded(isNumber, column)
    case .boolean: guarded("\(column) IN (0, 1)", column)
    case .json:
      guarded(
        "typeof(\(column)) IN ('text', 'integer', 'real') AND \(column) <> ''",
        "CAST(iif(typeof(\(column)) = 'text' AND json_valid(\(column)), \(column), json_quote(\(column))) AS BLOB)")
    case .date(.text):
      guarded(
        "typeof(\(column)) = 'text' AND \(column) GLOB '[0-9][0-9][0-9][0-9]-[0-9]*'",
        misfit == "NULL"
          ? DateSpelling.text.expression(column)
          // 0000-00-00 is how programs write that there is no date.
          : "ifnull(\(DateSpelling.text.expression(column)), iif(\(column) GLOB '0000-*', NULL, \(misfit)))")
    case .date(let spelling): guarded(isNumber, spelling.expression(column))
    }
  }
}

/// How the columns of an ordinary database are read: by entity and attribute name.
package typealias ColumnReadings = [String: [String: ColumnReading]]

/// The readings that an index was built with. An index keeps them, so that the types of a database stay the same whichever
/// rows come and go.
package struct KnownReadings: Equatable, Sendable {
  /// Those that a person asked for. Values that do not fit are left out.
  package var given: ColumnReadings
  /// Those that follow from the values.
  package var inferred: ColumnReadings
  /// Columns that had no value when they were looked at: their inferred reading follows from the declaration.
  package var assumed: [String: Set<String>]

  package init(given: ColumnReadings = [:], inferred: ColumnReadings = [:], assumed: [String: Set<String>] = [:]) {
    self.given = given
    self.inferred = inferred
    self.assumed = assumed
  }

  /// Takes the readings that a person asked for: those that differ from the inferred ones.
  package mutating func give(_ asked: ColumnReadings) {
    given = [:]
    for (entity, attributes) in asked {
      let own = attributes.filter { inferred[entity]?[$0.key] != $0.value }
      given[entity] = own.isEmpty ? nil : own
    }
  }

  /// Of each column the reading that counts.
  package var effective: ColumnReadings {
    inferred.merging(given) { $0.merging($1) { $1 } }
  }
}

/// Where the readings of an ordinary database come from when it is opened.
package enum ReadingChoice: Sendable {
  /// From the first and the last rows of each table.
  case sampled
  /// From an index, if there is one; columns that it does not know are sampled. Called for an ordinary database only.
  case known(@Sendable () -> KnownReadings?)
  /// From all rows, so that each value fits. For an index that is about to be built.
  case surveyed(given: ColumnReadings)
}
