// SPDX-License-Identifier: MIT

internal import SQLite

/// Records the columns of an ordinary database in which a value did not fit the column's reading, such as a text among
/// numbers. The value was read as NULL, so an index that was built from it is not complete.
final class TypeMismatches {
  /// The SQL function that the views call for such a value.
  static let function = "followspot_misfit"

  /// Attribute names by entity name.
  private(set) var columns: [String: Set<String>] = [:]

  func define(on connection: Connection) throws {
    try connection.define(observer: Self.function) { [unowned self] entity, attribute in
      let name = String(decoding: entity, as: UTF8.self)
      columns[name, default: []].insert(String(decoding: attribute, as: UTF8.self))
    }
  }
}

extension DatabaseSchema {
  /// The same schema with readings that every value fits, and with the relations of all rows. Given readings and relations
  /// take precedence.
  func surveyed(
    _ connection: Connection, given: ColumnReadings, relations: GivenRelations
  ) throws -> DatabaseSchema {
    var schema = try surveyed(connection, given: given)
    var known = schema.readings
    known.givenRelations = relations
    try schema.relate(connection, known: known, .surveyed)
    return schema
  }

  private func surveyed(_ connection: Connection, given: ColumnReadings) throws -> DatabaseSchema {
    func schema(_ readings: KnownReadings, surveyed: [String: Set<String>] = [:]) throws -> DatabaseSchema {
      try DatabaseSchema(
        connection, found, attachment: attachment, readings: readings, surveyed: surveyed, relations: .declared)
    }
    let unfitting = try mismatches(connection)
    var fitting = unfitting.isEmpty ? self : try schema(readings, surveyed: unfitting)
    fitting.readings.setGiven(given)
    guard !fitting.readings.given.isEmpty else { return fitting }
    var given = try schema(fitting.readings)
    var strict = given
    strict.readings.given = [:]
    given.ignoredValues = try strict.mismatches(connection)
    return given
  }

  /// Finds attributes with values that do not fit their readings. Reads all rows.
  private func mismatches(_ connection: Connection) throws -> [String: Set<String>] {
    let mismatches = TypeMismatches()
    try mismatches.define(on: connection)
    let views = DatabaseViews(schema: self)
    // The views are replaced by those of the surveyed schema.
    try views.install(on: connection)
    for entity in views.layout.entities where !entity.columnNames.isEmpty {
      let counts = entity.columnNames.map { "count(\(quoted($0)))" }.joined(separator: ", ")
      _ = try connection.cursor("SELECT \(counts) FROM \(entity.quotedTable)").step()
    }
    return mismatches.columns
  }
}
