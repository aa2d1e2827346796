// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Statements of `sql` that would write, never end or contain mistakes, and its prompt.
@Suite(.overlapping, .temporaryDirectory)
struct SQLSafetyTests {
  private static let statements = [
    "INSERT INTO Film(title) VALUES ('x')", "UPDATE Film SET title = 'x'", "DELETE FROM Film",
    "REPLACE INTO Film(key) VALUES (1)",
    "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE v USING fts5(a)",
    "DROP TABLE Film", "ALTER TABLE Film RENAME TO x", "WITH x AS (SELECT 1) DELETE FROM Film",
    "WITH x AS (SELECT 1) INSERT INTO sqlite_master SELECT * FROM x", "EXPLAIN UPDATE Film SET title = 'x'",
    "VACUUM", "VACUUM INTO 'copy.db'", "EXPLAIN VACUUM", "REINDEX", "ANALYZE", "PRAGMA journal_mode = DELETE",
    "SELECT * FROM pragma_journal_mode", "ATTACH 'films.store' AS f", "EXPLAIN ATTACH 'films.store' AS f",
    "DETACH main",
    "BEGIN", "COMMIT", "SAVEPOINT s", "SELECT load_extension('x.so')", "SELECT fts3_tokenizer('simple')",
    "SELECT writefile('x', 'y')", "SELECT 1; DELETE FROM Film", "SELECT ?1",
  ]

  private func files(_ bench: ShellFixture) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.directory.path) where !name.hasSuffix("-shm")
    {
      found[name] = FileManager.default.contents(atPath: bench.directory.file(name))
    }
    return found
  }

  @Test func `statements that do not only read are refused, and no file changes`() throws {
    let bench = try ShellFixture()
    let before = try files(bench)
    for statement in Self.statements {
      let outcome = try bench.shell.run("sql", statement)
      #expect(outcome.code == 2 && outcome.output == "", "\(statement)\n\(outcome)")
      #expect(outcome.errors.hasPrefix("followspot: "), "\(outcome)")
    }
    #expect(try files(bench) == before)
    try bench.expectEqual(documents: 8)
  }

  @Test func `a statement that never ends is stopped, and writers go on meanwhile`() throws {
    let bench = try ShellFixture()
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    let clock = ContinuousClock()
    for statement in [
      endless, "SELECT count(*) FROM search('*') h, (\(endless))",
      "SELECT count(*) FROM Film a, Film b, Film c, Film d, Film e, Film f, Film g, Film h, Film i",
    ] {
      let begin = clock.now
      let outcome = try bench.shell.run("sql", "--timeout", "500ms", statement)
      #expect(outcome.code == 2 && outcome.output == "")
      #expect(
        outcome.errors.hasPrefix("followspot: the statement was stopped after 500 ms\nhint: --timeout"), "\(outcome)")
      #expect(clock.now - begin < .seconds(10))
    }
    let running = try bench.shell.start(["sql", "--timeout", "0", endless])
    usleep(300_000)
    #expect(try bench.shell.run("set", "Film/p1", "title=Toys").code == 0)
    running.signal(SIGINT)
    #expect(running.wait().code == 130)
    try bench.sql("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  @Test func `one function that works for long is stopped too`() throws {
    let bench = try ShellFixture()
    // One step: instr compares millions of bytes at each of millions of offsets.
    let long =
      "WITH v(x) AS (SELECT replace(hex(zeroblob(10000000)), '0', 'a')) "
      + "SELECT instr(x, substr(x, 9000000) || 'b') FROM v"
    let late = try bench.shell.run("sql", "--timeout", "500ms", long)
    #expect(late.code == 2 && late.output == "")
    #expect(
      late.errors.hasPrefix("followspot: the statement was stopped after 500 ms\nhint: --timeout"), "\(late)")
    for (signal, code) in [(SIGTERM, Int32(143)), (SIGINT, 130)] {
      let running = try bench.shell.start(["sql", "--timeout", "0", long])
      usleep(500_000)
      running.signal(signal)
      let outcome = running.wait()
      #expect(outcome.code == code && outcome.errors == "followspot: stopped by a signal\n", "\(outcome)")
    }
  }

  @Test(arguments: [
    "printf('%.*c', 1000000000, 'x')", "format('%300000000s', 'x')", "length(printf('%.*c', 300000000, 'x'))",
    "coalesce(printf('%.*c', 300000000, 'x'), 'none')",
  ])
  func `a format whose result is too large is an error`(expression: String) throws {
    let outcome = try SharedFilms.bench.get().shell.run("sql", "--timeout", "60s", "SELECT " + expression)
    #expect(outcome.code == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors == "followspot: a value of the statement is larger than 256 MB\n", "\(outcome)")
  }

  @Test func `formats give what SQLite gives`() throws {
    let expressions = [
      "printf('%d of %s', 3, 'x')", "format('%05.2f|%q|%Q', 1.5, 'it''s', NULL)", "typeof(printf(''))",
      "typeof(printf(NULL, 1))", "typeof(printf('%s', ''))", "printf('%s%s', 'a', x'62')", "printf('%,d', 1234567)",
      "length(printf('%.*c', 1000000, 'x'))", "printf('%s')", "typeof(printf())", "format('%!.20g', 0.1)",
      "printf('%d', '12abc')", "printf('%c', 'ünder')", "printf('%i %i', 9223372036854775807, -1)",
    ]
    let plain = try Connection(path: ":memory:", access: .create)
    let bench = try ShellFixture()
    for expression in expressions {
      let statement = try plain.cursor("SELECT " + expression)
      #expect(try statement.step())
      #expect(try bench.statement("SELECT " + expression).first ?? "" == statement.text(at: 0), "\(expression)")
    }
  }

  @Test func `a statement longer than 1 MB is refused by its length`() throws {
    let bench = try ShellFixture()
    let outcome = try bench.shell.run(["sql"], input: "SELECT '" + String(repeating: "a", count: 1 << 20) + "'")
    #expect(outcome.code == 2 && outcome.errors == "followspot: the statement is longer than 1 MB\n", "\(outcome)")
  }

  @Test func `the prompt reports a statement that the input ends in`() throws {
    let bench = try ShellFixture()
    let typed = try TypedShell(Shell.program + " sql", name: "end", shell: bench.shell)
    defer { typed.end() }
    func shows(_ text: String) -> Bool { eventually { typed.shown.contains(text) } }
    #expect(shows("sql> "))
    try typed.type("SELECT 1\n")
    #expect(shows("...> "))
    try typed.type("\u{4}")
    #expect(shows("followspot: the input ended inside a statement, which was not run"), "\(typed.shown)")
    #expect(eventually { !typed.isRunning }, "\(typed.shown)")
  }

  @Test func `memory is limited`() throws {
    let bench = try ShellFixture()
    let outcome = try bench.shell.run("sql", "--timeout", "60s", "SELECT length(zeroblob(300000000) || 'x')")
    #expect(outcome.code == 2 && outcome.errors.contains("larger than 256 MB"), "\(outcome)")
    let many = try bench.shell.run(
      "sql", "--timeout", "60s",
      "SELECT count(*) FROM (SELECT zeroblob(200000000) AS a) JOIN (SELECT zeroblob(200000001) AS b) JOIN "
        + "(SELECT zeroblob(200000002) AS c) WHERE hex(a) < hex(b) || hex(c)")
    #expect(many.code == 2 && (many.errors.contains("MB of memory") || many.errors.contains("256 MB")), "\(many)")
  }

  @Test(arguments: [
    ("SELECT * FROM Fil", "no such table: Fil\n  SELECT * FROM Fil\n                ^\nhint: did you mean Film?"),
    (
      "SELECT titel FROM Film", "no such column: titel\n  SELECT titel FROM Film\n         ^\nhint: did you mean title?"
    ),
    (
      "SELECT f.yaer FROM Film f",
      "no such column: f.yaer\n  SELECT f.yaer FROM Film f\n         ^\nhint: did you mean year?"
    ),
    ("SELECT count( FROM Film", "near \"FROM\": syntax error\n  SELECT count( FROM Film\n                ^"),
    ("SELEC 1", "'SELEC' is not allowed; only SELECT, WITH, VALUES and EXPLAIN are\n  SELEC 1\n  ^"),
    ("SELECT 1; SELECT 2", "there is a second statement; only one is run\n  SELECT 1; SELECT 2\n           ^"),
    ("", "the statement is empty"), (" -- nothing", "the statement is empty"),
    ("SELECT * FROM search", "search needs a query, as in search('toy story')"),
    ("SELECT * FROM search('')", "the query is empty\nhint: * finds everything"),
    ("SELECT * FROM search('toy', 'Flm')", "no kind is named 'Flm'\nhint: known names: Film"),
    ("SELECT * FROM search('yaer:1995')", "no field is named 'yaer'\n  yaer:1995\n  ^\nhint: did you mean year?"),
    ("SELECT nosuch(1)", "no such function: nosuch\n  SELECT nosuch(1)\n         ^"),
  ])
  func `mistakes are reported with their position and the nearest name`(_ statement: String, _ message: String) throws {
    let outcome = try SharedFilms.bench.get().shell.run("sql", statement)
    #expect(outcome.code == 2 && outcome.output == "")
    #expect(outcome.errors.hasPrefix("followspot: " + message), "\(outcome.errors)")
  }

  @Test func `the prompt runs statements and commands, and goes on after errors and interrupts`() throws {
    let bench = try ShellFixture()
    let typed = try TypedShell(Shell.program + " sql", name: "prompt", shell: bench.shell)
    defer { typed.end() }
    func shows(_ text: String) -> Bool { eventually { typed.shown.contains(text) } }
    #expect(shows("sql> "))
    try typed.type("SELECT title\n")
    #expect(shows("...> "))
    try typed.type("FROM Film WHERE key = 'Film/p4';\n")
    #expect(shows("Up\r\n"))
    try typed.type("SELECT * FROM Fil;\n")
    #expect(shows("did you mean Film?"))
    try typed.type(".tables\n.schema film\n")
    #expect(shows("Film\r\nsearch\r\n") && shows("Film: key TEXT, entity TEXT"))
    try typed.type(".nothing\n")
    #expect(shows("there is no command '.nothing'"))
    // Ctrl-C cancels a statement that runs, and one that is being typed.
    try typed.type("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n;\n")
    usleep(300_000)
    try typed.type("\u{3}")
    try typed.type("SELECT 'never\n")
    usleep(300_000)
    try typed.type("\u{3}")
    #expect(try bench.shell.run("set", "Film/p4", "title=Higher").code == 0)
    // The next statement sees what was saved since.
    try typed.type("SELECT title, rank FROM search('higher');\n")
    #expect(shows("Higher  1\r\n"), "\(typed.shown)")
    try typed.type("\u{4}")
    #expect(eventually { !typed.isRunning }, "\(typed.shown)")
  }
}
