// SPDX-License-Identifier: MIT

import Testing

@testable import Store

/// Composites of SwiftData's models. The tests have no real store with one.
struct ArchivedCompositeTests {
  /// Writes a keyed archive with references of one byte.
  private struct Writer {
    private var objects: [[UInt8]] = [[]]
    private var archived: [UInt8] = []

    /// Adds an object of the property list and returns its index.
    private mutating func add(_ bytes: [UInt8]) -> UInt8 {
      objects.append(bytes)
      return UInt8(objects.count - 1)
    }

    private mutating func string(_ text: String) -> UInt8 {
      let bytes = Array(text.utf8)
      return add(bytes.count < 15 ? [0x50 | UInt8(bytes.count)] + bytes : [0x5F, 0x10, UInt8(bytes.count)] + bytes)
    }

    private mutating func uid(_ uid: UInt8) -> UInt8 { add([0x80, uid]) }

    /// Adds an archived object and returns its UID.
    private mutating func archive(_ index: UInt8) -> UInt8 {
      archived.append(index)
      return UInt8(archived.count - 1)
    }

    mutating func text(_ text: String) -> UInt8 { archive(string(text)) }

    enum Field {
      case reference(UInt8)
      case references([UInt8])
      case integer(Int)
    }

    mutating func object(_ fields: [(String, Field)]) -> UInt8 {
      var (keys, values): ([UInt8], [UInt8]) = ([], [])
      for (name, field) in fields {
        keys.append(string(name))
        switch field {
        case .reference(let target): values.append(uid(target))
        case .references(let targets):
          let items = targets.map { uid($0) }
          values.append(add([0xAF, 0x10, UInt8(items.count)] + items))
        case .integer(let number): values.append(add([0x11, UInt8(number >> 8), UInt8(number & 255)]))
        }
      }
      return archive(add([0xD0 | UInt8(fields.count)] + keys + values))
    }

    mutating func dictionary(_ entries: [(String, UInt8)]) -> UInt8 {
      let keys = entries.map { text($0.0) }
      return object([("NS.keys", .references(keys)), ("NS.objects", .references(entries.map(\.1)))])
    }

    mutating func bytes(root: UInt8) -> [UInt8] {
      let root = uid(root)
      let tops = [string("root"), root]
      let top = add([0xD1] + tops)
      let table = add([0xAF, 0x10, UInt8(archived.count)] + archived)
      let keys = [string("$top"), string("$objects")]
      objects[0] = [0xD2] + keys + [top, table]
      return DamagedModelTests.list(objects)
    }
  }

  @Test func `columns are named after elements, and another property of the same name gets a number`() throws {
    var writer = Writer()
    _ = writer.text("$null")
    let composite = writer.object([("$classname", .reference(writer.text("NSCompositeAttributeDescription")))])
    func attribute(_ name: String, _ type: Int) -> UInt8 {
      let property = writer.text(name)
      return writer.object([("NSPropertyName", .reference(property)), ("NSAttributeType", .integer(type))])
    }
    func composed(_ elements: [UInt8], name: String? = nil) -> UInt8 {
      let list = writer.object([("NS.objects", .references(elements))])
      let names = name.map { [("NSPropertyName", Writer.Field.reference(writer.text($0)))] } ?? []
      return writer.object(
        [("$class", .reference(composite)), ("NSCompositeElements", .reference(list))] + names)
    }
    // Two composites inside one, each with an element of the same name.
    let (home, work) = (
      composed([attribute("city", 700)], name: "home"), composed([attribute("city", 700)], name: "work")
    )
    let author = composed([
      attribute("id", 1_100), attribute("person", 700), attribute("tags", 1_000), home, work,
      composed([attribute("mood", 700)], name: "mood"),
    ])
    let properties = writer.dictionary([
      ("author", author), ("glass", composed([attribute("glass", 700)])), ("id", attribute("id", 1_100)),
      ("name", attribute("name", 700)),
    ])
    let name = writer.text("Cocktail")
    let entity = writer.object([("NSEntityName", .reference(name)), ("NSProperties", .reference(properties))])
    let entities = writer.dictionary([("Cocktail", entity)])
    let root = writer.object([("NSEntities", .reference(entities))])

    let archived = try ArchivedModel(archive: writer.bytes(root: root))
    try archived.model.validate()
    let cocktail = try #require(
      StoreLayout(model: archived.model, numbers: ["Cocktail": 1]).entity(named: "Cocktail"))
    let columns = Dictionary(uniqueKeysWithValues: zip(cocktail.entity.attributes.map(\.name), cocktail.columnNames))
    #expect(
      columns == [
        "author.id": "ZID", "author.person": "ZPERSON", "author.tags": "ZTAGS", "author.home.city": "ZCITY",
        "author.work.city": "ZCITY1", "author.mood": "ZMOOD", "glass": "ZGLASS", "id": "ZID1", "name": "ZNAME",
      ])
    #expect(archived.encoded == ["Cocktail.author.tags": .json])
    #expect(cocktail.entity.attributes.first { $0.name == "author.tags" }?.type == .json)
  }

  @Test(arguments: [
    (#"["Orange","Lemon"]"#, #"["Orange","Lemon"]"#), (#" {"a": 1}"#, #" {"a": 1}"#), ("plain bytes", nil),
  ])
  func `inside composites, only JSON values are read`(_ stored: String, _ read: String?) {
    let bytes = Array(stored.utf8)
    let json = bytes.withUnsafeBytes { DecodedValue.Form.json.json($0) }
    #expect(json.map { String(decoding: $0, as: UTF8.self) } == read)
  }
}
