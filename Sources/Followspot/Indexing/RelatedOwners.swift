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
  /// By the number of the concrete entity.
  private let places: [Int: [Place]]

  package init(store: PersistentStore, mapper: DocumentMapper) {
    self.store = store
    var places: [Int: [Place]] = [:]
    for related in mapper.plans.flatMap(\.related) {
      for (hop, relationship) in related.path.hops.enumerated() {
        for entity in store.layout.entities where entity.lineage.contains(relationship.destination) {
          let relevant = Self.relevant(entity, related, hop, store.layout)
          places[entity.number, default: []].append(Place(path: related.path, hop: hop, relevant: relevant))
        }
      }
    }
    self.places = places
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

  /// Gives `body` the owners of an object, some more than once.
  ///
  /// - Parameter changed: What changed of it; nil for anything.
  package func each(
    of row: RowIdentifier, changed: Set<EntityLayout.Property>?, in content: any IndexContent,
    _ body: @escaping (RowIdentifier) -> Void
  ) throws {
    guard let places = places[row.entity], let entity = store.layout.entity(number: row.entity) else { return }
    let concerned = places.filter { place in changed.map { !$0.isDisjoint(with: place.relevant) } ?? true }
    guard !concerned.isEmpty else { return }
    for place in concerned { try store.eachOwner(along: place.path, of: row.key, afterHop: place.hop, body) }
    let term = DocumentLayout.relatedTerm(entity: entity.entity.name, key: row.key)
    try content.eachValue(slot: DocumentLayout.Slot.identity, of: term) { [layout = store.layout] identity in
      if let (name, key) = DocumentLayout.parseIdentity(identity), let owner = layout.entity(named: name) {
        body(RowIdentifier(entity: owner.number, key: key))
      }
      return true
    }
  }

  /// The rows, and the owners of all of them.
  package func including(_ rows: Set<RowIdentifier>, in content: any IndexContent) throws -> Set<RowIdentifier> {
    guard !isEmpty else { return rows }
    final class Found { var rows: Set<RowIdentifier> = [] }
    let found = Found()
    for row in rows { try each(of: row, changed: nil, in: content) { found.rows.insert($0) } }
    return rows.union(found.rows)
  }
}
