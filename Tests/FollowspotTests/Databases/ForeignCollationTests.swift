// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

/// Columns with a collation that only the program of the database has. Our own comparisons are binary.
@Suite(.overlapping, .temporaryDirectory)
struct ForeignCollationTests {
  private static let schema = """
    CREATE TABLE book (id TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT COLLATE TRACKER);
    CREATE TABLE loan (id INTEGER PRIMARY KEY, book TEXT COLLATE TRACKER, item_id COLLATE TRACKER, note TEXT);
    CREATE TABLE plan (id INTEGER PRIMARY KEY, book_id TEXT COLLATE TRACKER REFERENCES book(id), name TEXT);
    CREATE TABLE shelf (code TEXT COLLATE TRACKER UNIQUE NOT NULL, name TEXT);
    CREATE TABLE box (id INTEGER PRIMARY KEY, shelf_code TEXT REFERENCES shelf(code), label TEXT COLLATE TRACKER);
    CREATE INDEX box_label ON box(label);
    CREATE TABLE media (artist TEXT COLLATE TRACKER, cover COLLATE TRACKER);
    CREATE TABLE part (kind TEXT, number TEXT COLLATE TRACKER, name TEXT, PRIMARY KEY (kind, number));
    """

  /// A program that has the collation: texts are ordered from their ends.
  private func library() throws -> IndexedDatabase {
    let database = try IndexedDatabase()
    try database.writer.define(collation: "TRACKER") { one, other in
      if one.elementsEqual(other) { return 0 }
      return one.reversed().lexicographicallyPrecedes(other.reversed()) ? -1 : 1
    }
    try database.writer.execute(
      Self.schema
        + """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
        INSERT INTO book SELECT 'b' || i, 'heron ' || i FROM n;
        INSERT INTO item SELECT substr(id, 2), 'gannet ' || id FROM book;
        INSERT INTO loan SELECT id, 'b' || (31 - id), id, 'lilac ' || id FROM item;
        INSERT INTO plan SELECT id, 'b' || id, 'rose ' || id FROM item;
        INSERT INTO shelf SELECT 's' || id, 'osprey ' || id FROM item;
        INSERT INTO box SELECT id, 's' || id, 'curlew ' || id FROM item;
        INSERT INTO media SELECT 'avocet ' || id, CAST(x'ff00fe' AS BLOB) FROM item;
        INSERT INTO part SELECT 'k', id, 'part ' || id FROM item;
        """)
    return database
  }

  @Test(arguments: [false, true])
  func `a database with a collation of another program is indexed, and its relations are found`(_ isAttached: Bool)
    throws
  {
    let database = try library()
    if isAttached { _ = try Attachment.attach(database.path) }
    try database.update()
    func expectRight() throws {
      for (query, sql) in [
        ("kind:loan book2.title:heron", "SELECT 'loan/' || l.id FROM loan l JOIN book b ON b.id = l.book"),
        ("kind:plan book.title:heron", "SELECT 'plan/' || p.id FROM plan p JOIN book b ON b.id = p.book_id"),
        (
          "kind:loan item.title:gannet",
          "SELECT 'loan/' || l.id FROM loan l JOIN item i ON i.id = l.item_id WHERE i.title LIKE '%gannet%'"
        ),
        ("shelf.name:osprey", "SELECT 'box/' || b.id FROM box b JOIN shelf s ON s.code = b.shelf_code"),
        ("label:curlew", "SELECT 'box/' || id FROM box WHERE label LIKE '%curlew%'"),
        ("avocet", "SELECT 'media/' || rowid FROM media WHERE artist LIKE '%avocet%'"),
        ("kind:item gannet", "SELECT 'item/' || id FROM item WHERE title LIKE '%gannet%'"),
      ] {
        let expected = try database.writer.mapRows(sql) { $0.text(at: 0) }.sorted()
        for isIndexOnly in [true, false] {
          #expect(try database.hits(query, isIndexOnly: isIndexOnly) == expected, "\(query)")
        }
      }
      #expect(try database.isEqual)
    }
    try expectRight()
    #expect(try StoreFile.open(database.path).remarks == [])
    try database.writer.execute(
      """
      UPDATE loan SET book = 'b7' WHERE id = 3; INSERT INTO box VALUES (99, 's3', 'curlew'); DELETE FROM loan WHERE id = 5;
      UPDATE media SET artist = 'avocet' WHERE rowid = 3; UPDATE item SET title = 'wigeon' WHERE id = 9
      """)
    try database.update()
    try expectRight()
  }
}
