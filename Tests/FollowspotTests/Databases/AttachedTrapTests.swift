// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Statements whose changes a change log of simple triggers would miss.
@Suite(.overlapping, .temporaryDirectory)
struct AttachedTrapTests {
  struct Trap: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: String
    let statement: String
    var keys: [String] = []
  }

  /// Updates of an integer key by each of its names, with a conflict.
  static let keyNames = ["id", "Rowid", "_rowid_", "OID"].map { name in
    Trap(
      testDescription: "a key that is changed as \(name)",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')",
      statement: "UPDATE OR REPLACE t SET \(name) = 2 WHERE id = 1")
  }

  static let traps = [
    Trap(
      testDescription: "a row enters a partial index",
      schema:
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, gone INTEGER); CREATE UNIQUE INDEX u ON t (a) WHERE gone = 0;"
        + "INSERT INTO t VALUES (1, 'x', 0), (2, 'x', 1)", statement: "UPDATE OR REPLACE t SET gone = 0 WHERE id = 2"),
    Trap(
      testDescription: "an expression beside a column",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE UNIQUE INDEX u ON t (a, lower(b));"
        + "INSERT INTO t VALUES (1, 'x', 'y'), (2, 'x', 'z')", statement: "UPDATE OR REPLACE t SET b = 'Y' WHERE id = 2"
    ),
    Trap(
      testDescription: "an index with another collation than its column",
      schema:
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE); CREATE UNIQUE INDEX u ON t (a COLLATE BINARY);"
        + "INSERT INTO t VALUES (1, 'A'), (2, 'a')", statement: "UPDATE OR REPLACE t SET a = 'A' WHERE id = 2"),
    Trap(
      testDescription: "a default in the place of NULL",
      schema:
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x' UNIQUE); INSERT INTO t VALUES (1, 'x')",
      statement: "INSERT OR REPLACE INTO t VALUES (2, NULL)"),
    Trap(
      testDescription: "a trigger that puts the row back",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x')",
      statement:
        "CREATE TRIGGER back AFTER DELETE ON t BEGIN INSERT INTO t VALUES (OLD.id, 'again'); END; DELETE FROM t"),
    Trap(
      testDescription: "a column that is dropped and added",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')",
      statement: "ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'b'; ALTER TABLE t DROP COLUMN a;"
        + "ALTER TABLE t RENAME COLUMN b TO a"),
    Trap(
      testDescription: "a unique index on an expression, made later",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x')",
      statement: "CREATE UNIQUE INDEX u ON t (lower(a)); REPLACE INTO t VALUES (2, 'X')"),
    Trap(
      testDescription: "a key that is not the rowid",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, a TEXT); INSERT INTO t VALUES (5, 'x')",
      statement: "INSERT INTO t (a) VALUES ('y'); DELETE FROM t WHERE id = 5"),
    Trap(
      testDescription: "a key with another name since it was attached",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')",
      statement: "ALTER TABLE t RENAME COLUMN id TO user_id; UPDATE OR REPLACE t SET user_id = 2 WHERE user_id = 1"),
    Trap(
      testDescription: "a conflict clause of the table",
      schema:
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE ON CONFLICT REPLACE); INSERT INTO t VALUES (1, 'x')",
      statement: "INSERT INTO t VALUES (2, 'x')"),
    Trap(
      testDescription: "a conflict of the rowid where another column is the key",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, a TEXT);"
        + "INSERT INTO t VALUES (1, 'x', 'one'), (2, 'y', 'two'), (3, 'z', 'three')",
      statement: "INSERT OR REPLACE INTO t VALUES (2, 'new', 'four'); UPDATE OR REPLACE t SET id = 3 WHERE id = 1",
      keys: ["code"]),
    Trap(
      testDescription: "a conflict of a hidden rowid where another column is the key",
      schema:
        "CREATE TABLE t (code TEXT UNIQUE, a TEXT); INSERT INTO t VALUES ('x', 'one'), ('y', 'two'), ('z', 'six')",
      statement: "INSERT OR REPLACE INTO t (rowid, code, a) VALUES (2, 'new', 'four');"
        + "UPDATE OR REPLACE t SET rowid = 3 WHERE rowid = 1", keys: ["code"]),
    Trap(
      testDescription: "a default that is a bare word",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL UNIQUE DEFAULT none);"
        + "INSERT INTO t VALUES (1, 'none')", statement: "INSERT OR REPLACE INTO t VALUES (2, NULL)"),
    Trap(
      testDescription: "a default with the name of another column",
      schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL UNIQUE DEFAULT \"code\", code TEXT);"
        + "INSERT INTO t VALUES (1, 'code', 'first')", statement: "INSERT OR REPLACE INTO t VALUES (2, NULL, 'second')"),
  ]

  @Test(arguments: traps + keyNames)
  func `the index equals the rows after statements that simple triggers miss`(_ trap: Trap) throws {
    let database = try IndexedDatabase(trap.schema, isAttached: true, keys: trap.keys)
    try database.update()
    try database.writer.execute(trap.statement)
    try database.update()
    let attribute = try #require(StoreFile.open(database.path).layout.entities[0].entity.index(of: "a"))
    let rows = try database.writer.cursor("SELECT a FROM t ORDER BY a")
    var expected: [Value] = []
    while try rows.step() { expected.append(rows.value(at: 0)) }
    let found = try database.search("*").hits.map { $0.values[attribute] }
    #expect(found.sorted { "\($0)" < "\($1)" } == expected)
    #expect(try database.isEqual)
  }

  @Test(arguments: ["user_id", "pk", "ID"])
  func `new names of keys and unique columns leave a database attached`(_ name: String) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT UNIQUE); INSERT INTO t VALUES (1, 'x', 'y')")
    _ = try Attachment.attach(database.path)
    try database.writer.execute("ALTER TABLE t RENAME COLUMN id TO \(name); ALTER TABLE t RENAME COLUMN a TO z")
    #expect(try StoreFile.open(database.path).tracking == .attached)
  }

  @Test func `after a preserved column is renamed and attach is repeated, the writer's statements still succeed`()
    throws
  {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, isbn TEXT, a TEXT); INSERT INTO t VALUES (1, '1', 'x')")
    _ = try Attachment.attach(database.path, preserving: ["isbn"])
    try database.writer.execute("ALTER TABLE t RENAME COLUMN isbn TO code")
    #expect(try StoreFile.open(database.path).tracking == .attached)
    #expect(try Attachment.attach(database.path).statements == [])
    try database.writer.execute("DELETE FROM t")
    #expect(try StoreFile.open(database.path).newest() == 1)
  }

  @Test(arguments: [
    (
      "CREATE TABLE t (a TEXT, g TEXT AS (a || '-') UNIQUE)",
      StoreError.Recovery.changeTable(
        "t", reason: "its unique index sqlite_autoindex_t_1 is on expressions or generated columns")
    ),
    ("CREATE TABLE t (a TEXT); CREATE TABLE followspot_key_1 (secret TEXT)", .renameTable),
    ("CREATE TABLE t (a TEXT); CREATE TABLE Followspot_Change (secret TEXT)", .renameTable),
  ])
  func `attach refuses tables that triggers cannot follow, and names that are already in use`(
    _ schema: String, _ recovery: StoreError.Recovery
  ) throws {
    let path = try IndexedDatabase(schema).path
    let error = #expect(throws: StoreError.self) { _ = try Attachment.attach(path) }
    #expect(error?.recovery == recovery)
    #expect(try StoreFile.open(path).tracking == .compared)
  }

  @Test func `numbers and keys stay assigned to their tables`() throws {
    let database = try IndexedDatabase(
      "CREATE TABLE m (code TEXT UNIQUE, a); CREATE TABLE u (isbn TEXT UNIQUE, a); CREATE TABLE z (zip TEXT UNIQUE, a)")
    _ = try Attachment.attach(database.path, keys: ["code", "isbn", "zip"])
    try database.writer.execute("INSERT INTO z VALUES ('1', 2); DROP TABLE z")
    // Naming the key of one table does not change those of other tables.
    _ = try Attachment.attach(database.path, keys: ["code"])
    func tables() throws -> String {
      let rows = try database.writer.cursor("SELECT group_concat(number || name || key, ' ') FROM followspot_table")
      return try rows.step() ? rows.text(at: 0) : ""
    }
    #expect(try tables() == "1mcode 2uisbn")
    try database.writer.execute("CREATE TABLE b (a)")
    _ = try Attachment.attach(database.path)
    // The log mentions table 3, which no longer exists.
    #expect(try tables() == "1mcode 2uisbn 4b")
    try database.writer.execute("ALTER TABLE m RENAME COLUMN code TO kode")
    #expect(try Attachment.attach(database.path, keys: ["kode"]).statements == [])
    #expect(try StoreFile.open(database.path).tracking == .attached)
  }

  @Test func `a key with a collation of another program does not prevent searches of other tables`() throws {
    let database = try IndexedDatabase()
    try database.writer.define(collation: "unicase") { left, right in Int(left.count) - Int(right.count) }
    try database.writer.execute(
      "CREATE TABLE tags (tag TEXT PRIMARY KEY COLLATE unicase) WITHOUT ROWID; CREATE TABLE t (a TEXT COLLATE unicase);"
        + "INSERT INTO t VALUES ('x')")
    try database.update()
    #expect(try database.hits("x").count == 1)
    #expect(
      try StoreFile.open(database.path).remarks == [
        "the table tags is left out: its primary key has the collation \"unicase\" of another program"
      ])
    #expect(try Attachment.attach(database.path).tables == ["t"])
  }

  @Test func `tables and triggers of other programs with the same prefix are searched, and not removed`() throws {
    let database = try IndexedDatabase(
      "CREATE TABLE followspot_notes (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO followspot_notes VALUES (1, 'x');"
        + "CREATE TRIGGER followspot_own AFTER INSERT ON followspot_notes BEGIN SELECT 1; END")
    #expect(throws: StoreError.self) { _ = try Attachment.detach(database.path) }
    #expect(try Attachment.attach(database.path).tables == ["followspot_notes"])
    _ = try Attachment.detach(database.path)
    let names = try database.writer.cursor("SELECT group_concat(name) FROM sqlite_master")
    #expect(try names.step() && names.text(at: 0) == "followspot_notes,followspot_own")
    #expect(try StoreFile.open(database.path).layout.entities.map(\.entity.name) == ["followspot_notes"])
  }
}
