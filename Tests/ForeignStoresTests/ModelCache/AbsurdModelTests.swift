// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Model caches that no program writes: deeply nested, cyclic, or large after inflating.
@Suite(.overlapping, .temporaryDirectory)
struct AbsurdModelTests {
  private let directory = TemporaryDirectory()

  /// Builds a property list of objects that refer to each other by index, with 4-byte references.
  private struct Builder {
    private(set) var objects: [[UInt8]] = []

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + number(count, 4)
    }

    mutating func add(_ object: [UInt8]) -> Int {
      objects.append(object)
      return objects.count - 1
    }

    mutating func text(_ text: String) -> Int { add(Self.head(5, text.utf8.count) + Array(text.utf8)) }
    mutating func integer(_ value: Int) -> Int { add([0x12] + Self.number(value, 4)) }
    mutating func uid(_ value: Int) -> Int { add([0x83] + Self.number(value, 4)) }
    mutating func array(_ items: [Int]) -> Int {
      add(Self.head(0xA, items.count) + items.flatMap { Self.number($0, 4) })
    }
    mutating func dictionary(_ fields: [(key: Int, value: Int)]) -> Int {
      add(
        Self.head(0xD, fields.count)
          + (fields.map(\.key) + fields.map(\.value)).flatMap { Self.number($0, 4) })
    }

    func bytes(top: Int) -> [UInt8] {
      var bytes = BinaryPropertyList.header
      var offsets: [UInt8] = []
      for object in objects {
        offsets += Self.number(bytes.count, 4)
        bytes += object
      }
      let table = bytes.count
      bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 4]
      for value in [objects.count, top, table] { bytes += Self.number(value, 8) }
      return bytes
    }
  }

  /// An archive of dictionaries of UIDs: a null, the root, and the entities with their names.
  private static func archive(_ entities: Int, superentity: (Int) -> Int?) -> [UInt8] {
    var builder = Builder()
    let names = ["$top", "$objects", "root", "NSEntities", "NS.keys", "NS.objects", "NSEntityName", "NSSuperentity"]
      .map { builder.text($0) }
    // UIDs: 0 null, 1 root, 2 the dictionary of entities, then a name and an entity for each.
    func nameUID(_ entity: Int) -> Int { 3 + 2 * entity }
    var table = [builder.text("$null")]
    table.append(builder.dictionary([(names[3], builder.uid(2))]))
    let keys = builder.array((0..<entities).map { builder.uid(nameUID($0)) })
    let values = builder.array((0..<entities).map { builder.uid(nameUID($0) + 1) })
    table.append(builder.dictionary([(names[4], keys), (names[5], values)]))
    for entity in 0..<entities {
      table.append(builder.text("E\(entity)"))
      var fields = [(key: names[6], value: builder.uid(nameUID(entity)))]
      if let parent = superentity(entity) { fields.append((names[7], builder.uid(nameUID(parent) + 1))) }
      table.append(builder.dictionary(fields))
    }
    let objects = builder.array(table)
    let top = builder.dictionary([(names[2], builder.uid(1))])
    let whole = builder.dictionary([(names[0], top), (names[1], objects)])
    return builder.bytes(top: whole)
  }

  private static func nested(_ depth: Int) -> [UInt8] {
    var builder = Builder()
    var inner = builder.text("deep")
    for _ in 0..<depth { inner = builder.array([inner]) }
    return builder.bytes(top: inner)
  }

  @Test func `entities that inherit in a cycle or in a long chain are read in a bounded time`() throws {
    let circle = try ArchivedModel(archive: Self.archive(3) { ($0 + 1) % 3 }).model
    #expect(circle.entities.map(\.name).sorted() == ["E0", "E1", "E2"])
    let line = try ArchivedModel(archive: Self.archive(2_000) { $0 == 0 ? nil : $0 - 1 }).model
    #expect(line.entities.count == 2_000)
  }

  @Test func `a store whose entities inherit in a cycle opens with a model from its columns, and reports it`() throws {
    let path = try makeStore(of: Self.archive(3) { ($0 + 1) % 3 })
    let store = try StoreFile.open(path)
    #expect(store.layout.entities.map(\.entity.name) == ["E0"])
    #expect(store.remarks.contains { $0.contains("E") }, "\(store.remarks)")
  }

  @Test func `a store with a chain of 300 subentities opens`() throws {
    let path = try makeStore(of: Self.archive(300) { $0 == 0 ? nil : $0 - 1 }, entities: 300)
    let store = try StoreFile.open(path)
    #expect(store.layout.entities.count == 300)
  }

  @Test func `nested arrays are read with a bounded recursion`() {
    let json = Self.nested(100_000).withUnsafeBytes { DecodedValue.json($0) }
    #expect(json == nil)
    let shallow = Self.nested(20).withUnsafeBytes { DecodedValue.json($0) }
    #expect(shallow.map { String(decoding: $0, as: UTF8.self) } == "[\"deep\"]")
  }

  @Test func `a cache that inflates to 200 MB is refused`() throws {
    let packed = directory.file("zeros.gz")
    let made = try Shell(in: directory).run(
      ["-c", "head -c 200000000 /dev/zero | gzip -9 > zeros.gz"], program: "/bin/sh")
    #expect(made.code == 0, "\(made)")
    // Without gzip's header and trailer it is raw DEFLATE.
    let bomb = Array(try #require(FileManager.default.contents(atPath: packed)).dropFirst(10).dropLast(8))
    #expect(bomb.count < 300_000)
    let path = try makeStore(content: bomb)
    let store = try StoreFile.open(path)
    #expect(store.remarks.contains { $0.contains("the inflated data exceed 32 MiB") }, "\(store.remarks)")
    #expect(store.layout.entities.map(\.entity.name) == ["E0"])
  }

  private func makeStore(of archive: [UInt8], entities: Int = 1) throws -> String {
    // Stored blocks: DEFLATE without compression.
    var content: [UInt8] = []
    var rest = archive[...]
    while !rest.isEmpty {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(65_535)
      let count = UInt16(block.count)
      content += [rest.isEmpty ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
      content += block
    }
    return try makeStore(content: content, entities: entities)
  }

  /// A store without history, as Apple's software creates it, except for its model.
  private func makeStore(content: [UInt8], entities: Int = 1) throws -> String {
    let directory = TemporaryDirectory()
    let path = directory.file("absurd.sqlite")
    let writer = try Connection(path: path, access: .create)
    try writer.execute(
      """
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      CREATE TABLE ZE0 (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      """)
    for entity in 0..<entities {
      try writer.execute("INSERT INTO Z_PRIMARYKEY VALUES (\(entity + 1), 'E\(entity)', \(entity), 0)")
    }
    let metadata = try writer.cursor("INSERT INTO Z_METADATA VALUES (1, '3F2504E0-4F89-41D3-9A0C-0305E82C3301', ?1)")
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["NSStoreModelVersionIdentifiers": [""]], format: .binary, options: 0)
    try metadata.bind(.blob(Array(list)), at: 1)
    try metadata.run()
    let cache = try writer.cursor("INSERT INTO Z_MODELCACHE VALUES (?1)")
    try cache.bind(.blob(content), at: 1)
    try cache.run()
    return path
  }
}
