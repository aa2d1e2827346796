// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Records that match only by what they belong to are hidden on a terminal beyond the first three of a kind.
@Suite(
  .overlapping, .temporaryDirectory,
  .enabled(if: Terminal.isThere, "terminals are not shown: there is no \(Terminal.script)"))
struct FoldingTests {
  /// Two readers who borrowed four books in turn, 84 times.
  private func library() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author);
      CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
      CREATE TABLE loan (
        id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book, member_id INTEGER REFERENCES member, lent TEXT, due TEXT);
      INSERT INTO author VALUES (1, 'Isaac Asimov'), (2, 'Karel Čapek'), (3, 'Ursula Le Guin');
      INSERT INTO book VALUES (1, 'I, Robot', 1), (2, 'R.U.R.', 2), (3, 'The Caves of Steel', 1), (4, 'Malafrena', 3);
      INSERT INTO member VALUES (1, 'Ada Lovelace', 'London'), (2, 'Robin Hood', 'Nottingham');
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 84) INSERT INTO loan
        SELECT i, 1 + i % 4, 1 + i % 2, date('2020-01-01', '+' || i || ' days'), date('2020-03-01') FROM n;
      """)
    #expect(try bench.shell.run("index").code == 0)
    return bench
  }

  /// What a terminal shows of a search: the identifiers of records, and lines about those that are not shown.
  private func shown(_ bench: ShellFixture, _ arguments: String) throws -> [String] {
    let lines = try Terminal.lines(
      bench, "$F search \(arguments) --color never 2>/dev/null", columns: 120, environment: ["FOLLOWSPOT_PAGER": ""])
    return lines.compactMap { line in
      if line.contains(" more that ") { return line.trimmingCharacters(in: .whitespaces) }
      return line.split(separator: " ").last.map(String.init).flatMap { $0.contains("/") ? $0 : nil }
    }
  }

  private static let fold = "loan: 18 more that belong to it, --kind loan shows them"

  @Test func `three loans of a book are shown, and the number of the others`() throws {
    let bench = try library()
    #expect(try shown(bench, "robot") == ["book/1", "loan/4", "loan/8", "loan/12", Self.fold, "member/1"])
    let count = try Connection(path: bench.store, access: .readOnly).integer(
      "SELECT count(*) FROM loan WHERE book_id = 1")
    #expect(count == 21)
    #expect(try bench.shell.run("count", "robot").output == "23\n")
    // A phrase and other operators are folded, too.
    #expect(try shown(bench, "'\"i robot\"'") == ["book/1", "member/1", "loan/4", "loan/8", "loan/12", Self.fold])
    #expect(try shown(bench, "'robot OR malafrena'").last == "loan: 39 more that belong to it, --kind loan shows them")
    // The last of four is alone.
    try bench.sql("DELETE FROM loan WHERE book_id = 1 AND id > 16")
    #expect(try shown(bench, "robot")[4] == "loan: 1 more that belongs to it, --kind loan shows it")
    try bench.sql("DELETE FROM loan WHERE book_id = 1 AND id > 12")
    #expect(try shown(bench, "robot") == ["book/1", "loan/4", "loan/8", "loan/12", "member/1"])
  }

  @Test(arguments: [
    "robot loan", "kind:loan robot", "robot --kind loan", "robot -n 0", "robot --sort lent", "book:robot",
    "'(kind:loan AND robot) NOT dispossessed'", "robot --format tsv", "robot --format ids",
    "robot --template '{@id}\\n'",
  ])
  func `nothing is folded if the kind, an order, all hits or another format is wanted`(arguments: String) throws {
    let lines = try Terminal.lines(
      library(), "$F search \(arguments) --color never 2>/dev/null", columns: 120, environment: ["FOLLOWSPOT_PAGER": ""]
    )
    #expect(!lines.contains { $0.contains("more that") } && lines.count { $0.contains("loan/") } > 3, "\(lines)")
  }

  @Test func `a pipe gets every record`() throws {
    let bench = try library()
    #expect(try bench.shell.run("search", "robot", "-n", "0").lines.count == 23)
    #expect(try bench.shell.run("search", "robot", "--format", "ids").lines.count == 23)
    // Nothing is folded if no record matches by itself: there is nothing to which the others belong.
    try bench.sql("DELETE FROM book WHERE id = 1; INSERT INTO book VALUES (1, NULL, 1)")
    #expect(try !shown(bench, "asimov --kind book --kind loan").contains { $0.contains("more that") })
  }

  @Test func `pages are parts of one folded list`() throws {
    let bench = try library()
    for query in ["robot", "ada", "isaac", "robot lovelace"] {
      let hits = { (options: String) in
        try shown(bench, "\(query) --fields @id \(options)").filter { !$0.contains(" more that ") }
      }
      let whole = try hits("-n 90")
      #expect(Set(whole).count == whole.count && whole.count { $0.hasPrefix("loan/") } == 3, "\(whole)")
      let pages = try (0...whole.count).flatMap { try hits("-n 1 --offset \($0)") }
      #expect(Set(pages) == Set(whole) && pages.count == whole.count, "\(query): \(pages)")
      for count in 1..<whole.count { #expect(try Set(hits("-n \(count)")) == Set(pages.prefix(count)), "\(query)") }
    }
  }
}
