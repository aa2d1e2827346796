// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Tables, columns and indexes whose names are SQL keywords, contain SQL syntax, or are very similar.
@Suite(.overlapping, .temporaryDirectory)
struct DatabaseNamesTests {
  static let tables = [
    "select", "order", "table", "a\"b", "a'b", "a[b]", "a]b", "a`b", "line\nbreak", "tab\there", "esc\u{1b}[31m",
    "\u{1}",
    "👩‍👩‍👧💣", "1st", "9", "Straße", "STRASSE", "Café", "Cafe\u{301}", "x y", "", " ", "rowid", "İx", "ix", "ATRANSACTION",
    "ACHANGE", "Z_PRIMARYKEY", "t", "r", "c", "OLD", "NEW", "main", "temp", "t.t", "%", "--", "/*", "a;b",
    String(repeating: "long", count: 300),
  ]
  static let columns = [
    "a\"b", "select", "x]y", "`", "new\nline", "💣", "1", "Café", "Cafe\u{301}", "OLD", "NEW", "t", "key", "z_pk",
    "Z_ENT",
    "rowid", String(repeating: "c", count: 1_000),
  ]

  private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Every name as a table, with the names of columns in it, a unique index and an ordinary one.
  private static func make() throws -> IndexedDatabase {
    let database = try IndexedDatabase()
    let writer = database.writer
    for (number, name) in tables.enumerated() {
      let list = columns.map { quoted($0) + " TEXT" }.joined(separator: ", ")
      try writer.execute(
        "CREATE TABLE \(quoted(name)) (\(list), UNIQUE (\(quoted("new\nline")), \(quoted("select"))))")
      try writer.execute(
        "CREATE INDEX \(quoted("index \"'`] of " + name)) ON \(quoted(name)) (\(quoted("x]y")), \(quoted("a\"b")))")
      let values = columns.indices.map { "'word\($0) in\(number)'" }.joined(separator: ", ")
      try writer.execute("INSERT INTO \(quoted(name)) VALUES (\(values))")
    }
    return database
  }

  private static func schema(_ connection: Connection) throws -> [String] {
    let rows = try connection.cursor("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
    var lines: [String] = []
    while try rows.step() { lines.append((0..<4).map { rows.text(at: $0) }.joined(separator: "|")) }
    return lines
  }

  @Test(arguments: [false, true])
  func `odd names are indexed, attached, followed and detached`(isAttached: Bool) throws {
    let database = try Self.make()
    let writer = database.writer
    let before = try Self.schema(writer)
    func count(_ query: String) throws -> Int { try database.search(query).hits.count }
    if isAttached { #expect(try Attachment.attach(database.path).tables.sorted() == Self.tables.sorted()) }
    try database.update()
    #expect(try count("*") == Self.tables.count)
    for name in Self.tables {
      try writer.execute("UPDATE \(Self.quoted(name)) SET \(Self.quoted("OLD")) = 'changed'")
      // These are the unique values of the first row, so it is replaced.
      try writer.execute(
        "REPLACE INTO \(Self.quoted(name)) (\(Self.quoted("new\nline")), \(Self.quoted("select")), \"1\") "
          + "SELECT \(Self.quoted("new\nline")), \(Self.quoted("select")), 'replaced' FROM \(Self.quoted(name))")
    }
    #expect(try count("replaced") == Self.tables.count)
    #expect(try count("changed") == 0)
    try database.update()
    #expect(try database.isEqual)
    #expect(try count("*") == Self.tables.count)
    if isAttached { _ = try Attachment.detach(database.path) }
    #expect(try Self.schema(writer) == before)
  }

  @Test func `a table of 2,000 columns is skipped with a reason, and other tables are searched`() throws {
    func columns(_ count: Int) -> String { (1...count).map { "c\($0) TEXT" }.joined(separator: ", ") }
    let database = try IndexedDatabase(
      "CREATE TABLE wide (\(columns(2_000))); CREATE TABLE less (\(columns(990))); INSERT INTO less (c990) VALUES ('end')"
    )
    let store = try StoreFile.open(database.path)
    #expect(store.remarks == ["the table wide is left out: it has more than 990 columns"])
    let plan = try Attachment.attach(database.path)
    #expect(plan.tables == ["less"])
    try database.update()
    try database.writer.execute("INSERT INTO wide (c1) VALUES ('x'); UPDATE less SET c1 = 'begin'")
    #expect(try database.hits("begin end").count == 1)
  }
}
