// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct StoreLayoutTests {
  private let directory = TemporaryDirectory()

  @Test func `a new store has exactly Core Data's tables and indexes`() throws {
    let bench = try StoreFixture()
    #expect(
      try bench.rows("SELECT sql FROM sqlite_master ORDER BY rowid") == [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        """
        CREATE TABLE "ZACTOR" ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "ZNAME" VARCHAR )
        """,
        """
        CREATE TABLE "ZFILM" ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "ZISFAVORITE" INTEGER, \
        "ZSEEN" INTEGER, "ZYEAR" INTEGER, "ZRATING" FLOAT, "ZRELEASED" TIMESTAMP, "ZCODE" VARCHAR, \
        "ZTITLE" VARCHAR, "ZPOSTER" BLOB, "ZTAGS" BLOB )
        """,
        """
        CREATE UNIQUE INDEX "Z_Film_UNIQUE_code" ON "ZFILM" ("ZCODE" COLLATE BINARY ASC)
        """,
        """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, \
        ZTOMBSTONE1 BLOB, ZTOMBSTONE2 BLOB )
        """,
        """
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
        ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
        ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
        """,
        """
        CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )
        """,
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
      ])
  }

  @Test func `entities are numbered by name, and those of the history from 16001`() throws {
    let bench = try StoreFixture()
    #expect(
      try bench.rows("SELECT * FROM Z_PRIMARYKEY ORDER BY Z_ENT") == [
        "1|Actor|0|0", "2|Film|0|0", "16001|CHANGE|0|0", "16002|TRANSACTION|0|0", "16003|TRANSACTIONSTRING|0|0",
      ])
  }

  @Test func `a new store has Core Data's file settings and no files beside it`() throws {
    let path = directory.file("films.store")
    do { _ = try PersistentStore.create(path, model: StoreFixture.model) }
    #expect(try fileNames(in: directory) == ["films.store"])
    let connection = try Connection(path: path, access: .readWrite)
    let settings = try ["page_size", "auto_vacuum", "journal_mode", "encoding"].flatMap {
      try StoreFixture.rows(connection, "PRAGMA \($0)")
    }
    #expect(settings == ["4096", "2", "wal", "UTF-8"])
    #expect(try StoreFixture.rows(connection, "PRAGMA integrity_check") == ["ok"])
  }

  @Test func `the metadata is one row with Core Data's keys and the model`() throws {
    let bench = try StoreFixture()
    #expect(try bench.rows("SELECT Z_VERSION, Z_UUID FROM Z_METADATA") == ["1|\(bench.store.uuid)"])
    #expect(bench.store.uuid == UUID(uuidString: bench.store.uuid)?.uuidString)
    let statement = try bench.outside.statement("SELECT Z_PLIST FROM Z_METADATA")
    defer { statement.reset() }
    #expect(try statement.step())
    let data = Data(statement.bytes(at: 0))
    #expect(data.prefix(8) == Data("bplist00".utf8))
    let list = try #require(
      try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any])
    #expect(
      list.keys.sorted() == [
        "FollowspotModel", "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion",
        "NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest", "NSStoreModelVersionHashesVersion",
        "NSStoreModelVersionIdentifiers", "NSStoreType", "_NSAutoVacuumLevel",
      ])
    #expect(list["NSStoreType"] as? String == "SQLite")
    #expect(list["_NSAutoVacuumLevel"] as? String == "2")
    #expect(list["NSStoreModelVersionHashesVersion"] as? Int == 3)
    let hashes = try #require(list["NSStoreModelVersionHashes"] as? [String: Data])
    #expect(hashes.mapValues(\.count) == ["Actor": 32, "Film": 32])
    let model = try #require(list["FollowspotModel"] as? Data)
    #expect(try JSONDecoder().decode(ModelDescription.self, from: model) == StoreFixture.model)
  }

  @Test func `two stores of one model have the same digest and different identities`() throws {
    let one = try StoreFixture()
    let other = try StoreFixture()
    #expect(one.store.modelDigest == other.store.modelDigest)
    #expect(one.store.uuid != other.store.uuid)
  }

  @Test func `an opened store has the model that it was created with`() throws {
    let bench = try StoreFixture()
    let opened = try PersistentStore.open(bench.path)
    #expect(opened.model == StoreFixture.model)
    #expect(opened.uuid == bench.store.uuid)
    #expect(opened.modelDigest == bench.store.modelDigest)
    #expect(opened.layout.entity(named: "Film")?.number == 2)
    #expect(opened.layout.entity(number: 1)?.entity.name == "Actor")
    #expect(opened.layout.entity(number: 0) == nil && opened.layout.entity(number: 3) == nil)
  }

  // MARK: Names

  private static func entity(_ names: [String], options: [AttributeDescription.Option] = []) -> EntityDescription {
    EntityDescription("Thing", attributes: names.map { AttributeDescription($0, .string, options: options) })
  }

  @Test(arguments: [
    (["title"], ["ZTITLE"]),
    (["name", "Name", "NAME"], ["ZNAME2", "ZNAME1", "ZNAME"]),
    (["name1", "name", "Name"], ["ZNAME11", "ZNAME1", "ZNAME"]),
    (["_pk", "_ent", "_opt"], ["Z_PK1", "Z_ENT1", "Z_OPT1"]),
    (["straße", "strasse"], ["ZSTRASSE1", "ZSTRASSE"]),
    (["été", "ÉTÉ"], ["ZÉTÉ1", "ZÉTÉ"]),
    (["a b", "select"], ["ZA B", "ZSELECT"]),
  ])
  func `a column is Z and the name in capitals, with a number if names are equal`(
    _ names: [String], _ expected: [String]
  ) throws {
    #expect(StoreLayout(model: ModelDescription(entities: [Self.entity(names)])).entities[0].columnNames == expected)
    let bench = try StoreFixture(ModelDescription(entities: [Self.entity(names)]))
    let columns = try bench.rows("SELECT name FROM pragma_table_info('ZTHING') ORDER BY cid").dropFirst(3)
    #expect(columns.sorted() == expected.sorted())
  }

  @Test(arguments: [
    "\"; DROP TABLE ZTHING; --", "\"", "it's", "select", "from", "rowid", "a.b", "[x]", "日本", "👩‍👩‍👧", "?1", " ",
    "\"\u{301}) ; DROP TABLE ZTHING; --\"\u{301}", "x\u{200d}\"", "%s", "a\\b", "/*", "ﬁ",
    String(repeating: "n", count: 200),
  ])
  func `an attribute may have a hostile name`(_ name: String) throws {
    let model = ModelDescription(entities: [
      Self.entity([name, "other"], options: [.unique, .preserveValueOnDeletion])
    ])
    let bench = try StoreFixture(model)
    let thing = bench.store.layout.entities[0]
    try bench.store.save { try $0.insert(thing, [.text("a"), .text("b")]) }
    try bench.store.save { try $0.update(thing, key: 1, [(0, .text("c"))]) }
    let reopened = try PersistentStore.open(bench.path)
    #expect(Array((reopened.model.entities[0].attributes[0].name).utf8) == Array(name.utf8))
    #expect(try reopened.values(of: thing, key: 1) == [.text("c"), .text("b")])
    #expect(try reopened.row(of: thing, where: 0, equals: .text("c"))?.key == 1)
    try bench.store.save { try $0.delete(thing, key: 1) }
    let kinds = try bench.rows("SELECT ZCHANGETYPE FROM ACHANGE ORDER BY Z_PK")
    #expect(kinds == ["0", "1", "2"])
    let tombstone = try bench.rows("SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2")
    #expect(tombstone == [name < "other" ? "c|b" : "b|c"])
  }

  @Test func `unique attributes whose names differ only in case have an index each`() throws {
    let model = ModelDescription(entities: [Self.entity(["code", "Code"], options: [.unique])])
    let bench = try StoreFixture(model)
    #expect(try bench.rows("SELECT COUNT(*) FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE%ZTHING%'") == ["2"])
  }

  @Test(arguments: ["TransactionString", "Change", "Transaction", "Metadata", "PrimaryKey", "Order", "Ünïcode", "A1_b"])
  func `an entity may have the name of one of the layout's own tables`(_ name: String) throws {
    let entity = EntityDescription(name, attributes: [AttributeDescription("name", .string, options: [.unique])])
    let bench = try StoreFixture(ModelDescription(entities: [entity]))
    let layout = bench.store.layout.entities[0]
    try bench.store.save(author: "x") { try $0.insert(layout, [.text("a")]) }
    #expect(try bench.store.count(of: layout) == 1)
    #expect(try bench.history() == ["1 x: insert \(name) 1"])
  }

  @Test(
    arguments: [
      ([], "the model has no entity"),
      (
        [EntityDescription("1st", attributes: [])],
        "'1st' cannot be an entity's name: letters, digits and _, beginning with a letter, 100 bytes at most"
      ),
      (
        [EntityDescription("", attributes: [])],
        "'' cannot be an entity's name: letters, digits and _, beginning with a letter, 100 bytes at most"
      ),
      (
        [EntityDescription("A/p1", attributes: [])],
        "'A/p1' cannot be an entity's name: letters, digits and _, beginning with a letter, 100 bytes at most"
      ),
      (
        [EntityDescription("A\" (x); --", attributes: [])],
        "'A\" (x); --' cannot be an entity's name: letters, digits and _, beginning with a letter, 100 bytes at most"
      ),
      (
        [EntityDescription("Film", attributes: []), EntityDescription("FILM", attributes: [])],
        "entities Film and FILM would share one table"
      ),
      ([entity(["a", "b", "a"])], "Thing has two attributes named a"),
      (
        [entity([""])],
        "Thing has a property whose name is empty, longer than 200 bytes or holds control characters"
      ),
      (
        [entity(["a\0b"])],
        "Thing has a property whose name is empty, longer than 200 bytes or holds control characters"
      ),
      (
        [entity(["a\nb"])],
        "Thing has a property whose name is empty, longer than 200 bytes or holds control characters"
      ),
      (
        [entity([String(repeating: "n", count: 201)])],
        "Thing has a property whose name is empty, longer than 200 bytes or holds control characters"
      ),
      (
        [entity((0...1_900).map { "a\($0)" })],
        "Thing has 1901 attributes; a table holds 1900 at most"
      ),
      (
        [EntityDescription("Thing", attributes: [AttributeDescription("a", .boolean, defaultValue: .integer(2))])],
        "the default of Thing.a is not of type boolean"
      ),
      (
        [EntityDescription("Thing", attributes: [AttributeDescription("a", .double, defaultValue: .real(.nan))])],
        "the default of Thing.a is not of type double"
      ),
    ] as [([EntityDescription], String)])
  func `an invalid model is refused with the location of the fault`(
    _ entities: [EntityDescription], _ message: String
  ) throws {
    let path = directory.file("films.store")
    let error = #expect(throws: StoreError.self) {
      _ = try PersistentStore.create(path, model: ModelDescription(entities: entities))
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.description == message)
    #expect(try fileNames(in: directory) == [])
  }

  @Test func `a table of 1900 attributes is created and written`() throws {
    let entity = Self.entity((0..<1_900).map { "a\($0)" }, options: [.preserveValueOnDeletion])
    let bench = try StoreFixture(ModelDescription(entities: [entity]))
    let layout = bench.store.layout.entities[0]
    let values = (0..<1_900).map { Value.text("v\($0)") }
    try bench.store.save { try $0.insert(layout, values) }
    #expect(try bench.store.values(of: layout, key: 1) == values)
    try bench.store.save { try $0.delete(layout, key: 1) }
    var tombstone: [Value] = []
    try bench.store.transactions(after: 1) { tombstone = $0.changes[0].tombstone }
    #expect(tombstone == layout.tombstoneOrder.map { values[$0] })
  }

  // MARK: Bitmap

  @Test(
    arguments: [
      ([], [0, 0]), (["code"], [0x80, 0]), (["title"], [0x01, 0]), (["year"], [0, 0x80]),
      (["code", "isFavorite", "poster", "rating", "released", "seen", "tags", "title", "year"], [0xff, 0x80]),
    ] as [([String], [UInt8])])
  func `bit 0 is 0x80 of byte 0, and bits are ordered by name`(_ names: [String], _ bitmap: [UInt8]) throws {
    let film = try #require(StoreLayout(model: StoreFixture.model).entity(named: "Film"))
    let attributes = Set(names.compactMap(film.entity.index).map(EntityLayout.Property.attribute))
    #expect(film.bitmap(of: attributes) == bitmap)
    #expect(film.names(of: bitmap) == names)
  }

  @Test(arguments: [[], [0], [0, 0, 0], [0, 0x40], [0xff, 0x81]] as [[UInt8]])
  func `a bitmap of another length or with bits beyond the end is not read`(_ bitmap: [UInt8]) throws {
    let film = try #require(StoreLayout(model: StoreFixture.model).entity(named: "Film"))
    #expect(film.names(of: bitmap) == nil)
  }

  // MARK: Creating

  @Test func `an existing file is not overwritten`() throws {
    let path = try directory.write("precious", to: "films.store")
    let code = try storeErrorCode { _ = try PersistentStore.create(path, model: StoreFixture.model) }
    #expect(code == .notWritable)
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(kept == "precious")
    #expect(try fileNames(in: directory) == ["films.store"])
  }

  @Test func `a store cannot be created without its directory`() throws {
    let path = directory.file("none/films.store")
    let code = try storeErrorCode { _ = try PersistentStore.create(path, model: StoreFixture.model) }
    #expect(code == .notWritable)
  }
}
