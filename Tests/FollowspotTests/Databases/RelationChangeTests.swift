// SPDX-License-Identifier: MIT

import Followspot
import SQLite
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

extension RelationChangeTests {
  @Test(arguments: ["INTEGER", "TEXT", "VARCHAR"], [true, false])
  func `a record that another column leads to follows its changes, whatever the type of its key`(
    _ type: String, isAttached: Bool
  ) throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE photos(id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE albums(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE remarks(id INTEGER PRIMARY KEY, item_type TEXT, item_id \(type), body TEXT);
      INSERT INTO photos VALUES(5, 'Harbour'), (6, 'Marsh'); INSERT INTO albums VALUES(5, 'Summer');
      INSERT INTO remarks VALUES(1, 'Photo', 5, 'fine'), (2, 'Album', 5, 'tall'), (3, 'Photo', 6, 'dark');
      """, isAttached: isAttached)
    try database.update()
    #expect(try database.hits("kind:remarks harbour") == ["remarks/1"])
    #expect(try database.hits("kind:remarks summer") == ["remarks/2"])
    try database.writer.execute(
      "UPDATE photos SET title = 'Quarry' WHERE id = 5; UPDATE remarks SET item_type = 'Album', item_id = 5 WHERE id = 3"
    )
    try database.update()
    #expect(try database.hits("kind:remarks quarry", isIndexOnly: true) == ["remarks/1"])
    #expect(try database.hits("kind:remarks harbour", isIndexOnly: true) == [])
    #expect(try database.hits("kind:remarks summer", isIndexOnly: true) == ["remarks/2", "remarks/3"])
    #expect(try database.isEqual)
  }
}
