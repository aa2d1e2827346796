// SPDX-License-Identifier: MIT

internal import Store

/// What distinguishes the models of a store from those of a version, for messages: entities, and properties as
/// `Entity.name`.
struct ModelDifferences {
  /// In the version only.
  private var missing: [String] = []
  /// In the store only.
  private var unknown: [String] = []
  /// In both, but described otherwise. An entity's own name means its superentity, constraints or indexes.
  private var changed: [String] = []

  init(_ stored: ModelDescription, _ version: ModelDescription) {
    let (stored, version) = (stored.canonical, version.canonical)
    for entity in version.entities {
      guard let other = stored.entity(named: entity.name) else {
        missing.append(entity.name)
        continue
      }
      compare(other, entity)
    }
    unknown += stored.entities.map(\.name).filter { version.entity(named: $0) == nil }
  }

  private mutating func compare(_ stored: EntityDescription, _ version: EntityDescription) {
    let (before, after) = (Self.properties(of: stored), Self.properties(of: version))
    for name in Set(before.keys).union(after.keys).sorted() {
      let title = "\(version.name).\(name)"
      switch (before[name], after[name]) {
      case (nil, _): missing.append(title)
      case (_, nil): unknown.append(title)
      case (let old, let new): if old != new { changed.append(title) }
      }
    }
    let isSame =
      stored.superentity == version.superentity && stored.uniqueness == version.uniqueness
      && stored.indexes == version.indexes
    if !isSame { changed.append(version.name) }
  }

  private enum Property: Equatable {
    case attribute(AttributeDescription)
    case composite(CompositeDescription)
    case relationship(RelationshipDescription)
  }

  private static func properties(of entity: EntityDescription) -> [String: Property] {
    let all =
      entity.attributes.map { ($0.name, Property.attribute($0)) }
      + entity.composites.map { ($0.name, .composite($0)) } + entity.relationships.map { ($0.name, .relationship($0)) }
    return Dictionary(all) { first, _ in first }
  }

  var count: Int { missing.count + unknown.count + changed.count }

  var text: String {
    [("the store lacks", missing), ("the version lacks", unknown), ("the two differ in", changed)]
      .filter { !$0.1.isEmpty }
      .map { title, names in
        let more = names.count > 20 ? " and \(names.count - 20) more" : ""
        return "\(title) \(names.prefix(20).joined(separator: ", "))\(more)"
      }
      .joined(separator: "; ")
  }
}
