// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Keys that `attach` refuses, because rows would be left out of the index.
@Suite(.overlapping, .temporaryDirectory)
struct AttachKeyTests {
  @Test(arguments: [
    (Books.lackingKeys, "isbn", "book.isbn cannot be a key: 2 rows have no value in it", 2),
    (
      "CREATE TABLE book (isbn TEXT); INSERT INTO book VALUES ('1'), ('1'), ('2'), (NULL), (NULL)", "isbn",
      "book.isbn cannot be a key: 2 rows have the same value as another row", 1
    ),
    (
      "CREATE TABLE it (\"o'k\" INTEGER PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO it VALUES (1, 1), ('x', 2), (2.5, 3)",
      nil, "it.o'k cannot be a key: 2 rows have no integer in it", 2
    ),
    (
      "CREATE TABLE t (a TEXT, b TEXT UNIQUE COLLATE NOCASE); INSERT INTO t VALUES ('x', NULL), ('y', 'Z')", "b",
      "t.b cannot be a key: 1 row has no value in it", 1
    ),
  ])
  func `attach refuses a key that rows lack or share, and the hint lists them`(
    _ schema: String, _ key: String?, _ message: String, _ listed: Int
  ) throws {
    let bench = try ShellFixture.database(schema)
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.store))
    let refused = try bench.shell.run(["attach", bench.store] + (key.map { ["--key", $0] } ?? []))
    #expect(refused.code == 2 && refused.output == "", "\(refused)")
    let lines = refused.errors.split(separator: "\n").map(String.init)
    #expect(lines.first == "followspot: " + message)
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.store)) == before)
    // The shell takes the hint apart as it would for a user.
    let hint = try #require(lines.last?.split(separator: " ", maxSplits: 1).last)
    let words = try bench.shell.run(["-c", "sqlite3() { printf '%s\\n' \"$@\"; }; \(hint)"], program: "/bin/sh").lines
    #expect(words.first == bench.store && words.count == 2, "\(words)")
    let rows = try Connection(path: bench.store, access: .readOnly).cursor(words[1])
    var count = 0
    while try rows.step() { count += 1 }
    #expect(count == listed)
  }

  @Test func `a key that no row lacks is accepted, and attaching again stays possible when rows lose it`() throws {
    let bench = try ShellFixture.database(Books.table)
    #expect(try bench.shell.run("attach", "--key", "isbn").output == "attached book\n")
    try bench.sql("INSERT INTO book VALUES ('late', NULL)")
    #expect(try bench.shell.run("attach", "--key", "isbn").output == "already attached: book\n")
    try bench.sql("DROP TRIGGER followspot_1_insert")
    #expect(try bench.shell.run("attach").output == "renewed the triggers of book\n")
  }
}
