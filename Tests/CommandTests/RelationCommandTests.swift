// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// What `schema`, `doctor` and `index` say of the relations of an ordinary database, and how a definition overrides them.
@Suite(.overlapping, .temporaryDirectory)
struct RelationCommandTests {
  private func bench() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER, owner INTEGER REFERENCES people);
      INSERT INTO authors VALUES (1, 'Banks'), (2, 'Le Guin'); INSERT INTO people VALUES (1, 'Ann'), (3, 'Bob');
      INSERT INTO books VALUES (1, 'Excession', 1, 3), (2, 'Malafrena', 2, 3);
      """)
    return bench
  }

  /// The schema with other relations, as a file.
  private func definition(_ bench: ShellFixture, _ change: (inout [String: Any]) -> Void) throws -> String {
    let printed = try bench.shell.run("schema").output
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [String: Any])
    var definition = try #require(schema["definition"] as? [String: Any])
    var relations = try #require(definition["relations"] as? [String: [String: Any]])
    var books = try #require(relations["books"])
    change(&books)
    relations["books"] = books
    definition["relations"] = relations
    let json = try JSONSerialization.data(withJSONObject: definition)
    return try bench.directory.write(String(decoding: json, as: UTF8.self), to: "definition.json")
  }

  private func related(_ bench: ShellFixture) throws -> [String: String] {
    let printed = try bench.shell.run("schema").output
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [String: Any])
    let relations = try #require(schema["relations"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: relations.map {
        ("\($0["entity"]!).\(($0["columns"] as! [String]).joined())", "\($0["destination"]!): \($0["reason"]!)")
      })
  }

  @Test func `a program that locks the directory is named once, with what keeps the index`() throws {
    let bench = try bench()
    _ = try bench.directory.write("", to: ".books.lock")
    let first = try bench.shell.run("search", "excession", "--build").errors
    #expect(first.contains("another program keeps .books.lock beside the database"), "\(first)")
    #expect(first.contains("--index DIR keeps the index elsewhere"))
    #expect(try !bench.shell.run("search", "excession", "--build").errors.contains(".books.lock"))
    let index = bench.directory.path + "/other/index"
    let elsewhere = try bench.shell.run("search", "excession", "--build", "--index", index).errors
    #expect(!elsewhere.contains(".books.lock"), "\(elsewhere)")
  }

  @Test func `schema prints the type of a polymorphic reference, and search finds by it`() throws {
    let bench = try bench()
    try Connection(path: bench.store, access: .readWrite).execute(
      """
      CREATE TABLE remarks (id INTEGER PRIMARY KEY, item_type TEXT, item_id INTEGER, body TEXT);
      INSERT INTO remarks VALUES (1, 'Book', 1, 'a fine one'), (2, 'Author', 1, 'a tall one'), (3, 'Shelf', 9, 'oak');
      """)
    #expect(try bench.shell.run("index").code == 0)
    let schema = try bench.shell.run("schema").output
    #expect(schema.contains("\"condition\" : {") && schema.contains("\"value\" : \"Author\""))
    #expect(try bench.shell.run("search", "kind:remarks book:excession", "--fields", "id").output == "1\n")
    #expect(try bench.shell.run("search", "kind:remarks author:banks", "--fields", "id").output == "1\n2\n")
    let shown = try bench.shell.run("show", "remarks/2").output
    #expect(shown.contains("authors/1 (Banks)") && !shown.contains("books/1"), "\(shown)")
  }

  @Test func `show prints the titles of related records, through tables that only join them`() throws {
    let bench = try bench()
    try Connection(path: bench.store, access: .readWrite).execute(
      """
      CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE book_tags (book_id INTEGER, tag_id INTEGER);
      INSERT INTO tags VALUES (1, 'space' || char(31) || 'opera'), (2, 'war'); INSERT INTO book_tags VALUES (1, 1), (1, 2);
      INSERT INTO authors VALUES (3, '');
      """)
    #expect(try bench.shell.run("index").code == 0)
    let shown = try bench.shell.run("show", "books/1").output
    #expect(shown.contains("\nauthor: authors/1 (Banks)\n"), "\(shown)")
    #expect(shown.contains("\nbook_tags: tags/1 (space › opera); tags/2 (war)"), "\(shown)")
    #expect(try bench.shell.run("show", "tags/2").output.contains("\nbook_tags: books/1 (Excession)"))
    #expect(try bench.shell.run("show", "authors/3").output.hasSuffix("\nbooks: \n"))
    // JSON has the rows.
    #expect(try bench.shell.run("show", "books/1", "--format", "json").output.contains("book_tags/1"))
  }

  @Test(.enabled(if: Terminal.isThere, "terminals are not shown: there is no \(Terminal.script)"))
  func `a new index names inferred relations of five tables, and where the others are`() throws {
    let bench = ShellFixture.empty()
    let tables = (1...7).map {
      "CREATE TABLE b\($0) (id INTEGER PRIMARY KEY, t TEXT, a_id INTEGER, c INTEGER REFERENCES a(id));"
        + "INSERT INTO b\($0) VALUES (1, 'x', 1, 1);"
    }
    try Connection(path: bench.store, access: .create).execute(
      "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO a VALUES (1, 'one');\(tables.joined())")
    let built = try Terminal.run(bench, "$F index --color never", columns: 400)
    #expect(built.contains("followspot: relations of b5: a_id -> a (inferred: name and all 1 values)"), "\(built)")
    #expect(built.contains("followspot: and of 2 more tables"), "\(built)")
    #expect(!built.contains("b6") && !built.contains("declared"), "\(built)")
    #expect(!(try Terminal.run(bench, "$F index --color never", columns: 400).contains("relations")))
  }

  @Test func `schema and doctor print each relation with its reason`() throws {
    let bench = try bench()
    for _ in 0..<2 {
      #expect(
        try related(bench) == [
          "books.author_id": "authors: inferred: name and all 2 values", "books.owner": "people: declared",
        ])
      let line = "owner -> people (declared), author_id -> authors (inferred: name and all 2 values)"
      let doctor = try bench.shell.run("doctor").output
      #expect(doctor.contains("relations: books: \(line)"), "\(doctor)")
      #expect(try bench.shell.run("index").code == 0)
    }
    #expect(try bench.shell.run("search", "author.name:banks", "--fields", "title").output == "Excession\n")
    #expect(try bench.shell.run("search", "author_id:2", "--fields", "title").output == "Malafrena\n")
    #expect(try bench.shell.run("sql", "SELECT author_id FROM books ORDER BY 1").output.contains("2"))
    #expect(try bench.shell.run("show", "books/2", "--format", "json").output.contains("\"author_id\":2"))
  }

  /// Books with authors, tags that a third table joins to them, and readers to whom they were lent.
  private func library() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author, tag INTEGER);
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book_tag (book_id INTEGER REFERENCES book, tag_id INTEGER REFERENCES tag, PRIMARY KEY (book_id, tag_id));
      CREATE TABLE note (id INTEGER PRIMARY KEY, author TEXT, text TEXT);
      INSERT INTO author VALUES (1, 'Isaac Asimov'), (2, 'Karel Čapek'), (3, 'Ursula Le Guin');
      INSERT INTO book VALUES (1, 'I, Robot', 1, 7), (2, 'R.U.R.', 2, 8), (3, 'The Dispossessed', 3, 9), (4, 'Beowulf', NULL, 7);
      INSERT INTO tag VALUES (1, 'robots'), (2, 'utopia');
      INSERT INTO book_tag VALUES (1, 1), (2, 1), (3, 2);
      INSERT INTO note VALUES (1, 'asimov', 'read again');
      """)
    #expect(try bench.shell.run("index").code == 0)
    return bench
  }

  /// The identifiers of what a query finds, sorted.
  private func found(_ bench: ShellFixture, _ query: String) throws -> [String] {
    try bench.shell.run("search", query).lines.compactMap { $0.split(separator: "\t").first.map(String.init) }.sorted()
  }

  @Test(arguments: [
    // Through a table that joins, by words, a phrase, a prefix and a pattern. A column of that name has numbers.
    ("tag:robots", "book/1 book/2"), ("tag:\"utopia\"", "book/3"), ("tag:rob*", "book/1 book/2"),
    ("tag:*top*", "book/3"),
    ("TAG:robots", "book/1 book/2"), ("tag:(robots OR utopia)", "book/1 book/2 book/3"), ("book:rur", "tag/1"),
    ("tag:8", "book/2"), ("tag:8..9", "book/2 book/3"), ("kind:book -tag:robots", "book/3 book/4"),
    // A column of that name has texts.
    ("author:asimov", "book/1 note/1"), ("has:author kind:book", "book/1 book/2 book/3"),
    ("author:* kind:note", "note/1"), ("kind:book NOT has:author", "book/4"), ("author:nobody", ""),
  ])
  func `the name of a relation finds what belongs to it`(query: String, expected: String) throws {
    #expect(try found(library(), query).joined(separator: " ") == expected)
  }

  @Test func `the name of a relation is a facet, an order and a hint`() throws {
    let bench = try library()
    let run = { (arguments: String...) in try bench.shell.run(["search", "kind:book"] + arguments).output }
    #expect(
      try run("--sort", "-author", "--fields", "title,author.name") == """
        The Dispossessed\tUrsula Le Guin
        R.U.R.\tKarel Čapek
        I, Robot\tIsaac Asimov
        Beowulf\t

        """)
    #expect(
      try run("--facet", "author", "-n", "1", "--sort", "author", "--fields", "title") == """
        I, Robot

        author
        1\tIsaac Asimov
        1\tKarel Čapek
        1\tUrsula Le Guin

        """)
    // The name of a column means the column.
    #expect(try run("--sort", "-tag", "-n", "1", "--fields", "tag") == "9\n")
    // Of each kind the column, or the titles where there is none.
    #expect(
      try bench.shell.run("search", "asimov", "kind:book OR kind:note", "--fields", "@id,author").lines.sorted() == [
        "book/1\tIsaac Asimov", "note/1\tasimov",
      ])
    let json = try bench.shell.run("search", "author:asimov", "--fields", "author", "--format", "ndjson").lines
    #expect(json.count == 2 && json.contains { $0.hasSuffix(#""fields":{"author":"Isaac Asimov"}}"#) })
    #expect(try bench.shell.run("search", "authr:asimov").errors.contains("did you mean author?"))
  }

  @Test func `rows that only join are said, and are records if a definition names their table`() throws {
    let bench = try library()
    let printed = try bench.shell.run("schema").output
    var schema = try #require(try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [String: Any])
    #expect(schema["joins"] as? [String] == ["book_tag"])
    #expect(
      try bench.shell.run("doctor").output.contains(
        "relations: book_tag: book_id -> book (declared), tag_id -> tag (declared); its rows only join these\n"))
    let complete = #""leftOut":{"noKey":0,"noDefinition":0,"joins":3,"#
    #expect(try bench.shell.run("count", "*", "--format", "json").output.contains(complete))
    var definition = try #require(schema["definition"] as? [String: Any])
    var entities = try #require(definition["entities"] as? [String: Any])
    entities["book_tag"] = [
      "title": "book.title",
      "fields": ["book.title", "tag.name"].map { ["name": $0, "roles": ["text"]] as [String: Any] },
    ]
    definition["entities"] = entities
    schema["definition"] = definition
    let json = try JSONSerialization.data(withJSONObject: definition)
    let path = try bench.directory.write(String(decoding: json, as: UTF8.self), to: "definition.json")
    let indexed = try bench.shell.run("index", "--definition", path)
    #expect(try bench.report(indexed)["leftOut"] as? Int == 0, "\(indexed)")
    #expect(try found(bench, "kind:book_tag robots") == ["book_tag/1:1", "book_tag/2:1"])
    #expect(try bench.shell.run("search", "kind:book_tag utopia").output.hasSuffix("\tThe Dispossessed\n"))
    #expect(try bench.shell.run("count", "tag:robots", "--kind", "book").output == "2\n")
    try bench.sql("DELETE FROM book_tag WHERE book_id = 1")
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "kind:book_tag").output == "2\n")
    #expect(try bench.shell.run("verify").code == 0)
  }

  @Test func `a definition turns relations off and names other ones`() throws {
    let bench = try bench()
    #expect(try bench.shell.run("index").code == 0)
    // The same definition changes nothing.
    #expect(try bench.shell.run("index", "--definition", try definition(bench) { _ in }).code == 0)
    let changed = try definition(bench) {
      $0["author_id"] = NSNull()
      $0["owner"] = "people"
    }
    // The definition still has a field with the name of the author.
    let refused = try bench.shell.run("index", "--definition", changed)
    #expect(refused.code == 2 && refused.errors.contains("author"), "\(refused)")
    let wrong = try definition(bench) { $0["author_id"] = "people" }
    let outcome = try bench.shell.run("index", "--definition", wrong)
    #expect(outcome.code == 2, "\(outcome)")
    #expect(
      outcome.errors.contains("relations.books.author_id: 1 of 2 values are not keys of people, the first is 2"),
      "\(outcome)")
    let unknown = try bench.shell.run(
      "index", "--definition", try definition(bench) { $0["author_id"] = "persons" })
    let reason = "relations.books.author_id: no table is called \"persons\""
    #expect(unknown.code == 2 && unknown.errors.contains(reason), "\(unknown)")
    #expect(try related(bench)["books.author_id"] == "authors: inferred: name and all 2 values")
    let plain = """
      {"format": 1, "entities": {"books": {"title": "title", "fields": [{"name": "title", "roles": ["text"]}]}},
       "relations": {"books": {"author_id": null, "owner": "none"}}}
      """
    let file = try bench.directory.write(plain, to: "plain.json")
    #expect(try bench.shell.run("index", "--definition", file).code == 0)
    #expect(try related(bench) == [:])
    // It is kept by a rebuild, and by rows that are added.
    try Connection(path: bench.store, access: .readWrite).execute("INSERT INTO books VALUES (3, 'Matter', 1, 1)")
    for verb in ["index", "rebuild", "verify"] { #expect(try bench.shell.run(verb).code == 0) }
    #expect(try related(bench) == [:])
  }
}
