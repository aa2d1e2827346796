// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Relations of tables that no foreign key declares.
@Suite(.overlapping, .temporaryDirectory)
struct RelationTests {
  private func fixture(_ sql: String) throws -> String {
    let path = TemporaryDirectory().file("any.sqlite")
    try Connection(path: path, access: .create).execute(sql)
    return path
  }

  private func open(_ path: String, _ readings: ReadingChoice = .surveyed(given: [:])) throws -> Database {
    try #require(Database.of(try StoreFile.open(path, readings: readings)))
  }

  /// `books.author_id -> authors.id as author`
  private func relations(_ database: Database) -> [String] {
    database.relations.map { entity, name, relation in
      "\(entity).\(relation.columnList) -> \(relation.target).\(relation.keys.joined(separator: ",")) as \(name)"
    }
  }

  /// The rows of a statement as `value|value`.
  private func rows(_ path: String, _ sql: String) throws -> [String] {
    let connection = try Connection(path: path, access: .readOnly)
    let statement = try connection.cursor(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append((0..<Int32(statement.columnCount)).map { statement.text(at: $0) }.joined(separator: "|"))
    }
    return rows.sorted()
  }

  static let people = "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people VALUES (7, 'Ann');"
  static let authors =
    "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO authors VALUES (7, 'Ann');"

  @Test(arguments: [
    (authors, "author_id INTEGER", "7", "b.author_id -> authors.id as author"),
    (authors, "AuthorId INTEGER", "7", "b.AuthorId -> authors.id as Author"),
    (authors, "AUTHOR_ID INTEGER", "7", "b.AUTHOR_ID -> authors.id as AUTHOR"),
    (authors, "authorid INTEGER", "7", "b.authorid -> authors.id as author"),
    (authors, "author_fk INTEGER", "7", "b.author_fk -> authors.id as author"),
    (authors, "id_author INTEGER", "7", "b.id_author -> authors.id as author"),
    (authors, "author INTEGER", "7", "b.author -> authors.id as author2"),
    (authors, "first_author_id INTEGER", "7", "b.first_author_id -> authors.id as first_author"),
    (authors, "author_1 INTEGER, author_2 INTEGER", "7, 7", "b.author_1 -> authors.id as author"),
    (
      "CREATE TABLE x (kunden_id INTEGER PRIMARY KEY, name TEXT); INSERT INTO x VALUES (7, 'Ann');",
      "kunden_id INTEGER", "7", "b.kunden_id -> x.kunden_id as kunden"
    ),
    (
      "CREATE TABLE x (kunden_id INTEGER PRIMARY KEY, name TEXT); INSERT INTO x VALUES (7, 'Ann');",
      "kunde INTEGER", "7", "b.kunde -> x.kunden_id as x"
    ),
    (
      "CREATE TABLE Adressen (Id INTEGER PRIMARY KEY, ort TEXT); INSERT INTO Adressen VALUES (7, 'Ulm');",
      "absenderadresse_id INTEGER", "7", "b.absenderadresse_id -> Adressen.Id as absenderadresse"
    ),
    (
      "CREATE TABLE shop_author (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO shop_author VALUES (7, 'Ann');",
      "author_id INTEGER", "7", "b.author_id -> shop_author.id as author"
    ),
    (
      "CREATE TABLE countries (code TEXT PRIMARY KEY, name TEXT); INSERT INTO countries VALUES ('fr', 'France');",
      "country TEXT", "'fr'", "b.country -> countries.code as country2"
    ),
    (
      "CREATE TABLE countries (id TEXT PRIMARY KEY, name TEXT); INSERT INTO countries VALUES ('7', 'France');",
      "country_id INTEGER", "7", "b.country_id -> countries.id as country"
    ),
    // The values are not keys.
    (authors, "author_id INTEGER", "8", nil), (authors, "author TEXT", "'Ann'", nil),
    // No name says it.
    (authors, "writer INTEGER", "7", nil), (authors, "id2 INTEGER", "7", nil),
    // These count rows.
    (authors, "authors INTEGER", "7", nil),
    (authors, "author_id INTEGER", "NULL", nil), (authors, "author_id TEXT", "''", nil),
    (
      "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);", "author_id INTEGER", "7", nil
    ),
    // No index finds its rows.
    (
      "CREATE TABLE authors (id INTEGER, name TEXT); INSERT INTO authors VALUES (7, 'a');", "author_id INTEGER", "7",
      nil
    ),
  ])
  func `a relation needs a name and values`(_ target: String, _ columns: String, _ values: String, _ wanted: String?)
    throws
  {
    let path = try fixture("\(target) CREATE TABLE b (title TEXT, \(columns)); INSERT INTO b VALUES ('One', \(values))")
    for readings in [ReadingChoice.sampled, .surveyed(given: [:])] {
      let database = try open(path, readings)
      #expect(relations(database).first == wanted)
      // Columns keep their names.
      let names = try #require(database.model.model.entity(named: "b")).attributes.map(\.name)
      #expect(names == ["title"] + columns.split(separator: ", ").map { String($0.prefix { $0 != " " }) })
    }
  }

  @Test func `keys of every kind are followed in both directions as SQL joins them`() throws {
    let path = try fixture(
      """
      CREATE TABLE crs (auth TEXT, code INTEGER, name TEXT, PRIMARY KEY (auth, code)) WITHOUT ROWID;
      CREATE TABLE datum (auth TEXT, code TEXT, name TEXT, PRIMARY KEY (auth, code));
      CREATE TABLE units (symbol TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
      CREATE TABLE points (id INTEGER PRIMARY KEY, crs_auth TEXT, crs_code INTEGER, datum_auth TEXT, datum_code TEXT,
        unit TEXT, parent_id INTEGER);
      INSERT INTO crs VALUES ('A', 1, 'a1'), ('A', 2, 'a2'), ('B', 1, 'b1');
      INSERT INTO datum VALUES ('A', 'x', 'ax'), ('B', 'y', 'by'); INSERT INTO units VALUES ('m', 'metre'), ('s', 'second');
      INSERT INTO points VALUES (1, 'A', 1, 'A', 'x', 'm', NULL), (2, 'B', 1, 'B', 'y', 's', 1), (3, 'A', 2, NULL, 'x', '', 1),
        (4, 'A', 1, 'A', 'x', NULL, 3);
      """)
    let store = try StoreFile.open(path, readings: .surveyed(given: [:]))
    let database = try #require(Database.of(store))
    #expect(
      relations(database).sorted() == [
        "points.crs_auth,crs_code -> crs.auth,code as crs", "points.datum_auth,datum_code -> datum.auth,code as datum",
        "points.parent_id -> points.id as parent", "points.unit -> units.symbol as unit2",
      ])
    let points = try #require(store.layout.entity(named: "points"))
    for (name, table, join) in [
      ("crs", "crs", "r.auth = p.crs_auth AND r.code = p.crs_code"),
      ("datum", "datum", "r.auth = p.datum_auth AND r.code = p.datum_code"), ("unit2", "units", "r.symbol = p.unit"),
      ("parent", "points", "r.id = p.parent_id"),
    ] {
      let title = table == "points" ? "id" : "name"
      let expected = try rows(path, "SELECT p.id, r.\(title) FROM points p JOIN \(table) r ON \(join)")
      let relationship = points.relationships[try #require(points.entity.relationship(named: name))]
      #expect(relationship.description.isForeignKey)
      let target = try #require(store.layout.entity(named: table))
      let inverseName = try #require(relationship.description.inverse)
      let inverse = target.relationships[try #require(target.entity.relationship(named: inverseName))]
      #expect(inverse.description.isToMany)
      var (found, back): ([String], [String]) = ([], [])
      for key in Int64(1)...4 {
        for row in try store.targets(of: relationship, from: key) {
          let attribute = try #require(target.entity.attributes.firstIndex { $0.name == title })
          let name = try store.withRow(of: target, key: row.key, attributes: [attribute]) { found in
            switch found?.value(0) {
            case .text(let text): text
            case .integer(let number): "\(number)"
            default: "-"
            }
          }
          found.append("\(key)|\(name)")
          back += try store.targets(of: inverse, from: row.key).map { "\($0.key)" }
        }
      }
      #expect(found.sorted() == expected, "\(name)")
      #expect(Set(back) == Set(expected.map { String($0.prefix { $0 != "|" }) }), "\(name)")
    }
  }

  @Test(arguments: [(100, 1, true), (100, 2, false), (99, 1, false), (1_000, 10, true), (1_000, 11, false)])
  func `one value in a hundred may dangle`(_ count: Int, _ dangling: Int, _ isRelation: Bool) throws {
    let path = try fixture(
      """
      \(Self.authors) CREATE TABLE b (id INTEGER PRIMARY KEY, author_id INTEGER);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO b SELECT i, iif(i <= \(dangling), 8, 7) FROM n;
      INSERT INTO b (author_id) VALUES (NULL), (0);
      """)
    let database = try open(path)
    #expect(relations(database).isEmpty == !isRelation)
    guard isRelation else { return }
    let relation = database.relations[0].relation
    #expect((relation.rows, relation.dangling) == (count, dangling))
    let grouped = count == 1_000 ? "990 of 1,000" : "99 of 100"
    #expect(relation.reason == "inferred: name and \(grouped) values")
  }

  @Test func `values that cannot be equal by chance need no name`() throws {
    let path = try fixture(
      """
      CREATE TABLE tx (guid TEXT PRIMARY KEY, memo TEXT);
      CREATE TABLE tx_extra (guid TEXT PRIMARY KEY, colour TEXT);
      CREATE TABLE feed (address TEXT UNIQUE, caption TEXT); CREATE TABLE note (ms INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE word (text TEXT PRIMARY KEY); CREATE TABLE small (n INTEGER PRIMARY KEY, y INTEGER);
      CREATE TABLE b (id INTEGER PRIMARY KEY, t_g TEXT, src TEXT, x INTEGER, w TEXT, s INTEGER, half TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO tx SELECT lower(hex(randomblob(16))), 'm' || i FROM n;
      INSERT INTO tx_extra SELECT guid, 'red' FROM tx LIMIT 150;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      INSERT INTO feed SELECT 'https://example.org/feeds/of/writer/' || i, i FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      INSERT INTO note SELECT 1700000000000 + i * i * 977, 'b' FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) INSERT INTO small SELECT i, i FROM n;
      INSERT INTO word VALUES ('red'), ('green'), ('blue');
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO b SELECT i, (SELECT guid FROM tx WHERE rowid = i), 'https://example.org/feeds/of/writer/' || (i % 20 + 1),
        (SELECT ms FROM note WHERE ms = 1700000000000 + (i % 20 + 1) * (i % 20 + 1) * 977), iif(i % 2, 'red', 'blue'),
        i % 20 + 1, iif(i % 2, (SELECT guid FROM tx WHERE rowid = i), lower(hex(randomblob(16)))) FROM n;
      """)
    for readings in [ReadingChoice.sampled, .surveyed(given: [:])] {
      let database = try open(path, readings)
      #expect(
        database.relations.map { "\($0.relation.columnList) -> \($0.relation.target): \($0.relation.reason)" } == [
          "src -> feed: inferred: all 100 values", "t_g -> tx: inferred: all 100 values",
          "x -> note: inferred: all 100 values",
        ])
    }
  }

  @Test func `of keys from the same clock, the initials of a table decide, and never the own table`() throws {
    let path = try fixture(
      """
      CREATE TABLE cards (id INTEGER PRIMARY KEY, nid INTEGER);
      CREATE TABLE notes (id INTEGER PRIMARY KEY, t TEXT); CREATE TABLE other (id INTEGER PRIMARY KEY, t TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO notes SELECT 1700000000000 + i * i * 977, 'n' FROM n;
      INSERT INTO other SELECT id, t FROM notes; INSERT INTO cards SELECT id, id FROM notes;
      """)
    for readings in [ReadingChoice.sampled, .surveyed(given: [:])] {
      #expect(
        try open(path, readings).relations.map {
          "\($0.relation.columnList) -> \($0.relation.target): \($0.relation.reason)"
        } == ["nid -> notes: inferred: name and all 40 values"])
    }
  }

  @Test(arguments: [(40, 40, "meta.id -> images"), (40, 37, "meta.id -> images"), (40, 30, nil), (6, 6, nil)])
  func `a column that is called only a key refers to the table whose keys are nearly all used`(
    _ keys: Int, _ used: Int, _ wanted: String?
  ) throws {
    let path = try fixture(
      """
      CREATE TABLE images (id INTEGER PRIMARY KEY, file TEXT); CREATE TABLE hashes (imgid INTEGER PRIMARY KEY);
      CREATE TABLE rolls (id INTEGER PRIMARY KEY, folder TEXT); CREATE TABLE meta (id INTEGER, value TEXT);
      CREATE TABLE _msg (id INTEGER PRIMARY KEY, t TEXT); CREATE TABLE issue (id INTEGER PRIMARY KEY, t TEXT);
      CREATE TABLE issue_messages (linkid INTEGER, nodeid INTEGER);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(keys)) INSERT INTO images SELECT i, 'f' FROM n;
      INSERT INTO hashes SELECT id FROM images; INSERT INTO rolls VALUES (1, 'r');
      INSERT INTO meta SELECT id, 'a' FROM images LIMIT \(used); INSERT INTO meta SELECT id, 'b' FROM meta;
      INSERT INTO issue SELECT id * 100, 'i' FROM images; INSERT INTO _msg SELECT id * 1000, 'm' FROM images;
      INSERT INTO issue_messages SELECT id * 1000, (id % 5 + 1) * 100 FROM images LIMIT \(used);
      """)
    let linked = wanted.map { _ in "issue_messages.linkid -> t_msg" }
    #expect(
      try open(path).relations.map { "\($0.entity).\($0.relation.columnList) -> \($0.relation.target)" }.sorted()
        == [linked, "issue_messages.nodeid -> issue", wanted].compactMap(\.self))
  }

  @Test func `two tables with the same keys say nothing about a column that is called only a key`() throws {
    let path = try fixture(
      """
      CREATE TABLE images (id INTEGER PRIMARY KEY, file TEXT); CREATE TABLE films (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE meta (id INTEGER, value TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) INSERT INTO images SELECT i, 'f' FROM n;
      INSERT INTO films SELECT id, 'g' FROM images; INSERT INTO meta SELECT id, 'a' FROM images;
      """)
    #expect(try open(path).relations.isEmpty)
  }

  @Test func `a column of a reference of several columns does not refer to what that leads to`() throws {
    let path = try fixture(
      """
      CREATE TABLE feeds (url TEXT PRIMARY KEY, name TEXT);
      CREATE TABLE entries (id TEXT, feed TEXT REFERENCES feeds(url), title TEXT, PRIMARY KEY (id, feed));
      CREATE TABLE tags (id TEXT, feed TEXT, key TEXT, PRIMARY KEY (id, feed, key),
        FOREIGN KEY (id, feed) REFERENCES entries(id, feed));
      INSERT INTO feeds VALUES ('f1', 'a'), ('f2', 'b'); INSERT INTO entries VALUES ('1', 'f1', 'x'), ('1', 'f2', 'y');
      INSERT INTO tags VALUES ('1', 'f1', 'later'), ('1', 'f2', 'later');
      """)
    #expect(
      try open(path).relations.map { "\($0.entity).\($0.relation.columnList) -> \($0.relation.target)" } == [
        "entries.feed -> feeds", "tags.id,feed -> entries",
      ])
  }

  @Test func `a reference of several columns to the own table, or with an empty column, implies nothing`() throws {
    let path = try fixture(
      """
      CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE messages (account_id INTEGER, id INTEGER, parent_id INTEGER, subject TEXT, PRIMARY KEY (account_id, id),
        FOREIGN KEY (account_id, parent_id) REFERENCES messages (account_id, id));
      CREATE TABLE log (n INTEGER PRIMARY KEY, id INTEGER, account_id INTEGER NOT NULL,
        FOREIGN KEY (account_id, id) REFERENCES messages (account_id, id));
      INSERT INTO accounts VALUES (7, 'a'), (8, 'b'); INSERT INTO messages VALUES (7, 1, NULL, 'x'), (8, 1, NULL, 'y');
      INSERT INTO log VALUES (1, 1, 7), (2, NULL, 8);
      """)
    #expect(
      try open(path).relations.map { "\($0.entity).\($0.relation.columnList) -> \($0.relation.target)" }.sorted() == [
        "log.account_id -> accounts", "log.account_id,id -> messages", "messages.account_id -> accounts",
        "messages.account_id,parent_id -> messages",
      ])
  }

  @Test func `a unique id refers to nothing, and a sample says nothing of coverage`() throws {
    let path = try fixture(
      """
      CREATE TABLE months (id INTEGER, name TEXT); CREATE TABLE zodiac (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE images (id INTEGER PRIMARY KEY, f TEXT); CREATE TABLE meta (id INTEGER, v TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) INSERT INTO months SELECT i, 'm' FROM n;
      INSERT INTO zodiac SELECT id, 'z' FROM months;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO images SELECT i + 900, 'f' FROM n;
      INSERT INTO meta SELECT id, 'a' FROM images; INSERT INTO meta SELECT id, v FROM meta;
      INSERT INTO meta VALUES (NULL, 'none'), (0, 'none');
      """)
    func found(_ readings: ReadingChoice) throws -> [String] {
      try open(path, readings).relations.map { "\($0.entity).\($0.relation.columnList) -> \($0.relation.target)" }
    }
    #expect(try found(.surveyed(given: [:])) == ["meta.id -> images"])
    #expect(try found(.sampled) == [])
  }

  @Test func `the name of a table names its sides`() throws {
    let path = try fixture(
      """
      CREATE TABLE _issue (id INTEGER PRIMARY KEY, _title TEXT); CREATE TABLE _keyword (id INTEGER PRIMARY KEY, _name TEXT);
      CREATE TABLE issue_keyword (linkid INTEGER, nodeid INTEGER);
      CREATE TABLE languages (id INTEGER PRIMARY KEY, code TEXT); CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE books_languages_link (id INTEGER PRIMARY KEY, book INTEGER, lang_code INTEGER);
      CREATE TABLE book_attributes (entity_id INTEGER, key TEXT, value TEXT, entity INTEGER, PRIMARY KEY (entity_id, key));
      CREATE TABLE speeds (entity_id INTEGER, value INTEGER);
      INSERT INTO _issue VALUES (1, 'a'), (2, 'b'), (3, 'c'); INSERT INTO _keyword VALUES (1, 'x'), (2, 'y');
      INSERT INTO issue_keyword VALUES (1, 3), (2, 1); INSERT INTO languages VALUES (1, 'en'); INSERT INTO books VALUES (1, 't');
      INSERT INTO books_languages_link VALUES (1, 1, 1); INSERT INTO speeds VALUES (1, 1);
      INSERT INTO book_attributes VALUES (1, 'k', '1', 7);
      """)
    #expect(
      try open(path).relations.map { "\($0.entity).\($0.relation.columnList) -> \($0.relation.target)" } == [
        "book_attributes.entity_id -> books", "books_languages_link.book -> books",
        "books_languages_link.lang_code -> languages", "issue_keyword.linkid -> t_keyword",
        "issue_keyword.nodeid -> t_issue",
      ])
  }

  @Test func `a table that has all values precedes one that lacks some, and a unique column needs a table's name`()
    throws
  {
    let path = try fixture(
      """
      CREATE TABLE blob (rid INTEGER PRIMARY KEY, t TEXT); CREATE TABLE unsent (rid INTEGER PRIMARY KEY);
      CREATE TABLE tagxref (tag INTEGER, rid INTEGER); CREATE TABLE page (id INTEGER PRIMARY KEY, path TEXT UNIQUE);
      CREATE TABLE collection (id INTEGER PRIMARY KEY, path TEXT UNIQUE);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO blob SELECT i, 'x' FROM n;
      INSERT INTO unsent SELECT rid FROM blob WHERE rid <> 100; INSERT INTO tagxref SELECT 1, rid FROM blob;
      INSERT INTO page VALUES (1, '0001'), (2, '00010001'); INSERT INTO collection VALUES (1, '0001');
      """)
    #expect(
      relations(try open(path)).filter { $0.hasPrefix("tagxref") || $0.hasPrefix("collection") } == [
        "tagxref.rid -> blob.rid as blob"
      ])
  }

  @Test func `the clearest name wins, then the primary key`() throws {
    let path = try fixture(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, n INTEGER UNIQUE); CREATE TABLE old_authors (id INTEGER PRIMARY KEY);
      CREATE TABLE book_author (id INTEGER PRIMARY KEY, book_id INTEGER, author_id INTEGER);
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT);
      INSERT INTO authors VALUES (1, 1), (2, 2); INSERT INTO old_authors VALUES (1), (2);
      INSERT INTO books VALUES (1, 'a'), (2, 'b'); INSERT INTO book_author VALUES (1, 1, 2), (2, 2, 1);
      """)
    #expect(
      relations(try open(path)) == [
        "book_author.author_id -> authors.id as author", "book_author.book_id -> books.id as book",
      ])
  }

  @Test func `tables refer to themselves twice, in circles, and not to views`() throws {
    let path = try fixture(
      """
      CREATE TABLE node (id INTEGER PRIMARY KEY, parent_node_id INTEGER, next_node_id INTEGER, seen_id INTEGER);
      CREATE TABLE a (id INTEGER PRIMARY KEY, egg_id INTEGER); CREATE TABLE eggs (id INTEGER PRIMARY KEY, hen_id INTEGER);
      CREATE TABLE hens (id INTEGER PRIMARY KEY, egg_id INTEGER REFERENCES seen(id), Name TEXT);
      CREATE VIEW seen AS SELECT * FROM eggs;
      INSERT INTO node VALUES (1, NULL, 2, 1), (2, 1, 1, 2), (3, 1, NULL, 3);
      INSERT INTO a VALUES (1, 1); INSERT INTO eggs VALUES (1, 1); INSERT INTO hens VALUES (1, 1, 'x');
      """)
    #expect(
      relations(try open(path)) == [
        "a.egg_id -> eggs.id as egg", "eggs.hen_id -> hens.id as hen", "hens.egg_id -> eggs.id as egg",
        "node.next_node_id -> node.id as next_node", "node.parent_node_id -> node.id as parent_node",
      ])
  }

  @Test func `declared keys of several columns are relationships, and remove no attribute`() throws {
    let path = try fixture(
      """
      CREATE TABLE t (a TEXT, b INTEGER, name TEXT, PRIMARY KEY (a, b));
      CREATE TABLE s (x TEXT, y INTEGER, t INTEGER REFERENCES n, u_id INTEGER REFERENCES n, FOREIGN KEY (x, y) REFERENCES t);
      CREATE TABLE n (id INTEGER PRIMARY KEY);
      """)
    let database = try open(path)
    #expect(
      relations(database) == ["s.t -> n.id as t", "s.u_id -> n.id as u", "s.x,y -> t.a,b as t2"])
    #expect(database.relations.allSatisfy { $0.relation.reason == "declared" })
    let names = try #require(database.model.model.entity(named: "s")).attributes.map(\.name)
    // A declared key without an ending gives its name to the relationship.
    #expect(names == ["x", "y", "u_id"])
  }

  @Test func `an index keeps relations, and rows that break one are noticed`() throws {
    let schema = "\(Self.authors) CREATE TABLE b (id INTEGER PRIMARY KEY, author_id INTEGER, reader_id INTEGER);"
    let path = try fixture(schema + "INSERT INTO b VALUES (1, 7, 1), (2, 7, 2)")
    let known = try open(path).readings
    let writer = try Connection(path: path, access: .readWrite)
    try writer.execute(
      "INSERT INTO b VALUES (3, 8, 3); CREATE TABLE readers (id INTEGER PRIMARY KEY); INSERT INTO readers VALUES (1), (2), (3)"
    )
    // The column reader_id was known, but the table was not.
    let store = try StoreFile.open(path, readings: .known { known })
    let database = try #require(Database.of(store))
    #expect(
      relations(database) == ["b.author_id -> authors.id as author", "b.reader_id -> readers.id as reader"])
    #expect(database.brokenRelations.isEmpty)
    let b = try #require(store.layout.entity(named: "b"))
    _ = try store.withRow(of: b, key: 1, attributes: []) { _ in }
    #expect(database.brokenRelations.isEmpty)
    _ = try store.withRow(of: b, key: 3, attributes: []) { _ in }
    let broken = try #require(database.brokenRelations.first)
    #expect((broken.relation.rows, broken.relation.dangling) == (3, 1))
    #expect(relations(try open(path)) == ["b.reader_id -> readers.id as reader"])
    // What the index keeps about tables that are gone is of no use.
    try writer.execute("DROP TABLE authors; ALTER TABLE readers RENAME TO people")
    #expect(relations(try open(path, .known { known })) == [])
  }

  @Test func `a definition names relations, or none`() throws {
    let path = try fixture(
      """
      \(Self.authors) \(Self.people) CREATE TABLE b (id INTEGER PRIMARY KEY, author_id INTEGER, x INTEGER);
      INSERT INTO b VALUES (1, 7, 7), (2, 7, 9)
      """)
    func found(_ given: GivenRelations) throws -> ([String], [String]) {
      let database = try open(path, .surveyed(given: [:], relations: given))
      return (relations(database), database.relationFaults.map { "\($0.location): \($0.reason)" })
    }
    let plain = "b.author_id -> authors.id as author"
    #expect(try found(["b": ["author_id": "authors"]]) == ([plain], []))
    #expect(try found(["b": ["author_id": "people"]]) == (["b.author_id -> people.id as author"], []))
    #expect(try found(["b": ["author_id": "none"]]) == ([], []))
    #expect(
      try found(["b": ["x": "people"]]).1 == ["relations.b.x: 1 of 2 values are not keys of people, the first is 9"])
    #expect(try found(["b": ["y": "people"]]) == ([plain], ["relations.b.y: the database has no such table or column"]))
    #expect(try found(["b": ["x": "persons"]]) == ([plain], ["relations.b.x: no table is called \"persons\""]))
    #expect(
      try found(["b": ["id,x": "people"]]) == ([plain], ["relations.b.id,x: people has no key of 2 columns"]))
    let reason = try open(path, .surveyed(given: [:], relations: ["b": ["author_id": "people"]])).relations[0].relation
      .reason
    #expect(reason == "given by the definition")
  }

  @Test func `200 tables with 400 references are opened quickly`() throws {
    let tables = (0..<200).map { number in
      """
      CREATE TABLE thing\(number) (id INTEGER PRIMARY KEY, name TEXT, thing\((number + 1) % 200)_id INTEGER,
        other_thing\((number + 7) % 200)_id INTEGER); INSERT INTO thing\(number) VALUES (1, 'a', 1, 1);
      """
    }
    let path = try fixture("BEGIN;" + tables.joined() + "COMMIT")
    let clock = ContinuousClock()
    var database: Database?
    let duration = try clock.measure { database = try open(path) }
    #expect(database?.relations.count == 400)
    #expect(duration < .seconds(20))
  }
}
