// SPDX-License-Identifier: MIT

import TestSupport

/// Tables with relations, random statements on them, and the searches that follow from joins.
struct RelatedTables: Sendable {
  let schema: String
  /// The inferred titles need a value of each table.
  let start: String
  /// Selects the records whose title, or the titles of what they belong to, have the word: `has(column)`.
  let oracle: String
  private let statements: [@Sendable (inout Choice) -> String]
  private let renamings: [Renaming]
  /// The tables and columns that have their other name now.
  private var renamed: Set<String> = []

  /// The other name of a table, or of a column of it.
  private struct Renaming {
    let table: String
    var column: String?
    let other: String

    var name: String { column ?? table }
  }

  static let words = [
    "amber", "birch", "cobalt", "delta", "ember", "fjord", "grove", "heron", "indigo", "juniper", "kelp", "lotus",
  ]

  /// A statement of any kind on any of the tables.
  func statement(_ random: inout SeededGenerator) throws -> String {
    var choice = Choice(random: random)
    defer { random = choice.random }
    return try withNames(statements.randomElement(using: &choice.random)!(&choice))
  }

  /// Gives a table or a column its other name, or its first one again.
  ///
  /// - Returns: The statement that does so in the database.
  mutating func rename(_ random: inout SeededGenerator) throws -> String {
    let renaming = renamings.randomElement(using: &random)!
    let statement = "ALTER TABLE \(renaming.table) RENAME \(renaming.column.map { "COLUMN \($0) " } ?? "")TO "
    let isBack = renamed.contains(renaming.name)
    let sql = try withNames(statement) + (isBack ? renaming.name : renaming.other)
    if isBack { renamed.remove(renaming.name) } else { renamed.insert(renaming.name) }
    return sql
  }

  /// SQL with the present names of tables and columns.
  func withNames(_ sql: String) throws -> String {
    try renamings.filter { renamed.contains($0.name) }.reduce(sql) { sql, renaming in
      sql.replacing(try Regex("\\b\(renaming.name)\\b").wordBoundaryKind(.simple), with: renaming.other)
    }
  }

  struct Choice {
    var random: SeededGenerator

    mutating func id() -> Int { Int.random(in: 1...12, using: &random) }
    mutating func reference() -> String { Int.random(in: 0..<8, using: &random) == 0 ? "NULL" : "\(id())" }
    mutating func word() -> String { words.randomElement(using: &random)! }
    mutating func name() -> String { "'\(word()) \(word())'" }
    mutating func code() -> String { "'k\(Int.random(in: 1...5, using: &random))'" }
    mutating func table(_ names: [String]) -> String { names.randomElement(using: &random)! }
  }

  /// References in two steps, and a link table.
  static let songs = RelatedTables(
    schema: """
      CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist(id));
      CREATE TABLE song(id INTEGER PRIMARY KEY, name TEXT, album_id INTEGER REFERENCES album(id));
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE song_tag(song_id INTEGER REFERENCES song(id), tag_id INTEGER REFERENCES tag(id), position INTEGER,
        PRIMARY KEY (song_id, tag_id));
      """,
    start: """
      INSERT INTO artist VALUES(1, 'amber birch'); INSERT INTO album VALUES(1, 'cobalt delta', 1);
      INSERT INTO song VALUES(1, 'ember fjord', 1); INSERT INTO tag VALUES(1, 'grove heron');
      INSERT INTO song_tag VALUES(1, 1, 1);
      """,
    oracle: """
      SELECT 'artist/' || id FROM artist WHERE has(name)
      UNION SELECT 'album/' || a.id FROM album a LEFT JOIN artist r ON r.id = a.artist_id WHERE has(a.title) OR has(r.name)
      UNION SELECT 'song/' || s.id FROM song s LEFT JOIN album a ON a.id = s.album_id
        LEFT JOIN artist r ON r.id = a.artist_id LEFT JOIN song_tag l ON l.song_id = s.id LEFT JOIN tag t ON t.id = l.tag_id
        WHERE has(s.name) OR has(a.title) OR has(r.name) OR has(t.name)
      UNION SELECT 'tag/' || t.id FROM tag t LEFT JOIN song_tag l ON l.tag_id = t.id LEFT JOIN song s ON s.id = l.song_id
        WHERE has(t.name) OR has(s.name)
      """,
    statements: [
      { "INSERT OR REPLACE INTO artist VALUES(\($0.id()), \($0.name()))" },
      { "INSERT OR REPLACE INTO artist VALUES(\($0.id()), \($0.name()))" },
      { "INSERT OR REPLACE INTO album VALUES(\($0.id()), \($0.name()), \($0.reference()))" },
      { "INSERT OR REPLACE INTO album VALUES(\($0.id()), \($0.name()), \($0.reference()))" },
      { "INSERT OR REPLACE INTO song VALUES(\($0.id()), \($0.name()), \($0.reference()))" },
      { "INSERT OR REPLACE INTO song VALUES(\($0.id()), \($0.name()), \($0.reference()))" },
      { "INSERT OR REPLACE INTO tag VALUES(\($0.id()), \($0.name()))" },
      { "INSERT OR REPLACE INTO song_tag VALUES(\($0.id()), \($0.id()), 1)" },
      { "INSERT OR REPLACE INTO song_tag VALUES(\($0.id()), \($0.id()), 1)" },
      { "INSERT OR REPLACE INTO song_tag VALUES(\($0.id()), \($0.id()), 1)" },
      { "UPDATE artist SET name = \($0.name()) WHERE id = \($0.id())" },
      { "UPDATE album SET artist_id = \($0.reference()) WHERE id = \($0.id())" },
      { "UPDATE OR REPLACE song_tag SET tag_id = \($0.id()) WHERE song_id = \($0.id())" },
      { "DELETE FROM song_tag WHERE tag_id = \($0.id())" },
      { "UPDATE tag SET name = \($0.name()) WHERE id = \($0.id())" },
      { "DELETE FROM \($0.table(["artist", "album", "song", "tag"])) WHERE id = \($0.id())" },
    ],
    renamings: [
      .init(table: "song_tag", other: "song_mark"), .init(table: "album", column: "artist_id", other: "performer_id"),
    ])

  /// Keys that are texts or have two columns, a cycle of references, and a reference to the own table.
  static let cities = RelatedTables(
    schema: """
      CREATE TABLE country(code TEXT PRIMARY KEY, name TEXT, capital_id INTEGER REFERENCES city(id)) WITHOUT ROWID;
      CREATE TABLE province(country_code TEXT REFERENCES country(code), number INTEGER, name TEXT,
        PRIMARY KEY (country_code, number));
      CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT, part_of TEXT, part_number INTEGER,
        twin_id INTEGER REFERENCES city(id),
        FOREIGN KEY (part_of, part_number) REFERENCES province(country_code, number));
      """,
    start: """
      INSERT INTO country VALUES('k1', 'amber birch', 1); INSERT INTO province VALUES('k1', 1, 'cobalt delta');
      INSERT INTO city VALUES(1, 'ember fjord', 'k1', 1, NULL), (2, 'grove heron', 'k1', 1, 1);
      """,
    oracle: """
      SELECT 'country/' || c.code FROM country c LEFT JOIN city a ON a.id = c.capital_id
        LEFT JOIN province p ON p.country_code = a.part_of AND p.number = a.part_number
        LEFT JOIN city b ON b.id = a.twin_id WHERE has(c.name) OR has(a.name) OR has(p.name) OR has(b.name)
      UNION SELECT 'province/' || p.country_code || ':' || p.number FROM province p
        LEFT JOIN country c ON c.code = p.country_code LEFT JOIN city a ON a.id = c.capital_id
        WHERE has(p.name) OR has(c.name) OR has(a.name)
      UNION SELECT 'city/' || a.id FROM city a
        LEFT JOIN province p ON p.country_code = a.part_of AND p.number = a.part_number
        LEFT JOIN country c ON c.code = p.country_code LEFT JOIN city b ON b.id = a.twin_id
        LEFT JOIN province q ON q.country_code = b.part_of AND q.number = b.part_number
        LEFT JOIN city d ON d.id = b.twin_id
        WHERE has(a.name) OR has(p.name) OR has(c.name) OR has(b.name) OR has(q.name) OR has(d.name)
      """,
    statements: [
      { "INSERT OR REPLACE INTO country VALUES(\($0.code()), \($0.name()), \($0.reference()))" },
      { "INSERT OR REPLACE INTO province VALUES(\($0.code()), \($0.id() % 3), \($0.name()))" },
      {
        "INSERT OR REPLACE INTO city VALUES(\($0.id()), \($0.name()), \($0.code()), \($0.id() % 3), \($0.reference()))"
      },
      { "INSERT OR REPLACE INTO city VALUES(\($0.id()), \($0.name()), NULL, 1, \($0.reference()))" },
      { "UPDATE country SET name = \($0.name()) WHERE code = \($0.code())" },
      { "UPDATE country SET capital_id = \($0.reference())" },
      { "UPDATE OR REPLACE province SET number = \($0.id() % 3) WHERE country_code = \($0.code())" },
      { "UPDATE OR REPLACE province SET country_code = \($0.code()) WHERE number = \($0.id() % 3)" },
      { "UPDATE province SET name = \($0.name()) WHERE number = \($0.id() % 3)" },
      { "UPDATE city SET twin_id = \($0.reference()) WHERE id = \($0.id())" },
      { "UPDATE city SET part_number = \($0.id() % 3) WHERE id = \($0.id())" },
      { "DELETE FROM province WHERE country_code = \($0.code()) AND number = \($0.id() % 3)" },
      { "DELETE FROM country WHERE code = \($0.code())" },
      { "DELETE FROM city WHERE id = \($0.id())" },
    ],
    renamings: [
      .init(table: "country", column: "capital_id", other: "seat_id"),
      .init(table: "city", column: "part_number", other: "region_number"), .init(table: "province", other: "region"),
    ])

  /// Records without texts: entries of a dictionary, which consist of the rows that refer to them, and coupons.
  static let entries = RelatedTables(
    schema: """
      CREATE TABLE entry(id INTEGER PRIMARY KEY);
      CREATE TABLE spelling(id INTEGER PRIMARY KEY, entry_id INTEGER REFERENCES entry(id), text TEXT);
      CREATE TABLE sense(id INTEGER PRIMARY KEY, entry_id INTEGER REFERENCES entry(id));
      CREATE TABLE gloss(id INTEGER PRIMARY KEY, sense_id INTEGER REFERENCES sense(id), text TEXT);
      CREATE TABLE coupon(id INTEGER PRIMARY KEY, amount INTEGER);
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, coupon_id INTEGER REFERENCES coupon(id));
      """,
    start: """
      INSERT INTO entry VALUES(1); INSERT INTO spelling VALUES(1, 1, 'amber birch'); INSERT INTO sense VALUES(1, 1);
      INSERT INTO gloss VALUES(1, 1, 'cobalt delta'); INSERT INTO coupon VALUES(1, 100);
      INSERT INTO customer VALUES(1, 'ember fjord', 1);
      """,
    oracle: """
      SELECT 'entry/' || e.id FROM entry e LEFT JOIN spelling p ON p.entry_id = e.id
        LEFT JOIN sense s ON s.entry_id = e.id LEFT JOIN gloss g ON g.sense_id = s.id WHERE has(p.text) OR has(g.text)
      UNION SELECT 'sense/' || s.id FROM sense s JOIN gloss g ON g.sense_id = s.id WHERE has(g.text)
      UNION SELECT 'spelling/' || id FROM spelling WHERE has(text)
      UNION SELECT 'gloss/' || id FROM gloss WHERE has(text)
      UNION SELECT 'coupon/' || c.id FROM coupon c JOIN customer u ON u.coupon_id = c.id WHERE has(u.name)
      UNION SELECT 'customer/' || id FROM customer WHERE has(name)
      """,
    statements: [
      { "INSERT OR IGNORE INTO entry VALUES(\($0.id()))" },
      { "INSERT OR REPLACE INTO spelling VALUES(\($0.id()), \($0.reference()), \($0.name()))" },
      { "INSERT OR REPLACE INTO sense VALUES(\($0.id()), \($0.reference()))" },
      { "INSERT OR REPLACE INTO gloss VALUES(\($0.id()), \($0.reference()), \($0.name()))" },
      { "INSERT OR REPLACE INTO gloss VALUES(\($0.id()), \($0.reference()), \($0.name()))" },
      { "INSERT OR REPLACE INTO coupon VALUES(\($0.id()), \($0.id()))" },
      { "INSERT OR REPLACE INTO customer VALUES(\($0.id()), \($0.name()), \($0.reference()))" },
      { "UPDATE gloss SET text = \($0.name()) WHERE sense_id = \($0.id())" },
      { "UPDATE gloss SET sense_id = \($0.reference()) WHERE id = \($0.id())" },
      { "UPDATE sense SET entry_id = \($0.reference()) WHERE id = \($0.id())" },
      { "UPDATE customer SET coupon_id = \($0.reference()), name = \($0.name()) WHERE id = \($0.id())" },
      { "UPDATE OR REPLACE entry SET id = \($0.id()) WHERE id = \($0.id())" },
      {
        "DELETE FROM \($0.table(["entry", "sense", "gloss", "spelling", "coupon", "customer"])) WHERE id = \($0.id())"
      },
    ],
    renamings: [
      .init(table: "sense", other: "meaning"), .init(table: "customer", column: "coupon_id", other: "voucher_id"),
    ])
}
