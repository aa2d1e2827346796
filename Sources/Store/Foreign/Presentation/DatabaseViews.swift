// SPDX-License-Identifier: MIT

internal import SQLite

/// The temporary views that present an ordinary database in the layout of Core Data.
struct DatabaseViews {
  let schema: DatabaseSchema
  let layout: StoreLayout
  /// Whether reading a row reports references that dangle. It changes no value, so the text does not contain it.
  private let checksRelations: Bool

  init(schema: DatabaseSchema, checksRelations: Bool = false) {
    self.schema = schema
    self.checksRelations = checksRelations
    layout = StoreLayout(model: schema.model)
  }

  /// Creates the views of entities and of the history. The database itself is not written.
  ///
  /// - Returns: The numbers of keys that are not integers, by entity name.
  @discardableResult
  func install(on connection: Connection) throws -> [String: KeyNumbers] {
    var numbers: [String: KeyNumbers] = [:]
    for source in schema.sources.values {
      guard let table = source.table.numbers else { continue }
      let made = KeyNumbers(source.table, table, connection)
      try made.define()
      numbers[source.entityName] = made
    }
    let history = schema.attachment.map(historyViews) ?? EmptyHistory.viewsOfDatabase
    let views = layout.entities.map { statement($0, check(of: $0, checksRelations ? allMismatches : mismatchOfData)) }
    try TemporaryViews(views + history).install(on: connection)
    return numbers
  }

  /// The CREATE VIEW statements of all entities. They determine how each value is read.
  var text: String { layout.entities.map { statement($0, check(of: $0, mismatchOfData)) }.joined(separator: "\n") }

  /// The SQL that replaces a value that does not fit the reading of its column.
  private func mismatch(_ entity: String, _ attribute: String) -> String {
    guard schema.readings.given[entity]?[attribute] == nil else { return "NULL" }
    return "\(TypeMismatches.function)(\(literal(entity)), \(literal(attribute)))"
  }

  /// Reports values of data columns that are not data, and references to missing rows. No other column reads these values,
  /// because data is not indexed.
  static let checkColumn = "Z_MISFIT"

  /// The SQL of that column; nil if the table needs none.
  private func check(of entity: EntityLayout, _ checks: (DatabaseSchema.Source) -> [String]) -> String? {
    let checks = schema.sources[entity.entity.name].map(checks) ?? []
    return checks.isEmpty ? nil : "coalesce(\(checks.joined(separator: ", ")), NULL)"
  }

  private func allMismatches(_ source: DatabaseSchema.Source) -> [String] {
    mismatchOfData(source)
      + source.checkedRelations.map { relation in
        "CASE WHEN \(relation.references.dangles) THEN "
          + "\(DanglingReferences.function)(\(literal(source.entityName)), \(literal(relation.name))) END"
      }
  }

  private func mismatchOfData(_ source: DatabaseSchema.Source) -> [String] {
    source.inferredData(given: schema.readings.given).map { attribute, column in
      let name = column.sql(of: "t")
      return "CASE WHEN typeof(\(name)) NOT IN ('blob', 'null') AND \(name) <> '' "
        + "THEN \(mismatch(source.entityName, attribute)) END"
    }
  }

  private func statement(_ entity: EntityLayout, _ check: String?) -> String {
    guard let source = schema.sources[entity.entity.name] else { return "" }
    var columns = ["\(source.table.key) AS Z_PK", "\(entity.number) AS Z_ENT", "1 AS Z_OPT"]
    for (index, attribute) in entity.entity.attributes.enumerated() {
      let value = source.columns[attribute.name].map { column, reading in
        reading.expression(column.sql(of: "t"), mismatch: mismatch(entity.entity.name, attribute.name))
      }
      columns.append("\(value ?? "NULL") AS \(quoted(entity.columnNames[index]))")
    }
    if let check { columns.append("\(check) AS \(Self.checkColumn)") }
    for relationship in entity.relationships {
      guard case .reference(let column, _, _) = relationship.storage else { continue }
      columns.append("\(source.references[relationship.name] ?? "NULL") AS \(column)")
    }
    return "CREATE TEMP VIEW \(entity.quotedTable) AS SELECT \(columns.joined(separator: ", ")) "
      + "FROM \(source.table.rows)" + (source.table.keyCondition.map { " WHERE " + $0 } ?? "")
  }
}
