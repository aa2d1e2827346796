// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SQLite

@Suite(.overlapping, .temporaryDirectory)
struct StatementTests {
  private let directory = TemporaryDirectory()

  private static let values: [Value] = [
    .null, .integer(0), .integer(-1), .integer(.min), .integer(.max), .real(0.1), .real(-1e300),
    .real(.leastNonzeroMagnitude),
    .real(5), .real(.infinity), .real(-.infinity), .text(""), .text("plain"), .text("a\0b"), .text("'; DROP TABLE t"),
    .text("Ünïcødé 日本 👩‍👩‍👧 \u{1F468}\u{200D}"), .text(String(repeating: "long ", count: 50_000)), .blob([]), .blob([0]),
    .blob(Array(0...255)), .blob([UInt8](repeating: 7, count: 300_000)),
  ]

  @Test(arguments: values)
  func `a value is read as it was stored`(_ value: Value) throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute("CREATE TABLE t (a)")
    let insert = try connection.statement("INSERT INTO t VALUES (?1)")
    try insert.bind(value, at: 1)
    try insert.run()
    let select = try connection.statement("SELECT a FROM t")
    #expect(try select.step())
    #expect(select.value(at: 0) == value)
    #expect(try !select.step())
  }

  @Test(arguments: ["e\u{301}", "\u{e9}", "\u{1100}\u{1161}", "\u{212b}"])
  func `a text keeps its bytes, regardless of Unicode equivalence`(_ text: String) throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let select = try connection.statement("SELECT ?1")
    try select.bind(text, at: 1)
    #expect(try select.step())
    #expect(Array(select.bytes(at: 0)) == Array(text.utf8))
    #expect(Array(select.text(at: 0).utf8) == Array(text.utf8))
  }

  @Test func `texts that are bound again and again keep their parameters apart`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute("CREATE TABLE t (a, b, c)")
    let insert = try connection.statement("INSERT INTO t VALUES (?1, ?2, ?3)")
    try insert.bind("stays", at: 3)
    var wanted: [[Value]] = []
    for size in [0, 1, 63, 64, 65, 200, 3, 1_023, 1_024, 1_025, 5, 100_000, 0, 70] {
      let (first, second) = (String(repeating: "a", count: size), String(repeating: "b", count: size / 2))
      try insert.bind(first, at: 1)
      try insert.bind(second, at: 2)
      try insert.runAgain()
      wanted.append([.text(first), .text(second), .text("stays")])
    }
    let select = try connection.statement("SELECT a, b, c FROM t ORDER BY rowid")
    var found: [[Value]] = []
    while try select.step() { found.append((0..<3).map(select.value)) }
    #expect(found == wanted)
  }

  @Test func `a text cannot be bound while the statement has a row`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let select = try connection.statement("SELECT ?1 UNION ALL SELECT ?1")
    try select.bind("first", at: 1)
    #expect(try select.step())
    #expect(throws: SQLiteError.self) { try select.bind("other", at: 1) }
    #expect(select.text(at: 0) == "first")
    #expect(try select.step())
    #expect(select.text(at: 0) == "first")
  }

  @Test func `SQLite has no NaN and stores NULL`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let select = try connection.statement("SELECT ?1")
    try select.bind(Double.nan, at: 1)
    #expect(try select.step())
    #expect(select.value(at: 0) == .null)
  }

  @Test func `columns have a name, a storage class and a value`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let select = try connection.statement("SELECT NULL AS n, 1 AS i, 2.5 AS r, 'x' AS t, x'00ff' AS \"b b\"")
    #expect(try select.step())
    let columns = (0..<Int32(select.columnCount)).map { column in
      let isNull = select.isNull(at: column)
      return "\(select.columnName(at: column)) \(select.storageClass(at: column)) \(select.value(at: column)) \(isNull)"
    }
    #expect(
      columns == [
        "n null null true", "i integer integer(1) false", "r real real(2.5) false", "t text text(\"x\") false",
        "b b blob blob([0, 255]) false",
      ])
  }

  @Test func `UTF-8 bytes are bound as text`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let select = try connection.statement("SELECT ?1, ?2")
    try Array("grün".utf8).withUnsafeBytes { try select.bind(utf8: $0, at: 1) }
    try select.bind(utf8: UnsafeRawBufferPointer(start: nil, count: 0), at: 2)
    #expect(try select.step())
    #expect([select.value(at: 0), select.value(at: 1)] == [.text("grün"), .text("")])
  }

  @Test func `an unknown parameter is refused`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let select = try connection.statement("SELECT ?1")
    let error = #expect(throws: SQLiteError.self) { try select.bind("x", at: 2) }
    #expect(error?.description == "binding a value: column index out of range (SQLite 25)")
  }

  @Test func `a statement can be used again after it failed`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
    for value: Int64 in [1, 2] {
      let insert = try connection.statement("INSERT INTO t VALUES (?1)")
      try insert.bind(value, at: 1)
      do { try insert.run() } catch { #expect(value == 1) }
    }
    #expect(try connection.integer("SELECT SUM(a) FROM t") == 3)
  }

  @Test func `a cursor may outlive its connection`() throws {
    func made() throws -> Statement {
      let connection = try Connection(path: directory.file("a.db"), access: .create)
      return try connection.cursor("SELECT 42")
    }
    let cursor = try made()
    #expect(try cursor.step())
    #expect(cursor.integer(at: 0) == 42)
  }
}
