// SPDX-License-Identifier: MIT

/// How the values of one column of an ordinary database are read. It determines the type of the attribute.
package enum ColumnReading: Equatable, Sendable {
  case text, data, integer, double, boolean
  /// Text that is JSON. Any other text or number becomes a JSON string or number.
  case json
  case date(DateEncoding)

  /// All readings, in the order in which help texts list them.
  package static let all: [ColumnReading] =
    [.text, .integer, .double, .boolean, .data, .json] + DateEncoding.allCases.map { .date($0) }

  /// The name in JSON: the case's own, `date` for dates as text, or the name of the encoding.
  package var name: String {
    switch self {
    case .text: "text"
    case .data: "data"
    case .integer: "integer"
    case .double: "double"
    case .boolean: "boolean"
    case .json: "json"
    case .date(.text): "date"
    case .date(let encoding): encoding.rawValue
    }
  }

  package init?(name: String) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// The reading of a column without values: it follows from the declared type alone.
  static func declared(_ column: DatabaseTable.Column) -> ColumnReading {
    if column.declaredType.uppercased().contains("BLOB") { return .data }
    return column.isInteger ? .integer : .text
  }

  var isDate: Bool { if case .date = self { true } else { false } }

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

  /// The SQL expression that reads `column`. A value that does not fit becomes `mismatch`. NULL and the empty text become
  /// NULL, because many programs write an empty text for a missing value.
  func expression(_ column: String, mismatch: String = "NULL") -> String {
    func guarded(_ condition: String, _ value: String) -> String {
      let otherwise = mismatch == "NULL" ? "" : " WHEN \(column) IS NULL OR \(column) = '' THEN NULL ELSE \(mismatch)"
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
        mismatch == "NULL"
          ? DateEncoding.text.expression(column)
          // Programs write 0000-00-00 for a missing date.
          : "ifnull(\(DateEncoding.text.expression(column)), iif(\(column) GLOB '0000-*', NULL, \(mismatch)))")
    case .date(.textOrNever):
      // A date near 1970-01-01 says that this one may be a date, too.
      guarded(
        "typeof(\(column)) = 'text' AND \(column) GLOB '[0-9][0-9][0-9][0-9]-[0-9]*'",
        mismatch == "NULL"
          ? DateEncoding.textOrNever.expression(column)
          : """
          CASE WHEN \(column) GLOB '0000-*' OR julianday(\(column)) = 2440587.5 THEN NULL \
          WHEN \(column) GLOB '19[67]*' THEN \(mismatch) \
          ELSE ifnull(\(DateEncoding.text.expression(column)), \(mismatch)) END
          """)
    case .date(.compact):
      guarded(
        "typeof(\(column)) = 'text' AND \(column) GLOB '[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*'",
        mismatch == "NULL"
          ? DateEncoding.compact.expression(column) : "ifnull(\(DateEncoding.compact.expression(column)), \(mismatch))")
    case .date(let encoding): guarded(isNumber, encoding.expression(column))
    }
  }
}

/// The readings of the columns of an ordinary database, by entity and attribute name.
package typealias ColumnReadings = [String: [String: ColumnReading]]

/// The relations that an index definition names: the entity that columns refer to, or `none`, by entity name and column.
/// Several columns are separated by commas.
package typealias GivenRelations = [String: [String: String]]

/// The readings and the relations that an index was built with. It keeps them, so that they do not change with the rows.
package struct KnownReadings: Equatable, Sendable {
  /// Readings that the definition names. Values that do not fit are ignored.
  package var given: ColumnReadings
  package var inferred: ColumnReadings
  /// Columns without values at that time: their inferred reading follows from the declared type.
  package var assumed: [String: Set<String>]
  /// The relations that the schema declares or that were inferred, by entity name.
  package var relations: [String: [TableRelation]] = [:]
  /// Relations that the definition names instead.
  package var givenRelations: GivenRelations = [:]

  package init(given: ColumnReadings = [:], inferred: ColumnReadings = [:], assumed: [String: Set<String>] = [:]) {
    self.given = given
    self.inferred = inferred
    self.assumed = assumed
  }

  /// Keeps those readings of a definition that differ from the inferred ones.
  package mutating func setGiven(_ readings: ColumnReadings) {
    given = [:]
    for (entity, attributes) in readings {
      let own = attributes.filter { inferred[entity]?[$0.key] != $0.value }
      given[entity] = own.isEmpty ? nil : own
    }
  }

  /// Keeps those relations of a definition that differ from the known ones.
  package mutating func setGiven(_ relations: GivenRelations) {
    givenRelations = [:]
    for (entity, own) in relations {
      let known = self.relations[entity] ?? []
      let kept = own.filter { columns, target in
        // What is given for the columns alone would replace a known relation of one type.
        let alone = columns.split(separator: ",").filter { !$0.contains("=") }.joined(separator: ",")
        return alone != columns && own[alone] != nil
          || !known.contains { $0.columnList == columns && $0.target == target }
      }
      givenRelations[entity] = kept.isEmpty ? nil : kept
    }
  }

  /// The reading in effect for each column: the given one, or the inferred one.
  package var effective: ColumnReadings {
    inferred.merging(given) { $0.merging($1) { $1 } }
  }
}

/// Where the readings come from when an ordinary database is opened.
package enum ReadingChoice: Sendable {
  /// Inferred from the first and the last rows of each table.
  case sampled
  /// Taken from an index, if there is one; other columns are sampled. Called for an ordinary database only.
  case known(@Sendable () -> KnownReadings?)
  /// Inferred from all rows, so that every value fits. Used before an index is built.
  case surveyed(given: ColumnReadings, relations: GivenRelations = [:])
}
