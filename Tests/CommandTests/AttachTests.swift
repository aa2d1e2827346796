// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Commands on ordinary SQLite databases.
@Suite(.overlapping, .temporaryDirectory)
struct AttachTests {
  private static let schema = """
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors, added INTEGER);
    CREATE VIEW recent AS SELECT * FROM books;
    INSERT INTO authors VALUES (1, 'Ursula Le Guin'), (2, 'Iain Banks');
    INSERT INTO books VALUES (1, 'The Dispossessed', 1, 1577836800), (2, 'Excession', 2, 1609459200);
    """

  /// A database that `FOLLOWSPOT_STORE` names.
  private func fixture() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(Self.schema)
    return bench
  }

  private func schema(_ bench: ShellFixture) throws -> [String] {
    let connection = try Connection(path: bench.store, access: .readOnly)
    let rows = try connection.cursor("SELECT sql FROM sqlite_master ORDER BY rowid")
    var lines: [String] = []
    while try rows.step() { lines.append(rows.text(at: 0)) }
    return lines
  }

  private func access(_ bench: ShellFixture) throws -> String {
    let status = try bench.shell.run("status", "--format", "json")
    struct Status: Decodable {
      struct Store: Decodable { let access: String }
      let store: Store
    }
    return try JSONDecoder().decode(Status.self, from: Data(status.output.utf8)).store.access
  }

  @Test func `a change by a query is refused also after the database has changed`() throws {
    let bench = try fixture()
    #expect(try bench.shell.run("index").code == 0)
    try bench.sql("UPDATE books SET title = 'Matter' WHERE id = 2")
    let outcome = try bench.shell.run("set", "title:matter", "title=x")
    #expect(outcome.code == 2 && outcome.errors.contains("does not change its rows"), "\(outcome)")
  }

  @Test func `conditions on the history and lists of it are refused without a history`() throws {
    let bench = try fixture()
    #expect(try bench.shell.run("index").code == 0)
    let hint = "hint: followspot attach records changes from now on\n"
    for query in ["@author:x", "changed:1d..", "tx:>0", "deleted:*"] {
      let hint = query == "deleted:*" ? hint.replacing("attach", with: "attach --preserve name,title") : hint
      let name = query.prefix { $0 != ":" }
      let outcome = try bench.shell.run("count", query)
      #expect(outcome.code == 2 && outcome.output == "")
      #expect(
        outcome.errors
          == "followspot: \(name) finds nothing: this database keeps no history\n  \(query)\n  ^\n" + hint, "\(query)"
      )
    }
    let listed = try bench.shell.run("history")
    #expect(listed.code == 2 && listed.errors.hasSuffix("keeps no history of its changes\n" + hint), "\(listed)")
  }

  @Test func `a field with another name is named before a history that does not exist`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      "CREATE TABLE entries(id INTEGER PRIMARY KEY, title TEXT, authors TEXT, changed_at TEXT);"
        + "INSERT INTO entries VALUES(1, 'Excession', 'Banks', '2024-05-01')")
    #expect(try bench.shell.run("index").code == 0)
    for (query, name) in [("author:banks", "authors"), ("changed:2024", "changed_at")] {
      let outcome = try bench.shell.run("count", query)
      #expect(outcome.code == 2 && outcome.errors.contains(name) && !outcome.errors.contains("history"), "\(outcome)")
    }
  }

  @Test func `attaching again changes nothing, and the history says when triggers were renewed`() throws {
    let bench = try fixture()
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("attach").output == "attached authors, books\n")
    let before = "the database was attached after it was indexed"
    #expect(try bench.shell.run("search", "excession").errors == "followspot: \(before); the index has to be updated\n")
    #expect(try bench.shell.run("index").errors.hasPrefix("followspot: \(before): comparing index and store\n"))
    try bench.sql("UPDATE books SET title = 'Matter' WHERE id = 2")
    let again = try bench.shell.run("attach")
    #expect(again.code == 0 && again.output == "already attached: authors, books\n", "\(again)")
    #expect(try bench.shell.run("attach", "--dry-run").output == "")
    let found = try bench.shell.run("search", "matter", "--fields", "title")
    #expect(found.output == "Matter\n" && found.errors == "", "\(found)")
    let renewed = try bench.shell.run("attach", "--preserve", "title")
    #expect(renewed.output == "renewed the triggers of authors, books\n", "\(renewed)")
    let lines = try bench.shell.run("history").lines
    #expect(lines.last == "  attach renewed the triggers; changes before it may be missing", "\(lines)")
    #expect(try bench.shell.run("history", "--format", "tsv").lines.count == 1)
  }

  @Test func `an attribute named like a word of the query language has another name everywhere, as an import gives it`()
    throws
  {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT); INSERT INTO item VALUES (1, 'fruit'), (2, 'tool')")
    #expect(try bench.shell.run("index").code == 0)
    let outcome = try bench.shell.run("count", "kind:fruit")
    #expect(
      outcome.errors
        == "followspot: no kind is named 'fruit'; the field of the attribute kind is kind_\n  kind:fruit\n       ^\n"
        + "hint: kind_:fruit\n", "\(outcome)")
    #expect(try bench.shell.run("count", "kind_:fruit").output == "1\n")
    #expect(try bench.shell.run("count", "kind:item").output == "2\n")
    #expect(try bench.shell.run("search", "kind_:tool", "--fields", "kind_").output == "tool\n")
    #expect(try bench.shell.run("search", "kind_:tool", "--format", "ndjson").output.contains(#""kind_":"tool""#))
    #expect(try bench.shell.run("sql", "SELECT kind_ FROM item ORDER BY key").output == "fruit\ntool\n")
    #expect(try bench.shell.run("show", "item/1").output == "item/1\nid: 1\nkind_: fruit\n")
  }

  @Test func `two commands search a database, the answer is never stale, and the database is not written`() throws {
    let bench = try fixture()
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.store))
    #expect(try bench.shell.run("index").code == 0)
    let found = try bench.shell.run("search", "excession", "--fields", "title,added")
    #expect(found.output == "Excession\t2021-01-01\n")
    #expect(found.errors == "")
    #expect(try access(bench) == "compared")
    for verb in [["verify"], ["doctor"], ["schema"], ["count", "*"], ["show", "books/p1"], ["wait"]] {
      #expect(try bench.shell.run(verb).code == 0, "\(verb)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.store)) == before)
    try bench.sql("INSERT INTO books VALUES (3, 'Inversions', 2, 1609459201); DELETE FROM books WHERE id = 2")
    #expect(try bench.shell.run("search", "inversions", "--fields", "title").output == "Inversions\n")
    #expect(try bench.shell.run("search", "excession").code == 1)
    let stale = try bench.shell.run("verify")
    #expect(stale.code == 4)
    #expect(stale.errors.contains("has changed since it was indexed\nhint: followspot"))
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("verify").code == 0)
  }

  @Test(arguments: [
    ["set", "books/1", "title=x"], ["delete", "books/1"], ["import", "new.jsonl", "--kind", "books"],
    ["history", "purge", "--before", "1"], ["migrate", "model.json"],
  ])
  func `a verb that writes refuses a database`(_ arguments: [String]) throws {
    let bench = try fixture()
    _ = try bench.directory.write("{\"title\":\"x\"}\n", to: "new.jsonl")
    _ = try bench.directory.write("{\"entities\":[{\"name\":\"T\"}]}", to: "model.json")
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.store))
    let refused = try bench.shell.run(arguments)
    #expect(refused.code == 2, "\(refused)")
    #expect(
      refused.errors.hasPrefix(
        "followspot: \(bench.store) is an ordinary SQLite database: followspot searches it, "
          + "but does not change its rows\n"),
      "\(refused)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.store)) == before)
  }

  @Test func `after attach the history records changes, and detach removes all its traces`() throws {
    let bench = try fixture()
    let before = try schema(bench)
    let planned = try bench.shell.succeed("attach", "--dry-run")
    #expect(planned.output.contains("CREATE TRIGGER followspot_1_insert AFTER INSERT ON \"authors\""))
    #expect(try schema(bench) == before)
    let attached = try bench.shell.run("attach", bench.store, "--preserve", "title")
    #expect(attached.output == "attached authors, books\n")
    // A view is not a table that is left out.
    #expect(attached.errors.isEmpty, "\(attached)")
    #expect(try access(bench) == "attached")
    #expect(try bench.shell.run("index").code == 0)
    try bench.sql(
      "BEGIN; UPDATE followspot_writer SET author = 'ann'; DELETE FROM books WHERE id = 2; "
        + "UPDATE followspot_writer SET author = NULL; COMMIT; REPLACE INTO authors VALUES (1, 'Ursula K. Le Guin')")
    let history = try bench.shell.run("history", "--format", "ndjson")
    let changes = history.output.split(separator: "\n").map { line in
      line.contains("\"delete\"") ? "delete" : line.contains("\"insert\"") ? "insert" : "update"
    }
    #expect(changes == ["delete", "update", "insert"])
    #expect(history.output.contains("\"author\":\"ann\""))
    #expect(history.output.contains("\"title\":\"Excession\""))
    let found = try bench.shell.run("search", "ursula", "--fields", "@entity,name,title")
    #expect(found.output == "authors\tUrsula K. Le Guin\tUrsula K. Le Guin\nbooks\t\tThe Dispossessed\n")
    let indexed = try bench.shell.run("index")
    #expect((indexed.code, indexed.errors) == (0, ""))
    #expect(try bench.shell.run("verify").code == 0)
    #expect(try bench.shell.run("history", "purge", "--before", "3").code == 0)
    #expect(try bench.shell.run("detach").output == "detached \(bench.store)\n")
    #expect(try schema(bench) == before)
    #expect(try access(bench) == "compared")
    #expect(try bench.shell.run("search", "name:ursula", "--fields", "name").output == "Ursula K. Le Guin\n")
  }

  @Test(arguments: [[], ["--preserve", "title"]])
  func `after detach no search says that the model has changed`(_ options: [String]) throws {
    let bench = try fixture()
    try bench.sql(
      "CREATE TABLE places (code TEXT PRIMARY KEY, place TEXT) WITHOUT ROWID; INSERT INTO places VALUES ('b', 'Bath')")
    #expect(try bench.shell.run(["attach"] + options).code == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("detach").code == 0)
    func expectFound(_ query: String, _ identifier: String) throws {
      let found = try bench.shell.run("search", query)
      #expect(found.code == 0 && found.output.hasPrefix(identifier) && found.errors.isEmpty, "\(found)")
    }
    try expectFound("dispossessed", "books/1")
    try expectFound("bath", "places/b")
    // Changes are found by comparing rows, before a pass and after it.
    try bench.sql("UPDATE books SET title = 'Matter' WHERE id = 2")
    try expectFound("matter", "books/2")
    #expect(try bench.shell.run("search", "excession").code == 1)
    #expect(try bench.shell.run("index").code == 0)
    try expectFound("matter", "books/2")
    #expect(try bench.shell.run("verify").code == 0)
    // A new column is a change of the model.
    try bench.sql("ALTER TABLE books ADD COLUMN note TEXT")
    let changed = try bench.shell.run("search", "matter")
    #expect(changed.errors.contains("the store's model has changed"), "\(changed)")
  }

  @Test func `views are not reported as tables that are left out`() throws {
    let bench = try fixture()
    for words in [["doctor"], ["status"], ["index"]] {
      let outcome = try bench.shell.run(words)
      #expect(!(outcome.output + outcome.errors).contains("recent"), "\(outcome)")
    }
  }

  @Test(.enabled(if: Terminal.isThere, "terminals are not shown: there is no \(Terminal.script)"))
  func `a terminal groups changes of one author and moment`() throws {
    let bench = try fixture()
    #expect(try bench.shell.run("attach").code == 0)
    try bench.sql("INSERT INTO books (title) VALUES ('a'), ('b'), ('c')")
    try bench.sql(
      "BEGIN; UPDATE followspot_writer SET author = 'ann'; DELETE FROM books WHERE id = 4; "
        + "UPDATE followspot_writer SET author = NULL; COMMIT")
    #expect(
      try Terminal.lines(bench, "$F history --color never") == [
        "Transaction 4 · 1 deleted · books · by ann · just now", "  - books/4",
        "Changes 1 to 3 · 3 inserted · books · just now", "  + a  books/3", "  + books/4", "  + c  books/5",
      ])
    #expect(
      try Terminal.lines(bench, "$F history -n 1 --color never")
        == ["Transaction 4 · 1 deleted · books · by ann · just now", "  - books/4"])
    #expect(
      try Terminal.lines(bench, "$F history --after 0 -n 1 --color never").first
        == "Changes 1 to 3 · 3 inserted · books · just now")
    #expect(try bench.shell.run("history").output.split(separator: "\n").count == 8)
  }

  /// The preserved columns of each table, as the log's own table says.
  private func preserved(_ bench: ShellFixture) throws -> [String] {
    let connection = try Connection(path: bench.store, access: .readOnly)
    let rows = try connection.cursor(
      "SELECT name || ':' || replace(preserved, char(31), ' ') FROM followspot_table WHERE successor IS NULL ORDER BY name"
    )
    var lines: [String] = []
    while try rows.step() { lines.append(rows.text(at: 0)) }
    return lines
  }

  @Test(arguments: [
    (["title,name"], ["authors:name", "books:title"]), (["title", "name"], ["authors:name", "books:title"]),
    (["books.title"], ["authors:", "books:title"]), (["BOOKS.Title, name"], ["authors:name", "books:title"]),
    (["books.id,title"], ["authors:", "books:id title"]), (["id"], ["authors:id", "books:id"]),
    (["title,title"], ["authors:", "books:title"]),
  ])
  func `columns to preserve are named in a list, and with their tables`(_ names: [String], _ expected: [String]) throws
  {
    let bench = try fixture()
    try bench.shell.succeed(["attach"] + names.flatMap { ["--preserve", $0] })
    #expect(try preserved(bench) == expected)
    let again = try bench.shell.run(["attach"] + names.flatMap { ["--preserve", $0] })
    #expect(again.output.hasPrefix("already attached"), "\(again)")
  }

  @Test func `columns whose names have dots and commas are preserved`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      #"CREATE TABLE "a.b" (id INTEGER PRIMARY KEY, "x,y" TEXT, "c.d" TEXT, x TEXT)"#)
    #expect(try bench.shell.run("attach", "--preserve", "x,y", "--preserve", "a.b.c.d", "--preserve", "x").code == 0)
    #expect(try preserved(bench) == ["a.b:c.d x x,y"])
  }

  @Test func `a query for deleted rows names the command that preserves their titles`() throws {
    for tables in [[], ["--table", "books"]] {
      let bench = try fixture()
      #expect(try bench.shell.run("index").code == 0)
      #expect(try bench.shell.run(["attach"] + tables).code == 0)
      #expect(try bench.shell.run("count", "deleted:*").errors.contains("hint") == false)
      try bench.sql("DELETE FROM books WHERE id = 2")
      let option = tables.isEmpty ? "" : "--table books "
      let command = "attach \(option)--preserve title"
      let hint = "hint: followspot \(command) keeps these values of rows that are deleted from now on\n"
      for call in [["search", "deleted:*"], ["search", "deleted:* excession"], ["count", "deleted:*"]] {
        let found = try bench.shell.run(call)
        #expect(found.errors.contains(hint), "\(found)")
      }
      let renewed = try bench.shell.run(command.split(separator: " ").map(String.init))
      #expect(renewed.output.hasPrefix("renewed the triggers of"), "\(renewed)")
      try bench.sql("DELETE FROM books WHERE id = 1")
      let found = try bench.shell.run("search", "deleted:* dispossessed", "--fields", "@id,title")
      #expect(found.output == "books/1\tThe Dispossessed\n" && !found.errors.contains("hint"), "\(found)")
      // The other tables stay as they were.
      #expect(try preserved(bench).count == (tables.isEmpty ? 2 : 1))
    }
  }

  @Test func `attach prints why it refuses a database`() throws {
    let bench = try fixture()
    for (arguments, sentence) in [
      (
        ["attach", "--table", "nothing"],
        "\(bench.store) has no table nothing\nhint: its tables are authors, books\n"
      ),
      (["attach", "--table", "recent"], "recent cannot be attached: it is a view; its tables are searched\n"),
      (["attach", "--preserve", "nothing"], "no table has a column nothing to preserve\n"),
      (["attach", "--preserve", "title,nothing"], "no table has a column title,nothing to preserve\n"),
      (["attach", "--preserve", "authors.title"], "no table has a column authors.title to preserve\n"),
      (["attach", bench.directory.file("none.db")], "no database at \(bench.directory.file("none.db"))\n"),
      (["attach", "a", "b"], "attach takes one database\n"), (["detach"], "\(bench.store) is not attached\n"),
    ] {
      let refused = try bench.shell.run(arguments)
      #expect([1, 2, 3].contains(refused.code), "\(refused)")
      #expect(refused.errors.hasPrefix("followspot: \(sentence)"), "\(refused)")
    }
  }

  @Test func `a follower finds changes of attached and other databases`() throws {
    for isAttached in [false, true] {
      let bench = try fixture()
      if isAttached { #expect(try bench.shell.run("attach").code == 0) }
      let follower = try bench.follow()
      defer { bench.stop(follower) }
      try bench.sql("INSERT INTO books VALUES (9, 'Matter', 2, 1609459202)")
      let isFound = try eventually { try bench.shell.run("search", "matter", "--index-only").code == 0 }
      #expect(isFound, "attached: \(isAttached)")
    }
  }
}
