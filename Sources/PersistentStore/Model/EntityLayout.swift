internal import SQLite

/// Where an entity's properties are in the file: table, columns, bits of the updated-attributes bitmap and tombstone
/// columns. Layout of Core Data, derived from the model alone.
package struct EntityLayout: Sendable {
  /// What a bit of the bitmap stands for. Attributes and relationships by index; a relationship's entity key and
  /// order key have bits of their own.
  package enum Property: Hashable, Sendable {
    case attribute(Int)
    case relationship(Int)
    case entityKey(Int)
    case orderKey(Int)
  }

  /// The entity with everything it inherits: the root's properties first, composites as their elements.
  package let entity: EntityDescription
  /// The number in `Z_PRIMARYKEY`, which every row carries in `Z_ENT`.
  package let number: Int
  package let superNumber: Int
  /// The entity at the top of the hierarchy, whose table this one shares and whose keys it takes.
  package let rootNumber: Int
  /// The numbers of this entity and of all above it, the root first.
  package let lineage: [Int]
  package let hasSubentities: Bool
  /// The table's name, not quoted.
  package let tableName: String
  /// Column names by attribute index, not quoted.
  package let columnNames: [String]
  /// What stands for a value that is not given, by attribute index.
  let defaults: [Value]
  /// By relationship index.
  package let relationships: [RelationshipLayout]
  /// What is unique, inherited constraints first.
  package private(set) var uniqueConstraints: [UniqueConstraint] = []
  /// What the bits of the bitmap stand for: to-one relationships, their entity keys, their order keys, attributes,
  /// one-to-many, many-to-many. To-one relationships and attributes are ordered with inherited ones first, then by
  /// name; so are, here, the to-many ones, whose order in Core Data's files is a hash table's.
  package let bitmapOrder: [Property]
  /// Attribute indexes whose values a delete leaves in `ZTOMBSTONE0…`, ordered like the bitmap's attribute zone.
  package let tombstoneOrder: [Int]
  /// Attribute indexes whose columns hold marked values: `PersistentStore.contents(of:)` reads them.
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
    self.relationships = relationships
    let attributes = Self.attributeOrder(of: node)
    bitmapOrder = Self.bitmapOrder(attributes, relationships)
    externalAttributes = node.entity.attributes.indices.filter { node.entity.attributes[$0].isExternal }
    // A file is gone with its row.
    tombstoneOrder = attributes.filter {
      node.entity.attributes[$0].isPreservedOnDeletion && !node.entity.attributes[$0].isExternal
    }
    bits = Dictionary(uniqueKeysWithValues: bitmapOrder.enumerated().map { ($1, $0) })
    quotedTable = quoted(tableName)
    quotedColumns = columnNames.map(quoted)
    isAloneInTable = node.lineage.count == 1 && !node.hasSubentities
    versionedSQL = """
      SELECT \((["Z_OPT"] + quotedColumns).joined(separator: ", ")) FROM \(quotedTable) \
      WHERE Z_PK = ?1\(isAloneInTable ? "" : " AND Z_ENT = \(node.number)")
      """
    insertion = InsertStatement(table: quotedTable, attributes: quotedColumns, relationships: relationships)
    uniqueConstraints =
      (parent?.uniqueConstraints ?? []) + ownConstraints(below: parent, family: number...node.lastDescendant)
  }

  /// Inherited attributes before own, each by name; the elements of a composite in their own order at its name.
  static func attributeOrder(of node: EntityHierarchy.Node) -> [Int] {
    var elements: [String: (composite: String, place: Int)] = [:]
    for composite in node.entity.composites {
      for (place, element) in composite.flattened.enumerated() { elements[element.name] = (composite.name, place) }
    }
    func rank(_ index: Int) -> (Int, String, Int) {
      let name = node.entity.attributes[index].name
      let element = elements[name]
      return (node.attributeDepths[index], element?.composite ?? name, element?.place ?? 0)
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
      case .back: oneToMany.append(.relationship(index))
      case .pairs: manyToMany.append(.relationship(index))
      }
    }
    return toOne + entityKeys + orderKeys + attributes.map(Property.attribute) + oneToMany + manyToMany
  }

  /// Whether objects of the entity numbered `other` are objects of this one.
  package func includes(_ other: EntityLayout) -> Bool { other.lineage.contains(number) }

  // MARK: Bitmap

  /// Bytes of a full bitmap: one bit a property, rounded up.
  package var bitmapLength: Int { (bitmapOrder.count + 7) / 8 }

  /// The bitmap in which exactly the bits of these properties are set. Bit 0 is 0x80 of byte 0.
  package func bitmap(of properties: Set<Property>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: bitmapLength)
    for property in properties {
      guard let bit = bits[property] else { continue }
      bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
    }
    return bytes
  }

  /// The properties of a bitmap, or nil where it does not have this entity's length or sets bits beyond it, or where
  /// the model does not tell what the bits stand for.
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

  /// The to-many relationships that a bit may stand for; nil where it stands for something else.
  private func toManyZone(ofBit bit: Int) -> [Property]? {
    func zone(_ property: Property) -> Int {
      guard case .relationship(let index) = property else { return 0 }
      switch relationships[index].storage {
      case .reference: return 0
      case .back: return 1
      case .pairs: return 2
      }
    }
    let own = zone(bitmapOrder[bit])
    return own == 0 ? nil : bitmapOrder.filter { zone($0) == own }
  }

  /// The names of the properties of a bitmap, each once; nil where it cannot be read.
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

  /// Whether every row of the table is of this entity.
  package let isAloneInTable: Bool

  /// ` AND Z_ENT = n` where rows of other entities share the table.
  package var entityCondition: String { isAloneInTable ? "" : " AND Z_ENT = \(number)" }

  let insertion: InsertStatement

  /// The lock number and all attributes of the row with the key `?1`.
  let versionedSQL: String
}
