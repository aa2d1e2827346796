// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// The types of a database's columns, which the index stores.
@Suite(.overlapping, .temporaryDirectory)
struct ColumnTypeTests {
  /// Updates the index with the definition.
  private func update(_ database: IndexedDatabase, _ definition: IndexDefinition) throws -> [String] {
    try database.update { $0.definition = definition }
  }

  private func type(_ attribute: String, in database: IndexedDatabase) throws -> AttributeType? {
    try StoreFile.open(database.path, readings: database.index.readings).model.entities.first?.attributes
      .first { $0.name == attribute }?.type
  }

  /// Names that suggest dates, and values that are none.
  private static let numbers: [(column: String, values: [String])] = [
    ("runtime INTEGER", ["96", "117"]), ("is_deleted INTEGER", ["0", "1"]), ("released INTEGER", ["1995", "2009"]),
    ("update_count INTEGER", ["3", "1200000"]), ("time_spent REAL", ["0.5", "86400.25"]),
    ("due INTEGER", ["-3", "12"]),
    ("uptime INTEGER", ["150000000", "1700000000"]),
  ]

  @Test(arguments: [
    // Milliseconds of 2023 and 2024: the only time of the rows.
    ("ease INTEGER", ["1676000000000, 3", "1709000000000, 4"], ["t/1676000000000"]),
    // The rows have another date.
    ("ease INTEGER, day TEXT", ["1676000000000, 3, '2023-02-10'", "1709000000000, 4, '2024-02-27'"], nil),
    // Counters, seconds, numbers of goods.
    ("ease INTEGER", ["1, 3", "2, 4"], nil), ("ease INTEGER", ["1676000000, 3", "1709000000, 4"], nil),
    ("ease INTEGER", ["4006381333931, 3", "4006381333948, 4"], nil),
  ])
  func `a key that is the only time of its rows is a date, and stays their key`(
    _ columns: String, _ rows: [String], _ wanted: [String]?
  ) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns)); CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER, n TEXT);"
        + "INSERT INTO t VALUES \(rows.map { "(\($0))" }.joined(separator: ", "));"
        + "INSERT INTO u SELECT rowid, id, 'of ' || id FROM t;")
    try database.update()
    #expect(try (type("id", in: database) == .date) == (wanted != nil))
    if let wanted { #expect(try database.hits("kind:t id:2023") == wanted) }
    let relations = try #require(Database.of(StoreFile.open(database.path, readings: database.index.readings)))
      .relations
    #expect(relations.map(\.relation.target) == ["t"])
    #expect(try database.isEqual)
  }

  @Test(arguments: numbers)
  func `numbers of a column named like a date stay numbers if they cannot be dates`(
    _ column: String, _ values: [String]
  ) throws {
    let name = String(column.prefix { $0 != " " })
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, \(column)); "
        + values.enumerated().map { "INSERT INTO t VALUES (\($0 + 1), 'x', \($1));" }.joined())
    #expect(try database.update() == [])
    for (key, value) in values.enumerated() { #expect(try database.hits("\(name):\(value)") == ["t/\(key + 1)"]) }
  }

  private static let dates: [(values: [String], query: String)] = [
    // Unix, Cocoa before and after 2004, both sides of 2001, and days.
    (["1577836800", "1609459200"], "2020"), (["31622400", "700000000"], "2002"), (["-220838400", "50000000"], "1994"),
    (["2459000.5", "2460000.5"], "2020"),
    // Since the year 1, and -1 for never. Texts without separators.
    (["63738486672000000", "63931461859671397", "-1"], "2020"),
    (["'20200717120000.424'", "'20210717120000'", "''"], "2020-07-17"),
    (["'20200717T120000Z'", "'20210717T120000'"], "2020"),
    (["'20200717'", "'20210717'"], "2020-07"),
  ]

  @Test(arguments: dates)
  func `numbers of a column named like a date are dates if they can be`(_ values: [String], _ query: String) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, added); "
        + values.enumerated().map { "INSERT INTO t VALUES (\($0 + 1), 'x', \($1));" }.joined())
    #expect(try database.update() == [])
    #expect(try type("added", in: database) == .date)
    #expect(try database.hits("added:\(query)") == ["t/1"])
  }

  @Test(arguments: [
    (["1970-01-01 00:00:00", "1970-01-01 00:00:00", "1970-01-01", "2021-05-06 10:59:00"], ["t/4"]),
    (["1970-01-01", "1970-01-01", "1970-01-01", ""], []),
    // A birthday among others, a single one, and a time of that day.
    (["1970-01-01", "1970-01-01", "1970-01-01", "1972-05-06"], ["t/1", "t/2", "t/3", "t/4"]),
    (["1970-01-01", "2021-05-06"], ["t/1", "t/2"]), (["1970-01-01", "1970-01-01"], ["t/1", "t/2"]),
    (["1970-01-01 10:59:00", "1970-01-01 10:59:00", "1970-01-01 10:59:00"], ["t/1", "t/2", "t/3"]),
  ])
  func `1970-01-01 is no date where it repeats and no date is near it`(_ values: [String], _ dated: [String]) throws {
    let rows = values.enumerated().map { "INSERT INTO t VALUES (\($0 + 1), 'x', '\($1)');" }.joined()
    let database = try IndexedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, done TEXT); " + rows)
    #expect(try database.update() == [])
    #expect(try type("done", in: database) == .date)
    #expect(try database.hits("has:done").sorted() == dated)
    #expect(try database.hits("done:..2100").sorted() == dated)
    // Such a date is not a value of another type.
    try database.writer.execute("INSERT INTO t VALUES (9, 'nine', '1970-01-01')")
    #expect(try database.search("nine").notes == [])
    #expect(try database.update() == [])
    #expect(try database.isEqual)
  }

  @Test(arguments: [false, true])
  func `a date near 1970 outside the sample, or a later one, makes 1970-01-01 a date again`(_ isLater: Bool) throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, day TEXT);
      WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 600)
      INSERT INTO t SELECT n, 'x', iif(n <= 20, '1970-01-01', '2021-05-06') FROM i;
      """)
    let near = "UPDATE t SET day = '1971-02-03' WHERE id = 300"
    if isLater {
      try database.update()
      #expect(try database.hits("day:1970") == [])
    }
    try database.writer.execute(near)
    try database.update()
    #expect(try database.hits("day:1970").count == 20)
    #expect(try database.hits("day:1971") == ["t/300"])
    #expect(try database.isEqual)
  }

  @Test func `a definition makes 1970-01-01 a date again`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, born TEXT);
      INSERT INTO t VALUES (1, 'a', '1970-01-01'), (2, 'b', '1970-01-01'), (3, 'c', '1970-01-01');
      """)
    try database.update()
    #expect(try database.hits("born:1970") == [])
    let json =
      #"{"entities": {"t": {"fields": [{"name": "born", "roles": ["date"]}]}}, "columns": {"t": {"born": "date"}}}"#
    _ = try update(database, IndexDefinition(json: Data(json.utf8)))
    #expect(try database.hits("born:1970").sorted() == ["t/1", "t/2", "t/3"])
  }

  @Test(arguments: [
    ("made", ["'20200717'", "'20209999'"]), ("code", ["'20200717'", "'20210717'"]), ("made", ["'2020071712'", "'2'"]),
    ("made", ["'20200717256000'", "'20200717120000'"]),
  ])
  func `digits that are no dates in every row, or only by chance, stay texts`(_ column: String, _ values: [String])
    throws
  {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, \(column) TEXT); "
        + values.enumerated().map { "INSERT INTO t VALUES (\($0 + 1), 'x', \($1));" }.joined())
    #expect(try database.update() == [])
    #expect(try type(column, in: database) == .string)
  }

  @Test(arguments: [false, true])
  func `a value outside the sample determines the type of its column`(_ isAttached: Bool) throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, f, made TEXT, flag BOOLEAN, tags TEXT);
      WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000)
      INSERT INTO t SELECT n, n, n, '2024-01-02', n % 2, '["a"]' FROM i;
      UPDATE t SET n = 'unknown', f = 2.5, made = 'yesterday', flag = 'perhaps', tags = x'00' WHERE id = 500;
      """, isAttached: isAttached)
    #expect(try database.update() == [])
    for word in ["unknown", "yesterday", "perhaps"] { #expect(try database.hits(word) == ["t/500"]) }
    #expect(try database.hits("f:2.5") == ["t/500"])
    #expect(try database.hits("f:7") == ["t/7"])
    #expect(try type("n", in: database) == .string)
    #expect(try type("f", in: database) == .double)
    #expect(try database.isEqual)
  }

  @Test(arguments: [false, true])
  func `a search reports a value of another type, and the next pass changes the column's type`(
    _ isAttached: Bool
  ) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, n INTEGER); INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2)",
      isAttached: isAttached)
    #expect(try database.update() == [])
    try database.writer.execute("INSERT INTO t VALUES (3, 'three', 'many')")
    let before = try database.search("three")
    #expect(before.hits.map(\.identifier.short) == ["t/3"])
    #expect(
      before.notes == [
        "values of t.n do not fit the type that the index has for the column; the index has to be updated"
      ])
    #expect(
      try database.update().last
        == "values of t.n do not fit the type that the index has for the column: rebuilding beside the serving index")
    let after = try database.search("many")
    #expect(after.hits.map(\.identifier.short) == ["t/3"])
    #expect(after.notes == [])
    // The type is kept after the value is deleted.
    try database.writer.execute("DELETE FROM t WHERE id = 3")
    #expect(try database.hits("many") == [])
    #expect(try database.update() == [] && type("n", in: database) == .string)
    #expect(try database.isEqual)
  }

  @Test func `an invalid date makes its column a text, once`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, born TEXT); INSERT INTO t VALUES (1, '1999-05-01'), (2, '1999-05-00'),
      (3, '1999-02-30'), (4, '0000-00-00')
      """, isAttached: true)
    for _ in 0..<3 {
      #expect(try database.update() == [])
      try database.writer.execute("UPDATE t SET born = born || '' WHERE id = 2")
    }
    #expect(try type("born", in: database) == .string)
  }

  @Test(arguments: [false, true])
  func `rows in an empty table are found at once, and the next pass infers the column types from them`(
    _ isAttached: Bool
  ) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, made TEXT)", isAttached: isAttached)
    #expect(try database.update() == [])
    try database.writer.execute("INSERT INTO t VALUES (1, 'one', '2024-05-06')")
    let before = try database.search("one")
    #expect(before.hits.map(\.identifier.short) == ["t/1"] && before.notes == [])
    try database.update()
    #expect(try type("made", in: database) == .date)
    #expect(try database.hits("made:2024-05") == ["t/1"])
    #expect(try database.update() == [])
    #expect(try database.isEqual)
  }

  @Test(arguments: [false, true])
  func `a definition sets the type of a column, and values that do not fit are omitted`(_ isAttached: Bool) throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, x);
      INSERT INTO t VALUES (1, 'one', 1700000000), (2, 'two', 1800000000), (3, 'three', 'never')
      """, isAttached: isAttached)
    #expect(try database.update() == [])
    #expect(try type("x", in: database) == .string)
    let json = """
      {"entities": {"t": {"title": "title", "fields": [{"name": "title", "roles": ["text"]},
       {"name": "x", "roles": ["date"]}]}}, "columns": {"t": {"title": "text", "x": "unixSeconds"}}}
      """
    let definition = try IndexDefinition(json: Data(json.utf8))
    #expect(
      try update(database, definition) == [
        "the index definition has changed: rebuilding beside the serving index",
        "values of t.x do not fit the reading in `columns`, and are left out",
      ])
    #expect(try database.hits("x:2023-11-14") == ["t/1"])
    #expect(try database.hits("x:2020..") == ["t/1", "t/2"])
    // Repeating the definition changes nothing, and the index keeps it.
    #expect(try update(database, definition) == [])
    #expect(try database.update() == [])
    #expect(
      try IndexState.read(path: #require(try database.index.serving()).path).definition.columns == [
        "t": ["x": "unixSeconds"]
      ])
    try database.writer.execute("INSERT INTO t VALUES (4, 'four', 1700000000)")
    #expect(try database.hits("x:2023-11-14") == ["t/1", "t/4"])
    #expect(try database.update().allSatisfy { !$0.contains("rebuilding") })
    #expect(try database.isEqual)
  }

  @Test(arguments: [
    (
      #"{"entities": {"t": {"fields": []}}, "columns": {"t": {"title": "unix"}}}"#,
      "columns.t.title: no reading is named \"unix\"; valid values are text, integer, double, boolean, data, json, date, "
        + "dateOrNever, compact, unixSeconds, unixMilliseconds, "
        + "unixMicroseconds, unixNanoseconds, webKit, coreData, julianDay, commonEra"
    ),
    (
      #"{"entities": {"t": {"fields": []}}, "columns": {"t": {"titel": "text"}}}"#,
      "columns.t.titel: the database has no such table or column"
    ),
  ])
  func `an invalid column type in a definition is refused with its path`(_ json: String, _ message: String) throws {
    let database = try IndexedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT)")
    let error = #expect(throws: DefinitionError.self) {
      _ = try update(database, IndexDefinition(json: Data(json.utf8)))
    }
    #expect(error?.description == message)
  }
}
