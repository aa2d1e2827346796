// SPDX-License-Identifier: MIT

import Following
import ForeignStores
import Foundation
import IndexDefinitions
import Indexing
import PersistentStore
import SQLite
import SearchIndex
import Searching
import TestSupport
import Testing

/// The types of a database's columns, which the index stores.
@Suite(.overlapping)
struct ColumnTypeTests {
  private struct Bench {
    let path: String
    let index: IndexDirectory
    let writer: Connection

    init(_ directory: TemporaryDirectory, _ schema: String, isAttached: Bool) throws {
      path = directory.file("any.sqlite")
      index = IndexDirectory(path: path + ".index")
      writer = try Connection(path: path, access: .create)
      try writer.execute(schema)
      if isAttached { _ = try Attachment.attach(path) }
    }

    func pass(_ definition: IndexDefinition? = nil) throws -> [String] {
      final class Reports { var lines: [String] = [] }
      let reports = Reports()
      var options = Indexer.Options(storePath: path, directory: index)
      options.definition = definition
      options.report = { reports.lines.append($0) }
      _ = try Pass.run(options)
      return reports.lines
    }

    func answer(_ query: String) throws -> (hits: [String], notes: [String]) {
      var request = SearchRequest(query: query)
      request.limit = nil
      request.words = .all
      let result = try Searcher(storePath: path, directory: index).search(request)
      return (result.hits.map(\.identifier.short).sorted(), result.notes)
    }

    func hits(_ query: String) throws -> [String] { try answer(query).hits }

    func type(_ attribute: String) throws -> AttributeType? {
      try StoreFile.open(path, readings: index.readings).model.entities.first?.attributes
        .first { $0.name == attribute }?.type
    }

    func state() throws -> IndexState {
      try IndexState.read(path: #require(try index.serving()).path)
    }

    var isEqual: Bool {
      get throws { try Verify(storePath: path, directory: index).run(isQuick: false).isEqual }
    }
  }

  /// Names that suggest dates, and values that are none.
  private static let numbers: [(column: String, values: [String])] = [
    ("runtime INTEGER", ["96", "117"]), ("is_deleted INTEGER", ["0", "1"]), ("released INTEGER", ["1995", "2009"]),
    ("update_count INTEGER", ["3", "1200000"]), ("time_spent REAL", ["0.5", "86400.25"]),
    ("due INTEGER", ["-3", "12"]),
    ("uptime INTEGER", ["150000000", "1700000000"]),
  ]

  @Test(arguments: numbers)
  func `numbers of a column named like a date stay numbers if they cannot be dates`(
    _ column: String, _ values: [String]
  ) throws {
    try TemporaryDirectory.with { directory in
      let name = String(column.prefix { $0 != " " })
      let bench = try Bench(
        directory,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, \(column)); "
          + values.enumerated().map { "INSERT INTO t VALUES (\($0 + 1), 'x', \($1));" }.joined(), isAttached: false)
      #expect(try bench.pass() == [])
      for (key, value) in values.enumerated() { #expect(try bench.hits("\(name):\(value)") == ["t/\(key + 1)"]) }
    }
  }

  private static let dates: [(values: [String], query: String)] = [
    // Unix, Cocoa before and after 2004, both sides of 2001, and days.
    (["1577836800", "1609459200"], "2020"), (["31622400", "700000000"], "2002"), (["-220838400", "50000000"], "1994"),
    (["2459000.5", "2460000.5"], "2020"),
  ]

  @Test(arguments: dates)
  func `numbers of a column named like a date are dates if they can be`(_ values: [String], _ query: String) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, added); "
          + values.enumerated().map { "INSERT INTO t VALUES (\($0 + 1), 'x', \($1));" }.joined(), isAttached: false)
      #expect(try bench.pass() == [])
      #expect(try bench.type("added") == .date)
      #expect(try bench.hits("added:\(query)") == ["t/1"])
    }
  }

  @Test(arguments: [false, true])
  func `a value outside the sample determines the type of its column`(_ isAttached: Bool) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, f, made TEXT, flag BOOLEAN, tags TEXT);
        WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000)
        INSERT INTO t SELECT n, n, n, '2024-01-02', n % 2, '["a"]' FROM i;
        UPDATE t SET n = 'unknown', f = 2.5, made = 'yesterday', flag = 'perhaps', tags = x'00' WHERE id = 500;
        """, isAttached: isAttached)
      #expect(try bench.pass() == [])
      for word in ["unknown", "yesterday", "perhaps"] { #expect(try bench.hits(word) == ["t/500"]) }
      #expect(try bench.hits("f:2.5") == ["t/500"])
      #expect(try bench.hits("f:7") == ["t/7"])
      #expect(try bench.type("n") == .string)
      #expect(try bench.type("f") == .double)
      #expect(try bench.isEqual)
    }
  }

  @Test(arguments: [false, true])
  func `a search reports a value of another type, and the next pass changes the column's type`(
    _ isAttached: Bool
  ) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, n INTEGER); INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2)",
        isAttached: isAttached)
      #expect(try bench.pass() == [])
      try bench.writer.execute("INSERT INTO t VALUES (3, 'three', 'many')")
      let before = try bench.answer("three")
      #expect(before.hits == ["t/3"])
      #expect(
        before.notes == [
          "values of t.n do not fit the type that the index has for the column; the index has to be updated"
        ])
      #expect(
        try bench.pass().last
          == "values of t.n do not fit the type that the index has for the column: rebuilding beside the serving index")
      let after = try bench.answer("many")
      #expect(after.hits == ["t/3"])
      #expect(after.notes == [])
      // The type is kept after the value is deleted.
      try bench.writer.execute("DELETE FROM t WHERE id = 3")
      #expect(try bench.hits("many") == [])
      #expect(try bench.pass() == [] && bench.type("n") == .string)
      #expect(try bench.isEqual)
    }
  }

  @Test func `an invalid date makes its column a text, once`() throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, born TEXT); INSERT INTO t VALUES (1, '1999-05-01'), (2, '1999-05-00'),
        (3, '1999-02-30'), (4, '0000-00-00')
        """, isAttached: true)
      for _ in 0..<3 {
        #expect(try bench.pass() == [])
        try bench.writer.execute("UPDATE t SET born = born || '' WHERE id = 2")
      }
      #expect(try bench.type("born") == .string)
    }
  }

  @Test(arguments: [false, true])
  func `rows in an empty table are found at once, and the next pass infers the column types from them`(
    _ isAttached: Bool
  ) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory, "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, made TEXT)", isAttached: isAttached)
      #expect(try bench.pass() == [])
      try bench.writer.execute("INSERT INTO t VALUES (1, 'one', '2024-05-06')")
      let before = try bench.answer("one")
      #expect(before.hits == ["t/1"] && before.notes == [])
      _ = try bench.pass()
      #expect(try bench.type("made") == .date)
      #expect(try bench.hits("made:2024-05") == ["t/1"])
      #expect(try bench.pass() == [])
      #expect(try bench.isEqual)
    }
  }

  @Test(arguments: [false, true])
  func `a definition sets the type of a column, and values that do not fit are omitted`(_ isAttached: Bool) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(
        directory,
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, x);
        INSERT INTO t VALUES (1, 'one', 1700000000), (2, 'two', 1800000000), (3, 'three', 'never')
        """, isAttached: isAttached)
      #expect(try bench.pass() == [])
      #expect(try bench.type("x") == .string)
      let json = """
        {"entities": {"t": {"title": "title", "fields": [{"name": "title", "roles": ["text"]},
         {"name": "x", "roles": ["date"]}]}}, "columns": {"t": {"title": "text", "x": "unixSeconds"}}}
        """
      let definition = try IndexDefinition(json: Data(json.utf8))
      #expect(
        try bench.pass(definition) == [
          "the index definition has changed: rebuilding beside the serving index",
          "values of t.x do not fit the reading in `columns`, and are left out",
        ])
      #expect(try bench.hits("x:2023-11-14") == ["t/1"])
      #expect(try bench.hits("x:2020..") == ["t/1", "t/2"])
      // Repeating the definition changes nothing, and the index keeps it.
      #expect(try bench.pass(definition) == [])
      #expect(try bench.pass() == [])
      #expect(try bench.state().definition.columns == ["t": ["x": "unixSeconds"]])
      try bench.writer.execute("INSERT INTO t VALUES (4, 'four', 1700000000)")
      #expect(try bench.hits("x:2023-11-14") == ["t/1", "t/4"])
      #expect(try bench.pass().allSatisfy { !$0.contains("rebuilding") })
      #expect(try bench.isEqual)
    }
  }

  @Test(arguments: [
    (
      #"{"entities": {"t": {"fields": []}}, "columns": {"t": {"title": "unix"}}}"#,
      "columns.t.title: no reading is named \"unix\"; valid values are text, integer, double, boolean, data, json, date, "
        + "unixSeconds, unixMilliseconds, unixMicroseconds, unixNanoseconds, webKit, coreData, julianDay"
    ),
    (
      #"{"entities": {"t": {"fields": []}}, "columns": {"t": {"titel": "text"}}}"#,
      "columns.t.titel: the database has no such table or column"
    ),
  ])
  func `an invalid column type in a definition is refused with its path`(_ json: String, _ message: String) throws {
    try TemporaryDirectory.with { directory in
      let bench = try Bench(directory, "CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT)", isAttached: false)
      let error = #expect(throws: DefinitionError.self) {
        _ = try bench.pass(IndexDefinition(json: Data(json.utf8)))
      }
      #expect(error?.description == message)
    }
  }
}
