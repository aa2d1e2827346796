// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import TestSupport
import Testing

/// Indexes of databases whose relations are not declared, while rows and tables change.
@Suite(.overlapping, .temporaryDirectory)
struct InferredRelationTests {
  private static let schema = """
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO authors VALUES (1, 'Banks'), (2, 'Le Guin');
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER);
    INSERT INTO books VALUES (1, 'Excession', 1), (2, 'Matter', 1), (3, 'Malafrena', 2);
    """

  @Test(arguments: [false, true])
  func `the index follows changes on both sides of a relation`(_ isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.schema, isAttached: isAttached)
    try database.update()
    #expect(try database.hits("author.name:banks") == ["books/1", "books/2"])
    for statement in [
      "UPDATE books SET author_id = 2 WHERE id = 2", "UPDATE authors SET name = 'Ursula' WHERE id = 2",
      "INSERT INTO books VALUES (4, 'Inversions', 1)", "UPDATE authors SET id = 3 WHERE id = 2",
      "UPDATE books SET author_id = 3 WHERE author_id = 2",
    ] {
      try database.writer.execute(statement)
      let expected = try ["banks", "ursula"].map { name in
        let rows = try database.writer.cursor(
          "SELECT b.id FROM books b JOIN authors a ON a.id = b.author_id WHERE lower(a.name) = '\(name)'")
        var hits: [String] = []
        while try rows.step() { hits.append("books/\(rows.integer(at: 0))") }
        return hits.sorted()
      }
      #expect(try ["banks", "ursula"].map { try database.hits("author.name:\($0)") } == expected, "\(statement)")
    }
  }

  @Test(arguments: [false, true])
  func `rows that break a relation are said by a search, and the next pass heals it`(_ isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.schema, isAttached: isAttached)
    try database.update()
    try database.writer.execute("INSERT INTO books VALUES (4, 'Orphan', 99)")
    let note = try database.search("orphan").notes.joined()
    #expect(note.contains("1 of 4 values of books.author_id are not in authors"), "\(note)")
    let reports = try database.update()
    #expect(reports.contains { $0.contains("books.author_id are not in authors: rebuilding") }, "\(reports)")
    #expect(try database.search("orphan").notes == [])
    #expect(try database.update() == [])
    #expect(throws: (any Error).self) { try database.hits("author.name:banks") }
    #expect(try database.isEqual)
    // It does not come back by itself.
    try database.writer.execute("DELETE FROM books WHERE id = 4")
    try database.update()
    #expect(throws: (any Error).self) { try database.hits("author.name:banks") }
  }

  @Test(arguments: [false, true])
  func `a key column that turns into text ends its relation`(_ isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.schema, isAttached: isAttached)
    try database.update()
    try database.writer.execute("UPDATE books SET author_id = 'unknown' WHERE id = 3")
    try database.update()
    #expect(throws: (any Error).self) { try database.hits("author.name:banks") }
    #expect(try database.hits("unknown") == ["books/3"])
    #expect(try database.isEqual)
  }

  @Test(arguments: [false, true])
  func `tables come, go and get other names between two passes`(_ isAttached: Bool) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER);"
        + "INSERT INTO books VALUES (1, 'Excession', 1)", isAttached: isAttached)
    try database.update()
    guard !isAttached else { return }
    try database.writer.execute(
      "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO authors VALUES (1, 'Banks')")
    try database.update()
    #expect(try database.hits("author.name:banks") == ["books/1"])
    try database.writer.execute("ALTER TABLE authors RENAME TO writers")
    try database.update()
    #expect(throws: (any Error).self) { try database.hits("author.name:banks") }
    try database.writer.execute("ALTER TABLE writers RENAME TO author")
    try database.update()
    #expect(try database.hits("author.name:banks") == ["books/1"])
    try database.writer.execute("DROP TABLE author")
    try database.update()
    #expect(try database.hits("excession") == ["books/1"])
    #expect(try database.isEqual)
    #expect(try database.update() == [])
  }

  @Test func `a table that is filled later gets its relations`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER);
      """)
    try database.update()
    try database.writer.execute("INSERT INTO authors VALUES (1, 'Banks'); INSERT INTO books VALUES (1, 'Excession', 1)")
    try database.update()
    #expect(try database.hits("author.name:banks") == ["books/1"])
    #expect(try database.update() == [])
  }

  @Test(arguments: [false, true])
  func `related records are found by the name of the column of a join table, in singular and plural`(
    _ isAttached: Bool
  ) throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER, author INTEGER);
      CREATE TABLE books_tags_link (id INTEGER PRIMARY KEY, book INTEGER, tag INTEGER);
      INSERT INTO books VALUES (1, 'Excession'), (2, 'Malafrena'); INSERT INTO tags VALUES (1, 'crime'), (2, 'space');
      INSERT INTO authors VALUES (1, 'Banks'), (2, 'Le Guin');
      INSERT INTO books_authors_link VALUES (1, 1, 1), (2, 2, 2); INSERT INTO books_tags_link VALUES (1, 1, 2), (2, 2, 1);
      """, isAttached: isAttached)
    try database.update()
    for name in ["author", "authors", "author2"] {
      #expect(try database.hits("\(name):banks") == ["books/1"], "\(name)")
      #expect(try database.hits("\(name):\"le guin\"") == ["books/2"], "\(name)")
    }
    for name in ["tag", "tags", "TAG"] { #expect(try database.hits("\(name):crime") == ["books/2"], "\(name)") }
    #expect(try database.hits("book:excession").sorted() == ["authors/1", "tags/2"])
    #expect(try database.hits("has:tag").sorted() == ["books/1", "books/2"])
    try database.writer.execute("UPDATE books_tags_link SET tag = 2 WHERE book = 2")
    #expect(try database.hits("tag:space").sorted() == ["books/1", "books/2"])
    try database.update()
    #expect(try database.hits("tag:space").sorted() == ["books/1", "books/2"])
    #expect(try database.isEqual)
  }
}
