// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
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
    #expect(try found("paperback") == ["book/3"])
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
      #expect(try found("leather", isIndexOnly: isIndexOnly) == ["book/2"])
      if !isIndexOnly { try database.update() }
    }
    #expect(try database.isEqual)
  }

  private static let values = """
    CREATE TABLE photo(id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE photo_attributes(id INTEGER PRIMARY KEY, entity_id INTEGER, key TEXT, value TEXT);
    CREATE TABLE note(id INTEGER PRIMARY KEY, photo_id INTEGER, title TEXT, body TEXT);
    INSERT INTO photo VALUES(1, 'Harbour'), (2, 'Marsh');
    INSERT INTO photo_attributes VALUES(1, 1, 'creator', 'Ottilie'), (2, 1, 'place', 'Kiel'), (3, 2, 'creator', 'Anouk');
    INSERT INTO note VALUES(1, 1, 'Lens', 'a wide one'), (2, 2, 'Filter', 'a red one');
    """

  @Test(arguments: [true, false])
  func `a record is found by its values in a table of names and values, and follows them`(isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.values, isAttached: isAttached)
    try database.update()
    func found(_ query: String, isIndexOnly: Bool = false) throws -> Set<String> {
      Set(try database.search(query, isIndexOnly: isIndexOnly).hits.map(\.identifier.short))
    }
    #expect(try found("kind:photo ottilie") == ["photo/1"])
    #expect(try found("photo_attributes:kiel kind:photo") == ["photo/1"])
    #expect(try database.search("ottilie").hits.map(\.title) == ["photo_attributes 1 · Harbour", "Harbour"])
    // A note has a title: it is a record of its own.
    #expect(try found("lens") == ["note/1"])
    #expect(try found("wide") == ["note/1"])
    try database.writer.execute(
      """
      UPDATE photo_attributes SET value = 'Bergen' WHERE id = 2; DELETE FROM photo_attributes WHERE id = 3;
      UPDATE photo_attributes SET entity_id = 2 WHERE id = 1;
      """)
    for isIndexOnly in [false, true] {
      #expect(try found("kind:photo bergen", isIndexOnly: isIndexOnly) == ["photo/1"])
      #expect(try found("kind:photo ottilie", isIndexOnly: isIndexOnly) == ["photo/2"])
      #expect(try found("anouk", isIndexOnly: isIndexOnly) == [])
      if !isIndexOnly { try database.update() }
    }
    #expect(try database.isEqual)
  }

  @Test(arguments: [
    "CREATE TABLE message(guid TEXT PRIMARY KEY, chat_id INTEGER REFERENCES chat(id), text TEXT);"
      + "INSERT INTO message VALUES('0a1b', 1, 'Bring the umbrella'), ('2c3d', 1, 'No rain today');",
    "CREATE TABLE message(id INTEGER PRIMARY KEY, chat_id INTEGER REFERENCES chat(id), type TEXT, text TEXT);"
      + "INSERT INTO message VALUES(1, 1, 'plain', 'Bring the umbrella'), (2, 1, 'plain', 'No rain today');",
  ])
  func `a text that belongs to a record is a record of its own`(_ messages: String) throws {
    let database = try IndexedDatabase(
      "CREATE TABLE chat(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO chat VALUES(1, 'Family'); " + messages)
    try database.update()
    #expect(try database.search("umbrella").hits.map(\.title) == ["Bring the umbrella"])
  }

  @Test func `a record with very many values is found without them until they are fewer`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE device(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO device VALUES(1, 'Probe'), (2, 'Buoy');
      CREATE TABLE line(device_id INTEGER, text TEXT, PRIMARY KEY(device_id, text)); INSERT INTO line VALUES(2, 'calm');
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
      INSERT INTO line SELECT 1, 'storm ' || i FROM n;
      """)
    try database.update()
    #expect(try database.hits("kind:device storm") == [])
    #expect(try database.hits("kind:device calm") == ["device/2"])
    try database.writer.execute("DELETE FROM line WHERE device_id = 1 AND text <> 'storm 7'")
    try database.update()
    #expect(try database.hits("kind:device storm") == ["device/1"])
    #expect(try database.isEqual)
  }

  @Test func `what a revision copies comes first, and its words hardly count`() throws {
    let columns = ["title", "slug", "path", "summary", "body", "author"]
    let rows = (1...3).map { row in
      "INSERT INTO page VALUES(\(row), \(columns.map { "'\($0) of \(row)'" }.joined(separator: ", ")));"
        + "INSERT INTO revision VALUES(\(row), \(row), 'title of \(row)', "
        + "json_object(\(columns.map { "'\($0)', '\($0) of \(row)'" }.joined(separator: ", "))));"
    }
    let database = try IndexedDatabase(
      """
      CREATE TABLE page(id INTEGER PRIMARY KEY, \(columns.map { "\($0) TEXT" }.joined(separator: ", ")));
      CREATE TABLE revision(id INTEGER PRIMARY KEY, page_id INTEGER REFERENCES page(id), name TEXT, content TEXT);
      \(rows.joined())
      """)
    try database.update()
    let found = try database.search("title of 2")
    #expect(found.hits.prefix(2).map(\.identifier.short) == ["page/2", "revision/2"])
    #expect(found.hits.prefix(2).map(\.title) == ["title of 2", "revision 2 · title of 2"])
    #expect(try database.hits("kind:revision slug:2") == [])
    #expect(try database.hits("kind:revision content.slug:2") == ["revision/2"])
  }

  @Test func `an order with an address as JSON is no copy of a customer, and a copy without a title has one`() throws {
    let columns = ["name", "email", "phone", "street", "city"]
    let json = "json_object(\(columns.map { "'\($0)', '\($0) 1'" }.joined(separator: ", ")))"
    let database = try IndexedDatabase(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, \(columns.map { "\($0) TEXT" }.joined(separator: ", ")));
      CREATE TABLE purchase(id INTEGER PRIMARY KEY, title TEXT, ship_to TEXT);
      CREATE TABLE customer_revision(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), content TEXT);
      INSERT INTO customer VALUES(1, 'Ada Byron', 'a@example.org', '1', 'Road 1', 'Ulm');
      INSERT INTO purchase VALUES(1, 'Garden bench', \(json)); INSERT INTO customer_revision VALUES(1, 1, \(json));
      """)
    try database.update()
    #expect(try database.search("bench").hits.map(\.title) == ["Garden bench"])
    #expect(try database.search("kind:customer_revision").hits.map(\.title) == ["customer_revision 1 · Ada Byron"])
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
