internal import SQLite

/// Properties whose values no two objects hold together. One attribute alone is such a constraint too. An object that
/// lacks one of the values is held to nothing.
package struct UniqueConstraint: Sendable, Equatable {
  /// As the entity's description names them.
  package let names: [String]
  /// Attributes and to-one relationships of every entity that is held to it.
  package let properties: [EntityLayout.Property]
  /// The columns, quoted, in the order of the properties.
  let columns: [String]
  /// Which rows of the table are held to it, as SQL; nil for all.
  let condition: String?
  let quotedTable: String
  /// The name of the entity that describes it.
  let entityName: String

  /// Finds the row that holds the values `?1`, `?2`, …
  var lookupSQL: String {
    let terms = columns.enumerated().map { "\($1) = ?\($0 + 1)" } + (condition.map { [$0] } ?? [])
    return "SELECT Z_PK, Z_ENT FROM \(quotedTable) WHERE \(terms.joined(separator: " AND "))"
  }

  /// Its index, whose name is not quoted.
  var indexName: String { "Z_\(entityName)_UNIQUE_\(names.joined(separator: "_"))" }

  /// `title`, `title and year`, `title, year and director`.
  var words: String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) and \(last)"
  }
}

extension EntityLayout {
  /// The attribute or to-one relationship of that name, which constraints and indexes are made of.
  func columnProperty(named name: String) -> Property? {
    if let attribute = entity.index(of: name) { return .attribute(attribute) }
    guard let index = entity.relationship(named: name), case .reference = relationships[index].storage else {
      return nil
    }
    return .relationship(index)
  }

  /// The column, quoted, of an attribute, or of the key of a to-one relationship.
  func quotedColumn(of property: Property) -> String? {
    switch property {
    case .attribute(let index): return quotedColumn(index)
    case .relationship(let index):
      guard case .reference(let key, _, _) = relationships[index].storage else { return nil }
      return key
    case .entityKey, .orderKey: return nil
    }
  }

  /// The constraints that this entity adds to those it inherits, each once: its unique attributes in the bitmap's
  /// order, then what the entity's description lists.
  func ownConstraints(below parent: EntityLayout?, family: ClosedRange<Int>) -> [UniqueConstraint] {
    let attributes = bitmapOrder.compactMap { property -> [String]? in
      guard case .attribute(let index) = property, entity.attributes[index].isUnique else { return nil }
      return [entity.attributes[index].name]
    }
    let listed = entity.uniqueness.dropFirst(parent?.entity.uniqueness.count ?? 0)
    var known = Set((parent?.uniqueConstraints ?? []).map { Set($0.names) })
    return (attributes + listed).filter { known.insert(Set($0)).inserted }.map { names in
      let properties = names.compactMap(columnProperty)
      // Rows of other entities have no value in columns of this one's own, but they do in those it inherits.
      let isInherited = parent.map { parent in names.allSatisfy { parent.columnProperty(named: $0) != nil } } ?? false
      return UniqueConstraint(
        names: names, properties: properties, columns: properties.compactMap(quotedColumn),
        condition: isInherited ? "Z_ENT BETWEEN \(family.lowerBound) AND \(family.upperBound)" : nil,
        quotedTable: quotedTable, entityName: entity.name)
    }
  }
}
