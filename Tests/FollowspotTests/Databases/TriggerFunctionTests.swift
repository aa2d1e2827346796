// SPDX-License-Identifier: MIT

import CSQLite
import SQLite
import Store
import TestSupport
import Testing

/// Writers whose SQLite is built without optional functions.
@Suite(.temporaryDirectory)
struct TriggerFunctionTests {
  private let directory = TemporaryDirectory()

  /// The functions of every build. `ifnull` and `random` are core functions, and only builds without date functions
  /// omit `julianday`.
  static let allowed: Set<String> = ["ifnull", "julianday", "random"]

  /// The functions that an authorizer recorded.
  private final class Calls {
    var refused: [String] = []
    var allowed: Set<String> = []
  }

  @Test func `a writer without JSON functions writes to an attached database`() throws {
    let path = directory.file("any.sqlite")
    let made = try Connection(path: path, access: .create)
    try made.execute(DatabaseHistories.schema)
    try made.execute(
      "CREATE TABLE strict (id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x', b BLOB, UNIQUE (a, b)) STRICT")
    let tables = try Attachment.attach(path, keys: ["isbn"], preserving: ["name", "note", "a"]).tables
    #expect(tables == ["bare", "child", "keyed", "narrow", "plain", "strict", "words"])

    var handle: OpaquePointer?
    #expect(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(handle) }
    let calls = Calls()
    let code = sqlite3_set_authorizer(
      handle,
      { calls, action, _, name, _, trigger in
        guard action == SQLITE_FUNCTION, let name, let calls else { return SQLITE_OK }
        let function = String(cString: name)
        let seen = Unmanaged<Calls>.fromOpaque(calls).takeUnretainedValue()
        guard TriggerFunctionTests.allowed.contains(function) else {
          seen.refused.append("\(function) in \(trigger.map { String(cString: $0) } ?? "the statement")")
          return SQLITE_DENY
        }
        seen.allowed.insert(function)
        return SQLITE_OK
      }, Unmanaged.passUnretained(calls).toOpaque())
    #expect(code == SQLITE_OK)
    for sql in [
      "INSERT INTO plain VALUES (1, 'ant', 'bee'), (2, 'cow', NULL)", "INSERT INTO child VALUES (1, 1, 'ufo')",
      "INSERT INTO bare VALUES ('ant', 1, 1, 'x')", "INSERT INTO narrow VALUES (1, 'Ant', NULL)",
      "INSERT INTO strict VALUES (1, 'y', x'01')", "INSERT OR REPLACE INTO strict VALUES (2, NULL, x'01')",
      "REPLACE INTO plain VALUES (3, 'ant', 'dog')", "UPDATE OR REPLACE plain SET name = 'cow' WHERE id = 3",
      "UPDATE bare SET rowid = 9", "INSERT INTO narrow VALUES (2, 'ANT', 'x') ON CONFLICT DO UPDATE SET note = 'y'",
      "BEGIN; UPDATE followspot_writer SET author = 'ann'; DELETE FROM child; "
        + "UPDATE followspot_writer SET author = NULL; COMMIT",
      "INSERT INTO words VALUES ('ant', 1, 'a', NULL), ('bee', 'x', 'b', 'c')",
      "REPLACE INTO words VALUES ('ANT', 1, 'b', 'd')", "UPDATE words SET part = 2", "DELETE FROM words",
      "INSERT INTO keyed VALUES ('1', 'a', 'b'), (NULL, 'c', 'd')", "REPLACE INTO keyed VALUES ('1', 'c', 'e')",
      "UPDATE keyed SET isbn = '2'", "UPDATE keyed SET isbn = NULL", "DELETE FROM keyed",
      "DELETE FROM plain", "DELETE FROM bare", "DELETE FROM narrow", "DELETE FROM strict",
    ] {
      let code = sqlite3_exec(handle, sql, nil, nil, nil)
      #expect(code == SQLITE_OK, "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
    #expect(calls.refused == [])
    // The authorizer was also called for the triggers.
    #expect(calls.allowed == Self.allowed)
    #expect(try StoreFile.open(path).newest() > 15)
  }
}
