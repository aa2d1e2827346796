// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

@testable import Followspot

/// SQL statements on several stores, which answer as one database with all rows would.
@Suite(.overlapping, .temporaryDirectory)
struct GroupStatementTests {
  /// Films with titles that are all different, in one database and divided between two. Whatever belongs together is in
  /// the same half.
  private struct Halves {
    static let words = ["silver", "golden", "quiet", "river", "harbour", "garden", "winter", "letter"]
    static let schema = """
      PRAGMA journal_mode = WAL;
      CREATE TABLE director (id INTEGER PRIMARY KEY, name TEXT, born TEXT);
      CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, year INTEGER, rating REAL,
        director_id INTEGER REFERENCES director);
      CREATE TABLE award (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE film_award (film_id INTEGER REFERENCES film, award_id INTEGER REFERENCES award);
      """

    let whole: IndexedDatabase
    let parts: [IndexedDatabase]

    init(seed: Int) throws {
      var generator = SeededGenerator(seed: seed)
      whole = try IndexedDatabase(Self.schema)
      parts = try [IndexedDatabase(Self.schema), IndexedDatabase(Self.schema)]
      for id in 0..<10 {
        let born = id % 3 == 0 ? "NULL" : "'19\(30 + id * 2)-0\(1 + id % 9)-11'"
        try add("INSERT INTO director VALUES (?, 'Director \(id)', \(born))", id, half: id % 2)
        try add("INSERT INTO award VALUES (?, 'Award \(id)')", id, half: id % 2)
      }
      var films = [0, 0]
      for id in 1...60 {
        let title = (0..<3).map { _ in Self.words.randomElement(using: &generator)! }.joined(separator: " ")
        let half = Int.random(in: 0...1, using: &generator)
        let director = half + 2 * Int.random(in: 0..<5, using: &generator)
        let year = Int.random(in: 1950...1970, using: &generator)
        let rating = id % 7 == 0 ? "NULL" : "\(Double(Int.random(in: 10..<100, using: &generator)) / 10)"
        films[half] += 1
        for (database, film, person) in [(whole, id, director + 1), (parts[half], films[half], director / 2 + 1)] {
          try database.writer.execute(
            "INSERT INTO film VALUES (\(film), '\(title) x\(id)', \(year), \(rating), \(person))")
          // An award has the number of the director.
          if id % 4 == 0 { try database.writer.execute("INSERT INTO film_award VALUES (\(film), \(person))") }
        }
      }
      for database in [whole] + parts { try database.update() }
    }

    /// Inserts a row with its own number in the whole, and with a number in its half that rows of the other one have too.
    private func add(_ sql: String, _ id: Int, half: Int) throws {
      try whole.writer.execute(sql.replacing("?", with: "\(id + 1)"))
      try parts[half].writer.execute(sql.replacing("?", with: "\(id / 2 + 1)"))
    }

    var group: StoreStatement {
      StoreStatement(parts.enumerated().map { ("h\($0 + 1)", $1.path, $1.index) })
    }

    /// The rows of a statement on the tables of the whole database itself.
    func plain(_ sql: String) throws -> [[Value]] {
      let rows = try whole.writer.cursor(sql)
      var found: [[Value]] = []
      while try rows.step() { found.append((0..<rows.columnCount).map { rows.value(at: Int32($0)) }) }
      return found
    }
  }

  private func rows(_ statement: StoreStatement, _ sql: String) throws -> [[Value]] {
    var found: [[Value]] = []
    try statement.run(sql, stoppingAfter: nil) { rows in
      found = []
      while let row = try rows.next() { found.append(row) }
    }
    return found
  }

  private func texts(_ statement: StoreStatement, _ sql: String) throws -> [String] {
    try rows(statement, sql).map { row in
      row.map { value in
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .null: "-"
        default: "\(value)"
        }
      }.joined(separator: "|")
    }
  }

  /// Statements on the tables of SQL, and the same ones on the tables of a file.
  private static let statements: [(String, plain: String?)] = [
    ("SELECT count(*), sum(year), count(rating) FROM film", nil),
    ("SELECT title, year, rating FROM film ORDER BY title", nil),
    ("SELECT year, count(*), max(rating) FROM film GROUP BY year HAVING count(*) > 1 ORDER BY year", nil),
    ("SELECT title FROM film ORDER BY rating DESC, title LIMIT 7 OFFSET 5", nil),
    ("SELECT title FROM film WHERE year BETWEEN 1955 AND 1962 AND rating > 5 ORDER BY title", nil),
    ("SELECT title FROM film WHERE year = 1960 OR rating < 2 OR title LIKE '%x7' ORDER BY title", nil),
    ("SELECT title FROM film WHERE rating IS NULL ORDER BY title", nil),
    ("SELECT name FROM director WHERE born < '1940' ORDER BY name", nil),
    ("SELECT DISTINCT year FROM film WHERE title > 'q' ORDER BY year DESC", nil),
    ("SELECT title, rank() OVER (PARTITION BY year ORDER BY title) FROM film ORDER BY title", nil),
    ("SELECT a.title, b.title FROM film a JOIN film b ON b.year = a.year AND b.title > a.title ORDER BY 1, 2", nil),
    (
      "SELECT f.title, d.name FROM film f JOIN director d ON d.key = f.director ORDER BY f.title",
      "SELECT f.title, d.name FROM film f JOIN director d ON d.id = f.director_id ORDER BY f.title"
    ),
    (
      "SELECT d.name, count(f.key) FROM director d LEFT JOIN film f ON f.director = d.key AND f.year > 1965 "
        + "GROUP BY d.key ORDER BY 1",
      "SELECT d.name, count(f.id) FROM director d LEFT JOIN film f ON f.director_id = d.id AND f.year > 1965 "
        + "GROUP BY d.id ORDER BY 1"
    ),
    (
      "SELECT d.name, f.title FROM director_film r JOIN director d ON d.key = r.key JOIN film f ON f.key = r.target "
        + "ORDER BY 1, 2", "SELECT d.name, f.title FROM director d JOIN film f ON f.director_id = d.id ORDER BY 1, 2"
    ),
    (
      "SELECT f.title, a.name FROM award a JOIN award_film_award r ON r.key = a.key JOIN film_award x "
        + "ON x.key = r.target JOIN film f ON f.key = x.film ORDER BY 1, 2",
      "SELECT f.title, a.name FROM film_award x JOIN film f ON f.id = x.film_id JOIN award a ON a.id = x.award_id "
        + "ORDER BY 1, 2"
    ),
    (
      "SELECT title FROM film WHERE director IN (SELECT key FROM director WHERE name < 'Director 4') ORDER BY 1",
      "SELECT title FROM film WHERE director_id IN (SELECT id FROM director WHERE name < 'Director 4') ORDER BY 1"
    ),
    (
      "SELECT f.title, d.born FROM search('title:silver') h JOIN film f ON f.key = h.key "
        + "JOIN director d ON d.key = f.director ORDER BY f.title",
      "SELECT f.title, d.born FROM film f JOIN director d ON d.id = f.director_id "
        + "WHERE ' ' || f.title LIKE '% silver %' ORDER BY f.title"
    ),
    (
      "SELECT title FROM film WHERE key NOT IN (SELECT key FROM search('title:river', 'film')) ORDER BY 1",
      "SELECT title FROM film WHERE ' ' || title NOT LIKE '% river %' ORDER BY 1"
    ),
    (
      "SELECT f.title, h.rank IS NULL FROM film f LEFT JOIN search('title:garden') h ON h.key = f.key ORDER BY 1",
      "SELECT title, ' ' || title NOT LIKE '% garden %' FROM film ORDER BY 1"
    ),
  ]

  @Test(arguments: Rounds.seeds(1, long: 10))
  func `the rows of two halves are those of one database`(_ seed: Int) throws {
    let halves = try Halves(seed: seed)
    let whole = StoreStatement([(nil, halves.whole.path, halves.whole.index)])
    let group = halves.group
    func compare(_ state: String) throws {
      for (sql, plain) in Self.statements {
        let wanted = try halves.plain(plain ?? sql)
        #expect(try rows(group, sql) == wanted, "seed \(seed), \(state): \(sql)")
        #expect(try rows(whole, sql) == wanted, "seed \(seed), \(state): \(sql)")
        #expect(wanted.count > 0, "seed \(seed): \(sql)")
      }
      #expect(group.missing.isEmpty)
    }
    try compare("indexed")
    // Changes that no index has.
    let change = "UPDATE film SET title = 'silver garden ' || title WHERE title LIKE '%x_'"
    for database in [halves.whole] + halves.parts { try database.writer.execute(change) }
    try compare("changed")
  }

  @Test func `a key names a row of one store`() throws {
    let halves = try Halves(seed: 2)
    let group = halves.group
    let named = try texts(group, "SELECT key, title, store FROM film")
    #expect(named.count == 60 && Set(named.map { $0.split(separator: "|")[0] }).count == 60)
    for name in ["h1", "h2"] {
      let own = try texts(group, "SELECT count(*) FROM film WHERE store = '\(name)'")
      #expect(own == ["\(named.count { $0.hasPrefix("\(name):film/") && $0.hasSuffix("|\(name)") })"])
    }
    for line in named {
      let key = line.split(separator: "|")[0]
      #expect(try texts(group, "SELECT key, title, store FROM film WHERE key = '\(key)'") == [line])
      #expect(try texts(group, "SELECT count(*) FROM director_film WHERE target = '\(key)'") == ["1"])
    }
    #expect(try texts(group, "SELECT key FROM film WHERE key IN ('film/1', 'h3:film/1', 'h1', NULL, 5)") == [])
    let plan = try texts(group, "EXPLAIN QUERY PLAN SELECT title FROM film WHERE key = 'h1:film/1'")
    #expect(plan.count == 1 && plan[0].hasSuffix("key=?"), "\(plan)")
    #expect(
      try texts(group, "SELECT store, count(*) FROM film GROUP BY store")
        == zip(["h1", "h2"], halves.parts).map { name, part in
          "\(name)|\(try part.writer.integer("SELECT count(*) FROM film") ?? 0)"
        })
  }

  @Test func `search() has the order of the group's search`() throws {
    let halves = try Halves(seed: 3)
    let group = halves.group
    let searched = try SearchGroup(
      halves.parts.enumerated().map { .store(name: "h\($0 + 1)", path: $1.path, $1.index) })
    for query in ["silver", "river garden", "quiet x1", "*", "year:1960..", "nothing"] {
      var request = SearchRequest(query: query)
      request.limit = nil
      let hits = try searched.search(request).hits
      let wanted = hits.enumerated().map { index, hit in
        "\(hit.store ?? ""):\(hit.identifier.short)|\(hit.identifier.uri)|\(index + 1)|\(hit.title)|\(hit.store ?? "")"
      }
      #expect(try texts(group, "SELECT key, id, rank, title, store FROM search('\(query)')") == wanted, "\(query)")
    }
  }

  @Test func `a table has the columns of all stores, and NULL where a store lacks one`() throws {
    let first = try IndexedDatabase(
      "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, year INTEGER); INSERT INTO film VALUES (1, 'Up', 2009);")
    let second = try IndexedDatabase(
      """
      CREATE TABLE studio (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE Film (id INTEGER PRIMARY KEY, Title TEXT, year TEXT, store TEXT, studio_id INTEGER REFERENCES studio);
      INSERT INTO studio VALUES (1, 'Pixar'); INSERT INTO Film VALUES (1, 'Coco', '2017', 'shelf', 1);
      """)
    let third = try IndexedDatabase(
      "CREATE TABLE book (id TEXT PRIMARY KEY, pages INTEGER); INSERT INTO book VALUES ('a', 9);")
    for database in [first, second, third] { try database.update() }
    let names: [String?] = ["a", "b", "c"]
    let group = StoreStatement(zip(names, [first, second, third]).map { ($0, $1.path, $1.index) })
    #expect(
      try group.tables().map { "\($0.name): \($0.columns.map(\.name).joined(separator: ", "))" } == [
        "film: key, entity, id, title, year, store2, studio_id, studio, store", "studio: key, entity, id, name, store",
        "book: key, entity, id, pages, store", "studio_Film: key, target, store",
        "search: key, entity, id, score, rank, title, snippet, store",
      ])
    #expect(
      try texts(group, "SELECT * FROM film") == [
        "a:film/1|film|1|Up|2009|-|-|-|a", "b:Film/1|Film|1|Coco|2017|shelf|1|b:studio/1|b",
      ])
    #expect(try texts(group, "SELECT title FROM film WHERE year > 2010") == ["Coco"])
    #expect(try texts(group, "SELECT title FROM film WHERE studio IS NULL") == ["Up"])
    #expect(try texts(group, "SELECT s.name, f.title FROM studio s JOIN film f ON f.studio = s.key") == ["Pixar|Coco"])
    #expect(try texts(group, "SELECT * FROM studio_film") == ["b:studio/1|b:Film/1|b"])
  }

  @Test func `a store that is gone is missing from the answer, and one without an index from that of a search`() throws
  {
    let halves = try Halves(seed: 4)
    let (gone, bare) = (TemporaryDirectory().file("gone.db"), try IndexedDatabase(Halves.schema))
    try bare.writer.execute("INSERT INTO film VALUES (1, 'silver bare', 1999, 1, NULL)")
    let part = halves.parts[0]
    let group = StoreStatement([
      ("gone", gone, IndexDirectory(path: gone + ".index")), ("h1", part.path, part.index),
      ("bare", bare.path, bare.index),
    ])
    let count = try part.writer.integer("SELECT count(*) FROM film") ?? 0
    #expect(try texts(group, "SELECT count(*) FROM film") == ["\(count + 1)"])
    #expect(group.missing.map(\.name) == ["gone"])
    let found = try texts(group, "SELECT DISTINCT f.store FROM search('title:silver') h JOIN film f USING (key)")
    #expect(found == ["h1"] && group.missing.map(\.name) == ["gone", "bare"])
    let none = StoreStatement([("gone", gone, IndexDirectory(path: gone + ".index"))])
    #expect(throws: MissingPart.self) { try rows(none, "SELECT 1") }
  }

  @Test func `each store is read in one snapshot`() throws {
    let halves = try Halves(seed: 5)
    let group = halves.group
    for sql in [
      "SELECT title FROM film", "SELECT f.title FROM search('*', 'film') h CROSS JOIN film f ON f.key = h.key",
    ] {
      let before = try rows(group, sql).count
      var count = 0
      try group.run(sql, stoppingAfter: nil) { rows in
        count = 0
        while try rows.next() != nil {
          // The rows of the second half come later.
          if count == 0 { try halves.parts[1].writer.execute("DELETE FROM film WHERE id = (SELECT max(id) FROM film)") }
          count += 1
        }
      }
      #expect(count == before, "\(sql)")
      #expect(try rows(group, sql).count == before - 1, "\(sql)")
    }
  }
}
