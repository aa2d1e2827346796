// SPDX-License-Identifier: MIT

internal import Base
package import SQLite

/// An ordinary SQLite database that is presented as a store.
package final class Database {
  let model: StoredModel
  let schema: DatabaseSchema
  let attachment: Attachment?
  /// nil if the database is not attached.
  let schemaState: SchemaState?
  let connection: Connection
  private let mismatches = TypeMismatches()
  /// nil where the relations have just been counted.
  private let dangling: DanglingReferences?
  /// The numbers of keys that are not integers, by entity name.
  let keyNumbers: [String: KeyNumbers]
  /// How rows are named, by entity number; only those that are not named by an integer key.
  private var rowNames: [Int: RowNames] = [:]
  package private(set) var namedByNumber: Set<String> = []
  package var keptKey: ((_ entity: String, _ key: Int64) -> [UInt8]?)? {
    didSet {
      let kept = keptKey
      for (entity, numbers) in keyNumbers { numbers.keptKey = { kept?(entity, $0) } }
    }
  }

  package let uuid: String
  /// Why changes are not logged although the database is attached, if `Attachment.renewTriggers` helps.
  package let lostTriggers: String?
  /// What other programs left of an attachment, and what to do; nil if its tables are in place.
  package let remains: String?
  /// The tables that a person chose to attach; empty if all are attached.
  package let chosenTables: [String]

  /// The database behind a store; nil for a store in Core Data's layout.
  package static func of(_ store: PersistentStore) -> Database? { store.tables as? Database }

  /// Creates the views. Call it inside a transaction.
  init(_ connection: Connection, access: PersistentStore.Access, _ readings: ReadingChoice) throws {
    let path = connection.path
    let log = try LogTables(connection)
    let tables = try DatabaseTable.all(connection, without: log)
    let found = try Attachment(connection, log, tables.tables)
    // A log that misses changes is not followed.
    let attachment = found?.fault == nil ? found : nil
    var known = KnownReadings()
    if case .known(let read) = readings { known = read() ?? known }
    let search: DatabaseSchema.RelationSearch = if case .surveyed = readings { .declared } else { .sampled }
    var schema = try DatabaseSchema(connection, tables, attachment: attachment, readings: known, relations: search)
    guard !schema.model.entities.isEmpty else {
      throw StoreError(
        .notAStore, "\(path) has no table that can be searched",
        recovery: schema.omitted.first.map { .changeTable($0.name, reason: $0.reason) } ?? .createTable)
    }
    guard access == .readOnly || attachment != nil else { throw PersistentStore.notWritten(path) }
    if case .surveyed(let given, let relations) = readings {
      schema = try schema.surveyed(connection, given: given, relations: relations)
    }
    dangling = if case .known = readings { DanglingReferences() } else { nil }
    let views = DatabaseViews(schema: schema, checksRelations: dangling != nil)
    (self.connection, self.attachment, self.schema) = (connection, attachment, schema)
    uuid = attachment?.uuid ?? FileMarks.identity(ofFileAt: path)
    lostTriggers = found?.fault.flatMap { $0.isRenewable ? $0.reason : nil }
    remains = found?.fault.flatMap {
      $0.isOfLog ? "\($0.reason): attaching it again repairs that, and detaching it removes what is left" : nil
    }
    chosenTables = attachment?.isChoice == true ? attachment?.tables.map(\.name) ?? [] : []
    var model = StoredModel(model: schema.model, layout: views.layout, views: TemporaryViews())
    // How values are read counts, not their types alone.
    schemaState = try attachment.map {
      let version = try PersistentStore.schemaVersion(connection)
      return try SchemaState(connection, readings: views.text, $0, version: version)
    }
    model.digest = schemaState?.text ?? Digest.hexadecimal(of: Array(views.text.utf8))
    model.remarks =
      (remains
      ?? found?.fault.map {
        "\($0.reason): changes are found by comparing rows until the database is attached again"
      }).map { [$0] } ?? []
    // The tables of a view are searched.
    model.remarks += DatabaseTable.Omission.sentences(schema.omitted.filter { $0.kind != .view || $0.isUnread })
    self.model = model
    try mismatches.define(on: connection)
    try dangling?.define(on: connection)
    keyNumbers = try views.install(on: connection)
    for entity in views.layout.entities {
      guard let table = table(of: entity) else { continue }
      rowNames[entity.number] = RowNames(table, keyNumbers[entity.entity.name], attachment)
      if rowNames[entity.number] == nil { namedByNumber.insert(entity.entity.name) }
    }
  }

  func table(of entity: EntityLayout) -> DatabaseTable? { schema.sources[entity.entity.name]?.table }

  /// How the columns are read.
  package var readings: KnownReadings { schema.readings }

  /// The relations of tables that became relationships, in the order of the model.
  package var relations: [(entity: String, relationship: String, relation: TableRelation)] {
    model.model.entities.flatMap { entity in
      (schema.sources[entity.name]?.relations ?? []).map { (entity.name, $0.name, $0.known) }
    }
  }

  /// The relations in effect, as an index definition names them.
  package var namedRelations: GivenRelations {
    var named = schema.readings.givenRelations
    for (entity, _, relation) in relations { named[entity, default: [:]][relation.columnList] = relation.target }
    return named
  }

  /// Inferred relations that rows which were read have broken, with the present numbers of rows.
  package var brokenRelations: [(entity: String, relation: TableRelation)] {
    dangling?.broken(in: schema, connection) ?? []
  }

  /// Relations that a definition names wrongly.
  package var relationFaults: [(location: String, reason: String)] {
    schema.relationFaults.map { ($0.location, $0.reason) }
  }

  /// Columns whose readings a definition gives, though some values do not fit them. Known where the rows were surveyed.
  package var columnsWithIgnoredValues: [String: Set<String>] { schema.ignoredValues }

  /// Columns of which a value was read since the database was opened that does not fit their readings: attribute names by
  /// entity name.
  package var mismatchedColumns: [String: Set<String>] { mismatches.columns }
}

extension Database: ForeignTables {
  package var tracking: ChangeTracking { attachment == nil ? .compared : .attached }

  // MARK: Rows

  package func source(of entity: EntityLayout) -> String {
    guard let table = table(of: entity) else { return entity.quotedTable }
    return "\(table.quotedName) t WHERE \(table.keyCondition ?? "1")"
  }

  package func hasDigestsAsKeys(_ entity: EntityLayout) -> Bool { keyNumbers[entity.entity.name] != nil }

  package func checkColumn(of entity: EntityLayout) -> String? {
    let source = schema.sources[entity.entity.name]
    let checksData = source?.inferredData(given: readings.given).isEmpty == false
    let checksRelations = dangling != nil && source?.checkedRelations.isEmpty == false
    return checksData || checksRelations ? DatabaseViews.checkColumn : nil
  }

  package func column(of reference: RelationshipLayout, _ entity: EntityLayout) -> (table: String, name: String)? {
    guard let source = schema.sources[entity.entity.name], let key = source.references[reference.name],
      key.hasPrefix("t.")
    else { return nil }
    return (source.table.name, String(key.dropFirst(2)))
  }

  package func keyBytes(of entity: EntityLayout, key: Int64) throws -> [UInt8]? {
    try keyNumbers[entity.entity.name]?.bytes(ofKeyNumbered: key)
  }

  // MARK: Names

  package func keyText(of key: Int64, _ entity: EntityLayout) throws -> String? {
    guard let names = rowNames[entity.number] else { return String(key) }
    return try names.name(of: key, connection).map(names.text)
  }

  package func numbers(ofKey text: Substring, _ entity: EntityLayout) throws -> [Int64] {
    guard let names = rowNames[entity.number] else { return Int64(text).map { [$0] } ?? [] }
    return try names.numbers(named: text, connection)
  }

  package func numbers(ofKeyEndingIn text: Substring, _ entity: EntityLayout) throws -> [Int64] {
    guard let names = rowNames[entity.number],
      entity.entity.referenceAttributes.isDisjoint(with: entity.entity.keyAttributes)
    else { return [] }
    return try names.numbers(namedBySecond: text, connection)
  }

  package func normalizedKey(_ text: Substring, _ entity: EntityLayout) -> String? {
    guard let names = rowNames[entity.number] else { return nil }
    return KeyText.keys(text, affinities: names.affinities).first.map(names.text)
  }

  package func keys(beginning text: Substring, _ entity: EntityLayout, limit: Int) throws -> [String] {
    guard let table = table(of: entity) else { return [] }
    guard let columns = table.namingColumns, let names = rowNames[entity.number] else {
      return try keys([table.key], of: entity, [String(text)], limit).map { KeyText.text($0, affinities: ["INTEGER"]) }
    }
    guard let values = KeyText.beginning(text), values.count <= columns.count else { return [] }
    return try keys(columns.map { "t." + quoted($0.name) }, of: entity, values, limit).map(names.text)
  }

  /// The keys of rows in which all values but the last of `beginning` equal those of the key, and the last begins one.
  private func keys(
    _ columns: [String], of entity: EntityLayout, _ beginning: [String], _ limit: Int
  ) throws -> [[Value]] {
    var conditions = ""
    for (index, column) in columns.prefix(beginning.count).enumerated() {
      let shown =
        "CASE typeof(\(column)) WHEN 'blob' THEN '0x' || lower(hex(\(column))) ELSE CAST(\(column) AS TEXT) END"
      let parameter = "?\(index + 1)"
      conditions +=
        index + 1 < beginning.count
        ? " AND \(shown) = \(parameter)" : " AND substr(\(shown), 1, length(\(parameter))) = \(parameter)"
    }
    return try connection.mapRows(
      "SELECT \(columns.joined(separator: ", ")) FROM \(source(of: entity))\(conditions) LIMIT \(limit)",
      beginning.map { .text($0) }
    ) { $0.values(columns.count) }.filter { !$0.contains(where: \.isNull) }
  }

  // MARK: The change log

  package var historyTables: [String] { attachment == nil ? [] : LogTables.Table.allCases.map(\.name) }

  package var loggedKeyColumns: Int { attachment?.keyColumns ?? 0 }

  package func keyColumns(of entity: EntityLayout) -> Int? { rowNames[entity.number]?.affinities.count }

  /// Whether the changes of a table are logged.
  func isLogged(_ table: String) -> Bool { attachment?.table(named: table) != nil }

  package func text(ofKey values: [Value], _ entity: EntityLayout) -> String? { rowNames[entity.number]?.text(values) }

  package func purgeLog(before number: Int64, limit: Int) throws -> Int {
    try connection.run(
      """
      DELETE FROM main.followspot_change WHERE number IN
      (SELECT number FROM main.followspot_change WHERE number < ?1 ORDER BY number LIMIT ?2)
      """, [.integer(number), .integer(Int64(limit))])
  }
}
