// SPDX-License-Identifier: MIT

internal import SQLite

/// The layout of an entity in the file: table, columns, bits of the change bitmap and tombstone columns. It is Core
/// Data's layout, derived from the model alone.
///
/// A class, because it has many members: each row that is read or saved passes it on several times.
package final class EntityLayout: @unchecked Sendable {
  // Unchecked: everything is set by `init`.

  /// What a bit of the change bitmap represents, by property index. A relationship's entity and order keys have own
  /// bits.
  package enum Property: Hashable, Sendable {
    case attribute(Int)
    case relationship(Int)
    case entityKey(Int)
    case orderKey(Int)
  }

  /// The entity with all inherited properties: the root's first, composites as their elements.
  package let entity: EntityDescription
  /// The entity number (`Z_ENT`), as in `Z_PRIMARYKEY` and in every row.
  package let number: Int
  package let superNumber: Int
  /// The root entity of the hierarchy, whose table and primary keys this entity shares.
  package let rootNumber: Int
  /// The numbers of the entities from the root to this entity.
  package let lineage: [Int]
  package let hasSubentities: Bool
  /// Not quoted.
  package let tableName: String
  /// Unquoted column names by attribute index.
  package let columnNames: [String]
  /// Default values by attribute index.
  let defaults: [Value]
  /// The types of the attributes and whether they may be NULL, by attribute index.
  let attributeTypes: [(type: AttributeType, isOptional: Bool)]
  package let relationships: [RelationshipLayout]
  /// The unique constraints, inherited ones first.
  private(set) var uniqueConstraints: [UniqueConstraint] = []
  /// The properties in the order of the bitmap's bits: to-one relationships, their entity keys, their order keys,
  /// attributes, one-to-many, many-to-many. Within a group, inherited properties come first, then they are ordered by
  /// name. In Core Data's files, to-many relationships are in the order of a hash table instead.
  package let bitmapOrder: [Property]
  /// Indexes of the attributes whose values a delete keeps in `ZTOMBSTONE0…`, in the order of the bitmap.
  package let tombstoneOrder: [Int]
  /// Indexes of the attributes with external storage. `PersistentStore.contents(of:)` reads their columns.
  package let externalAttributes: [Int]
  private let bits: [Property: Int]
  private let bitmaps: BitmapAccuracy

  /// - Parameter parent: The layout of the superentity.
  init(
    _ node: EntityHierarchy.Node, below parent: EntityLayout?, tableName: String, columnNames: [String],
    relationships: [RelationshipLayout], bitmaps: BitmapAccuracy
  ) {
    entity = node.entity
    self.bitmaps = bitmaps
    number = node.number
    superNumber = node.superNumber
    rootNumber = node.rootNumber
    lineage = node.lineage
    hasSubentities = node.hasSubentities
    self.tableName = tableName
    self.columnNames = columnNames
    defaults = node.entity.attributes.map { $0.defaultValue ?? .null }
    attributeTypes = node.entity.attributes.map { ($0.type, $0.isOptional) }
    self.relationships = relationships
    let attributes = Self.attributeOrder(of: node)
    bitmapOrder = Self.bitmapOrder(attributes, relationships)
    externalAttributes = node.entity.attributes.indices.filter { node.entity.attributes[$0].isExternal }
    // An external file is deleted with its row, so its value cannot be preserved.
    tombstoneOrder = attributes.filter {
      node.entity.attributes[$0].isPreservedOnDeletion && !node.entity.attributes[$0].isExternal
    }
    bits = Dictionary(uniqueKeysWithValues: bitmapOrder.enumerated().map { ($1, $0) })
    quotedTable = quoted(tableName)
    quotedColumns = columnNames.map(quoted)
    isAloneInTable = node.lineage.count == 1 && !node.hasSubentities
    insertion = InsertStatement(table: quotedTable, attributes: quotedColumns, relationships: relationships)
    uniqueConstraints =
      (parent?.uniqueConstraints ?? []) + ownConstraints(below: parent, family: number...node.lastDescendant)
  }

  /// Inherited attributes come first, then by name. A composite's elements keep their order at the composite's name.
  static func attributeOrder(of node: EntityHierarchy.Node) -> [Int] {
    var elements: [String: (composite: String, position: Int)] = [:]
    for composite in node.entity.composites {
      for (position, element) in composite.flattened.enumerated() {
        elements[element.name] = (composite.name, position)
      }
    }
    func rank(_ index: Int) -> (Int, String, Int) {
      let name = node.entity.attributes[index].name
      let element = elements[name]
      return (node.attributeDepths[index], element?.composite ?? name, element?.position ?? 0)
    }
    return node.entity.attributes.indices.sorted { rank($0) < rank($1) }
  }

  private static func bitmapOrder(_ attributes: [Int], _ relationships: [RelationshipLayout]) -> [Property] {
    let sorted = relationships.indices.sorted {
      (relationships[$0].owner, relationships[$0].name) < (relationships[$1].owner, relationships[$1].name)
    }
    var (toOne, entityKeys, orderKeys): ([Property], [Property], [Property]) = ([], [], [])
    var (oneToMany, manyToMany): ([Property], [Property]) = ([], [])
    for index in sorted {
      switch relationships[index].storage {
      case .reference(_, let entity, let order):
        toOne.append(.relationship(index))
        if entity != nil { entityKeys.append(.entityKey(index)) }
        if order != nil { orderKeys.append(.orderKey(index)) }
      case .inverseReference: oneToMany.append(.relationship(index))
      case .joinTable: manyToMany.append(.relationship(index))
      }
    }
    return toOne + entityKeys + orderKeys + attributes.map(Property.attribute) + oneToMany + manyToMany
  }

  /// Whether `other` is this entity or one of its subentities.
  package func includes(_ other: EntityLayout) -> Bool { other.lineage.contains(number) }

  // MARK: Bitmap

  /// The length of a bitmap in bytes: one bit per property, rounded up.
  var bitmapLength: Int { (bitmapOrder.count + 7) / 8 }

  /// The bitmap with exactly the bits of these properties. Bit 0 is 0x80 of byte 0.
  func bitmap(of properties: Set<Property>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: bitmapLength)
    for property in properties {
      guard let bit = bits[property] else { continue }
      bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
    }
    return bytes
  }

  /// The properties of a bitmap; nil if its length or bits do not match, or if the model does not define its bits.
  package func properties(of bitmap: [UInt8]) -> [Property]? {
    guard bitmap.count == bitmapLength, bitmaps != .unknown else { return nil }
    var found: [Property] = []
    for bit in 0..<(bitmap.count * 8) where bitmap[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
      guard bit < bitmapOrder.count else { return nil }
      if bitmaps == .hashedToMany, let zone = toManyZone(ofBit: bit) {
        for property in zone where !found.contains(property) { found.append(property) }
      } else {
        found.append(bitmapOrder[bit])
      }
    }
    return found
  }

  /// The to-many relationships that a bit may represent; nil if it represents something else.
  private func toManyZone(ofBit bit: Int) -> [Property]? {
    func zone(_ property: Property) -> Int {
      guard case .relationship(let index) = property else { return 0 }
      switch relationships[index].storage {
      case .reference: return 0
      case .inverseReference: return 1
      case .joinTable: return 2
      }
    }
    let own = zone(bitmapOrder[bit])
    return own == 0 ? nil : bitmapOrder.filter { zone($0) == own }
  }

  /// The distinct names of the properties of a bitmap; nil if it cannot be read.
  package func names(of bitmap: [UInt8]) -> [String]? {
    guard let properties = properties(of: bitmap) else { return nil }
    var names: [String] = []
    for name in properties.map(name) where !names.contains(name) { names.append(name) }
    return names
  }

  package func name(of property: Property) -> String {
    switch property {
    case .attribute(let index): entity.attributes[index].name
    case .relationship(let index), .entityKey(let index), .orderKey(let index): relationships[index].name
    }
  }

  // MARK: SQL

  package let quotedTable: String
  private let quotedColumns: [String]
  package func quotedColumn(_ attribute: Int) -> String { quotedColumns[attribute] }

  /// Whether all rows of the table belong to this entity.
  package let isAloneInTable: Bool

  /// ` AND Z_ENT = n` if other entities share the table; otherwise empty.
  var entityCondition: String { isAloneInTable ? "" : " AND Z_ENT = \(number)" }

  let insertion: InsertStatement
}
