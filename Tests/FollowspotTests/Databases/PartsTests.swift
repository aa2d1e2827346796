// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Records without texts, which are found and named by the rows that refer to them.
@Suite(.temporaryDirectory) struct PartsTests {
  private static let dictionary = """
    CREATE TABLE Entry(number INTEGER NOT NULL UNIQUE);
    CREATE TABLE Kanji(id INTEGER PRIMARY KEY, number INTEGER REFERENCES Entry(number), text TEXT);
    CREATE TABLE Kana(id INTEGER PRIMARY KEY, number INTEGER REFERENCES Entry(number), text TEXT);
    CREATE TABLE Sense(id INTEGER PRIMARY KEY, number INTEGER REFERENCES Entry(number));
    CREATE TABLE Gloss(sense INTEGER REFERENCES Sense(id), language TEXT, text TEXT);
    INSERT INTO Entry VALUES (1258330), (1467640), (1012980);
    INSERT INTO Kanji VALUES (1, 1258330, '犬'), (2, 1258330, '狗'), (3, 1467640, '猫');
    INSERT INTO Kana VALUES (1, 1258330, 'いぬ'), (2, 1467640, 'ねこ'), (3, 1012980, 'やる');
    INSERT INTO Sense VALUES (1, 1258330), (2, 1258330), (3, 1467640), (4, 1012980);
    INSERT INTO Gloss VALUES (1, 'eng', 'dog'), (1, 'eng', 'Canis familiaris'), (2, 'eng', 'snoop'),
      (2, 'eng', 'running dog'), (3, 'eng', 'cat'), (4, 'eng', 'to do'), (4, 'eng', 'to give (to a dog)');
    """

  @Test(arguments: [true, false])
  func `an entry of a dictionary is found by its parts, before them`(isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.dictionary, isAttached: isAttached)
    try database.update()
    func found(_ query: String, _ count: Int, isIndexOnly: Bool = false) throws -> [String] {
      try database.search(query, isIndexOnly: isIndexOnly).hits.prefix(count).map {
        "\($0.identifier.short) \($0.title)"
      }
    }
    #expect(try found("dog", 1) == ["Entry/1 いぬ"])
    #expect(try found("running dog", 1) == ["Entry/1 いぬ"])
    #expect(try found("犬", 2) == ["Entry/1 いぬ", "Kanji/1 犬"])
    #expect(try found("cat ねこ", 1) == ["Entry/2 ねこ"])
    #expect(try found("Gloss:give", 1) == ["Entry/3 やる"])
    try database.writer.execute(
      """
      DELETE FROM Kana WHERE id = 1; UPDATE Sense SET number = 1467640 WHERE id = 2;
      UPDATE Gloss SET text = 'hound' WHERE text = 'dog';
      """)
    for isIndexOnly in [false, true] {
      #expect(try found("hound", 1, isIndexOnly: isIndexOnly) == ["Entry/1 犬"])
      #expect(try found("running", 1, isIndexOnly: isIndexOnly) == ["Entry/2 ねこ"])
      #expect(try found("entry snoop", 1, isIndexOnly: isIndexOnly) == ["Entry/2 ねこ"])
      if !isIndexOnly { try database.update() }
    }
    #expect(try database.isEqual)
  }

  @Test func `what is more than a key is found by the rows that refer to it, behind them`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE coupon(id INTEGER PRIMARY KEY, issued TEXT, amount REAL);
      CREATE TABLE customer(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, coupon_id INTEGER REFERENCES coupon(id));
      INSERT INTO coupon VALUES(12, '2020-01-05', 5), (13, '2020-02-05', 8), (14, '2020-02-09', 8);
      INSERT INTO customer VALUES(1, 'Jane', 'Bennet', 12), (2, 'Anne', 'Elliot', 13), (3, 'Emma', 'Woodhouse', 13);
      """)
    try database.update()
    let titles = { (query: String) in try database.search(query).hits.map(\.title) }
    #expect(try titles("bennet") == ["Jane Bennet", "coupon 12 · Jane Bennet"])
    #expect(try titles("coupon emma") == ["coupon 13 · Anne Elliot"])
    #expect(try titles("kind:coupon issued:2020-02-09") == [""])
  }

  @Test func `a record with more parts than a document may have has none of them until they are fewer`() throws {
    let database = try IndexedDatabase(Self.dictionary, isAttached: true)
    try database.writer.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1099)
        INSERT INTO Kana SELECT i, 1467640, 'reading' || i FROM n
      """)
    try database.update()
    #expect(try database.hits("reading500") == ["Kana/500"])
    #expect(try database.hits("cat") == ["Entry/2", "Gloss/5", "Sense/3"])
    let reason =
      "Kana.text is not indexed for this record: it is related to more than 1,000 records, or to more than 32 kB of text"
    #expect(try database.explain("Entry/2", "cat").reasons == [reason])
    #expect(try database.explain("Entry/1", "dog").reasons == [])
    try database.writer.execute("DELETE FROM Kana WHERE id = 100")
    #expect(try database.hits("reading500") == ["Entry/2", "Kana/500"])
    try database.update()
    #expect(try database.hits("reading500", isIndexOnly: true) == ["Entry/2", "Kana/500"])
    #expect(try database.isEqual)
  }
}
