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
