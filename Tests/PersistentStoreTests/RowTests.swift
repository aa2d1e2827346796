// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct RowTests {
  private static let samples: [(AttributeType, [Value])] = [
    (.string, [.text(""), .text("a\0b"), .text("123"), .text("Ünï 👩‍👩‍👧"), .text("'\";--")]),
    (.url, [.text("https://example.com/?q=1#x")]),
    (.integer16, [.integer(-32_768), .integer(32_767)]),
    (.integer32, [.integer(-2_147_483_648), .integer(2_147_483_647)]),
    (.integer64, [.integer(.min), .integer(.max), .integer(0)]),
    (.double, [.real(0.1), .real(5), .real(-1e300), .real(.infinity)]),
    (.float, [.real(0.5), .real(-3)]),
    (.decimal, [.integer(12), .real(0.1), .blob(Array("-12345678901234567890.123456789".utf8))]),
    (.boolean, [.integer(0), .integer(1)]),
    (.date, [.real(0.25), .real(-978_307_200.5), .integer(86_400)]),
    (.uuid, [.blob(Array(0..<16))]),
    (.data, [.blob([]), .blob([0, 255])]),
    (.strings, [.blob(Array("[\"a\",\"b\"]".utf8))]),
    (.json, [.blob(Array("{\"a\":[1,null]}".utf8))]),
  ]

  @Test func `every type of attribute has samples`() {
    #expect(Self.samples.map(\.0.rawValue).sorted() == AttributeType.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: samples)
  func `values of every type and NULL are read as saved`(_ type: AttributeType, _ samples: [Value]) throws {
    let entity = EntityDescription("Thing", attributes: [AttributeDescription("value", type, isOptional: true)])
    let bench = try StoreFixture(ModelDescription(entities: [entity]))
    let thing = bench.store.layout.entities[0]
    let values = samples + [.null]
    try bench.store.save { save in for value in values { try save.insert(thing, [value]) } }
    let reader = try PersistentStore.open(bench.path)
    let cursor = try reader.rows(of: thing, attributes: [0])
    var found: [Value] = []
    while let row = try cursor.next() { found.append(row.value(0)) }
    #expect(found == values)
    #expect(try reader.values(of: thing, key: Int64(values.count)) == [.null])
  }

  @Test func `an integral date is read as an integer with the same value`() throws {
    let bench = try StoreFixture()
    try bench.store.save { try $0.insert(bench.film, bench.values(["title": .text("A"), "released": .real(5)])) }
    let released = try #require(bench.film.entity.index(of: "released"))
    let found = try bench.store.withRow(of: bench.film, key: 1, attributes: [released]) { row in
      row.map { ($0.value(0), $0.double(0), $0.storageClass(0)) }
    }
    #expect(found?.0 == .integer(5) && found?.1 == 5 && found?.2 == .integer)
  }

  @Test(
    arguments: [
      (0...Int64.max, [1, 2, 4, 5]), (2...4, [2, 4]), (3...3, []), (5...5, [5]), (6...Int64.max, []),
      (Int64.min...1, [1]),
    ] as [(ClosedRange<Int64>, [Int64])])
  func `a cursor reads a key range in ascending order`(_ keys: ClosedRange<Int64>, _ expected: [Int64]) throws {
    let bench = try StoreFixture()
    try bench.addFilms("A", "B", "C", "D", "E")
    try bench.deleteFilm(3)
    let cursor = try bench.store.rows(of: bench.film, attributes: [1, 0], keys: keys)
    #expect(cursor.attributes == [1, 0])
    var found: [Int64] = []
    while let row = try cursor.next() {
      #expect(row.isNull(0))
      #expect(Array(row.bytes(1)) == Array(["A", "B", "C", "D", "E"][Int(row.key) - 1].utf8))
      found.append(row.key)
    }
    #expect(found == expected)
  }

  @Test func `rows are counted, found by key and by value`() throws {
    let bench = try StoreFixture()
    try bench.addFilms("A", "B", "B")
    try bench.store.save { try $0.insert(bench.actor, [.text("Tom")]) }
    #expect([try bench.store.count(of: bench.film), try bench.store.count(of: bench.actor)] == [3, 1])
    #expect(try bench.store.count() == 4)
    #expect(try bench.store.exists(bench.film, key: 3))
    #expect(try !bench.store.exists(bench.film, key: 4))
    #expect(try bench.store.values(of: bench.film, key: 4) == nil)
    let keys = try ["A", "B", "C"].map { try bench.store.row(of: bench.film, where: 0, equals: .text($0))?.key }
    #expect(keys == [1, 2, nil])
  }

  @Test func `a missing value becomes the attribute's default`() throws {
    let bench = try StoreFixture()
    try bench.addFilms("A")
    #expect(
      try bench.store.values(of: bench.film, key: 1) == [
        .text("A"), .null, .null, .null, .null, .integer(0), .null, .null, .null,
      ])
  }

  @Test(
    arguments: [
      ("Film/p12", nil, "Film", 12), ("x-coredata://ABC-1/Film/p1", "ABC-1", "Film", 1),
      ("x-coredata://abc/Ünï/p9223372036854775807", "ABC", "Ünï", .max), ("x-coredata:///Film/p3", "", "Film", 3),
      ("Film/p0", nil, "Film", 0), ("Film/p-9223372036854775808", nil, "Film", .min),
    ] as [(String, String?, String, Int64)])
  func `an identifier is parsed in both forms`(_ text: String, _ uuid: String?, _ name: String, _ key: Int64) {
    #expect(RecordURI(text) == RecordURI(storeUUID: uuid, entityName: name, key: key))
  }

  @Test(arguments: [
    "", "Film", "Film/", "Film/12", "Film/p", "Film/p-0", "Film/p--1", "Film/p+5", "Film/p05", "Film/p1x", "/p1",
    "Film/p1/", "a/Film/p1", "x-coredata://Film/p1", "x-coredata://u/Film/tABC", "Film/p9223372036854775808",
    "Film/p 1", "Film/p١",
  ])
  func `other texts are not identifiers`(_ text: String) {
    #expect(RecordURI(text) == nil)
  }

  @Test func `an identifier is formatted as it is parsed`() {
    let identifier = RecordURI(storeUUID: "ABC", entityName: "Film", key: 12)
    #expect([identifier.short, identifier.uri] == ["Film/p12", "x-coredata://ABC/Film/p12"])
    #expect(RecordURI(identifier.uri) == identifier)
  }
}
