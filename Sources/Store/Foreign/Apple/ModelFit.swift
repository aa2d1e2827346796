// SPDX-License-Identifier: MIT

internal import SQLite

/// A model adapted to its file: without properties that have no table or column, and with the columns' types.
struct ModelFit {
  private(set) var model: ModelDescription
  /// Sentences about what was omitted.
  private(set) var remarks: [String] = []
  /// Entities that lost a property, so the bits of their change bitmaps are not where the model expects them.
  private(set) var inexact: Set<String> = []

  private let tables: FileTables

  /// - Throws: `StoreError.invalidModel` if nothing usable is left.
  init(_ model: ModelDescription, to tables: FileTables) throws {
    self.model = model
    self.tables = tables
    dropEntities()
    dropUnpairedRelationships()
    try self.model.validate()
    // Column names depend on other properties, by the suffixes of equal names. So the rest is checked again.
    while dropProperties() {}
    useDeclaredTypes()
    reportUndescribedColumns()
    try self.model.validate()
  }

  private mutating func dropEntities() {
    let known = tables.numbers
    let dropped = model.entities.filter { entity in
      known[entity.name] == nil || lineage(of: entity).last.map { !tables.has(table: "Z" + $0.uppercased()) } ?? true
    }
    if !dropped.isEmpty {
      model.entities.removeAll { entity in dropped.contains { $0.name == entity.name } }
      remarks.append("the store has no table for \(Self.list(dropped.map(\.name)))")
    }
    let missing = known.keys.filter { model.entity(named: $0) == nil && !dropped.map(\.name).contains($0) }
    if !missing.isEmpty { remarks.append("the model does not describe \(Self.list(missing))") }
  }

  /// The names of the entity and all its superentities. Empty if one of them is missing, or in a cycle.
  private func lineage(of entity: EntityDescription) -> [String] {
    var names = [entity.name]
    var next = entity.superentity
    while let name = next {
      guard let parent = model.entity(named: name), !names.contains(name) else { return [] }
      names.append(name)
      next = parent.superentity
    }
    return names
  }

  /// Drops relationships whose destination is missing, or whose inverse does not match.
  private mutating func dropUnpairedRelationships() {
    var isDone = false
    while !isDone {
      isDone = true
      for (index, entity) in model.entities.enumerated() {
        let lost = entity.relationships.filter { !isPaired($0, in: entity) }
        guard !lost.isEmpty else { continue }
        isDone = false
        let names = Set(lost.map(\.name))
        model.entities[index].relationships.removeAll { names.contains($0.name) }
        recordOmission(lost.map { "\(entity.name).\($0.name)" }, of: entity.name, "relationships that lead nowhere")
      }
    }
  }

  private func isPaired(_ relationship: RelationshipDescription, in entity: EntityDescription) -> Bool {
    guard let destination = model.entity(named: relationship.destination) else { return false }
    guard let name = relationship.inverse else { return true }
    guard let index = destination.relationship(named: name) else { return false }
    let inverse = destination.relationships[index]
    return inverse.inverse == relationship.name && inverse.destination == entity.name
  }

  /// Drops properties without a column. Returns whether there were any.
  private mutating func dropProperties() -> Bool {
    let layout = StoreLayout(model: model, numbers: tables.numbers)
    var didDrop = false
    for entity in layout.entities {
      guard let entityIndex = model.entities.firstIndex(where: { $0.name == entity.entity.name }) else { continue }
      let own = model.entities[entityIndex]
      var lost: Set<String> = []
      for (index, attribute) in entity.entity.attributes.enumerated()
      where !tables.has(column: entity.columnNames[index], of: entity.tableName) { lost.insert(attribute.name) }
      for relationship in entity.relationships where relationship.owner == entity.number {
        if !hasColumns(relationship) { lost.insert(relationship.name) }
      }
      let attributes = own.attributes.filter { lost.contains($0.name) }.map(\.name)
      let composites = own.composites.filter { $0.flattened.contains { lost.contains($0.name) } }.map(\.name)
      let relationships = own.relationships.filter { lost.contains($0.name) }
      guard !(attributes.isEmpty && composites.isEmpty && relationships.isEmpty) else { continue }
      didDrop = true
      model.entities[entityIndex].attributes.removeAll { attributes.contains($0.name) }
      model.entities[entityIndex].composites.removeAll { composites.contains($0.name) }
      model.entities[entityIndex].relationships.removeAll { lost.contains($0.name) }
      let names = (attributes + composites + relationships.map(\.name)).map { "\(own.name).\($0)" }
      recordOmission(names, of: own.name, "properties without a column")
    }
    if didDrop { dropUnpairedRelationships() }
    return didDrop
  }

  private func hasColumns(_ relationship: RelationshipLayout) -> Bool {
    func has(_ columns: [String?], _ table: String) -> Bool {
      columns.allSatisfy { $0.map { tables.has(column: $0, of: table) } ?? true }
    }
    switch relationship.storage {
    case .reference(let key, let entity, let order): return has([key, entity, order], relationship.ownerTable)
    case .inverseReference(let key, let entity, let order, _):
      return has([key, entity, order], relationship.destinationTable)
    case .joinTable(let table, let own, let other, let order, _): return has([own, other, order], table)
    }
  }

  /// If a column has another type than the attribute, the declared type is used.
  private mutating func useDeclaredTypes() {
    let layout = StoreLayout(model: model, numbers: tables.numbers)
    var changed: [String] = []
    for entityIndex in model.entities.indices {
      guard let entity = layout.entity(named: model.entities[entityIndex].name) else { continue }
      for index in model.entities[entityIndex].attributes.indices {
        let attribute = model.entities[entityIndex].attributes[index]
        guard let column = entity.entity.index(of: attribute.name).map({ entity.columnNames[$0] }),
          let declared = tables.declaredType(of: column, in: entity.tableName),
          declared != attribute.type.columnType, let type = ColumnModel.type(declared)
        else { continue }
        model.entities[entityIndex].attributes[index].type = type
        model.entities[entityIndex].attributes[index].options = []
        changed.append("\(entity.entity.name).\(attribute.name)")
      }
    }
    if !changed.isEmpty { remarks.append("the columns have other types than the model: \(Self.list(changed))") }
  }

  /// A column that the model does not describe has an unknown bit in the change bitmaps.
  private mutating func reportUndescribedColumns() {
    let layout = StoreLayout(model: model, numbers: tables.numbers)
    var described: [String: Set<String>] = [:]
    for entity in layout.entities {
      let table = entity.tableName.uppercased()
      described[table, default: []].formUnion(["Z_PK", "Z_ENT", "Z_OPT"] + entity.columnNames.map { $0.uppercased() })
      for relationship in entity.relationships {
        let (owner, columns) = relationship.columns
        guard let owner else { continue }
        described[unquoted(owner).uppercased(), default: []].formUnion(
          columns.map { unquoted($0).uppercased() })
      }
    }
    for entity in layout.entities where entity.superNumber == 0 {
      let table = entity.tableName.uppercased()
      let others = (tables.columns[table] ?? []).map(\.name).filter {
        !(described[table]?.contains($0.uppercased()) ?? false)
      }
      guard !others.isEmpty else { continue }
      remarks.append("the model does not describe columns of \(table): \(Self.list(others))")
      inexact.formUnion(layout.entities.filter { $0.rootNumber == entity.number }.map(\.entity.name))
    }
  }

  private mutating func recordOmission(_ names: [String], of entity: String, _ reason: String) {
    remarks.append("left out \(reason): \(Self.list(names))")
    let below = model.entities.filter { lineage(of: $0).contains(entity) }.map(\.name)
    inexact.formUnion(below)
  }

  /// The first ten names, for a sentence.
  static func list(_ names: [String]) -> String {
    let sorted = names.sorted()
    let more = sorted.count > 10 ? " and \(sorted.count - 10) more" : ""
    return sorted.prefix(10).joined(separator: ", ") + more
  }
}
