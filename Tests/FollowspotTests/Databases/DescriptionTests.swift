// SPDX-License-Identifier: MIT

import PersistentStore
import SQLite
import Searching
import TestSupport
import Testing

/// Rows that describe another one, row for row.
@Suite(.temporaryDirectory) struct DescriptionTests {
  private static let schema = """
    CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE comment(id INTEGER PRIMARY KEY, book INTEGER NOT NULL, text TEXT, UNIQUE(book));
    CREATE TABLE detail(book_id INTEGER PRIMARY KEY REFERENCES book(id), binding TEXT, note TEXT);
    INSERT INTO book VALUES(1, 'Dune'), (2, 'Emma'), (3, 'Persuasion');
    INSERT INTO comment VALUES(1, 1, 'A desert planet and its spice.'), (2, 2, 'A matchmaker errs in a village.');
    INSERT INTO detail VALUES(1, 'hardcover', 'signed at the fair'), (3, 'paperback', 'lent to a neighbour');
    """

  @Test(arguments: [true, false])
  func `a record is found by what describes it, before the row that does`(isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.schema, isAttached: isAttached)
    try database.update()
    func found(_ query: String, isIndexOnly: Bool = false) throws -> [String] {
      try database.search(query, isIndexOnly: isIndexOnly).hits.map(\.identifier.short)
    }
    #expect(try found("spice") == ["book/1", "comment/1"])
    #expect(try found("paperback") == ["book/3", "detail/3"])
    #expect(try found("comment.text:matchmaker") == ["book/2"])
    #expect(try database.search("spice").hits.map(\.title) == ["Dune", "comment 1 · Dune"])
    try database.writer.execute(
      """
      UPDATE comment SET text = 'Whales.', book = 3 WHERE id = 2; DELETE FROM detail WHERE book_id = 3;
      INSERT INTO detail VALUES(2, 'leather', NULL);
      """)
    for isIndexOnly in [false, true] {
      #expect(try found("whales", isIndexOnly: isIndexOnly) == ["book/3", "comment/2"])
      #expect(try found("matchmaker", isIndexOnly: isIndexOnly) == [])
      #expect(try found("paperback", isIndexOnly: isIndexOnly) == [])
      #expect(try found("leather", isIndexOnly: isIndexOnly) == ["book/2", "detail/2"])
      if !isIndexOnly { try database.update() }
    }
    #expect(try database.isEqual)
  }

  @Test func `a record with a name of its own describes no other`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE address(id INTEGER PRIMARY KEY, street TEXT);
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, remark TEXT, address_id INTEGER UNIQUE REFERENCES address(id));
      INSERT INTO address VALUES(1, 'Main Road'), (2, 'High Street');
      INSERT INTO customer VALUES(1, 'Jane', 'prefers tea', 1), (2, 'Anne', 'likes the sea', 2);
      """)
    try database.update()
    #expect(try database.hits("tea") == ["customer/1"])
    #expect(try database.hits("road") == ["address/1", "customer/1"])
  }
}
