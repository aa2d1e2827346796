// SPDX-License-Identifier: MIT

import SwiftData
import Testing

/// Every kind of attribute comes back from the store as it was, and tells when it changed.
@Suite(.everyStore) struct AttributeTypeTests {
  @Test(arguments: 0..<20) func `every type is read back as it was saved`(_ seed: UInt64) throws {
    var random = AttributeRandom(seed: seed)
    let container = try newContainer(Everything.self)
    let context = ModelContext(container)
    let saved = Everything()
    saved.fill(&random)
    context.insert(saved)
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Everything>()).first)
    #expect(found.description == saved.description)
    saved.fill(&random)
    try context.save()
    other.processPendingChanges()
    #expect(found.description == saved.description)
  }

  @Test func `values that are not set are the defaults`() throws {
    let container = try newContainer(Everything.self)
    let context = ModelContext(container)
    context.insert(Everything())
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Everything>()).first)
    #expect(found.description == Everything().description)
  }

  @Test func `a structure has a column for each of its properties`() throws {
    let container = try newContainer(Film.self)
    let schema = try #require(container.schema.entitiesByName["Film"])
    let place = try #require(schema.attributesByName["place"] as? Schema.CompositeAttribute)
    #expect(place.properties.map(\.name) == ["city", "latitude", "longitude"])
  }

  @Test func `an ephemeral value lives as long as its object and is not stored`() throws {
    let container = try newContainer(Ephemeral.self)
    let context = ModelContext(container)
    let object = Ephemeral()
    context.insert(object)
    try context.save()
    object.cursor = 7
    #expect(object.hasChanges)
    #expect(object.cursor == 7)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Ephemeral>()).first?.cursor == 0)
  }

  @Test func `a transformed value goes through its transformer`() throws {
    let container = try newContainer(Painted.self)
    let context = ModelContext(container)
    let painted = Painted(Colour(red: 1, green: 2, blue: 3))
    context.insert(painted)
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Painted>()).first)
    #expect(found.colour == Colour(red: 1, green: 2, blue: 3))
    #expect(found.other == nil)
    found.other = Colour(red: 9, green: 9, blue: 9)
    try other.save()
    context.processPendingChanges()
    #expect(painted.other?.red == 9)
  }

  @Test func `a value that cannot be encoded is named when it is saved`() throws {
    let container = try newContainer(Everything.self)
    let context = ModelContext(container)
    let object = Everything()
    context.insert(object)
    object.double = .nan
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    object.double = 1
    try context.save()
  }
}

enum Plain: Codable, Equatable {
  case first
  case second(Int)
  case third(text: String)
}
enum Height: Int, Codable, CaseIterable {
  case low = 1
  case high = 9
}

struct Nested: Codable, Equatable {
  var name: String
  var level: Height
  var tags: [String]
  var optional: Date?
}

/// Its coding is its own, so it is stored as text.
struct Renamed: Codable, Equatable {
  var value: Int
  enum CodingKeys: String, CodingKey { case value = "v" }
}

@Model final class Everything {
  var int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var double = 0.0
  var float: Float = 0
  var decimal: Decimal = 0
  var flag = false
  var text = ""
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var url: URL?
  var data = Data()
  var level = Height.low
  var optionalLevel: Height?
  var plain = Plain.first
  var optionalPlain: Plain?
  var nested = Nested(name: "", level: .low, tags: [], optional: nil)
  var optionalNested: Nested?
  var renamed: Renamed?
  var strings: [String] = []
  var numbers: [Int]?
  var lookup: [String: Double] = [:]
  var many: [Nested] = []
  var optionalInt: Int?
  var optionalText: String?
  var optionalDecimal: Decimal?
  @Attribute(.codable) var opaque: Nested?

  init() {}

  func fill(_ random: inout AttributeRandom) {
    int = .random(in: .min ... .max, using: &random)
    int8 = .random(in: .min ... .max, using: &random)
    int16 = .random(in: .min ... .max, using: &random)
    int32 = .random(in: .min ... .max, using: &random)
    int64 = .random(in: .min ... .max, using: &random)
    uint = .random(in: .min ... .max, using: &random)
    uint8 = .random(in: .min ... .max, using: &random)
    uint16 = .random(in: .min ... .max, using: &random)
    uint32 = .random(in: .min ... .max, using: &random)
    uint64 = .random(in: .min ... .max, using: &random)
    double = .random(in: -1e9...1e9, using: &random)
    float = .random(in: -1e9...1e9, using: &random)
    decimal = Decimal(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)) / 1_000
    flag = .random(using: &random)
    text = ["", "plain", "caf\u{e9}", "cafe\u{301}", "\u{1F3AC} lights", "a\"b'c\\d"].randomElement(using: &random)!
    date = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random))
    uuid = UUID(
      uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", Int.random(in: 0...9_999, using: &random)))")!
    url = Bool.random(using: &random) ? URL(string: "https://example.org/\(int8)?q=%20") : nil
    data = Data((0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    level = Height.allCases.randomElement(using: &random)!
    optionalLevel = Bool.random(using: &random) ? .high : nil
    plain = [.first, .second(int), .third(text: text)].randomElement(using: &random)!
    optionalPlain = Bool.random(using: &random) ? plain : nil
    nested = Nested(name: text, level: level, tags: [text, "b"], optional: Bool.random(using: &random) ? date : nil)
    optionalNested = Bool.random(using: &random) ? nested : nil
    renamed = Bool.random(using: &random) ? Renamed(value: int) : nil
    strings = (0..<Int.random(in: 0...3, using: &random)).map { "\($0) \(text)" }
    numbers = Bool.random(using: &random) ? [int, 2] : nil
    lookup = Bool.random(using: &random) ? [text: double] : [:]
    many = Bool.random(using: &random) ? [nested, nested] : []
    optionalInt = Bool.random(using: &random) ? int : nil
    optionalText = Bool.random(using: &random) ? text : nil
    optionalDecimal = Bool.random(using: &random) ? decimal : nil
    opaque = Bool.random(using: &random) ? nested : nil
  }

  var description: [String] {
    let numbers: [Any?] = [int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, double, float, decimal]
    let values: [Any?] = [
      flag, text, date.timeIntervalSinceReferenceDate, uuid, url, Array(data), level, optionalLevel, plain,
      optionalPlain, nested, optionalNested, renamed, strings, self.numbers, lookup, many, optionalInt, optionalText,
      optionalDecimal, opaque,
    ]
    return (numbers + values).map { $0.map { "\($0)" } ?? "nil" }
  }
}

@Model final class Ephemeral {
  var name = ""
  @Attribute(.ephemeral) var cursor = 0

  init() {}
}

struct Colour: Equatable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
}

final class ColourTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Colour).map { Data([$0.red, $0.green, $0.blue]) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 3 else { return nil }
    return Colour(red: data[0], green: data[1], blue: data[2])
  }
}

@Model final class Painted {
  @Attribute(.transformable(by: ColourTransformer.self)) var colour: Colour
  @Attribute(.transformable(by: ColourTransformer.self)) var other: Colour?

  init(_ colour: Colour) { self.colour = colour }
}

/// Random numbers that are the same for the same seed.
struct AttributeRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
