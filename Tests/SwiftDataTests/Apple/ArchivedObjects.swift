// SPDX-License-Identifier: MIT

/// What Core Data keeps in `Z_MODELCACHE`, as tests need it: entities with their properties.
struct ArchivedEntity {
  let name: String
  var superentity: String?
  let properties: [ArchivedProperty]
}

/// One property, by the keys and numbers of Core Data's archives.
struct ArchivedProperty {
  let name: String
  fileprivate let className: String
  fileprivate var integers: [String: Int] = [:]
  fileprivate var texts: [String: String] = [:]
  fileprivate var elements: [ArchivedProperty] = []

  static func attribute(_ name: String, _ type: Int, isOptional: Bool = true, flags: Int = 0) -> ArchivedProperty {
    ArchivedProperty(
      name: name, className: "NSAttributeDescription",
      integers: ["NSAttributeType": type, "NSIsOptional": isOptional ? 1 : 0, "NSFlagsKey": flags])
  }

  static func composite(_ name: String, _ elements: ArchivedProperty...) -> ArchivedProperty {
    ArchivedProperty(
      name: name, className: "NSCompositeAttributeDescription", integers: ["NSAttributeType": 2_100],
      elements: elements)
  }

  static func relationship(
    _ name: String, to destination: String, isToMany: Bool = false, isOrdered: Bool = false, inverse: String
  ) -> ArchivedProperty {
    ArchivedProperty(
      name: name, className: "NSRelationshipDescription",
      integers: ["NSMaxCount": isToMany ? 0 : 1, "NSIsOrdered": isOrdered ? 1 : 0, "NSIsOptional": 1],
      texts: ["_NSDestinationEntityName": destination, "_NSInverseRelationshipName": inverse])
  }
}

/// The compressed archive of a model.
func modelCache(_ entities: [ArchivedEntity]) -> [UInt8] {
  var writer = ArchiveWriter()
  var made: [String: Int] = [:]
  for entity in entities {
    let properties = writer.dictionary(entity.properties.map { ($0.name, writer.property($0)) })
    var fields: [(String, ArchiveWriter.Field)] = [
      ("NSEntityName", .object(writer.text(entity.name))), ("NSProperties", .object(properties)),
    ]
    // Superentities are listed before their subentities.
    if let above = entity.superentity.flatMap({ made[$0] }) { fields.append(("NSSuperentity", .object(above))) }
    made[entity.name] = writer.object("NSEntityDescription", fields)
  }
  let root = writer.object(
    "NSManagedObjectModel", [("NSEntities", .object(writer.dictionary(made.sorted { $0.key < $1.key })))])
  return deflated(writer.bytes(root: root))
}

/// Writes archives as NSKeyedArchiver does, with any class names: Foundation's own on Linux names its classes itself.
private struct ArchiveWriter {
  enum Field {
    case object(Int)
    case objects([Int])
    case integer(Int)
  }

  /// The property list's objects; the first is its root.
  private var list: [[UInt8]] = [[]]
  /// The archive's objects, by their indexes in the list.
  private var archived: [Int] = []

  init() { _ = text("$null") }

  private mutating func add(_ bytes: [UInt8]) -> Int {
    list.append(bytes)
    return list.count - 1
  }

  private mutating func archive(_ bytes: [UInt8]) -> Int {
    archived.append(add(bytes))
    return archived.count - 1
  }

  private static func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
  private static func counted(_ kind: UInt8, _ count: Int) -> [UInt8] { [kind << 4 | 15, 0x11] + two(count) }
  private static func string(_ text: String) -> [UInt8] { counted(5, text.utf8.count) + text.utf8 }
  private mutating func uid(_ object: Int) -> Int { add([0x81] + Self.two(object)) }
  private mutating func array(_ items: [Int]) -> Int { add(Self.counted(10, items.count) + items.flatMap(Self.two)) }

  private mutating func fields(_ fields: [(String, Int)]) -> [UInt8] {
    let keys = fields.map { add(Self.string($0.0)) }
    return Self.counted(13, fields.count) + (keys + fields.map(\.1)).flatMap(Self.two)
  }

  /// An archived text, by its UID.
  mutating func text(_ text: String) -> Int { archive(Self.string(text)) }

  mutating func object(_ className: String, _ own: [(String, Field)]) -> Int {
    let name = [("$classname", add(Self.string(className)))]
    let type = archive(fields(name))
    var values = [("$class", uid(type))]
    for (key, field) in own {
      switch field {
      case .object(let object): values.append((key, uid(object)))
      case .objects(let objects): values.append((key, array(objects.map { uid($0) })))
      case .integer(let number): values.append((key, add([0x11] + Self.two(number))))
      }
    }
    return archive(fields(values))
  }

  mutating func dictionary(_ entries: [(key: String, value: Int)]) -> Int {
    let keys = entries.map { text($0.key) }
    return object("NSDictionary", [("NS.keys", .objects(keys)), ("NS.objects", .objects(entries.map(\.value)))])
  }

  mutating func property(_ property: ArchivedProperty) -> Int {
    var fields: [(String, Field)] = [("NSPropertyName", .object(text(property.name)))]
    fields += property.integers.map { ($0, .integer($1)) }
    for (key, value) in property.texts { fields.append((key, .object(text(value)))) }
    if !property.elements.isEmpty {
      let elements = property.elements.map { self.property($0) }
      fields.append(("NSCompositeElements", .object(object("NSArray", [("NS.objects", .objects(elements))]))))
    }
    return object(property.className, fields)
  }

  mutating func bytes(root: Int) -> [UInt8] {
    let tops = add(fields([("root", uid(root))]))
    list[0] = fields([("$top", tops), ("$objects", array(archived))])
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in list {
      offsets += withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) }
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 2]
    for number in [list.count, 0, table] { bytes += withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }
    return bytes
  }
}

/// DEFLATE data of blocks that are not compressed.
private func deflated(_ bytes: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(0xFFFF)
    rest = rest.dropFirst(block.count)
    let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
    result += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
  } while !rest.isEmpty
  return result
}
