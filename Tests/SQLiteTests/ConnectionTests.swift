// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SQLite

@Suite(.overlapping, .temporaryDirectory)
struct ConnectionTests {
  private let directory = TemporaryDirectory()

  /// The error that `body` throws; nil if there is none.
  private func failure(_ body: () throws -> Void) throws -> SQLiteError? {
    do {
      try body()
      return nil
    } catch let error as SQLiteError {
      return error
    }
  }

  @Test(arguments: [Connection.Access.readOnly, .immutable, .readWrite])
  func `only create access creates a file`(_ access: Connection.Access) throws {
    let path = directory.file("none.db")
    let error = try failure { _ = try Connection(path: path, access: access) }
    #expect(error?.description == "opening \(path): unable to open database file (SQLite 14)")
    _ = try Connection(path: path, access: .create)
    #expect(try failure { _ = try Connection(path: path, access: access) } == nil)
  }

  @Test(arguments: [Connection.Access.readOnly, .immutable])
  func `a connection for reading cannot write`(_ access: Connection.Access) throws {
    let path = directory.file("a.db")
    try Connection(path: path, access: .create).execute("CREATE TABLE t (a)")
    let reader = try Connection(path: path, access: access)
    let error = try failure { try reader.execute("INSERT INTO t VALUES (1)") }
    #expect(error?.isReadOnly == true)
    #expect(try reader.integer("SELECT COUNT(*) FROM t") == 0)
  }

  @Test(arguments: ["a b.db", "100%.db", "what?.db", "a#b.db", "%41.db", "ü日本.db", "a&mode=rwc.db", "file:x.db"])
  func `an immutable connection opens a file of any name`(_ name: String) throws {
    let path = directory.file(name)
    try Connection(path: path, access: .create).execute("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
    #expect(try Connection(path: path, access: .immutable).integer("SELECT a FROM t") == 7)
  }

  @Test func `the first statement detects a file of another kind`() throws {
    let path = try directory.write(String(repeating: "no database ", count: 100), to: "a.txt")
    let connection = try Connection(path: path, access: .readOnly)
    let error = try failure { _ = try connection.integer("SELECT COUNT(*) FROM sqlite_master") }
    #expect(error?.description == "reading the store: file is not a database (SQLite 26)")
    #expect(error?.isNotADatabase == true)
  }

  @Test func `a text is prepared once, and its statement has no old bindings`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let first = try connection.statement("SELECT ?1")
    try first.bind("left over", at: 1)
    #expect(try first.step())
    let second = try connection.statement("SELECT ?1")
    #expect(first === second)
    #expect(try second.step())
    #expect(second.value(at: 0) == .null)
  }

  @Test func `two cursors with the same text are independent`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
    let first = try connection.cursor("SELECT a FROM t ORDER BY a")
    let second = try connection.cursor("SELECT a FROM t ORDER BY a")
    #expect(try first.step() && first.step() && second.step())
    #expect([first.integer(at: 0), second.integer(at: 0)] == [2, 1])
  }

  @Test func `rollback undoes changes, and does nothing without a transaction`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute("CREATE TABLE t (a)")
    connection.rollback()
    try connection.beginWrite()
    try connection.execute("INSERT INTO t VALUES (1), (2), (3)")
    #expect(connection.changedRows == 3)
    connection.rollback()
    #expect(try connection.integer("SELECT COUNT(*) FROM t") == 0)
    try connection.beginWrite()
    try connection.execute("INSERT INTO t VALUES (1)")
    try connection.commit()
    connection.rollback()
    #expect(try connection.integer("SELECT COUNT(*) FROM t") == 1)
  }

  @Test func `the data version increases only with another connection's commit`() throws {
    let path = directory.file("a.db")
    let one = try Connection(path: path, access: .create)
    try one.execute("CREATE TABLE t (a)")
    let other = try Connection(path: path, access: .readWrite)
    let before = try one.dataVersion()
    try one.execute("INSERT INTO t VALUES (1)")
    #expect(try one.dataVersion() == before)
    try other.execute("INSERT INTO t VALUES (2)")
    #expect(try one.dataVersion() > before)
  }

  @Test(arguments: [
    ("SELECT 5, 6", 5), ("SELECT NULL", nil), ("SELECT 1 WHERE 0", nil), ("SELECT -9223372036854775808", Int64.min),
  ])
  func `an integer query returns the first column of the first row`(_ sql: String, _ expected: Int64?) throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    #expect(try connection.integer(sql) == expected)
  }

  @Test func `a table is found by its exact name, and an index is not a table`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute("CREATE TABLE \"it's\" (a); CREATE INDEX i ON \"it's\" (a)")
    let found = try ["it's", "i", "its", "' OR 1 --"].map { try connection.hasTable($0) }
    #expect(found == [true, false, false, false])
  }

  // MARK: Errors

  @Test(arguments: [
    ("INSERT INTO t VALUES (1, 'x', 'new')", 1555, "UNIQUE constraint failed: t.id"),
    ("INSERT INTO t VALUES (2, 'x', 'old')", 2067, "UNIQUE constraint failed: t.code"),
    ("INSERT INTO t VALUES (2, NULL, 'new')", 1299, "NOT NULL constraint failed: t.title"),
    ("INSERT INTO t VALUES (2, '', 'new')", 275, "CHECK constraint failed: title <> ''"),
  ])
  func `a refused row has SQLite's extended code and text`(
    _ sql: String, _ code: Int, _ message: String
  ) throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, title NOT NULL CHECK (title <> ''), code UNIQUE);
      INSERT INTO t VALUES (1, 'x', 'old')
      """)
    let executed = try failure { try connection.execute(sql) }
    #expect(executed?.description == "running \(sql.prefix(60)): \(message) (SQLite \(code))")
    let stepped = try failure { try connection.statement(sql).run() }
    #expect(stepped?.description == "running a statement: \(message) (SQLite \(code))")
    #expect(stepped?.isConstraint == true)
    #expect(stepped?.code == 19)
  }

  @Test func `a lock of another connection is busy, and a stale snapshot too`() throws {
    let path = directory.file("a.db")
    let one = try Connection(path: path, access: .create, busyMilliseconds: 0)
    try one.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    let other = try Connection(path: path, access: .readWrite, busyMilliseconds: 0)
    try one.beginWrite()
    let locked = try failure { try other.beginWrite() }
    #expect(locked?.extendedCode == 5 && locked?.isBusy == true)
    one.rollback()

    try one.beginRead()
    #expect(try one.integer("SELECT COUNT(*) FROM t") == 0)
    try other.execute("INSERT INTO t VALUES (1)")
    let stale = try failure { try one.execute("INSERT INTO t VALUES (2)") }
    #expect(stale?.extendedCode == 517 && stale?.isBusy == true)
  }

  @Test func `the error of invalid SQL has SQLite's message`() throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    let error = try failure { _ = try connection.statement("SELECT a FROM nowhere") }
    #expect(error?.description == "reading the store: no such table: nowhere (SQLite 1)")
    #expect(error?.isStatementError == true)
  }

  @Test(arguments: [
    (1, "statement"), (5, "busy"), (6, "busy"), (261, "busy"), (517, "busy"), (773, "busy"), (13, "full"),
    (26, "notADatabase"), (11, "corrupt"), (267, "corrupt"), (14, "cannotOpen"), (270, "cannotOpen"),
    (8, "readOnly"), (1032, "readOnly"), (19, "constraint"), (2067, "constraint"), (10, "inputOutput"),
    (522, "inputOutput"), (23, "denied"), (3, "denied"), (21, ""),
  ])
  func `an extended code has the meaning of its primary code`(_ code: Int32, _ meaning: String) {
    let error = SQLiteError(extendedCode: code, message: "", operation: "")
    let meanings = [
      ("statement", error.isStatementError), ("busy", error.isBusy), ("full", error.isFull),
      ("notADatabase", error.isNotADatabase), ("corrupt", error.isCorrupt), ("cannotOpen", error.isCannotOpen),
      ("readOnly", error.isReadOnly), ("constraint", error.isConstraint), ("inputOutput", error.isInputOutput),
      ("denied", error.isDenied),
    ]
    #expect(meanings.filter(\.1).map(\.0).joined(separator: " ") == meaning)
  }
}
