package import PersistentStore
package import SearchIndex

/// Finds the documents that took text from an object, or reached one through it: the owners to renew when it changes.
///
/// An owner that still leads to the object is found in the store, one that did when it was indexed is found in the
/// index, by the term that stands for the object.
package struct RelatedOwners {
  /// A place where objects of some entity stand on a path.
  private struct Place {
    let path: RelationshipPath
    let hop: Int
    /// The properties whose change matters there.
    let relevant: Set<EntityLayout.Property>
  }

  private let store: PersistentStore
  private let places: [Place]
  /// Indices of places, by the number of the concrete entity.
  private let placesOfEntity: [Int: [Int]]

  package init(store: PersistentStore, mapper: DocumentMapper) {
    self.store = store
    var places: [Place] = []
    var placesOfEntity: [Int: [Int]] = [:]
    for related in mapper.plans.flatMap(\.related) {
      for (hop, relationship) in related.path.hops.enumerated() {
        for entity in store.layout.entities where entity.lineage.contains(relationship.destination) {
          let relevant = Self.relevant(entity, related, hop, store.layout)
          placesOfEntity[entity.number, default: []].append(places.count)
          places.append(Place(path: related.path, hop: hop, relevant: relevant))
        }
      }
    }
    self.places = places
    self.placesOfEntity = placesOfEntity
  }

  /// No definition follows a relationship: nothing has owners.
  package var isEmpty: Bool { places.isEmpty }

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
    // How the object was reached may be written in its own row.
    if let back = layout.inverse(of: related.path.hops[hop], in: entity) { add(back) }
    return relevant
  }

  /// Keys that are looked up by one statement.
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
    for (row, properties) in changes {
      let concerned = (placesOfEntity[row.entity] ?? []).filter { place in
        properties.map { !$0.isDisjoint(with: places[place].relevant) } ?? true
      }
      guard !concerned.isEmpty, let entity = store.layout.entity(number: row.entity) else { continue }
      for place in concerned { keys[place, default: []].append(row.key) }
      let term = DocumentLayout.relatedTerm(entity: entity.entity.name, key: row.key)
      try content.eachValue(slot: DocumentLayout.Slot.identity, of: term) { [layout = store.layout] identity in
        if let (name, key) = DocumentLayout.parseIdentity(identity), let owner = layout.entity(named: name) {
          found.rows.insert(RowIdentifier(entity: owner.number, key: key))
        }
        return true
      }
    }
    for (place, keys) in keys {
      for start in stride(from: 0, to: keys.count, by: Self.mostKeys) {
        let some = Array(keys[start..<min(start + Self.mostKeys, keys.count)])
        try store.eachOwner(along: places[place].path, of: some, afterHop: places[place].hop) {
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
