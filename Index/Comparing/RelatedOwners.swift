// SPDX-License-Identifier: MIT

package import Store

/// Finds the owners of an object: the documents that contain text from it, or from an object that they reach through it.
/// They must be updated when it changes.
///
/// Owners that lead to the object now are found in the store. Owners that did when they were indexed are found in the
/// index, by the term of the object.
package struct RelatedOwners {
  /// A step of a relationship path, at which objects of some entities occur.
  private struct Step {
    let path: RelationshipPath
    let hop: Int
    /// Whether documents omit the objects where there are too many.
    let mayBeOmitted: Bool
    /// Whether the objects' rows, or those of a join table, have the keys of the owners.
    let isStoredBeyondOwner: Bool
    /// The properties whose changes affect owners.
    let relevant: Set<EntityLayout.Property>
  }

  private let store: PersistentStore
  private let steps: [Step]
  /// Indices of steps, by the number of the concrete entity.
  private let stepsOfEntity: [Int: [Int]]

  package init(store: PersistentStore, mapper: DocumentMapper) {
    self.store = store
    var steps: [Step] = []
    var stepsOfEntity: [Int: [Int]] = [:]
    for related in mapper.plans.flatMap(\.related) {
      for (hop, relationship) in related.path.hops.enumerated() {
        for entity in store.layout.entities where entity.lineage.contains(relationship.destination) {
          let relevant = Self.relevant(entity, related, hop, store.layout)
          stepsOfEntity[entity.number, default: []].append(steps.count)
          let isReference = if case .reference = relationship.storage { true } else { false }
          steps.append(
            Step(
              path: related.path, hop: hop, mayBeOmitted: related.isBounded,
              isStoredBeyondOwner: !isReference, relevant: relevant))
        }
      }
    }
    self.steps = steps
    self.stepsOfEntity = stepsOfEntity
  }

  /// Whether no definition follows a relationship, so that no object has owners.
  var isEmpty: Bool { steps.isEmpty }

  /// Whether owners that an object had before a change may be found neither in the store nor in the history. A store
  /// records a change of a relationship for both of its ends, but the triggers of a database only record the row that
  /// was written.
  package func mayLoseOwners(_ row: RowIdentifier, _ change: CoalescedChange) -> Bool {
    guard store.tracking == .attached, !change.isNew else { return false }
    return (stepsOfEntity[row.entity] ?? []).contains { steps[$0].isStoredBeyondOwner }
  }

  private static func relevant(
    _ entity: EntityLayout, _ related: DocumentPlan.Related, _ hop: Int, _ layout: StoreLayout
  ) -> Set<EntityLayout.Property> {
    var relevant: Set<EntityLayout.Property> = []
    func add(_ relationship: Int) {
      relevant.formUnion([.relationship(relationship), .entityKey(relationship), .orderKey(relationship)])
    }
    if hop == related.path.hops.count - 1 {
      relevant.formUnion(related.attributes.map(EntityLayout.Property.attribute))
    } else if let next = entity.entity.relationship(named: related.path.hops[hop + 1].name) {
      add(next)
    }
    // The foreign key of the relationship may be in the object's own row.
    if let back = layout.inverse(of: related.path.hops[hop], in: entity) { add(back) }
    return relevant
  }

  /// Maximum number of keys in one statement.
  private static let mostKeys = 20_000

  /// The owners of objects.
  ///
  /// - Parameter changes: The objects, and what changed of each; nil for anything.
  package func owners(
    of changes: [(row: RowIdentifier, properties: Set<EntityLayout.Property>?)],
    in content: any IndexContent
  ) throws -> Set<RowIdentifier> {
    guard !isEmpty else { return [] }
    final class Found { var rows: Set<RowIdentifier> = [] }
    let found = Found()
    var keys: [Int: [Int64]] = [:]
    func addDocuments(with term: [UInt8]) throws {
      try content.eachValue(slot: DocumentLayout.Slot.identity, of: term) { [layout = store.layout] identity in
        if let (name, key) = DocumentLayout.parseIdentity(identity), let owner = layout.entity(named: name) {
          found.rows.insert(RowIdentifier(entity: owner.number, key: key))
        }
        return true
      }
    }
    for (row, changed) in changes {
      // A row in a store of another program may have been edited beside its history.
      let properties = store.isOwn || store.isOrdinaryDatabase ? changed : nil
      let concerned = (stepsOfEntity[row.entity] ?? []).filter { step in
        properties.map { !$0.isDisjoint(with: steps[step].relevant) } ?? true
      }
      guard !concerned.isEmpty, let entity = store.layout.entity(number: row.entity) else { continue }
      for step in concerned { keys[step, default: []].append(row.key) }
      try addDocuments(with: DocumentLayout.relatedTerm(entity: entity.entity.name, key: row.key))
    }
    for (step, keys) in keys {
      if steps[step].mayBeOmitted { try addDocuments(with: DocumentLayout.omittedTerm(steps[step].path)) }
      for start in stride(from: 0, to: keys.count, by: Self.mostKeys) {
        let some = Array(keys[start..<min(start + Self.mostKeys, keys.count)])
        try store.eachOwner(along: steps[step].path, of: some, afterHop: steps[step].hop) {
          found.rows.insert($0)
        }
      }
    }
    return found.rows
  }

  /// The rows, and the owners of all of them.
  package func including(_ rows: Set<RowIdentifier>, in content: any IndexContent) throws -> Set<RowIdentifier> {
    try rows.union(owners(of: rows.map { ($0, nil) }, in: content))
  }
}
