// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@Suite(.overlapping, .temporaryDirectory)
struct QuotedTests {
  private let directory = TemporaryDirectory()

  private static let hostile = [
    "plain", "select", "it's", "\"", "\"\"", "a\"b", "\"; DROP TABLE t; --", "a) VALUES (1); --", "two words", "[x]",
    "`x`", "ünï", "日本", "👩‍👩‍👧", "line\nbreak", "?1", ":name", "/* */", "\"\u{301}", "a\"\u{301} , b, \"\u{301}",
    "\"\u{200d}x", "\"\u{fe0f}",
  ]

  @Test(arguments: [
    ("a", "\"a\""), ("", "\"\""), ("\"", "\"\"\"\""), ("a\"b\"", "\"a\"\"b\"\"\""),
    ("\"\u{301}", "\"\"\"\u{301}\""),
  ])
  func `every quotation mark is doubled`(_ name: String, _ expected: String) {
    #expect(Array(quoted(name).unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test(arguments: hostile)
  func `a hostile name is only a column's name`(_ name: String) throws {
    let connection = try Connection(path: directory.file("a.db"), access: .create)
    try connection.execute("CREATE TABLE t (\(quoted(name)) INTEGER); INSERT INTO t (\(quoted(name))) VALUES (7)")
    let select = try connection.statement("SELECT * FROM t WHERE \(quoted(name)) = 7")
    #expect(try select.step())
    #expect(select.columnCount == 1)
    #expect(Array(select.columnName(at: 0).utf8) == Array(name.utf8))
    #expect(select.integer(at: 0) == 7)
  }

  @Test func `a name with a NUL character stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = quoted("a\0b") }
  }
}
