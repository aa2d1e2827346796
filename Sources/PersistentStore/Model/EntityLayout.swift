internal import SQLite

/// Where an entity's properties are in the file: table, columns, bits of the updated-attributes bitmap and tombstone
/// columns. Layout of Core Data, derived from the description alone.
package struct EntityLayout: Sendable {
  package let entity: EntityDescription
  /// The number in `Z_PRIMARYKEY`, which every row carries in `Z_ENT`.
  package let number: Int
  /// The table's name, not quoted.
  package let tableName: String
  /// Column names by attribute index, not quoted.
  package let columnNames: [String]
  /// Attribute indexes in the order of the bitmap's bits.
  ///
  /// The zones of the bitmap are: to-one relationships, their entity keys, their order keys, attributes, one-to-many,
  /// many-to-many; entities of this kind have the attribute zone only, ordered by name.
  package let bitmapOrder: [Int]
  /// Attribute indexes whose values a delete leaves in `ZTOMBSTONE0…`, ordered like the bitmap's attribute zone.
  package let tombstoneOrder: [Int]

  init(entity: EntityDescription, number: Int) {
    self.entity = entity
    self.number = number
    tableName = "Z" + entity.name.uppercased()
    let byName = entity.attributes.indices.sorted { entity.attributes[$0].name < entity.attributes[$1].name }
    bitmapOrder = byName
    tombstoneOrder = byName.filter { entity.attributes[$0].isPreservedOnDeletion }
    columnNames = Self.columnNames(of: entity, in: byName)
    quotedTable = quoted(tableName)
    quotedColumns = columnNames.map(quoted)
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + quotedColumns
    let places = columns.indices.map { "?\($0 + 1)" }
    insertSQL =
      "INSERT INTO \(quotedTable) (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
  }

  /// `Z` and the name in capitals; where two names fall together, the later one gets 1, 2, 3.
  private static func columnNames(of entity: EntityDescription, in order: [Int]) -> [String] {
    var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    var names = [String](repeating: "", count: entity.attributes.count)
    for index in order {
      let plain = "Z" + entity.attributes[index].name.uppercased()
      var name = plain
      var suffix = 0
      while !taken.insert(name).inserted {
        suffix += 1
        name = plain + String(suffix)
      }
      names[index] = name
    }
    return names
  }

  /// Attribute indexes in the order of the table's columns: grouped by SQL type, by name inside a group.
  var columnOrder: [Int] {
    bitmapOrder.enumerated().sorted {
      let (left, right) = (entity.attributes[$0.element].type, entity.attributes[$1.element].type)
      return (left.columnGroup, $0.offset) < (right.columnGroup, $1.offset)
    }.map(\.element)
  }

  // MARK: Bitmap

  /// Bytes of a full bitmap: one bit a property, rounded up.
  package var bitmapLength: Int { (bitmapOrder.count + 7) / 8 }

  /// The bitmap in which exactly the bits of these attributes are set. Bit 0 is 0x80 of byte 0.
  package func bitmap(of attributes: Set<Int>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: bitmapLength)
    for (bit, attribute) in bitmapOrder.enumerated() where attributes.contains(attribute) {
      bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
    }
    return bytes
  }

  /// The attributes of a bitmap, or nil where it does not have this entity's length or sets bits beyond it.
  package func attributes(of bitmap: [UInt8]) -> [Int]? {
    guard bitmap.count == bitmapLength else { return nil }
    var found: [Int] = []
    for bit in 0..<(bitmap.count * 8) where bitmap[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
      guard bit < bitmapOrder.count else { return nil }
      found.append(bitmapOrder[bit])
    }
    return found
  }

  // MARK: SQL

  package let quotedTable: String
  private let quotedColumns: [String]
  package func quotedColumn(_ attribute: Int) -> String { quotedColumns[attribute] }

  /// Inserts a row: key, entity number, 1, and the attributes by index.
  let insertSQL: String
}
