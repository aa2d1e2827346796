// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Identifiers of records in ordinary databases: the table and the key.
@Suite(.overlapping, .temporaryDirectory)
struct RecordNameTests {
  private static let schema = """
    CREATE TABLE alias (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE plain (title TEXT);
    CREATE TABLE narrow (id INTEGER PRIMARY KEY, title TEXT) WITHOUT ROWID;
    CREATE TABLE code (code TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE slim (code TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID;
    CREATE TABLE tag (tag TEXT COLLATE NOCASE PRIMARY KEY, title TEXT) WITHOUT ROWID;
    CREATE TABLE crs (auth TEXT, code, title TEXT, PRIMARY KEY (auth, code)) WITHOUT ROWID;
    CREATE TABLE pair (a INT, b TEXT, title TEXT, PRIMARY KEY (b, a));
    CREATE TABLE hash (id BLOB PRIMARY KEY, title TEXT) WITHOUT ROWID;
    CREATE TABLE any (id PRIMARY KEY, title TEXT) WITHOUT ROWID;
    CREATE TABLE amount (id REAL PRIMARY KEY, title TEXT) WITHOUT ROWID;
    """

  /// A table, the SQL of a key's values, and the identifier.
  private static let records: [(table: String, key: String, identifier: String)] = [
    ("alias", "22", "alias/22"), ("alias", "-5", "alias/-5"), ("alias", "0", "alias/0"),
    ("plain", "", "plain/1"), ("narrow", "7", "narrow/7"),
    ("code", "'abc'", "code/abc"), ("code", "'p22'", "code/p22"), ("code", "'22'", "code/22"),
    ("code", "'0x41'", "code/0x41"), ("code", "x'4142'", "code/%30x4142"), ("code", "NULL", "code/p6"),
    ("slim", "'a b/c:d%e'", "slim/a%20b%2Fc%3Ad%25e"), ("slim", "'Größe-1_2.3~'", "slim/Größe-1_2.3~"),
    ("slim", "'e' || char(769)", "slim/e%CC%81"), ("slim", "'日本'", "slim/日本"), ("slim", "''", "slim/"),
    ("slim", "'it''s \"x\"' || char(10, 27)", "slim/it%27s%20%22x%22%0A%1B"), ("slim", "'%35'", "slim/%2535"),
    ("slim", "'🎉'", "slim/%F0%9F%8E%89"), ("slim", "'-x'", "slim/-x"), ("slim", "'x-coredata:'", "slim/x-coredata%3A"),
    ("tag", "'AbC'", "tag/AbC"),
    ("crs", "'EPSG', 4326", "crs/EPSG:4326"), ("crs", "'EPSG', '4326'", "crs/EPSG:%34326"),
    ("crs", "'A:B', 'x:y'", "crs/A%3AB:x%3Ay"), ("crs", "'', ''", "crs/:"),
    ("pair", "1, 'x'", "pair/x:1"), ("pair", "2, 'x'", "pair/x:2"),
    ("hash", "x'00ff'", "hash/0x00ff"), ("hash", "x''", "hash/0x"), ("hash", "'0x00ff'", "hash/%30x00ff"),
    ("any", "5", "any/5"), ("any", "'5'", "any/%35"), ("any", "x'35'", "any/0x35"), ("any", "5.5", "any/5.5"),
    ("any", "'007'", "any/007"), ("any", "1e300", "any/1e300"), ("any", "9e999", "any/9e999"),
    ("amount", "1", "amount/1.0"), ("amount", "1e20", "amount/1e20"), ("amount", "'abc'", "amount/abc"),
  ]

  /// A database with these records, whose titles are `numbat` and their number.
  private func fixture(isAttached: Bool) throws -> ShellFixture {
    let bench = ShellFixture.empty()
    let connection = try Connection(path: bench.store, access: .create)
    try connection.execute(Self.schema)
    for (number, record) in Self.records.enumerated() {
      let key = record.key.isEmpty ? "" : record.key + ", "
      try connection.execute("INSERT INTO \(record.table) VALUES (\(key)'numbat\(number)')")
    }
    if isAttached { #expect(try bench.shell.run("attach").code == 0) }
    #expect(try bench.shell.run("index").code == 0)
    return bench
  }

  private func identifiers(_ bench: ShellFixture, _ query: String, _ options: String...) throws -> [String] {
    try bench.shell.run(["search", "-n", "0", "--fields", "@id,title", "--format", "tsv", query] + options).lines
  }

  @Test(arguments: [false, true])
  func `a record is named by its table and its key, whatever the key is`(isAttached: Bool) throws {
    let bench = try fixture(isAttached: isAttached)
    let store = try #require(try bench.status()["store"] as? [String: Any])
    let uuid = try #require(store["uuid"] as? String)
    let expected = Self.records.enumerated().map { number, record in
      // A row without a key keeps the form with a number.
      (record.key == "NULL" ? "x-coredata://\(uuid)/" : "") + record.identifier + "\tnumbat\(number)"
    }
    #expect(try identifiers(bench, "*").sorted() == expected.sorted())
    // From the index alone, and of changed rows that are not indexed yet.
    #expect(try identifiers(bench, "*", "--index-only").sorted() == expected.sorted())
    for table in Set(Self.records.map(\.table)) { try bench.sql("UPDATE \(table) SET title = title || ' x'") }
    #expect(try identifiers(bench, "*").sorted() == expected.map { $0 + " x" }.sorted())
  }

  @Test(arguments: [false, true])
  func `each identifier names the same record in every verb`(isAttached: Bool) throws {
    let bench = try fixture(isAttached: isAttached)
    let identifiers = Self.records.map(\.identifier)
    let shown = try bench.shell.run(["show", "--format", "ndjson", "--"] + identifiers)
    #expect(shown.code == 0 && shown.errors == "", "\(shown)")
    let titles = try shown.lines.map { line in (try object(line)["fields"] as? [String: Any])?["title"] as? String }
    #expect(titles == Self.records.indices.map { "numbat\($0)" })
    for (number, identifier) in identifiers.enumerated() {
      let explained = try bench.shell.run("explain", "--", identifier, "numbat\(number)")
      #expect(explained.code == 0 && explained.output.hasPrefix("\(identifier)  numbat\(number)\n"), "\(explained)")
      let table = Self.records[number].table
      let literal = "'" + identifier.replacing("'", with: "''") + "'"
      let read = try bench.shell.run(
        "sql",
        "SELECT t.title, s.rank FROM \"\(table)\" t JOIN search('numbat\(number)') s ON s.key = t.key "
          + "WHERE t.key = \(literal)")
      #expect(read.output == "numbat\(number)\t1\n", "\(identifier): \(read)")
    }
    // Other spellings of the same keys.
    let others = ["tag/aBc", "slim/%61", "amount/1", "alias/p22", "ALIAS/22", "code/%61bc", "pair/x:01"]
    let found = try bench.shell.run(["show", "--format", "ndjson"] + others)
    let ids = try found.lines.map { try object($0)["id"] as? String }
    #expect(ids == ["tag/AbC", "amount/1.0", "alias/22", "alias/22", "code/abc", "pair/x:1"], "\(found)")
    #expect(found.code == 1 && found.errors == "followspot: there is no slim/a\n")
    for (text, code) in [("code/none", 1), ("crs/EPSG", 2), ("alias/x", 2), ("none/1", 2)] {
      #expect(try bench.shell.run("show", text).code == code, "\(text)")
    }
  }

  @Test func `format 1 has numbers, which stay accepted`() throws {
    let bench = try fixture(isAttached: false)
    func ids(_ version: String) throws -> [String] {
      try bench.shell.run("search", "*", "--format", "ndjson", "--format-version", version).lines
        .compactMap { try object($0)["id"] as? String }
    }
    let (old, new) = (try ids("1"), try ids("2"))
    #expect(old.count == Self.records.count && old.allSatisfy { $0.wholeMatch(of: /x-coredata:.*\/p-?\d+/) != nil })
    for forms in [old, old.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }] {
      let shown = try bench.shell.run(["show", "--format", "ndjson", "--"] + forms)
      #expect(try shown.lines.map { try object($0)["id"] as? String } == new, "\(shown)")
    }
    let sql = try bench.shell.run("sql", "--format-version", "1", "SELECT key FROM alias WHERE key = 'alias/22'")
    #expect(sql.output == "alias/p22\n", "\(sql)")
    #expect(try bench.shell.run("sql", "SELECT key FROM alias WHERE key = 'alias/p22'").output == "alias/22\n")
  }

  @Test func `the log names rows by the keys that they had`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE code (code TEXT PRIMARY KEY, title TEXT);
      CREATE TABLE slim (code TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID;
      CREATE TABLE book (id INTEGER PRIMARY KEY, isbn TEXT UNIQUE COLLATE NOCASE, title TEXT);
      """)
    #expect(try bench.shell.run("attach", "--key", "isbn", "--preserve", "title").code == 0)
    try bench.sql(
      """
      INSERT INTO code VALUES ('a', 'one'), ('b', 'two'); INSERT INTO slim VALUES ('a', 'three'), ('b', 'four');
      INSERT INTO book VALUES (1, '978-3', 'five'), (2, 'x/1', 'six');
      """)
    #expect(try bench.shell.run("index").code == 0)
    let start = try bench.newest()
    #expect(
      try identifiers(bench, "*").sorted() == [
        "book/978-3\tfive", "book/x%2F1\tsix", "code/a\tone", "code/b\ttwo", "slim/a\tthree", "slim/b\tfour",
      ])
    try bench.sql(
      """
      DELETE FROM code WHERE code = 'b'; INSERT INTO code VALUES ('c', 'two again');
      UPDATE code SET code = 'd' WHERE code = 'a'; UPDATE slim SET code = 'd' WHERE code = 'a';
      DELETE FROM slim WHERE code = 'b'; DELETE FROM book WHERE id = 2; UPDATE book SET title = 'seven' WHERE id = 1;
      """)
    let feed = try bench.shell.run("feed", "--from", "\(start)")
    let changes = try feed.lines.map { line in
      let line = try object(line)
      return "\(line["operation"] ?? "") \(line["id"] ?? "")"
    }
    #expect(
      changes == [
        "delete code/b", "insert code/c", "delete code/a", "insert code/d", "delete slim/a", "insert slim/d",
        "delete slim/b", "delete book/x%2F1", "update book/978-3",
      ], "\(feed)")
    let listed = try bench.shell.run("history", "--after", "\(start)", "--format", "tsv").lines.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).dropFirst(3).prefix(2).joined(separator: " ")
    }
    #expect(listed == changes)
    let deleted = try bench.shell.run("show", "book/X%2f1")
    #expect(deleted.output.hasPrefix("book/x%2F1\ndeleted: "))
    #expect(deleted.errors == "followspot: book/x%2F1 was deleted\n")
    #expect(try bench.shell.run("show", "slim/b", "--format", "ndjson").output.hasPrefix(#"{"id":"slim/b","#))
    #expect(try bench.shell.run("log", "book/x%2F1", "--format", "ndjson").output.contains(#""id":"book/x%2F1""#))
    #expect(try identifiers(bench, "deleted:*").sorted() == ["book/x%2F1\tsix", "slim/a\tthree", "slim/b\tfour"])
    #expect(try bench.shell.run("index").code == 0)
    #expect(
      try identifiers(bench, "*").sorted() == [
        "book/978-3\tseven", "code/c\ttwo again", "code/d\tone", "slim/d\tthree",
      ])
    #expect(try bench.shell.run("verify").code == 0)
  }

  @Test func `live results, saved searches and differences name records that are gone`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      "CREATE TABLE slim (code TEXT PRIMARY KEY, title TEXT) WITHOUT ROWID; INSERT INTO slim VALUES ('a', 'x'), ('b', 'y')"
    )
    #expect(try bench.shell.run("attach").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("saved", "add", "all", "*").code == 0)
    #expect(try bench.shell.run("saved", "watch", "all", "--once").code <= 1)
    let delete = "DELETE FROM slim WHERE code = 'b'"
    try bench.sql(delete)
    let watched = try bench.shell.run("saved", "watch", "all", "--once")
    #expect(watched.output.contains("/slim/b\ty"), "\(watched)")
    try bench.sql("INSERT INTO slim VALUES ('b', 'y')")
    let live = try bench.shell.start(["search", "*", "--live", "--fields", "@id"])
    #expect(eventually { live.output.split(separator: "\n").count == 2 }, "\(live.errors)")
    try bench.sql(delete)
    #expect(eventually { live.output.split(separator: "\n").contains("- slim/b") }, "\(live.output)\(live.errors)")
    _ = live.end()
  }
}
