// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SwiftData
import TestSupport

/// A store in the layout of Apple's SwiftData that this test writes by plain SQL, with every kind of value that no real
/// store beside the tests has.
struct RecipeStore {
  static let uuid = "0D4B9B5C-4B5C-4E43-9C6B-0E2C2D6B7A11"
  static let first = UUID(uuidString: "11111111-2222-3333-4444-555555555555")!
  static let author = UUID(uuidString: "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE")!
  /// Of the file that holds a long picture.
  private static let picture = "F0000000-0000-4000-8000-00000000000F"

  static func make(_ path: String, hasHistory: Bool = true) throws {
    let connection = try Connection(path: path, access: .create)
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute(tables + (hasHistory ? history : ""))
    let metadata: [String: Any] = [
      "NSStoreType": "SQLite", "NSStoreModelVersionHashes": [String: Data](), "NSStoreModelVersionIdentifiers": [""],
    ]
    try insert(
      connection, "INSERT INTO Z_METADATA VALUES (1, '\(uuid)', ?1)",
      [.blob(Array(try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)))])
    try insert(connection, "INSERT INTO Z_MODELCACHE VALUES (?1)", [.blob(modelCache(entities))])
    try rows(connection)
    let files = URL(fileURLWithPath: path).deletingLastPathComponent()
      .appendingPathComponent(".recipes_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Data(repeating: 7, count: 300_000).write(to: files.appendingPathComponent(picture))
  }

  private static func insert(_ connection: Connection, _ sql: String, _ values: [Value]) throws {
    let statement = try connection.cursor(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index) + 1) }
    _ = try statement.step()
  }

  /// SwiftData keeps a structure in a composite, an enumeration with raw values in one with a single element, and one
  /// without in one with an element for each case.
  private static var entities: [ArchivedEntity] {
    [
      ArchivedEntity(
        name: "Cuisine",
        properties: [
          .attribute("name", 700),
          .relationship("recipes", to: "Recipe", isToMany: true, inverse: "cuisines"),
        ]),
      ArchivedEntity(
        name: "Recipe",
        properties: [
          .composite(
            "author", .attribute("id", 1_100), .attribute("person", 700),
            .composite("place", .attribute("city", 700), .attribute("street", 700))),
          .attribute("created", 900, isOptional: false),
          .relationship("cuisines", to: "Cuisine", isToMany: true, inverse: "recipes"),
          .composite("folder", .attribute("all", 700), .attribute("user", 700)),
          .attribute("id", 1_100, isOptional: false, flags: 16), .attribute("keywords", 1_000),
          .composite("level", .attribute("level", 700)), .attribute("link", 1_200), .attribute("marks", 1_800),
          .attribute("origin", 1_000), .attribute("picture", 1_000, flags: 4), .attribute("price", 400),
          .attribute("servings", 100),
          .relationship("steps", to: "Step", isToMany: true, isOrdered: true, inverse: "recipe"),
          .composite("tags", .attribute("spices", 1_000), .attribute("isHot", 800), .attribute("tags", 1_000)),
          .attribute("title", 700, isOptional: false, flags: 16),
        ]),
      ArchivedEntity(
        name: "Step",
        properties: [
          .relationship("recipe", to: "Recipe", inverse: "steps"), .attribute("text", 700, isOptional: false),
        ]),
    ]
  }

  private static let tables = """
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Cuisine', 0, 2), (2, 'Recipe', 0, 2), (3, 'Step', 0, 3),
      (16001, 'CHANGE', 0, 5), (16002, 'TRANSACTION', 0, 3), (16003, 'TRANSACTIONSTRING', 0, 4);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    CREATE TABLE ZCUISINE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE Z_1RECIPES (Z_1CUISINES INTEGER, Z_2RECIPES INTEGER, PRIMARY KEY (Z_1CUISINES, Z_2RECIPES));
    CREATE TABLE ZRECIPE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSERVINGS INTEGER, ZISHOT INTEGER,
      ZCREATED TIMESTAMP, ZPRICE DECIMAL, ZPERSON VARCHAR, ZCITY VARCHAR, ZSTREET VARCHAR, ZALL VARCHAR, ZUSER VARCHAR,
      ZLEVEL VARCHAR, ZTITLE VARCHAR, ZLINK VARCHAR, ZID BLOB, ZID1 BLOB, ZKEYWORDS BLOB, ZMARKS BLOB, ZPICTURE BLOB,
      ZSPICES BLOB, ZTAGS BLOB, ZORIGIN BLOB);
    CREATE TABLE ZSTEP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRECIPE INTEGER, Z_FOK_RECIPE INTEGER,
      ZTEXT VARCHAR);
    CREATE INDEX ZSTEP_ZRECIPE_INDEX ON ZSTEP (ZRECIPE);

    """

  private static let history = """
    CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
      ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB );
    CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
      ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
      ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'com.example.cook'), (4, 16003, NULL, 'Cook');
    INSERT INTO ATRANSACTION (Z_PK, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)
      VALUES (1, 1, 4, 700000000), (2, 1, 4, 700000001.5), (3, 1, 4, 700000002);
    INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 2, 1, 1, NULL, NULL, NULL),
      (2, 16001, NULL, 0, 2, 2, 1, NULL, NULL, NULL), (3, 16001, NULL, 1, 2, 1, 2, x'408408', NULL, NULL),
      (4, 16001, NULL, 1, 3, 1, 2, x'20', NULL, NULL),
      (5, 16001, NULL, 2, 2, 3, 3, NULL, x'99999999999999999999999999999999', 'Gone');

    """

  private static func rows(_ connection: Connection) throws {
    func blob(_ text: String) -> Value { .blob(Array(text.utf8)) }
    func uuid(_ uuid: UUID) -> Value { .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) }) }
    let list = try PropertyListSerialization.data(fromPropertyList: ["quick", "é"], format: .binary, options: 0)
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: ["one": 1, "two": 2] as NSDictionary, requiringSecureCoding: false)
    try connection.execute(
      """
      INSERT INTO ZCUISINE VALUES (1, 1, 1, 'Thai'), (2, 1, 1, 'Indian');
      INSERT INTO Z_1RECIPES VALUES (1, 1), (2, 1), (1, 2);
      INSERT INTO ZSTEP VALUES (1, 3, 1, 1, 2048, 'Fry'), (2, 3, 1, 1, 1024, 'Cut'), (3, 3, 1, 2, 1024, 'Boil');
      """)
    try insert(
      connection,
      """
      INSERT INTO ZRECIPE VALUES (1, 2, 1, 4, 1, 700000000, 12.5, 'Ann', 'Graz', NULL, NULL, 'user', 'hard', 'Curry',
        'https://example.com/a%20b', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """,
      [
        uuid(author), uuid(first), blob(#"["spicy","red"]"#), .blob(Array(archive)), .blob([2] + Array(picture.utf8)),
        blob(#"[{"name":"Chili","heat":{"hot":{"_0":3}}}]"#), blob(#"["old"]"#), blob(#"{"city":"Bangkok"}"#),
      ])
    try insert(
      connection,
      """
      INSERT INTO ZRECIPE VALUES (2, 2, 1, 2, NULL, 700000000.25, 7, NULL, NULL, NULL, 'all', NULL, 'easy', 'Rice',
        NULL, NULL, ?1, ?2, NULL, ?3, NULL, NULL, NULL)
      """, [uuid(author), .blob(Array(list)), .blob([1, 9, 8])])
  }
}

/// The classes of the program whose store it is.
enum Cooking {
  enum Level: String, Codable { case easy, hard }
  enum Folder: Codable, Equatable { case all, user }
  enum Heat: Codable, Equatable {
    case mild
    case hot(Int)
  }

  struct Place: Codable, Equatable {
    var city: String
    var street: String?
  }

  struct Author: Codable, Equatable {
    var id: UUID
    var person: String
    var place: Place
  }

  struct Spice: Codable, Equatable {
    var name: String
    var heat: Heat
  }

  struct Tags: Codable, Equatable {
    var spices: [Spice]
    var isHot: Bool
    var tags: [String]?
  }

  @Model final class Recipe {
    @Attribute(.preserveValueOnDeletion) var title: String
    @Attribute(.preserveValueOnDeletion) var id: UUID
    var created: Date
    var servings: Int?
    var price: Decimal?
    var link: URL?
    var level: Level
    var folder: Folder
    var author: Author?
    var tags: Tags?
    var origin: Place?
    var keywords: [String]
    var marks: [String: Int]?
    @Attribute(.externalStorage) var picture: Data?
    @Relationship(inverse: \Step.recipe) var steps: [Step] = []
    @Relationship(inverse: \Cuisine.recipes) var cuisines: [Cuisine] = []
    init(_ title: String) {
      (self.title, id, created, level, folder, keywords) = (title, UUID(), .now, .easy, .all, [])
    }
  }

  @Model final class Step {
    var text: String
    var recipe: Recipe?
    init(_ text: String) { self.text = text }
  }

  @Model final class Cuisine {
    var name: String?
    var recipes: [Recipe] = []
    init() {}
  }
}
