// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// What a store contains, and how its index contains it.
public struct IndexSchema: Sendable {
  /// A field of the index.
  public struct Field: Hashable, Sendable {
    /// The name in queries.
    public let name: String
    /// The path to the attribute, such as `studio.name`.
    public let path: String
    /// How it is indexed: `text`, `facet`, `number`, `date`, `flag`, `stored`.
    public let roles: Set<String>
  }

  /// An entity that is indexed.
  public struct Entity: Hashable, Sendable {
    /// The name, for `SearchQuery.kinds` and `kind:`.
    public let name: String
    /// The names of the attributes of the store, whether they are indexed or not.
    public let attributes: [String]
    /// The fields of the index; empty if the entity is not indexed.
    public let fields: [Field]
  }

  /// The entities of the store, by name.
  public let entities: [Entity]
  /// The definition of the index as JSON, as `StoreIndex.init` takes it.
  public let definition: String
}

extension StoreIndex {
  /// The entities of the store, and the fields of the index.
  ///
  /// - Throws: `FollowspotError`: `.indexMissing` before the first update.
  public func schema() async throws -> IndexSchema {
    try await searching { searcher in
      let definition = searcher.index.state.definition
      let entities = searcher.entities.map { layout in
        IndexSchema.Entity(
          name: layout.entity.name, attributes: layout.entity.attributes.map(\.name),
          fields: (definition.entities[layout.entity.name]?.fields ?? []).map {
            IndexSchema.Field(name: $0.name, path: $0.path, roles: Set($0.roles.map(\.rawValue)))
          })
      }
      return IndexSchema(
        entities: entities.sorted { $0.name < $1.name }, definition: try definition.encoded())
    }
  }
}
