// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

@Suite(.temporaryDirectory) struct KeySearchTests {
  private static let schema = """
    CREATE TABLE crs(auth TEXT, code TEXT, name TEXT, PRIMARY KEY (auth, code)) WITHOUT ROWID;
    CREATE TABLE operation(id INTEGER PRIMARY KEY, name TEXT, remarks TEXT, crs_auth TEXT, crs_code TEXT,
      FOREIGN KEY (crs_auth, crs_code) REFERENCES crs(auth, code));
    CREATE TABLE book(isbn TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE loan(id INTEGER PRIMARY KEY, isbn TEXT REFERENCES book(isbn), note TEXT);
    WITH n(i) AS (SELECT 4300 UNION ALL SELECT i + 1 FROM n WHERE i < 4340)
      INSERT INTO crs SELECT 'EPSG', i, 'System of place ' || char(65 + i % 26) FROM n;
    INSERT INTO crs VALUES('OTHER', '4326_TO_4330', 'Another system');
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO operation SELECT i, 'Operation ' || char(64 + i % 26), 'Made from 4326 by EPSG', 'EPSG', 4326 FROM n;
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
      INSERT INTO book SELECT '0-19-85' || (1000 + i) || '-6', 'Volume ' || char(64 + i) FROM n;
    INSERT INTO loan SELECT rowid, isbn, 'lent ' || isbn FROM book;
    """

  @Test(arguments: [
    ("4326", "crs/EPSG:4326"), ("EPSG 4326", "crs/EPSG:4326"), ("EPSG:4326", "crs/EPSG:4326"),
    ("epsg 4326", "crs/EPSG:4326"), ("\"EPSG 4326\"", "crs/EPSG:4326"), ("crs 4326", "crs/EPSG:4326"),
    ("operation 17", "operation/17"), ("operations 17", "operation/17"), ("kind:operation 17", "operation/17"),
    ("0-19-851007-6", "book/0-19-851007-6"), ("book 0-19-851007-6", "book/0-19-851007-6"),
  ])
  func `the record whose key is the query comes first`(_ query: String, _ record: String) throws {
    let database = try IndexedDatabase(Self.schema, isAttached: false)
    try database.update()
    let found = try database.search(query)
    #expect(found.hits.first?.identifier.short == record && found.notes == [])
  }

  @Test func `a number finds each kind of record that has it as its key, behind titles that have it`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE film(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO film VALUES(7, 'Alien'), (8, '22 Jump Street'), (22, 'Heat'), (1999, 'Fargo');
      INSERT INTO person VALUES(7, 'Ada'), (22, 'Grace');
      """)
    try database.update()
    func found(_ query: String) throws -> [String] { try database.search(query).hits.map(\.identifier.short) }
    #expect(try found("7") == ["film/7", "person/7"])
    #expect(try found("22") == ["film/8", "film/22", "person/22"])
    #expect(try found("person 22").first == "person/22")
    #expect(try found("23").isEmpty)
    #expect(try database.search("23").notes == ["no record has the word '23'"])
    #expect(try database.search("7").notes.isEmpty)
    // A record that is not in the index yet is found by its key, too.
    try database.writer.execute("INSERT INTO person VALUES(31, 'Edsger'); DELETE FROM film WHERE id = 7")
    #expect(try found("31") == ["person/31"])
    #expect(try found("7") == ["person/7"])
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a number is the key without the first value, if that is one of a few`(_ kind: String) throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE meridian(auth TEXT, code INTEGER, name TEXT, PRIMARY KEY (auth, code))\(kind);
      INSERT INTO meridian VALUES('EPSG', 8901, 'Greenwich'), ('EPSG', 8902, 'Lisbon'), ('ESRI', 8901, 'Reference');
      CREATE TABLE line(batch INTEGER, place INTEGER, name TEXT, PRIMARY KEY (batch, place))\(kind);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
        INSERT INTO line SELECT i, 8901, 'Nut ' || char(64 + i) FROM n;
      CREATE TABLE crate(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO crate VALUES(1, 'Red');
      CREATE TABLE content(crate_id INTEGER REFERENCES crate(id), place INTEGER, name TEXT, PRIMARY KEY (crate_id, place))\(kind);
      INSERT INTO content VALUES(1, 8901, 'Bolt');
      """)
    try database.update()
    func found(_ query: String) throws -> [String] { try database.search(query).hits.map(\.identifier.short).sorted() }
    #expect(try found("8901") == ["meridian/EPSG:8901", "meridian/ESRI:8901"])
    #expect(try found("8902") == ["meridian/EPSG:8902"])
    #expect(try found("8903").isEmpty)
    #expect(try database.search("meridian 8902").hits.first?.identifier.short == "meridian/EPSG:8902")
    try database.writer.execute(
      "UPDATE meridian SET code = 8903 WHERE name = 'Lisbon'; DELETE FROM meridian WHERE auth = 'ESRI'")
    #expect(try found("8903") == ["meridian/EPSG:8903"] && found("8902").isEmpty)
    #expect(try found("8901") == ["meridian/EPSG:8901"])
  }
}
