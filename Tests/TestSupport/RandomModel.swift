// SPDX-License-Identifier: MIT

package import SQLite
package import Store

/// A model of random entities, attributes and relationships. No name is used twice, so that a name shows
/// what a property was before an edit.
package struct RandomModel {
  /// What the edits since the last call of `edit` did to names: old ones and new ones.
  package struct Renames {
    package var entities: [String: String] = [:]
    package var properties: [String: String] = [:]
  }

  package var model = ModelDescription(entities: [])
  package var renames = Renames()
  /// Names that this round of edits gave, or changed: none is changed twice.
  var touched: Set<String> = []
  var random: SeededGenerator
  private var names = 0

  package init(seed: Int) {
    random = SeededGenerator(seed: seed)
    for _ in 0..<number(3...5) { addEntity(isNew: true) }
    for _ in 0..<number(2...6) { addRelationship() }
  }

  // MARK: Choices

  package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  package mutating func chance(_ count: Int) -> Bool { number(1...count) == 1 }
  package mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

  mutating func name(_ stem: String) -> String {
    names += 1
    let name = (pick(["a", "B", "m", "Q", "z"]) ?? "a") + stem + String(names)
    touched.insert(name)
    return name
  }

  // MARK: Parts

  /// - Parameter isNew: Whether no row can be there, so that values may be asked for.
  mutating func addEntity(isNew: Bool) {
    let superentity = chance(3) ? pick(model.entities)?.name : nil
    var entity = EntityDescription(name("Kind"), superentity: superentity)
    for _ in 0..<number(1...4) { entity.attributes.append(attribute(isNew: true)) }
    if chance(3) {
      // The elements' columns bear the same names in every composite.
      entity.composites.append(
        CompositeDescription(
          name("Group"),
          elements: [
            AttributeDescription("x", .double, isOptional: true), AttributeDescription("y", .string, isOptional: true),
          ]))
    }
    model.entities.append(entity)
  }

  mutating func attribute(isNew: Bool) -> AttributeDescription {
    let types: [AttributeType] = [
      .string, .string, .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean, .date, .uuid, .url,
      .data, .strings, .json,
    ]
    var attribute = AttributeDescription(name("Value"), pick(types) ?? .string, isOptional: chance(2))
    if attribute.type == .string, attribute.isOptional, chance(3) { attribute.options.append(.unique) }
    if attribute.type == .data, chance(2) { attribute.options.append(.externalStorage) }
    if chance(3) { attribute.options.append(.preserveValueOnDeletion) }
    if !attribute.isUnique, chance(3) || (!isNew && !attribute.isOptional) { attribute.defaultValue = value(attribute) }
    return attribute
  }

  mutating func addRelationship() {
    guard let owner = pick(Array(model.entities.indices)), let destination = pick(Array(model.entities.indices)) else {
      return
    }
    let (from, to) = (model.entities[owner].name, model.entities[destination].name)
    var one = RelationshipDescription(name("Link"), to: to)
    var other = RelationshipDescription(name("Back"), to: from)
    switch number(0...5) {
    case 0: break
    case 1:
      one.isToMany = true
      one.isOrdered = chance(2)
    case 2:
      other.isToMany = true
      other.isOrdered = chance(2)
      (one.inverse, other.inverse) = (other.name, one.name)
    case 3:
      (one.isToMany, other.isToMany) = (true, true)
      (one.isOrdered, other.isOrdered) = (chance(2), chance(2))
      (one.inverse, other.inverse) = (other.name, one.name)
    case 4:
      one.destination = from
      one.isToMany = true
      one.inverse = one.name
    default: (one.inverse, other.inverse) = (other.name, one.name)
    }
    model.entities[owner].relationships.append(one)
    if other.inverse != nil { model.entities[destination].relationships.append(other) }
  }

  // MARK: Values

  package mutating func value(_ attribute: AttributeDescription) -> Value {
    if attribute.isUnique {
      names += 1
      return .text("only \(names)")
    }
    let count = number(0...99)
    switch attribute.type {
    case .string: return .text(pick(["toy story", "wall", "up", "Café", ""]) ?? "")
    case .url: return .text("https://example.org/\(count)")
    case .integer16, .integer32, .integer64, .decimal: return .integer(Int64(count) - 50)
    case .double, .float, .date: return .real(Double(count) / 4)
    case .boolean: return .integer(Int64(count % 2))
    case .uuid: return .blob([UInt8](repeating: UInt8(count), count: 16))
    // Few are so long that external storage takes a file.
    case .data: return .blob([UInt8](repeating: 7, count: count < 5 ? 110_000 + count : count % 5))
    case .strings: return .blob(Array("[\"brave\",\"soul \(count % 9)\"]".utf8))
    case .json: return .blob(Array("{\"part\":\"nemo \(count % 9)\"}".utf8))
    }
  }

  // MARK: Saves

  /// One save of one to ten random changes: inserts, updates, new and broken connections, deletions.
  package mutating func saveRandomly(_ store: PersistentStore) throws {
    var rows = try store.allRows()
    var random = self
    try store.save(author: chance(2) ? "anna" : nil) { save in
      for _ in 0..<random.number(1...10) { try random.change(save, &rows) }
    }
    self = random
  }

  private mutating func change(_ save: Save, _ rows: inout [RowIdentifier]) throws {
    let layout = save.store.layout
    let kind = number(0...9)
    guard kind >= 3, let row = pick(rows), let entity = layout.entity(number: row.entity) else {
      guard let entity = pick(layout.entities) else { return }
      var values: [Value?] = []
      for attribute in entity.entity.attributes {
        values.append(attribute.isOptional && chance(3) ? .null : value(attribute))
      }
      return rows.append(try save.insert(entity, values))
    }
    switch kind {
    case 3...5:
      guard let attribute = pick(Array(entity.entity.attributes.indices)) else { return }
      let description = entity.entity.attributes[attribute]
      let new = description.isOptional && chance(4) ? .null : value(description)
      try save.update(entity, key: row.key, [(attribute, new)])
    case 6...8:
      guard let relationship = pick(Array(entity.relationships.indices)) else { return }
      let link = entity.relationships[relationship]
      let fitting = rows.filter { row in
        layout.entity(number: row.entity)?.lineage.contains(link.destination) ?? false
      }
      var targets: [RowIdentifier] = []
      for _ in 0..<number(0...(link.description.isToMany ? 3 : 1)) {
        if let target = pick(fitting), !targets.contains(target) { targets.append(target) }
      }
      try save.setTargets(entity, key: row.key, relationship, targets)
    default:
      try save.delete(entity, key: row.key)
      rows.removeAll { $0 == row }
    }
  }
}

extension PersistentStore {
  /// The rows of all entities.
  package func allRows() throws -> [RowIdentifier] {
    try layout.entities.flatMap { entity in
      let cursor = try rows(of: entity, attributes: [])
      var found: [RowIdentifier] = []
      while let row = try cursor.next() { found.append(RowIdentifier(entity: entity.number, key: row.key)) }
      return found
    }
  }
}
