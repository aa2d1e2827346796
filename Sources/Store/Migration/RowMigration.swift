// SPDX-License-Identifier: MIT

internal import SQLite

/// Moves rows and join tables into the tables of another model.
struct RowMigration {
  let plan: MigrationPlan
  /// Collects the external files that are no longer needed.
  let save: Save
  private var connection: Connection { save.connection }

  init(plan: MigrationPlan, save: Save) {
    self.plan = plan
    self.save = save
  }

  /// The temporary name of an old table while the new one is filled.
  private static func temporaryName(of quotedTable: String) -> String {
    "\"FOLLOWSPOT_OLD_\(quotedTable.filter { $0 != "\"" })\""
  }

  func run() throws {
    let oldTables = Set(plan.old.entities.map(\.quotedTable)).union(plan.old.joinTableNames).sorted()
    try dropFiles()
    // With this setting, views keep referring to the name, and so to the new table.
    try connection.execute("PRAGMA legacy_alter_table = ON")
    defer { try? connection.execute("PRAGMA legacy_alter_table = OFF") }
    for table in oldTables { try renameToTemporaryName(table) }
    let statements = plan.new.entityTables
    for statement in statements where statement.isTable { try connection.execute(statement.sql) }
    for step in plan.steps { try copyRows(step) }
    for step in plan.steps { try copyJoinTables(step) }
    for table in oldTables { try connection.execute("DROP TABLE \(Self.temporaryName(of: table))") }
    try completeKeys()
    for statement in statements where !statement.isTable { try create(statement) }
    try renumber()
  }

  /// Replaces the indexes by those of the new model. For plans that keep all rows.
  func replaceIndexes() throws {
    let (before, after) = (plan.old.entityTables, plan.new.entityTables)
    let added = after.filter { !before.contains($0) }
    // An index of the same name that a person created is dropped.
    for case .index(let name) in (before.filter { !after.contains($0) } + added).map(\.kind) {
      try connection.execute("DROP INDEX IF EXISTS \(name)")
    }
    for statement in added { try create(statement) }
  }

  /// Renames a table and drops its indexes, which would keep their names and collide with the new ones.
  private func renameToTemporaryName(_ table: String) throws {
    let names = try connection.mapRows(
      "SELECT type, name FROM sqlite_master WHERE tbl_name = ?1 AND sql IS NOT NULL AND type <> 'table'",
      [.text(unquoted(table))]
    ) { row in
      guard row.text(at: 0) == "index" else {
        throw StoreError(
          .invalidModel, "the store has a trigger \(row.text(at: 1)) that the migration would lose",
          recovery: .dropTrigger)
      }
      return row.text(at: 1)
    }
    for name in names { try connection.execute("DROP INDEX \(quoted(name))") }
    try connection.execute("ALTER TABLE \(table) RENAME TO \(Self.temporaryName(of: table))")
  }

  private func create(_ index: SchemaStatement) throws {
    do {
      try connection.execute(index.sql)
    } catch {
      guard error.isConstraint, let constraint = index.constraint else { throw error }
      throw StoreError(
        .duplicate,
        "two rows of \(constraint.entityName) have the same \(constraint.words), to be unique from now on"
          + (try example(of: constraint).map { ": \($0)" } ?? ""),
        recovery: .removeDuplicates,
        subject: plan.new.entity(named: constraint.entityName).map { .init($0.entity.name, constraint.names) },
        cause: error)
    }
  }

  /// The values that two rows share, for an error message; nil if they cannot be shown.
  private func example(of constraint: UniqueConstraint) throws -> String? {
    let attributes = plan.new.entity(named: constraint.entityName)?.entity.attributes ?? []
    // A date would be shown as seconds, which people cannot read.
    guard !attributes.contains(where: { $0.type == .date && constraint.names.contains($0.name) }) else { return nil }
    let columns = constraint.columns.joined(separator: ", ")
    let filled = constraint.columns.map { "\($0) IS NOT NULL" } + (constraint.condition.map { [$0] } ?? [])
    let cursor = try connection.cursor(
      """
      SELECT \(columns) FROM \(constraint.quotedTable) WHERE \(filled.joined(separator: " AND ")) \
      GROUP BY \(columns) HAVING count(*) > 1 LIMIT 1
      """)
    guard try cursor.step() else { return nil }
    let values = constraint.columns.indices.map { cursor.value(at: Int32($0)) }
    return values.contains { if case .blob = $0 { true } else { false } }
      ? nil : values.indices.map { "'\(cursor.text(at: Int32($0)).prefix(40))'" }.joined(separator: ", ")
  }

  // MARK: Rows

  private func copyRows(_ step: MigrationPlan.EntityStep) throws {
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    var values = ["Z_PK", "\(step.new.number)", "Z_OPT"]
    let table = Self.temporaryName(of: step.old.quotedTable)
    let condition = "Z_ENT = \(step.old.number)"
    var defaults: [Value] = []
    for (index, attribute) in step.new.entity.attributes.enumerated() {
      let source = step.attributes[index].map { Self.value(of: $0, in: step.old, as: attribute) }
      if let old = step.attributes[index] { try refuseInexact(old, step, attribute, table, condition) }
      var value = source ?? "NULL"
      if !attribute.isOptional || source == nil,
        let filling = attribute.isExternal ? inline(attribute.defaultValue) : attribute.defaultValue
      {
        defaults.append(filling)
        value = source.map { "ifnull(\($0), ?\(defaults.count))" } ?? "?\(defaults.count)"
      } else if !attribute.isOptional {
        let gaps = source.map { " AND \($0) IS NULL" } ?? ""
        guard try connection.integer("SELECT 1 FROM \(table) WHERE \(condition)\(gaps) LIMIT 1") == nil else {
          throw StoreError.invalidModel(
            "\(step.new.entity.name).\(attribute.name) needs a default, or has to be optional: rows have no value")
        }
      }
      columns.append(step.new.quotedColumn(index))
      values.append(value)
    }
    for (key, source) in keyColumns(of: step) {
      columns.append(key)
      values.append(source)
    }
    try connection.run(
      """
      INSERT INTO \(step.new.quotedTable) (\(columns.joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", ")) FROM \(table) WHERE \(condition)
      """, defaults)
  }

  /// Refuses integers that a double cannot hold exactly.
  private func refuseInexact(
    _ source: Int, _ step: MigrationPlan.EntityStep, _ attribute: AttributeDescription, _ table: String,
    _ condition: String
  ) throws {
    guard step.old.entity.attributes[source].type == .integer64, attribute.type == .double else { return }
    let (column, most) = (step.old.quotedColumn(source), AttributeType.largestExactInteger)
    guard
      let number = try connection.integer(
        "SELECT \(column) FROM \(table) WHERE \(condition) AND \(column) NOT BETWEEN -\(most) AND \(most) LIMIT 1")
    else { return }
    throw StoreError.invalidModel(
      "\(step.new.entity.name).\(attribute.name) holds \(number), which a double cannot hold exactly")
  }

  // MARK: Long values

  /// SQL that converts an old column to the new attribute: to its type, with or without the mark of external storage.
  private static func value(of attribute: Int, in entity: EntityLayout, as new: AttributeDescription) -> String {
    let (column, old) = (entity.quotedColumn(attribute), entity.entity.attributes[attribute])
    switch (old.isExternal, new.isExternal) {
    case (false, true): return ExternalValue.inline(column)
    case (true, false): return ExternalValue.plain(column)
    default: return old.type.converted(column, to: new.type)
    }
  }

  private func inline(_ value: Value?) -> Value? {
    guard case .blob(let bytes)? = value else { return value }
    return .blob(ExternalValue.stored(inline: bytes))
  }

  /// Moves values from files to rows if the new attribute is not stored externally. Drops files of removed attributes.
  private func dropFiles() throws {
    for entity in plan.old.entities {
      let step = plan.step(ofOld: entity.number)
      for attribute in entity.externalAttributes {
        let new = step?.attributes.first { $0.value == attribute }?.key
        if let new, step?.new.entity.attributes[new].isExternal ?? false { continue }
        for (key, name) in try save.store.externalNames(entity, attribute) {
          let stored = Value.blob(ExternalValue.stored(file: name))
          if new != nil { try storeInline(try save.store.contents(of: stored), entity, attribute, key) }
          try save.drop(stored)
        }
      }
    }
  }

  private func storeInline(_ value: Value, _ entity: EntityLayout, _ attribute: Int, _ key: Int64) throws {
    try connection.run(
      "UPDATE \(entity.quotedTable) SET \(entity.quotedColumn(attribute)) = ?1 WHERE Z_PK = ?2",
      [inline(value) ?? .null, .integer(key)])
  }

  /// New and old key columns: of to-one relationships, and of to-many ones without an inverse. Entity keys follow
  /// later.
  private func keyColumns(of step: MigrationPlan.EntityStep) -> [(new: String, old: String)] {
    var found: [(String, String)] = []
    for (index, relationship) in step.new.relationships.enumerated() {
      guard case .reference(let key, _, let order) = relationship.storage else { continue }
      if let source = step.relationships[index].map({ step.old.relationships[$0] }) {
        guard case .reference(let oldKey, _, let oldOrder) = source.storage else { continue }
        found.append((key, oldKey))
        if let order, let oldOrder { found.append((order, oldOrder)) }
      } else if let hidden = hiddenSource(ofInverseOf: relationship) {
        found.append((key, hidden.key))
        if let order, let oldOrder = hidden.order { found.append((order, oldOrder)) }
      }
    }
    for owner in plan.new.entities {
      for (index, relationship) in owner.relationships.enumerated()
      where relationship.owner == owner.number && step.new.lineage.contains(relationship.destination) {
        guard case .inverseReference(let key, _, let order, true) = relationship.storage,
          let source = plan.step(ofNew: owner.number),
          let old = source.relationships[index].map({ source.old.relationships[$0] }),
          case .inverseReference(let oldKey, _, let oldOrder, _) = old.storage
        else { continue }
        found.append((key, oldKey))
        if let order, let oldOrder { found.append((order, oldOrder)) }
      }
    }
    return found
  }

  /// The hidden column of a to-many relationship that has this relationship as its inverse now.
  private func hiddenSource(ofInverseOf relationship: RelationshipLayout) -> (key: String, order: String?)? {
    guard let owner = plan.step(ofNew: relationship.destination),
      let inverse = plan.new.inverse(of: relationship, in: owner.new),
      let source = owner.relationships[inverse],
      case .inverseReference(let key, _, let order, true) = owner.old.relationships[source].storage
    else { return nil }
    return (key, order)
  }

  // MARK: Join tables

  private func copyJoinTables(_ step: MigrationPlan.EntityStep) throws {
    // Inherited relationships too: one may have moved up the hierarchy.
    for (index, relationship) in step.new.relationships.enumerated() {
      guard let source = step.relationships[index],
        case .joinTable(let table, let own, let other, let order, _) = relationship.storage,
        case .joinTable(let oldTable, let oldOwn, let oldOther, let oldOrder, _) = step.old.relationships[source]
          .storage
      else { continue }
      let old = Self.temporaryName(of: oldTable)
      // Both ends describe one join table, so the second end adds only its order.
      try connection.execute(
        "INSERT OR IGNORE INTO \(table) (\(own), \(other)) SELECT \(oldOwn), \(oldOther) FROM \(old)")
      guard let order else { continue }
      let oldPosition = oldOrder.map { "o.\($0)" } ?? "o.rowid"
      try connection.execute(
        """
        UPDATE \(table) SET \(order) = (SELECT \(oldPosition) FROM \(old) o \
        WHERE o.\(oldOwn) = \(table).\(own) AND o.\(oldOther) = \(table).\(other)) WHERE \(order) IS NULL
        """)
    }
  }

  // MARK: Keys

  /// Clears keys that refer to no object of the right entity, and fills in entity keys and missing order keys.
  private func completeKeys() throws {
    for entity in plan.new.entities {
      for relationship in entity.relationships where relationship.owner == entity.number {
        let owners = objects(of: relationship.owner, in: relationship.ownerTable)
        let destinations = objects(of: relationship.destination, in: relationship.destinationTable)
        switch relationship.storage {
        case .reference(let key, let target, let order):
          try clearKeys(key, order, in: relationship.ownerTable, notIn: destinations)
          try complete(key, target, order, in: relationship.ownerTable, joining: relationship.destinationTable)
        case .inverseReference(let key, let owner, let order, true):
          try clearKeys(key, order, in: relationship.destinationTable, notIn: owners)
          try complete(key, owner, order, in: relationship.destinationTable, joining: relationship.ownerTable)
        case .inverseReference: break
        case .joinTable(let table, let own, let other, _, _):
          try connection.execute(
            "DELETE FROM \(table) WHERE \(own) NOT IN (\(owners)) OR \(other) NOT IN (\(destinations))")
        }
      }
    }
  }

  /// Selects the keys of an entity's objects, including those of its subentities.
  private func objects(of number: Int, in table: String) -> String {
    let family = plan.new.entities.filter { $0.lineage.contains(number) }.map { String($0.number) }
    return "SELECT Z_PK FROM \(table) WHERE Z_ENT IN (\(family.joined(separator: ", ")))"
  }

  private func clearKeys(_ key: String, _ order: String?, in table: String, notIn objects: String) throws {
    let clearedOrder = order.map { ", \($0) = NULL" } ?? ""
    try connection.execute("UPDATE \(table) SET \(key) = NULL\(clearedOrder) WHERE \(key) NOT IN (\(objects))")
  }

  private func complete(
    _ key: String, _ entity: String?, _ order: String?, in table: String, joining destination: String
  ) throws {
    if let entity {
      try connection.execute(
        """
        UPDATE \(table) SET \(entity) = (SELECT d.Z_ENT FROM \(destination) d WHERE d.Z_PK = \(table).\(key)) \
        WHERE \(key) IS NOT NULL
        """)
    }
    if let order {
      try connection.execute(
        "UPDATE \(table) SET \(order) = Z_PK WHERE \(order) IS NULL AND \(key) IS NOT NULL")
    }
  }

  /// Writes the new entity numbers. The highest keys stay with the root entities.
  private func renumber() throws {
    var maxima: [Int: Int64] = [:]
    for step in plan.steps {
      let highest = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(step.old.rootNumber)") ?? 0
      maxima[step.new.rootNumber] = max(highest, maxima[step.new.rootNumber] ?? 0)
    }
    try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(StoreLayout.HistoryEntity.change)")
    for row in plan.new.primaryKeyRows where row.number < StoreLayout.HistoryEntity.change {
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, ?4)",
        [
          .integer(Int64(row.number)), .text(row.name), .integer(Int64(row.superNumber)),
          .integer(maxima[row.number] ?? 0),
        ])
    }
  }
}

extension StoreLayout {
  var joinTableNames: Set<String> {
    Set(
      entities.flatMap(\.relationships).compactMap {
        if case .joinTable(let table, _, _, _, _) = $0.storage { return table }
        return nil
      })
  }
}
