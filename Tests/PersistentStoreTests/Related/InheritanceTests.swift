// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct InheritanceTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      "Vehicle",
      attributes: [
        AttributeDescription("plate", .string, isOptional: true, options: [.unique, .preserveValueOnDeletion])
      ],
      relationships: [RelationshipDescription("owner", to: "Person", inverse: "vehicles")]),
    EntityDescription(
      "Truck", superentity: "Vehicle",
      attributes: [
        AttributeDescription("size", .integer64, isOptional: true),
        AttributeDescription("crew", .string, isOptional: true),
      ]),
    EntityDescription(
      "Car", superentity: "Vehicle",
      attributes: [
        AttributeDescription("size", .string, isOptional: true, options: [.preserveValueOnDeletion]),
        AttributeDescription("doors", .integer64, isOptional: true),
        AttributeDescription("chassis", .string, isOptional: true, options: [.unique]),
      ]),
    EntityDescription("Cab", superentity: "Car"), EntityDescription("Limousine", superentity: "Car"),
    EntityDescription(
      "Person",
      relationships: [
        RelationshipDescription("vehicles", to: "Vehicle", isToMany: true, inverse: "owner"),
        RelationshipDescription("favourite", to: "Vehicle"),
      ]),
    EntityDescription("Boat", attributes: [AttributeDescription("name", .string, isOptional: true)]),
  ])

  /// A store with one row of each entity of the hierarchy: Vehicle 1, Car 2, Cab 3, Limousine 4, Truck 5.
  private static func fixture() throws -> StoreFixture {
    let bench = try StoreFixture(model)
    try bench.store.save { save in
      for name in ["Vehicle", "Car", "Cab", "Limousine", "Truck"] { try save.add(name, ["plate": .text(name)]) }
      try save.add("Boat")
    }
    return bench
  }

  @Test func `entities are numbered depth first below their superentity`() throws {
    let bench = try StoreFixture(Self.model)
    #expect(
      try bench.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") == [
        "1|Boat|0", "2|Person|0", "3|Vehicle|0", "4|Car|3", "5|Cab|4", "6|Limousine|4", "7|Truck|3",
      ])
  }

  @Test func `a hierarchy has one table, and equal column names get a number`() throws {
    let bench = try StoreFixture(Self.model)
    #expect(
      try bench.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z[A-Z]*'") == [
        "ZBOAT", "ZPERSON", "ZVEHICLE",
      ])
    #expect(
      try bench.rows("SELECT name, type FROM pragma_table_info('ZVEHICLE')").dropFirst(3) == [
        "ZOWNER|INTEGER", "ZDOORS|INTEGER", "ZSIZE1|INTEGER", "ZPLATE|VARCHAR", "ZCHASSIS|VARCHAR",
        "ZSIZE|VARCHAR", "ZCREW|VARCHAR",
      ])
    #expect(
      try bench.rows("SELECT name FROM pragma_table_info('ZPERSON')").dropFirst(3) == ["ZFAVOURITE", "Z3_FAVOURITE"])
    #expect(
      try bench.rows("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZVEHICLE' ORDER BY name")
        == [
          "ZVEHICLE_ZOWNER_INDEX", "ZVEHICLE_Z_ENT_INDEX", "Z_Car_UNIQUE_chassis", "Z_Vehicle_UNIQUE_plate",
        ])
  }

  @Test func `all entities of a hierarchy get their keys from the root`() throws {
    let bench = try Self.fixture()
    #expect(
      try bench.rows("SELECT Z_PK, Z_ENT, ZPLATE FROM ZVEHICLE") == [
        "1|3|Vehicle", "2|4|Car", "3|5|Cab", "4|6|Limousine", "5|7|Truck",
      ])
    #expect(
      try bench.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") == [
        "Boat|1", "Person|0", "Vehicle|5", "Car|0", "Cab|0", "Limousine|0", "Truck|0",
      ])
    #expect(
      try bench.history() == [
        "1 -: insert Vehicle 1, insert Car 2, insert Cab 3, insert Limousine 4, insert Truck 5, insert Boat 1"
      ])
  }

  @Test func `rows of an entity exclude those of subentities, and a row has its concrete entity`() throws {
    let bench = try Self.fixture()
    let (store, layout) = (bench.store, bench.store.layout)
    let car = try #require(layout.entity(named: "Car"))
    let truck = try #require(layout.entity(named: "Truck"))
    let cursor = try store.rows(of: car, attributes: [0])
    var found: [String] = []
    while let row = try cursor.next() { found.append("\(row.key) \(StoreFixture.text(row.value(0)))") }
    #expect(found == ["2 Car"])
    #expect(try layout.entities.map(store.count) == [1, 0, 1, 1, 1, 1, 1])
    #expect(try store.count() == 6)
    #expect(try [1, 2, 3, 9].map { try store.exists(car, key: $0) } == [false, true, false, false])
    #expect(try store.values(of: car, key: 3) == nil)
    #expect(try store.values(of: truck, key: 5) == [.text("Truck"), .null, .null])
    #expect(
      try (1...6).map { try store.concreteEntity(of: car, key: $0)?.entity.name } == [
        nil, "Car", "Cab", "Limousine", nil, nil,
      ])
    #expect(try store.row(of: car, where: 0, equals: .text("Limousine")) == RowIdentifier(entity: 6, key: 4))
    #expect(try store.row(of: car, where: 0, equals: .text("Truck")) == nil)
  }

  @Test func `a unique attribute is unique among all entities that inherit it`() throws {
    let bench = try Self.fixture()
    func refusal(_ name: String, _ values: [String: Value]) throws -> String? {
      try storeErrorText { try bench.store.save { try $0.add(name, values) } }
    }
    #expect(
      try refusal("Truck", ["plate": .text("Cab")])
        == "another Truck has the same plate")
    try bench.store.save { try $0.add("Cab", ["chassis": .text("c")]) }
    #expect(
      try refusal("Limousine", ["chassis": .text("c")])
        == "another Limousine has the same chassis")
  }

  @Test func `bits and tombstones start with inherited properties`() throws {
    let bench = try Self.fixture()
    // Cab: owner 80, plate 40, chassis 20, doors 10, size 08.
    try bench.store.save { save in
      let cab = try save.entity("Cab")
      try save.update(cab, key: 3, [(try #require(cab.entity.index(of: "doors")), .integer(4))])
      try save.update(cab, key: 3, [(try #require(cab.entity.index(of: "size")), .text("big"))])
      try save.set(RowIdentifier(entity: cab.number, key: 3), "owner", [try save.add("Person")])
    }
    // Person: favourite 80, its entity 40, vehicles 20; an insert has no bits.
    #expect(try bench.newestChanges() == ["insert Person/p1", "update Cab/p3 98"])
    try bench.store.save { save in
      try save.remove(try bench.row("Cab", 3))
      try save.remove(try bench.row("Truck", 5))
    }
    #expect(
      try bench.rows("SELECT ZENTITY, ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2") == [
        "5|Cab|big", "7|Truck|NULL",
      ])
  }

  @Test func `a relationship to a hierarchy keeps the target's entity beside its key`() throws {
    let bench = try Self.fixture()
    var person: RowIdentifier?
    try bench.store.save { person = try $0.add("Person", [:], ["favourite": [try bench.row("Limousine", 4)]]) }
    #expect(try bench.rows("SELECT ZFAVOURITE, Z3_FAVOURITE FROM ZPERSON") == ["4|6"])
    try bench.store.save { try $0.set(try #require(person), "favourite", [try bench.row("Truck", 5)]) }
    #expect(try bench.newestChanges() == ["update Person/p1 C0"])
    #expect(try bench.rows("SELECT ZFAVOURITE, Z3_FAVOURITE FROM ZPERSON") == ["5|7"])
    #expect(try bench.targets(try #require(person), "favourite") == ["Truck/p5"])
    try bench.store.save { try $0.set(try #require(person), "favourite", []) }
    #expect(try bench.rows("SELECT ZFAVOURITE, Z3_FAVOURITE FROM ZPERSON") == ["NULL|NULL"])
    let asVehicle = try storeErrorText {
      try bench.store.save { try $0.set(try #require(person), "favourite", [try bench.row("Vehicle", 5)]) }
    }
    #expect(asVehicle == "Person.favourite: there is no Vehicle/p5")
  }
}
