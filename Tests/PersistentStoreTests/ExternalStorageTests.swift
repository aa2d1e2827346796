// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct ExternalStorageTests {
  private let bench: PhotoStore

  init() throws { bench = try PhotoStore() }

  private static let model = ModelDescription(entities: [
    EntityDescription(
      "Photo",
      attributes: [
        AttributeDescription("name", .string, isOptional: true, options: [.unique]),
        AttributeDescription(
          "pixels", .data, isOptional: true, options: [.externalStorage, .preserveValueOnDeletion]),
        AttributeDescription("preview", .data, isOptional: true, options: [.preserveValueOnDeletion]),
      ], relationships: [RelationshipDescription("album", to: "Album", inverse: "photos")]),
    EntityDescription(
      "Album", attributes: [AttributeDescription("name", .string)],
      relationships: [
        RelationshipDescription("photos", to: "Photo", isToMany: true, inverse: "album", deleteRule: .cascade)
      ]),
  ])

  private static let limit = 102_400

  /// A store of photos in albums.
  private final class PhotoStore {
    let directory = TemporaryDirectory()
    let path: String
    private(set) var store: PersistentStore

    init(_ model: ModelDescription = ExternalStorageTests.model) throws {
      path = directory.file("photos.v1.store")
      store = try PersistentStore.create(path, model: model)
    }

    var photo: EntityLayout { store.layout.entity(named: "Photo")! }
    var album: EntityLayout { store.layout.entity(named: "Album")! }

    func reopen() throws { store = try PersistentStore.open(path, access: .readWrite) }

    /// The names of external files, and the number of journals.
    var files: [String] { names("_EXTERNAL_DATA") }
    var journals: Int { names("_FOLLOWSPOT_PENDING").count }
    private func names(_ part: String) -> [String] {
      let path = directory.file(".photos.v1_SUPPORT/\(part)")
      return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func column(_ key: Int64) throws -> [UInt8]? {
      let statement = try store.connection.cursor("SELECT ZPIXELS FROM ZPHOTO WHERE Z_PK = \(key)")
      guard try statement.step(), !statement.isNull(at: 0) else { return nil }
      return Array(statement.bytes(at: 0))
    }

    /// The file name in a column.
    func name(_ key: Int64) throws -> String? {
      try column(key).flatMap { $0.first == 2 ? String(decoding: $0.dropFirst(), as: UTF8.self) : nil }
    }

    func pixels(_ key: Int64) throws -> Value? { try store.values(of: photo, key: key)?[1] }

    @discardableResult
    func add(_ pixels: Value?, name: String? = nil) throws -> Int64 {
      var row: RowIdentifier?
      try store.save { save in row = try save.insert(photo, [name.map { .text($0) }, pixels, nil]) }
      return row!.key
    }

    @discardableResult
    func set(_ key: Int64, _ pixels: Value) throws -> SaveResult {
      try store.save { save in try save.update(photo, key: key, [(1, pixels)]) }
    }
  }

  private static func data(_ count: Int, _ first: UInt8 = 7) -> Value {
    var bytes = [UInt8](repeating: first, count: count)
    for offset in stride(from: 0, to: count, by: 997) { bytes[offset] = UInt8(truncatingIfNeeded: offset / 997) }
    return .blob(bytes)
  }

  // MARK: Rows

  @Test func `data of more than 100 KiB is stored in a file and read back`() throws {
    let sizes = [0, 1, Self.limit, Self.limit + 1, 3_000_000]
    for size in sizes { try bench.add(Self.data(size)) }
    try bench.add(.null)
    for (index, size) in sizes.enumerated() {
      let key = Int64(index + 1)
      #expect(try bench.pixels(key) == Self.data(size))
    }
    let column = try bench.column(3)
    #expect(column?.first == 1 && column?.count == Self.limit + 1)
    let names = [try bench.name(4), try bench.name(5)].compactMap { $0 }
    #expect(names.count == 2 && names.allSatisfy { UUID(uuidString: $0) != nil })
    #expect(bench.files == names.sorted())
    #expect(bench.journals == 0)
    #expect(try bench.pixels(6) == .null)
    #expect(try bench.column(6) == nil)
    let mode = try FileManager.default.attributesOfItem(atPath: bench.path)[.posixPermissions] as? Int
    let file = bench.directory.file(".photos.v1_SUPPORT/_EXTERNAL_DATA/\(names[0])")
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == mode)
    let reader = try PersistentStore.open(bench.path)
    let read = try reader.values(of: bench.photo, key: 5)?[1]
    #expect(read == Self.data(3_000_000))
  }

  @Test func `a file exists as long as its value`() throws {
    try bench.add(Self.data(200_000))
    let first = try #require(try bench.name(1))
    let same = try bench.set(1, Self.data(200_000))
    #expect(same.isEmpty)
    #expect(bench.files == [first])
    try bench.set(1, Self.data(200_000, 8))
    let second = try #require(try bench.name(1))
    #expect(second != first)
    #expect(bench.files == [second])
    try bench.set(1, Self.data(10))
    #expect(bench.files == [])
    #expect(try bench.set(1, Self.data(10)).isEmpty)
    try bench.set(1, Self.data(150_000))
    #expect(bench.files.count == 1)
    try bench.set(1, .null)
    #expect(bench.files == [])
    try bench.set(1, Self.data(150_000))
    try bench.store.save { save in try save.delete(bench.photo, key: 1) }
    #expect(bench.files == [])
    #expect(bench.journals == 0)
  }

  @Test func `a cascade deletes the files of the deleted rows`() throws {
    try bench.store.save { save in
      let album = try save.insert(bench.album, [.text("Summer")])
      for _ in 0..<3 { try save.insert(bench.photo, [nil, Self.data(150_000), nil], related: [0: [album]]) }
      try save.insert(bench.photo, [nil, Self.data(150_000), nil])
    }
    #expect(bench.files.count == 4)
    try bench.store.save { save in try save.delete(bench.album, key: 1) }
    #expect(bench.files == [try bench.name(4)])
  }

  @Test func `changes that a save undoes leave no file`() throws {
    struct Stop: Error {}
    let bench = try PhotoStore()
    try bench.add(Self.data(200_000), name: "old")
    let old = bench.files
    #expect(throws: Stop.self) {
      try bench.store.save { save in
        try save.insert(bench.photo, [nil, Self.data(200_000), nil])
        try save.update(bench.photo, key: 1, [(1, Self.data(200_000, 9))])
        try save.delete(bench.photo, key: 1)
        throw Stop()
      }
    }
    #expect(bench.files == old)
    #expect(try bench.pixels(1) == Self.data(200_000))
    // Rejected parts of a save that continues, objects that are inserted and deleted, a value that is replaced twice.
    try bench.store.save { save in
      let refused = try storeErrorCode { try save.insert(bench.photo, [.text("old"), Self.data(200_000), nil]) }
      #expect(refused == .duplicate)
      let row = try save.insert(bench.photo, [.text("new"), Self.data(200_000), nil])
      let renamed = try storeErrorCode {
        try save.update(bench.photo, key: row.key, [(1, Self.data(300_000)), (0, .text("old"))])
      }
      #expect(renamed == .duplicate)
      try save.update(bench.photo, key: row.key, [(1, Self.data(200_001))])
      try save.update(bench.photo, key: row.key, [(1, Self.data(200_002))])
      let short = try save.insert(bench.photo, [nil, Self.data(200_000), nil])
      try save.delete(bench.photo, key: short.key)
    }
    #expect(bench.files == [old[0], try #require(try bench.name(2))].sorted())
    #expect(try bench.pixels(2) == Self.data(200_002))
    // The save has no effect, so it has no transaction either.
    try bench.store.save { save in
      let row = try save.insert(bench.photo, [nil, Self.data(200_000), nil])
      try save.delete(bench.photo, key: row.key)
    }
    #expect(bench.files.count == 2)
    #expect(bench.journals == 0)
  }

  @Test func `the history contains no values of external storage`() throws {
    try bench.store.save { save in try save.insert(bench.photo, [nil, Self.data(5), .blob([1, 2])]) }
    try bench.store.save { save in try save.delete(bench.photo, key: 1) }
    let tombstones = try StoreFixture.rows(bench.store.connection, "SELECT ZTOMBSTONE0 FROM ACHANGE")
    #expect(tombstones == ["NULL", "x'0102'"])
    #expect(bench.store.layout.tombstoneColumns == 1)
  }

  @Test func `an in-memory store keeps all values in its rows`() throws {
    let store = try PersistentStore.createInMemory(model: Self.model)
    let photo = try #require(store.layout.entity(named: "Photo"))
    try store.save { save in try save.insert(photo, [nil, Self.data(200_000), nil]) }
    let (marked, read) = (
      try StoreFixture.rows(store.connection, "SELECT length(ZPIXELS), hex(substr(ZPIXELS, 1, 1)) FROM ZPHOTO"),
      try store.values(of: photo, key: 1)?[1]
    )
    #expect(marked == ["200001|01"])
    #expect(read == Self.data(200_000))
  }

  @Test func `a missing file is an error, and an invalid file name is never opened`() throws {
    try bench.add(Self.data(200_000))
    try bench.add(.null)
    let file = bench.directory.file(".photos.v1_SUPPORT/_EXTERNAL_DATA/\(bench.files[0])")
    try FileManager.default.removeItem(atPath: file)
    let gone = try storeErrorText { _ = try bench.pixels(1) }
    #expect(gone == "the value in \(file) cannot be read")
    let name = "../../../../../../../../../../etc/passwd"
    try bench.store.connection.execute("UPDATE ZPHOTO SET ZPIXELS = x'02' || '\(name)' WHERE Z_PK = 2")
    _ = try bench.pixels(2)
    try bench.store.connection.execute("UPDATE ZPHOTO SET ZPIXELS = CAST(x'02' || '\(name)' AS BLOB) WHERE Z_PK = 2")
    #expect(try bench.pixels(2) == .blob([2] + Array(name.utf8)))
  }

  @Test(arguments: [false, true])
  func `external storage is refused for properties of constraints and indexes`(isListed: Bool) {
    var model = Self.model
    if isListed {
      model.entities[0].indexes = [["name", "pixels"]]
    } else {
      model.entities[0].attributes[0].options.append(.externalStorage)
    }
    let error = #expect(throws: StoreError.self) { try model.validate() }
    #expect(
      error?.message
        == (isListed
          ? "Photo: an index names pixels, which is stored externally"
          : "Photo.name: external storage is for data that need not be unique"))
  }

  // MARK: Interruptions

  /// Performs the steps of a save up to its commit, and stops there.
  private func interrupt(_ bench: PhotoStore, isCommitted: Bool) throws {
    let connection = bench.store.connection
    try connection.beginWrite()
    let save = Save(store: bench.store)
    try save.update(bench.photo, key: 1, [(1, Self.data(200_000, 77))])
    try save.insert(bench.photo, [nil, Self.data(200_000, 78), nil])
    try save.external?.prepare()
    if isCommitted { try connection.commit() } else { connection.rollback() }
    save.external?.keepAll()
  }

  @Test(arguments: [false, true])
  func `the next opening cleans up after an interrupted save`(isCommitted: Bool) throws {
    try bench.add(Self.data(200_000))
    try interrupt(bench, isCommitted: isCommitted)
    #expect(bench.files.count == 3)
    #expect(bench.journals == 1)
    _ = try PersistentStore.open(bench.path)
    #expect(bench.files.count == 3)
    try bench.reopen()
    let names = [try bench.name(1), isCommitted ? try bench.name(2) : nil].compactMap { $0 }
    #expect(bench.files == names.sorted())
    #expect(bench.files.count == (isCommitted ? 2 : 1))
    #expect(bench.journals == 0)
    #expect(try bench.pixels(1) == Self.data(200_000, isCommitted ? 77 : 7))
  }

  @Test func `an opening during an open save neither waits nor cleans up`() throws {
    try bench.add(Self.data(200_000))
    try interrupt(bench, isCommitted: false)
    try bench.store.save { save in
      try save.insert(bench.photo, [nil, Self.data(200_000, 79), nil])
      _ = try PersistentStore.open(bench.path, access: .readWrite, busyMilliseconds: 600_000)
      #expect(bench.files.count == 4)
      #expect(bench.journals == 2)
    }
    #expect(try bench.pixels(2) == Self.data(200_000, 79))
    try bench.reopen()
    #expect(bench.files.count == 2)
  }

  @Test func `an incomplete journal line is ignored, and another store's journals stay`() throws {
    try bench.add(Self.data(200_000))
    let pending = bench.directory.file(".photos.v1_SUPPORT/_FOLLOWSPOT_PENDING")
    let used = bench.files[0]
    for (name, text) in [
      (bench.store.uuid + ".1", "\(used)\n../../photos.v1.store\nABC"), (UUID().uuidString + ".1", "\(used)\n"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: pending + "/" + name))
    }
    try bench.reopen()
    #expect(bench.files == [used])
    #expect(bench.journals == 1)
    #expect(try bench.pixels(1) == Self.data(200_000))
  }

  // MARK: Location of the store

  @Test func `removing a store removes its files and no others`() throws {
    let sibling = try PersistentStore.create(bench.directory.file("photos.v1.sqlite"), model: Self.model)
    try bench.add(Self.data(200_000))
    try sibling.save { save in try save.insert(bench.photo, [nil, Self.data(200_000, 3), nil]) }
    #expect(bench.files.count == 2)
    PersistentStore.remove(bench.path)
    #expect(bench.files.count == 1)
    let kept = try sibling.values(of: bench.photo, key: 1)?[1]
    #expect(kept == Self.data(200_000, 3))
    PersistentStore.remove(sibling.path)
    let left = try fileNames(in: bench.directory)
    #expect(left == [])
  }

  @Test func `a store that is opened by a symbolic link keeps its files beside the real file`() throws {
    let other = TemporaryDirectory()
    let link = other.file("link.store")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.path)
    let linked = try PersistentStore.open(link, access: .readWrite)
    try linked.save { save in try save.insert(bench.photo, [nil, Self.data(200_000), nil]) }
    #expect(bench.files.count == 1)
    let names = try fileNames(in: other)
    #expect(!names.contains { $0.hasSuffix("_SUPPORT") })
    #expect(try bench.pixels(1) == Self.data(200_000))
  }

  // MARK: Migration

  private func migrate(_ bench: PhotoStore, isDryRun: Bool = false, _ edit: (inout ModelDescription) -> Void) throws {
    var model = bench.store.model
    edit(&model)
    _ = try bench.store.migrate(to: model, isDryRun: isDryRun)
    if !isDryRun { try bench.reopen() }
  }

  @Test func `a migration keeps files, and converts values when external storage is turned on or off`() throws {
    for size in [200_000, 10, 0] { try bench.add(Self.data(size)) }
    try bench.add(.null)
    func expect(_ count: Int, _ comment: Comment) throws {
      let found = try (1...4).map { try bench.pixels($0) }
      #expect(found == [Self.data(200_000), Self.data(10), Self.data(0), .null], comment)
      #expect(bench.files.count == count, comment)
      #expect(bench.journals == 0, comment)
    }
    let name = try bench.name(1)
    try migrate(bench) { model in
      model.entities[0].attributes[1].name = "raw"
      model.entities[0].attributes[1].originalName = "pixels"
      model.entities[1].attributes.append(AttributeDescription("year", .integer64, isOptional: true))
    }
    try migrate(bench) {
      $0.entities[0].attributes[1].name = "pixels"
      $0.entities[0].attributes[1].originalName = "raw"
    }
    #expect(try bench.name(1) == name)
    try expect(1, "renamed there and back")
    try migrate(bench, isDryRun: true) { $0.entities[0].attributes[1].options = [] }
    try expect(1, "a dry run")
    try migrate(bench) { $0.entities[0].attributes[1].options = [] }
    try expect(0, "taken in")
    try migrate(bench) { $0.entities[0].attributes[1].options = [.externalStorage] }
    try expect(0, "marked")
    let marks = try (1...4).map { try bench.column($0)?.first }
    #expect(marks == [1, 1, 1, nil])
    try bench.set(1, Self.data(200_001))
    #expect(bench.files.count == 1)
    try bench.set(1, Self.data(200_000))
    try migrate(bench) {
      $0.entities[0].attributes[1].isOptional = false
      $0.entities[0].attributes[1].defaultValue = .blob([1, 2, 3])
    }
    #expect(try bench.pixels(4) == .blob([1, 2, 3]))
    try migrate(bench) { $0.entities[0].attributes.remove(at: 1) }
    #expect(bench.files == [])
  }

  @Test func `removing an entity removes its files`() throws {
    try bench.add(Self.data(200_000))
    try migrate(bench) { model in
      model.entities.remove(at: 0)
      model.entities[0].relationships = []
    }
    #expect(bench.files == [])
    #expect(bench.journals == 0)
  }
}
