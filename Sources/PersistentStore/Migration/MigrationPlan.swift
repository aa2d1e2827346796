internal import SQLite

/// Which entity and which property of an older model each one of a newer model comes from.
///
/// What has the same name comes from there; otherwise what its `originalName` names. Everything else is new, and what
/// nothing comes from is removed. A plan exists only for changes that need no program: lightweight ones.
struct MigrationPlan {
  /// One concrete entity of both models.
  struct EntityStep {
    let old: EntityLayout
    let new: EntityLayout
    /// Old attribute by new attribute.
    var attributes: [Int: Int] = [:]
    /// Old relationship by new relationship.
    var relationships: [Int: Int] = [:]
  }

  let old: StoreLayout
  let new: StoreLayout
  private(set) var steps: [EntityStep] = []

  /// - Throws: `StoreError.invalidModel` that names what cannot be migrated by itself, and why.
  init(from old: StoreLayout, to new: StoreLayout) throws {
    self.old = old
    self.new = new
    for entity in new.entities {
      guard let source = source(of: entity) else { continue }
      if let other = steps.first(where: { $0.old.number == source.number }) {
        throw StoreError.invalidModel(
          "\(other.new.entity.name) and \(entity.entity.name) would both come from \(source.entity.name)")
      }
      steps.append(try step(from: source, to: entity))
    }
    try checkFamilies()
    for step in steps { try checkRelationships(of: step) }
  }

  func step(ofOld number: Int) -> EntityStep? { steps.first { $0.old.number == number } }
  func step(ofNew number: Int) -> EntityStep? { steps.first { $0.new.number == number } }

  /// Old entities of which nothing stays.
  var removed: [EntityLayout] { old.entities.filter { step(ofOld: $0.number) == nil } }

  /// Whether entity numbers, tables and columns all stay as they are.
  var keepsLayout: Bool {
    old.entityTables == new.entityTables && old.historyTables == new.historyTables
      && old.primaryKeyRows.elementsEqual(new.primaryKeyRows, by: ==)
      && steps.allSatisfy { $0.attributes.allSatisfy(==) && $0.relationships.allSatisfy(==) }
  }

  // MARK: Matching

  private func source(of entity: EntityLayout) -> EntityLayout? {
    if let same = old.entity(named: entity.entity.name) { return same }
    return entity.entity.originalName.flatMap { old.entity(named: $0) }
  }

  private func step(from old: EntityLayout, to new: EntityLayout) throws -> EntityStep {
    var step = EntityStep(old: old, new: new)
    for (index, attribute) in new.entity.attributes.enumerated() {
      let names = [attribute.name] + earlierNames(of: attribute, in: new.entity)
      guard let source = names.lazy.compactMap({ old.entity.index(of: $0) }).first else { continue }
      let before = old.entity.attributes[source]
      guard Self.widens(before.type, to: attribute.type) else {
        throw StoreError.invalidModel(
          "\(new.entity.name).\(attribute.name): \(before.type.rawValue) cannot become \(attribute.type.rawValue) by "
            + "itself")
      }
      step.attributes[index] = source
    }
    for (index, relationship) in new.entity.relationships.enumerated() {
      let names = [relationship.name] + (relationship.originalName.map { [$0] } ?? [])
      step.relationships[index] = names.lazy.compactMap { old.entity.relationship(named: $0) }.first
    }
    return step
  }

  /// Earlier names of an attribute; of a composite's element, with the earlier names of the composite too.
  private func earlierNames(of attribute: AttributeDescription, in entity: EntityDescription) -> [String] {
    for composite in entity.composites {
      for (element, flattened) in zip(composite.elements, composite.flattened) where flattened.name == attribute.name {
        let outer = [composite.name] + (composite.originalName.map { [$0] } ?? [])
        let inner = [element.name] + (element.originalName.map { [$0] } ?? [])
        return outer.flatMap { outer in inner.map { "\(outer).\($0)" } + [outer] }
      }
    }
    return attribute.originalName.map { [$0] } ?? []
  }

  /// Whether every value of one type is a value of the other.
  private static func widens(_ old: AttributeType, to new: AttributeType) -> Bool {
    if old == new { return true }
    switch (old, new) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double),
      (.url, .string), (.strings, .json), (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal),
      (.integer16, .double), (.integer32, .double):
      return true
    default: return false
    }
  }

  // MARK: Checks

  /// Keys are unique inside one table: two tables cannot become one.
  private func checkFamilies() throws {
    var roots: [Int: EntityStep] = [:]
    for step in steps {
      guard let other = roots[step.new.rootNumber] else {
        roots[step.new.rootNumber] = step
        continue
      }
      guard other.old.rootNumber == step.old.rootNumber else {
        throw StoreError.invalidModel(
          "\(other.new.entity.name) and \(step.new.entity.name) cannot come to share a table: their keys would clash")
      }
    }
  }

  private func checkRelationships(of step: EntityStep) throws {
    for (index, source) in step.relationships {
      let (new, old) = (step.new.relationships[index], step.old.relationships[source])
      let place = "\(step.new.entity.name).\(new.name)"
      let isSame =
        switch (old.storage, new.storage) {
        case (.reference, .reference), (.back, .back): true
        case (.pairs(_, _, _, _, let before), .pairs(_, _, _, _, let after)): before == after
        default: false
        }
      guard isSame else {
        throw StoreError.invalidModel("\(place) cannot change between to-one, to-many and many-to-many by itself")
      }
      let destination = self.new.entity(number: new.destination)
      let cameFrom = destination.flatMap { self.step(ofNew: $0.number) }?.old.rootNumber
      let before = self.old.entity(number: old.destination)?.rootNumber
      guard cameFrom == nil || cameFrom == before else {
        throw StoreError.invalidModel("\(place) cannot come to lead to another entity's objects by itself")
      }
    }
  }
}
