// SPDX-License-Identifier: MIT

package import SearchIndex
package import Store

/// The objects that a document depends on: those whose text it contains, and those on the paths to them.
package struct Dependencies {
  package struct Dependency: Equatable, Sendable {
    package let object: RowIdentifier
    /// The relationships that lead to the object, joined by dots, then the attributes that are read.
    package let path: String
    /// Whether the index knows that the document depends on the object.
    package let isIndexed: Bool
  }

  private let store: PersistentStore
  private let mapper: DocumentMapper
  private let reader: IndexReader?

  /// Uses the definition of the serving generation, or the inferred one if there is no index.
  package init(store: PersistentStore, directory: IndexDirectory) throws {
    self.store = store
    let serving = try directory.serving()
    reader = try serving.map { try IndexReader(path: $0.path) }
    let definition = try reader.map { try IndexState.read($0).definition } ?? .inferred(from: store)
    mapper = try DocumentMapper(definition: definition, layout: store.layout)
  }

  /// The objects that the document of a row depends on, path by path.
  package func of(_ entity: EntityLayout, key: Int64) throws -> [Dependency] {
    guard let plan = mapper.plan(ofEntity: entity.number) else { return [] }
    let identity = DocumentLayout.identity(entity: entity.entity.name, key: key)
    var found: [Dependency] = []
    for related in plan.related {
      let attributes = related.attributes.map { related.path.end.entity.attributes[$0].name }
      var ways: [(object: RowIdentifier, hop: Int)] = []
      try store.eachRelated(along: related.path, from: key, attributes: []) { way in
        for hop in related.path.hops.indices {
          guard let object = way.object(hop), !ways.contains(where: { $0 == (object, hop) }) else { continue }
          ways.append((object, hop))
        }
      }
      for way in ways {
        var path = related.path.names.prefix(way.hop + 1).joined(separator: ".")
        if way.hop == related.path.hops.count - 1 { path += "." + attributes.joined(separator: ",") }
        let dependency = Dependency(
          object: way.object, path: path, isIndexed: try isIndexed(way.object, for: identity))
        if !found.contains(dependency) { found.append(dependency) }
      }
    }
    return found
  }

  private func isIndexed(_ object: RowIdentifier, for identity: [UInt8]) throws -> Bool {
    guard let reader, let entity = store.layout.entity(number: object.entity) else { return false }
    final class Found { var isThere = false }
    let found = Found()
    let term = DocumentLayout.relatedTerm(entity: entity.entity.name, key: object.key)
    try reader.eachValue(slot: DocumentLayout.Slot.identity, of: term) {
      found.isThere = $0 == identity
      return !found.isThere
    }
    return found.isThere
  }
}
