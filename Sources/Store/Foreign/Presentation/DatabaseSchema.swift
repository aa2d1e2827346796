// SPDX-License-Identifier: MIT

internal import SQLite

/// The schema of an ordinary SQLite database as a model. A table with a key becomes an entity, and a column becomes an
/// attribute. A relation of two tables becomes a relationship with an inverse.
struct DatabaseSchema {
  /// A table and how it is mapped to an entity.
  struct Source {
    let table: DatabaseTable
    let entityName: String
    /// By attribute name.
    var columns: [String: (column: DatabaseTable.Column, reading: ColumnReading)] = [:]
    /// The key of the related row, as SQL over the table `t`, by the name of the to-one relationship.
    var references: [String: String] = [:]
    /// The relations that became relationships.
    var relations: [Relation] = []

    /// The relations that later rows may break.
    var checkedRelations: [Relation] { relations.filter { $0.known.origin == .inferred } }

    /// The columns that are taken for data because of their values, by attribute.
    func inferredData(given: ColumnReadings) -> [(attribute: String, column: DatabaseTable.Column)] {
      columns.filter { $0.value.reading == .data && given[entityName]?[$0.key] == nil }
        .map { (attribute: $0.key, column: $0.value.column) }.sorted { $0.attribute < $1.attribute }
    }
  }

  var model = ModelDescription(entities: [])
  /// Without relationships.
  private(set) var unrelated = ModelDescription(entities: [])
  /// By entity name.
  var sources: [String: Source] = [:]
  /// The readings of all columns, including those that become relationships.
  var readings: KnownReadings
  /// Attributes with values that do not fit their given readings, by entity name. Filled by a survey.
  var ignoredValues: [String: Set<String>] = [:]
  /// Why relations that the definition names are none.
  var relationFaults: [RelationFault] = []
  /// The change log of the database; nil if none is attached.
  let attachment: Attachment?
  let omitted: [DatabaseTable.Omission]

  typealias Found = (tables: [DatabaseTable], omitted: [DatabaseTable.Omission])
  /// What the schema was made from.
  let found: Found

  /// Reads the schema and samples the columns whose readings are unknown. Call it inside a snapshot.
  ///
  /// - Parameters:
  ///   - found: All tables, and what is left out.
  ///   - attachment: Tables whose changes it does not log are omitted.
  ///   - surveyed: Attributes whose columns are read completely, by entity name.
  ///   - search: How relations that the schema does not declare are found.
  init(
    _ connection: Connection, _ found: Found, attachment: Attachment? = nil, readings: KnownReadings = KnownReadings(),
    surveyed: [String: Set<String>] = [:], relations search: RelationSearch = .sampled
  ) throws {
    self.readings = KnownReadings(given: readings.given)
    var (tables, omitted) = found
    self.found = found
    if let attachment {
      omitted += tables.filter { attachment.table(named: $0.name) == nil }.map { table in
        let reason = table.isVirtual ? "triggers cannot be put on a virtual table" : "it is not attached"
        return DatabaseTable.Omission(
          name: table.name, reason: reason, holdsRecords: true, isChosen: attachment.isChoice != false,
          sharedReason: table.isVirtual ? nil : "they are not attached")
      }
      tables = tables.filter { attachment.table(named: $0.name) != nil }
    }
    for index in tables.indices {
      if let table = attachment?.table(named: tables[index].name) { _ = tables[index].identify(by: table.key) }
      guard case .columns(let columns)? = tables[index].rowKey else { continue }
      tables[index].numbers = KeyNumberTable(name: "followspot_keys_\(index)", columns: columns)
    }
    self.omitted = omitted
    self.attachment = attachment
    var names = UniqueNames()
    let named = tables.map { ($0, names.entityName(for: $0.name)) }
    for (table, entityName) in named {
      try add(table, as: entityName, known: readings, surveyed: surveyed[entityName] ?? [], connection)
    }
    unrelated = model
    try relate(connection, known: readings, search)
  }

  private mutating func add(
    _ table: DatabaseTable, as entityName: String, known: KnownReadings, surveyed: Set<String>, _ connection: Connection
  ) throws {
    let logged = attachment?.table(named: table.name)
    let preserved = logged.map { ([$0] + $0.former).flatMap(\.preserved) } ?? []
    var names = UniqueNames()
    let named = table.columns.map { (column: $0, name: names.propertyName(for: $0.name)) }
    try read(table, named, as: entityName, known: known, surveyed: surveyed, connection)
    let readings = self.readings.effective[entityName] ?? [:]
    var source = Source(table: table, entityName: entityName)
    var entity = EntityDescription(entityName)
    entity.isJoined = table.numbers != nil
    for (column, name) in named {
      guard let reading = readings[name] else { continue }
      let isPreserved = preserved.contains { $0.sqlName == column.name.sqlName }
      entity.attributes.append(
        AttributeDescription(
          name, reading.type, isOptional: true, options: isPreserved ? [.preserveValueOnDeletion] : []))
      source.columns[name] = (column, reading)
      if column.primaryKeyIndex > 0 { entity.keyAttributes.insert(name) }
    }
    model.entities.append(entity)
    sources[entityName] = source
  }

  /// Uses the known readings of columns and samples the others.
  private mutating func read(
    _ table: DatabaseTable, _ named: [(column: DatabaseTable.Column, name: String)], as entityName: String,
    known: KnownReadings, surveyed: Set<String>, _ connection: Connection
  ) throws {
    var inferred: [String: ColumnReading] = [:]
    var assumed: Set<String> = []
    var keyOfTimes: String?
    for (_, name) in named where !surveyed.contains(name) {
      inferred[name] = known.inferred[entityName]?[name]
      if known.assumed[entityName]?.contains(name) == true { assumed.insert(name) }
    }
    for isWhole in [false, true] {
      let columns = named.filter { inferred[$0.name] == nil && surveyed.contains($0.name) == isWhole }
      let samples = try ColumnSample.samples(of: columns.map(\.column), in: table, isWhole: isWhole, connection)
      for ((column, name), sample) in zip(columns, samples) {
        let reading = sample.reading(of: column)
        // The survey found a value that does not fit the known reading, so the same reading would fail again.
        inferred[name] = isWhole && reading == known.inferred[entityName]?[name] ? .text : reading
        if sample.isEmpty { assumed.insert(name) }
        if column.name == table.rowidAlias?.name, sample.areTimesOfKeys { keyOfTimes = name }
      }
    }
    // The rows have no other time than that of their keys.
    if let keyOfTimes, !inferred.values.contains(where: \.isDate) { inferred[keyOfTimes] = .date(.unixMilliseconds) }
    readings.inferred[entityName] = inferred
    if !assumed.isEmpty { readings.assumed[entityName] = assumed }
  }
}

/// Makes names of a model unique without regard to case.
struct UniqueNames {
  private var taken: Set<String> = []

  mutating func take(_ name: String) { taken.insert(name.uppercased()) }

  /// Entity names are parts of identifiers: letters, digits and `_`, starting with a letter, at most 100 bytes.
  mutating func entityName(for table: String) -> String {
    var name = String(
      String.UnicodeScalarView(
        table.unicodeScalars.map { $0.properties.isAlphabetic || ("0"..."9").contains($0) ? $0 : "_" }))
    if name.unicodeScalars.first?.properties.isAlphabetic != true { name = "t" + name }
    while name.utf8.count > 90 { name.removeLast() }
    return unused(name)
  }

  /// Property names contain no control characters and have at most 200 bytes.
  mutating func propertyName(for column: String) -> String {
    var name = String(
      String.UnicodeScalarView(
        column.unicodeScalars.map { $0.properties.generalCategory == .control ? "_" : $0 }))
    if name.isEmpty { name = "column" }
    while name.utf8.count > 190 { name.removeLast() }
    return unused(ModelDescription.usableName(name))
  }

  private mutating func unused(_ name: String) -> String {
    var (unique, suffix) = (name, 1)
    while !taken.insert(unique.uppercased()).inserted {
      suffix += 1
      unique = name + String(suffix)
    }
    return unique
  }
}
