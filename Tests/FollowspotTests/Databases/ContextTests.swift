// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

@Suite(.overlapping, .temporaryDirectory) struct ContextTests {
  private static let schema = RelatedTables.songs.schema

  private static func expected(_ word: String, _ tables: RelatedTables, _ database: IndexedDatabase) throws -> [String]
  {
    let sql = try tables.withNames(tables.oracle).replacing(/has\(([a-z.]+)\)/) {
      "(' ' || \($0.1) || ' ' LIKE '% \(word) %')"
    }
    let rows = try database.writer.cursor(sql)
    var found: [String] = []
    while try rows.step() { found.append(rows.text(at: 0)) }
    return found.sorted()
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 200), [true, false])
  func `a search equals the join after every statement`(seed: Int, isAttached: Bool) throws {
    for var tables in [RelatedTables.songs, .cities, .entries] {
      var random = SeededGenerator(seed: seed)
      let database = try IndexedDatabase(tables.schema, isAttached: isAttached)
      try database.writer.execute(tables.start)
      try database.update()
      for round in 0..<60 {
        let renames = round % 25 == 24
        let statement = try renames ? tables.rename(&random) : tables.statement(&random)
        try database.writer.execute(statement)
        // A changed schema needs a pass.
        if renames { try database.update() }
        for _ in 0..<2 {
          let word = RelatedTables.words.randomElement(using: &random)!
          #expect(
            try database.hits(word) == Self.expected(word, tables, database), "\(word) after \(statement), seed \(seed)"
          )
        }
        if round % 7 == 0 {
          try database.update()
          let word = RelatedTables.words.randomElement(using: &random)!
          #expect(
            try database.hits(word, isIndexOnly: true) == Self.expected(word, tables, database),
            "\(word) after a pass, seed \(seed)")
        }
      }
      try database.update()
      #expect(try database.isEqual, "seed \(seed)")
    }
  }

  @Test func `a record that joins too many others has none of their titles until they are fewer`() throws {
    let database = try IndexedDatabase(Self.schema, isAttached: true)
    try database.writer.execute(
      """
      INSERT INTO tag VALUES(1, 'everything');
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
      INSERT INTO song SELECT i, 'song number' || i, NULL FROM n;
      INSERT INTO song_tag SELECT id, 1, id FROM song;
      """)
    try database.update()
    #expect(try database.hits("number7") == ["song/7"])
    try database.writer.execute("DELETE FROM song_tag WHERE song_id = 1001")
    #expect(try database.hits("number7") == ["song/7", "tag/1"])
    try database.update()
    #expect(try database.hits("number7", isIndexOnly: true) == ["song/7", "tag/1"])
    try database.writer.execute("INSERT INTO song_tag VALUES(1001, 1, 1)")
    try database.update()
    #expect(try database.hits("number7", isIndexOnly: true) == ["song/7"])
    #expect(try database.isEqual)
  }

  @Test func `link tables without an index are followed from many records`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE reader(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book_tag(book_id INTEGER REFERENCES book(id), tag_id INTEGER REFERENCES tag(id));
      CREATE TABLE book_reader(book_id INTEGER REFERENCES book(id), reader_id INTEGER REFERENCES reader(id));
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO book SELECT i, 'volume ' || i || 'b' FROM n;
      INSERT INTO tag SELECT id, 'subject ' || id || 't' FROM book;
      INSERT INTO reader SELECT id, 'person ' || id || 'r' FROM book;
      INSERT INTO book_tag SELECT id, 41 - id FROM book;
      INSERT INTO book_reader SELECT id, id FROM book;
      """)
    try database.update()
    for id in 1...40 {
      #expect(try database.hits("\(id)b") == ["book/\(id)", "reader/\(id)", "tag/\(41 - id)"])
      #expect(try database.hits("\(id)t") == ["book/\(41 - id)", "tag/\(id)"])
      #expect(try database.hits("\(id)r") == ["book/\(id)", "reader/\(id)"])
    }
  }

  @Test func `a record is found by the word for its kind and the title of what it belongs to`() throws {
    let database = try IndexedDatabase(Self.schema)
    try database.writer.execute(
      """
      INSERT INTO artist VALUES(1, 'Led Zeppelin'), (2, 'Nirvana'); INSERT INTO album VALUES(1, 'Presence', 1), (2, 'Bleach', 2);
      INSERT INTO song VALUES(1, 'Candy Store Rock', 1), (2, 'Blew', 2), (3, 'Rock and Roll', 1); INSERT INTO tag VALUES(1, 'Loud');
      INSERT INTO song_tag VALUES(2, 1, 1), (3, 1, 2);
      """)
    try database.update()
    func ranked(_ query: String) throws -> [String] {
      try database.search(query).hits.map(\.identifier.short)
    }
    #expect(try ranked("led zeppelin") == ["artist/1", "album/1", "song/3", "song/1"])
    #expect(try ranked("songs led zeppelin") == ["song/3", "song/1"])
    #expect(try ranked("albums nirvana") == ["album/2"])
    #expect(try ranked("rock led zeppelin").first == "song/3")
    #expect(try ranked("songs loud") == ["song/2", "song/3"])
    #expect(try ranked("presence led zeppelin").first == "album/1")
  }

  @Test func `a definition has other words for a kind`() throws {
    let database = try IndexedDatabase(RelatedTables.songs.schema)
    try database.writer.execute(RelatedTables.songs.start)
    try database.update()
    #expect(try database.hits("recordings cobalt") == [])
    var definition = try IndexState.read(path: database.index.serving()!.path).definition
    definition.entities["song"]?.words = ["recording", "live take"]
    try database.update { $0.definition = definition }
    #expect(try database.search("recordings cobalt").hits.map(\.identifier.short) == ["song/1"])
    #expect(try database.search("song cobalt").hits.map(\.identifier.short) == ["song/1"])
    #expect(try database.search("live takes cobalt").hits.map(\.identifier.short) == ["song/1"])
    definition.entities["song"]?.words = ["7"]
    #expect(throws: DefinitionError.self) { try IndexDefinition(json: JSONEncoder().encode(definition)) }
  }

  @Test(arguments: [("course", "courses"), ("purchase", "purchases"), ("story", "stories"), ("box", "boxes")])
  func `a kind is named in singular and plural`(_ kind: String, _ plural: String) throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE \(kind)(id INTEGER PRIMARY KEY, title TEXT, person_id INTEGER REFERENCES person(id));
      INSERT INTO person VALUES(1, 'Ada Lovelace'); INSERT INTO \(kind) VALUES(7, 'Engines', 1);
      """)
    try database.update()
    #expect(try database.hits("\(kind) lovelace") == ["\(kind)/7"])
    #expect(try database.hits("\(plural) lovelace") == ["\(kind)/7"])
  }

  @Test func `rows that only join others are no records, and are said to be left out`() throws {
    let database = try IndexedDatabase(Self.schema)
    try database.writer.execute(
      """
      INSERT INTO song VALUES(1, 'Blew', NULL), (2, 'Polly', NULL); INSERT INTO tag VALUES(1, 'Loud');
      INSERT INTO song_tag VALUES(1, 1, 1), (2, 1, 2);
      """)
    try database.update()
    #expect(try database.hits("*") == ["song/1", "song/2", "tag/1"])
    let state = try IndexState.read(path: try #require(try database.index.serving()).path)
    #expect(
      state.leftOut.sentences() == [
        "2 rows of song_tag are left out of the index: they only join records, which have the titles of each other"
      ])
    #expect(state.leftOut.lost == 0)
  }

  @Test func `one sentence says of all tables whose rows only join others that they are left out`() throws {
    let links = (1...5).map { link in
      "CREATE TABLE link_\(link)(song_id INTEGER REFERENCES song(id), tag_id INTEGER REFERENCES tag(id));"
        + "INSERT INTO link_\(link) VALUES(1, 1);"
    }
    let database = try IndexedDatabase(Self.schema + links.joined())
    try database.writer.execute("INSERT INTO song VALUES(1, 'Blew', NULL); INSERT INTO tag VALUES(1, 'Loud')")
    try database.update()
    #expect(
      try IndexState.read(path: #require(try database.index.serving()).path).leftOut.sentences() == [
        "5 rows of link_1, link_2, link_3 and 2 more are left out of the index: they only join records, which have the "
          + "titles of each other"
      ])
  }

  @Test func `a record without a title is named by what it belongs to and its date`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
      CREATE TABLE invoice(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), made TEXT, total REAL);
      INSERT INTO customer VALUES(1, 'Luís', 'Gonçalves'), (2, 'Leonie', 'Köhler');
      INSERT INTO invoice VALUES(98, 1, '2010-03-11', 3.98), (99, 2, '2010-03-12', 1.98);
      """)
    try database.update()
    #expect(
      try database.search("invoice luis").hits.map(\.title) == ["invoice 98 · Luís Gonçalves · 2010-03-11"])
    #expect(try database.search("customer leonie").hits.map(\.title) == ["Leonie Köhler"])
  }
}
