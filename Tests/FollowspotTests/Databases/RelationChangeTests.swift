// SPDX-License-Identifier: MIT

import SQLite
import Searching
import TestSupport
import Testing

/// Tables and columns with relations that change between two passes.
@Suite(.temporaryDirectory) struct RelationChangeTests {
  private static let library = """
    CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author(id));
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book_tag(book_id INTEGER REFERENCES book(id), tag_id INTEGER REFERENCES tag(id),
      PRIMARY KEY (book_id, tag_id));
    INSERT INTO author VALUES(1, 'Isaac Asimov'), (2, 'Karel Čapek');
    INSERT INTO book VALUES(1, 'I, Robot', 1), (2, 'R.U.R.', 2), (3, 'Pebble in the Sky', 1);
    INSERT INTO tag VALUES(1, 'robots'), (2, 'planets');
    INSERT INTO book_tag VALUES(1, 1), (2, 1), (3, 2);
    """

  @Test(arguments: [true, false])
  func `renamed and dropped tables and columns leave an index that equals the database`(isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.library, isAttached: isAttached)
    try database.update()
    func expect(_ asimov: [String], _ robots: [String], after sql: String) throws {
      try database.writer.execute(sql)
      // A model that has changed is said, until a pass makes another index.
      #expect(try !database.search("asimov").notes.isEmpty, "\(sql)")
      try database.update()
      #expect(try database.hits("asimov") == asimov, "\(sql)")
      #expect(try database.hits("robots").filter { $0.hasPrefix("book/") } == robots, "\(sql)")
      #expect(try database.isEqual, "\(sql)")
    }
    #expect(try database.hits("asimov") == ["author/1", "book/1", "book/3"])
    try expect(["book/1", "book/3", "writer/1"], ["book/1", "book/2"], after: "ALTER TABLE author RENAME TO writer")
    try expect(
      ["book/1", "book/3", "writer/1"], ["book/1", "book/2"],
      after: "ALTER TABLE book RENAME COLUMN author_id TO writer_id")
    // The only key that is a text breaks the relation of its row alone, because it is declared.
    try expect(["book/3", "writer/1"], ["book/1", "book/2"], after: "UPDATE book SET writer_id = 'text' WHERE id = 1")
    // What joined tags belongs to books alone now, and is a record.
    try expect(["book/3", "book_tag/3:2", "writer/1"], ["book/1"], after: "DROP TABLE tag")
    try expect([], ["book/1"], after: "DROP TABLE writer")
    try expect(
      ["book/3", "book_tag/3:2", "writer/1"], ["book/1"],
      after: "CREATE TABLE writer(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO writer VALUES(1, 'Asimov')")
  }
}
