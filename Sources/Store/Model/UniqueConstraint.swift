// SPDX-License-Identifier: MIT

/// Properties whose combined values are unique, or a single unique attribute. Objects with a NULL in them are exempt.
struct UniqueConstraint: Sendable, Equatable {
  /// The names in the entity's description.
  let names: [String]
  /// The attributes and to-one relationships, valid for every entity that the constraint applies to.
  let properties: [EntityLayout.Property]
  /// The quoted columns in the order of the properties.
  let columns: [String]
  /// The rows of the table to which it applies, as an SQL condition; nil for all.
  let condition: String?
  let quotedTable: String
  /// The name of the entity that declares it.
  let entityName: String

  /// Selects the row with the values `?1`, `?2`, …
  var lookupSQL: String {
    let terms = columns.enumerated().map { "\($1) = ?\($0 + 1)" } + (condition.map { [$0] } ?? [])
    return "SELECT Z_PK, Z_ENT FROM \(quotedTable) WHERE \(terms.joined(separator: " AND "))"
  }

  /// Not quoted.
  var indexName: String { "Z_\(entityName)_UNIQUE_\(names.joined(separator: "_"))" }

  /// The names in a sentence: `title`, `title and year`, `title, year and director`.
  var words: String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) and \(last)"
  }
}

extension EntityLayout {
  /// The attribute or to-one relationship with this name: the properties that constraints and indexes may contain.
  func columnProperty(named name: String) -> Property? {
    if let attribute = entity.index(of: name) { return .attribute(attribute) }
    guard let index = entity.relationship(named: name), case .reference = relationships[index].storage else {
      return nil
    }
    return .relationship(index)
  }

  /// The quoted column of an attribute, or of the key of a to-one relationship.
  func quotedColumn(of property: Property) -> String? {
    switch property {
    case .attribute(let index): return quotedColumn(index)
    case .relationship(let index):
      guard case .reference(let key, _, _) = relationships[index].storage else { return nil }
      return key
    case .entityKey, .orderKey: return nil
    }
  }

  /// The distinct constraints that are not inherited: unique attributes in the bitmap's order, then the listed ones.
  func ownConstraints(below parent: EntityLayout?, family: ClosedRange<Int>) -> [UniqueConstraint] {
    let attributes = bitmapOrder.compactMap { property -> [String]? in
      guard case .attribute(let index) = property, entity.attributes[index].isUnique else { return nil }
      return [entity.attributes[index].name]
    }
    let listed = entity.uniqueness.dropFirst(parent?.entity.uniqueness.count ?? 0)
    var known = Set((parent?.uniqueConstraints ?? []).map { Set($0.names) })
    return (attributes + listed).filter { known.insert(Set($0)).inserted }.map { names in
      let properties = names.compactMap(columnProperty)
      // Rows of other entities have values in inherited columns, but NULL in this entity's own columns.
      let isInherited = parent.map { parent in names.allSatisfy { parent.columnProperty(named: $0) != nil } } ?? false
      return UniqueConstraint(
        names: names, properties: properties, columns: properties.compactMap(quotedColumn),
        condition: isInherited ? "Z_ENT BETWEEN \(family.lowerBound) AND \(family.upperBound)" : nil,
        quotedTable: quotedTable, entityName: entity.name)
    }
  }
}
