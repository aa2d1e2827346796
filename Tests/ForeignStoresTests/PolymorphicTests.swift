// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Columns that hold keys of several tables, and others that say of which.
@Suite(.overlapping, .temporaryDirectory)
struct PolymorphicTests {
  private static let schema = """
    CREATE TABLE photos (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE albums (id INTEGER PRIMARY KEY, title TEXT);
    INSERT INTO photos VALUES (1, 'Harbour'), (2, 'Marsh'), (3, 'Mill');
    INSERT INTO albums VALUES (1, 'Summer'), (2, 'Winter');
    """

  private func fixture(_ sql: String) throws -> String {
    let path = TemporaryDirectory().file("any.sqlite")
    try Connection(path: path, access: .create).execute(Self.schema + sql)
    return path
  }

  private func relations(_ path: String, _ readings: ReadingChoice = .surveyed(given: [:])) throws -> [String] {
    let database = try #require(Database.of(try StoreFile.open(path, readings: readings)))
    return database.relations.map { entity, name, relation in
      "\(entity).\(relation.columnList) -> \(relation.target) as \(name)"
    }.sorted()
  }

  @Test(arguments: [
    // Rails, with namespaces and plurals; a type that is no table, and a row without any.
    (
      "CREATE TABLE c (id INTEGER PRIMARY KEY, item_type TEXT, item_id INTEGER, body TEXT);"
        + "INSERT INTO c VALUES (1, 'Photo', 2, 'a'), (2, 'Gallery::Album', 2, 'b'), (3, 'Video', 9, 'c'), (4, NULL, NULL, 'd')",
      ["c.item_type=Gallery::Album,item_id -> albums as album", "c.item_type=Photo,item_id -> photos as photo"]
    ),
    // Django.
    (
      "CREATE TABLE content_type (id INTEGER PRIMARY KEY, app TEXT, model TEXT);"
        + "INSERT INTO content_type VALUES (7, '', 'photo'), (8, 'auth', 'album'), (9, 'auth', 'user');"
        + "CREATE TABLE c (id INTEGER PRIMARY KEY, content_type_id INTEGER REFERENCES content_type (id), object_id TEXT);"
        + "INSERT INTO c VALUES (1, 7, '3'), (2, 9, '1')",
      ["c.content_type_id -> content_type as content_type", "c.content_type_id=7,object_id -> photos as photo"]
    ),
    // Two pairs in one table.
    (
      "CREATE TABLE ref (obj_handle INTEGER, obj_class TEXT, ref_handle INTEGER, ref_class TEXT);"
        + "INSERT INTO ref VALUES (1, 'Photo', 2, 'Album'), (2, 'Photo', 1, 'Photo')",
      [
        "ref.obj_class=Photo,obj_handle -> photos as photo", "ref.ref_class=Album,ref_handle -> albums as album",
        "ref.ref_class=Photo,ref_handle -> photos as photo2",
      ]
    ),
    (
      "CREATE TABLE t (_class TEXT, _itemid TEXT); INSERT INTO t VALUES ('photo', '1')",
      ["t._class=photo,_itemid -> photos as photo"]
    ),
    // The keys are not those of the table, or no value names one.
    ("CREATE TABLE c (item_type TEXT, item_id INTEGER); INSERT INTO c VALUES ('Photo', 20), ('Photo', 21)", []),
    ("CREATE TABLE c (item_type TEXT, item_id INTEGER); INSERT INTO c VALUES ('plain', 1), ('rich', 2)", []),
    // A table without rows, other spellings of a name, and a type that is its own table.
    ("CREATE TABLE c (item_type TEXT, item_id INTEGER)", []),
    (
      "CREATE TABLE c (id INTEGER PRIMARY KEY, Item_Type TEXT, ITEM_ID INTEGER);"
        + "INSERT INTO c VALUES (1, 'PHOTO', 1), (2, 'photos', 2), (3, 'c', 1)",
      ["c.Item_Type=PHOTO,ITEM_ID -> photos as photo", "c.Item_Type=photos,ITEM_ID -> photos as ITEM"]
    ),
    // Rows without a type, and texts as keys.
    (
      "CREATE TABLE c (id INTEGER PRIMARY KEY, item_type TEXT, item_id TEXT);"
        + "INSERT INTO c VALUES (1, 'Photo', '1'), (2, 'Photo', '3'), (3, NULL, '999')",
      ["c.item_type=Photo,item_id -> photos as photo"]
    ),
    // Kinds of goods: most of them are no tables.
    (
      "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items VALUES (1, 'a'), (2, 'b'), (3, 'c');"
        + "CREATE TABLE c (item_type TEXT, item_id INTEGER);"
        + "INSERT INTO c VALUES ('photo', 1), ('toy', 2), ('toy', 3), ('lamp', 1)",
      ["c.item_id -> items as item"]
    ),
    // Another column's type.
    ("CREATE TABLE c (file_type TEXT, item_id INTEGER); INSERT INTO c VALUES ('Photo', 1)", []),
  ])
  func `a column with names of tables says which one another column refers to`(_ sql: String, _ wanted: [String]) throws
  {
    let path = try fixture(sql)
    for readings in [ReadingChoice.sampled, .surveyed(given: [:])] { #expect(try relations(path, readings) == wanted) }
  }

  @Test func `objects are related as SQL joins them, in both directions`() throws {
    let path = try fixture(
      "CREATE TABLE c (id INTEGER PRIMARY KEY, item_type TEXT, item_id INTEGER, body TEXT);"
        + "INSERT INTO c VALUES (1, 'Photo', 2, 'a'), (2, 'Album', 2, 'b'), (3, 'Photo', 2, 'c'), (4, 'Photo', 1, 'd')")
    let store = try StoreFile.open(path, readings: .surveyed(given: [:]))
    let comments = try #require(store.layout.entity(named: "c"))
    for (name, type, table) in [("photo", "Photo", "photos"), ("album", "Album", "albums")] {
      let target = try #require(store.layout.entity(named: table))
      let there = try #require(RelationshipPath([name], from: comments, in: store.layout))
      let back = try #require(RelationshipPath(["c"], from: target, in: store.layout))
      var found: [[Int64]] = []
      for key in Int64(1)...4 {
        try store.eachRelated(along: there, from: key, attributes: []) { way in
          if let object = way.object(0) { found.append([key, object.key]) }
        }
      }
      var reverse: [[Int64]] = []
      for key in Int64(1)...3 {
        try store.eachRelated(along: back, from: key, attributes: []) { way in
          if let object = way.object(0) { reverse.append([object.key, key]) }
        }
      }
      let connection = try Connection(path: path, access: .readOnly)
      let wanted = try connection.mapRows(
        "SELECT c.id, r.id FROM c JOIN \(table) r ON r.id = c.item_id WHERE item_type = '\(type)' ORDER BY 1"
      ) { [$0.integer(at: 0), $0.integer(at: 1)] }
      #expect(!wanted.isEmpty && found == wanted)
      #expect(reverse.sorted { $0[0] < $1[0] } == wanted)
    }
  }

  @Test func `a definition adds a type, takes one away, or gives the column one table`() throws {
    let path = try fixture(
      "CREATE TABLE c (id INTEGER PRIMARY KEY, item_type TEXT, item_id INTEGER);"
        + "INSERT INTO c VALUES (1, 'Photo', 2), (2, 'Album', 2), (3, 'P', 2)")
    func relations(_ given: [String: String]) throws -> [String] {
      try self.relations(path, .surveyed(given: [:], relations: ["c": given]))
    }
    #expect(
      try relations(["item_type=P,item_id": "photos", "item_type=Album,item_id": "none"]) == [
        "c.item_type=P,item_id -> photos as item", "c.item_type=Photo,item_id -> photos as photo",
      ])
    // Photos alone.
    #expect(
      try relations(["item_id": "none", "item_type=Photo,item_id": "photos"]) == [
        "c.item_type=Photo,item_id -> photos as photo"
      ])
    #expect(try relations(["item_id": "albums"]) == ["c.item_id -> albums as item"])
    let fault = try Database.of(
      StoreFile.open(path, readings: .surveyed(given: [:], relations: ["c": ["item_sort=P,item_id": "photos"]])))
    #expect(fault?.relationFaults.map(\.reason) == ["the database has no such table or column"])
  }
}
