// SPDX-License-Identifier: MIT

internal import Store

extension ModelDescription {
  /// Whether a store of the other model can be used with this one as it is.
  ///
  /// The order of entities and properties means nothing. Defaults are no part of rows: `Date.now` and `UUID()` are
  /// others in every run of a program.
  func isEquivalent(to other: ModelDescription) -> Bool { canonical == other.canonical }

  var canonical: ModelDescription {
    ModelDescription(entities: entities.map(\.canonical).sorted { $0.name < $1.name })
  }
}

extension EntityDescription {
  fileprivate var canonical: EntityDescription {
    var entity = self
    entity.attributes = Self.canonical(attributes).sorted { $0.name < $1.name }
    entity.composites = composites.map { composite in
      var composite = composite
      composite.elements = Self.canonical(composite.elements)
      return composite
    }.sorted { $0.name < $1.name }
    entity.relationships.sort { $0.name < $1.name }
    entity.uniqueness = Self.sorted(uniqueness.map { $0.sorted() })
    entity.indexes = Self.sorted(indexes)
    return entity
  }

  private static func canonical(_ attributes: [AttributeDescription]) -> [AttributeDescription] {
    attributes.map { attribute in
      var attribute = attribute
      attribute.defaultValue = nil
      attribute.options.sort { $0.rawValue < $1.rawValue }
      return attribute
    }
  }

  private static func sorted(_ lists: [[String]]) -> [[String]] { lists.sorted { $0.lexicographicallyPrecedes($1) } }
}
