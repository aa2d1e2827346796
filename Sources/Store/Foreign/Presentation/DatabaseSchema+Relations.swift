// SPDX-License-Identifier: MIT

internal import SQLite

/// Relations of tables as relationships of the model.
extension DatabaseSchema {
  /// How relations that the schema does not declare are found. Known ones are kept.
  enum RelationSearch {
    /// Not at all.
    case declared
    /// Those of unknown columns, by some of their rows.
    case sampled
    /// All again, by all rows.
    case surveyed
  }

  /// A relation whose tables and columns exist.
  struct Relation {
    let entityName: String
    let targetName: String
    let references: ReferenceColumns
    var known: TableRelation
    /// The name of the to-one relationship.
    var name = ""
  }

  /// Makes the relationships of the model again.
  ///
  /// - Parameter known: The readings and relations that an index keeps, and those that its definition names.
  mutating func relate(_ connection: Connection, known: KnownReadings, _ search: RelationSearch) throws {
    model = unrelated
    relationFaults = []
    for name in sources.keys {
      sources[name]?.references = [:]
      sources[name]?.relations = []
    }
    let declared = declaredRelations()
    var found = declared
    if search != .surveyed { found += keptRelations(known, besides: declared) }
    if search != .declared {
      let isKnown: (String, String) -> Bool =
        search == .surveyed ? { _, _ in false } : { known.inferred[$0]?[$1] != nil }
      found += try inferredRelations(connection, besides: found, isWhole: search == .surveyed, isKnown: isKnown)
    }
    readings.relations = Dictionary(grouping: found, by: \.entityName).mapValues { $0.map(\.known) }
    readings.setGiven(known.givenRelations)
    let given = try givenRelations(connection, isChecked: search == .surveyed)
    let replaced = readings.givenRelations
    var positions: [String: Int] = [:]
    for (position, entity) in model.entities.enumerated() { positions[entity.name] = position }
    let effective =
      found.filter { relation in
        let own = replaced[relation.entityName] ?? [:]
        return own[relation.known.columnList] == nil && own[relation.known.columns.joined(separator: ",")] == nil
      } + given
    let sorted = effective.enumerated().sorted {
      (positions[$0.element.entityName] ?? 0, $0.offset) < (positions[$1.element.entityName] ?? 0, $1.offset)
    }
    for (_, relation) in sorted {
      guard let index = positions[relation.entityName], let other = positions[relation.targetName] else { continue }
      add(relation, index, other)
    }
  }

  /// Entity names in the order of the model.
  var entityNames: [String] { unrelated.entities.map(\.name) }

  // MARK: Declared

  private func declaredRelations() -> [Relation] {
    let entities = Dictionary(uniqueKeysWithValues: sources.map { ($1.table.name.sqlName, $0) })
    return entityNames.flatMap { name in
      (sources[name]?.table.references ?? []).compactMap { reference in
        guard let source = sources[name], let targetName = entities[reference.table.sqlName],
          let target = sources[targetName]?.table
        else { return nil }
        let targets =
          !reference.targets.isEmpty
          ? reference.targets
          : target.primaryKeyOfSeveralColumns?.map(\.name) ?? target.primaryKey.map { [$0.name] } ?? []
        let columns = reference.columns.compactMap(source.table.column(named:))
        let keys = targets.compactMap(target.column(named:))
        guard columns.count == reference.columns.count, keys.count == columns.count else { return nil }
        return relation(name, columns, targetName, keys, .declared)
      }
    }
  }

  /// nil where a column is not an attribute.
  func relation(
    _ name: String, _ columns: [DatabaseTable.Column], _ targetName: String, _ keys: [DatabaseTable.Column],
    _ origin: TableRelation.Origin, if condition: (column: DatabaseTable.Column, value: String)? = nil
  ) -> Relation? {
    guard let source = sources[name], let target = sources[targetName] else { return nil }
    var known = TableRelation(
      columns: columns.compactMap { source.attribute(of: $0) }, target: targetName,
      keys: keys.compactMap { target.attribute(of: $0) }, origin: origin)
    guard known.columns.count == columns.count, known.keys.count == keys.count else { return nil }
    if let condition {
      guard let column = source.attribute(of: condition.column) else { return nil }
      known.condition = TableRelation.Condition(column: column, value: condition.value)
    }
    return Relation(
      entityName: name, targetName: targetName,
      references: ReferenceColumns(columns: columns, target: target.table, keys: keys, condition: condition),
      known: known)
  }

  // MARK: Known

  /// The inferred relations that an index keeps, as far as their tables and columns still exist.
  private func keptRelations(_ known: KnownReadings, besides declared: [Relation]) -> [Relation] {
    entityNames.flatMap { name in
      (known.relations[name] ?? []).compactMap { kept in
        guard kept.origin == .inferred, !declared.contains(columns: kept.columnList, of: name),
          let columns = self.columns(kept.columns, of: name), let keys = self.columns(kept.keys, of: kept.target)
        else { return nil }
        let condition = kept.condition.flatMap { kept in
          self.columns([kept.column], of: name).map { (column: $0[0], value: kept.value) }
        }
        guard kept.condition == nil || condition != nil else { return nil }
        var relation = relation(name, columns, kept.target, keys, .inferred, if: condition)
        relation?.known = kept
        return relation
      }
    }
  }

  /// The columns of attributes; nil if one does not exist.
  func columns(_ attributes: [String], of entityName: String) -> [DatabaseTable.Column]? {
    guard let source = sources[entityName] else { return nil }
    let columns = attributes.compactMap { source.columns[$0]?.column }
    return columns.count == attributes.count ? columns : nil
  }
}

extension [DatabaseSchema.Relation] {
  /// - Parameter columns: As `TableRelation.columnList` gives them.
  func contains(columns: String, of entityName: String) -> Bool {
    contains { $0.entityName == entityName && $0.known.columnList == columns }
  }
}

extension DatabaseSchema.Source {
  func attribute(of column: DatabaseTable.Column) -> String? {
    columns.first { $0.value.column.name.sqlName == column.name.sqlName }?.key
  }

  /// Whether the values of a column may be keys: numbers or texts that are nothing else.
  func mayRefer(_ column: DatabaseTable.Column, _ readings: KnownReadings) -> Bool {
    switch attribute(of: column).flatMap({ readings.inferred[entityName]?[$0] }) {
    case .text?, .integer?: true
    // A key that is a time may also be that of another table.
    case .date(.unixMilliseconds)?: column.primaryKeyIndex > 0
    default: false
    }
  }
}
