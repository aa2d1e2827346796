// SPDX-License-Identifier: MIT

/// Maps each entity and each property of a newer model to its source in an older one.
///
/// The source has the same name, or the name that `originalName` gives. What has no source is new, and old entities and
/// properties without a counterpart are removed. A plan exists only for lightweight migrations, which need no program.
struct MigrationPlan {
  /// An entity that exists in both models.
  struct EntityStep {
    let old: EntityLayout
    let new: EntityLayout
    /// Indexes of old attributes by the indexes of the new ones.
    var attributes: [Int: Int] = [:]
    /// Indexes of old relationships by the indexes of the new ones.
    var relationships: [Int: Int] = [:]

    /// Whether every property keeps its column, bit and tombstone column, and none becomes stricter than before.
    fileprivate var keepsProperties: Bool {
      let (before, after) = (old.entity.attributes, new.entity.attributes)
      return before.count == after.count && attributes.count == after.count && attributes.allSatisfy(==)
        && old.relationships.count == new.relationships.count && relationships.count == new.relationships.count
        && relationships.allSatisfy(==)
        && zip(old.relationships, new.relationships).allSatisfy {
          ($0.owner, $0.destination, $0.storage) == ($1.owner, $1.destination, $1.storage)
        }
        && old.bitmapOrder == new.bitmapOrder && old.tombstoneOrder == new.tombstoneOrder
        && zip(before, after).allSatisfy { (!$0.isOptional || $1.isOptional) && $0.isExternal == $1.isExternal }
    }
  }

  let old: StoreLayout
  let new: StoreLayout
  private(set) var steps: [EntityStep] = []

  /// - Throws: `StoreError.invalidModel` that names what a lightweight migration cannot do, and why.
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

  /// Old entities that are the source of no new one.
  var removed: [EntityLayout] { old.entities.filter { step(ofOld: $0.number) == nil } }

  /// Whether rows and history stay as they are, so that only the model and perhaps indexes change.
  var keepsRows: Bool {
    old.entityTables.filter(\.isTable) == new.entityTables.filter(\.isTable) && old.historyTables == new.historyTables
      && old.primaryKeyRows.elementsEqual(new.primaryKeyRows, by: ==)
      && steps.allSatisfy(\.keepsProperties)
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
      guard before.type.widens(to: attribute.type) else {
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
    try Self.refuseSharing(step.attributes, new.entity.attributes.map(\.name), old.entity.attributes.map(\.name), new)
    try Self.refuseSharing(step.relationships, new.relationships.map(\.name), old.relationships.map(\.name), new)
    return step
  }

  /// One property cannot become two, because it is not known which of them was meant.
  private static func refuseSharing(
    _ sources: [Int: Int], _ after: [String], _ before: [String], _ entity: EntityLayout
  ) throws {
    var taken: [Int: Int] = [:]
    for (index, source) in sources.sorted(by: <) {
      guard let other = taken.updateValue(index, forKey: source) else { continue }
      let name = entity.entity.name
      throw StoreError(
        .invalidModel, "\(name).\(after[other]) and \(name).\(after[index]) would both come from \(before[source])",
        recovery: .migrateInTwoSteps)
    }
  }

  /// Earlier names of an attribute. The names of a composite's element include the earlier names of the composite.
  private func earlierNames(of attribute: AttributeDescription, in entity: EntityDescription) -> [String] {
    for composite in entity.composites {
      for (element, flattened) in zip(composite.elements, composite.flattened) where flattened.name == attribute.name {
        let outer = [composite.name] + (composite.originalName.map { [$0] } ?? [])
        let inner = [element.name] + (element.originalName.map { [$0] } ?? [])
        // The only element of a composite was named like the composite.
        return outer.flatMap { outer in
          inner.map { "\(outer).\($0)" } + (composite.elements.count == 1 || inner.contains(outer) ? [outer] : [])
        }
      }
    }
    return attribute.originalName.map { [$0] } ?? []
  }

  // MARK: Checks

  /// Two tables cannot become one, because keys are unique inside one table only.
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
        case (.reference, .reference), (.inverseReference, .inverseReference): true
        case (.joinTable(_, _, _, _, let before), .joinTable(_, _, _, _, let after)): before == after
        default: false
        }
      guard isSame else {
        throw StoreError.invalidModel("\(place) cannot change between to-one, to-many and many-to-many by itself")
      }
      let root = self.new.entity(number: new.destination)?.rootNumber
      let cameFrom = steps.first { $0.new.rootNumber == root }?.old.rootNumber
      let before = self.old.entity(number: old.destination)?.rootNumber
      guard cameFrom == nil || cameFrom == before else {
        throw StoreError.invalidModel("\(place) cannot come to lead to another entity's objects by itself")
      }
      guard staysOneToOne(new, old) else {
        throw StoreError.invalidModel("\(place) cannot become one-to-one by itself")
      }
    }
  }

  /// Whether a one-to-one relationship was one before. Each of its ends stores a key, which must exist already.
  private func staysOneToOne(_ relationship: RelationshipLayout, _ source: RelationshipLayout) -> Bool {
    guard case .reference = relationship.storage, let other = step(ofNew: relationship.destination),
      let inverse = new.inverse(of: relationship, in: other.new),
      case .reference = other.new.relationships[inverse].storage
    else { return true }
    let before = old.inverse(of: source, in: other.old)
    return before != nil && other.relationships[inverse] == before
  }
}
