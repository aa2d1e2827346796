// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

extension ShellFixture {
  /// The rows of a statement of the verb `sql`, with tabs between the values.
  func statement(_ sql: String, _ options: String...) throws -> [String] {
    let outcome = try shell.run(["sql", "--format", "tsv"] + options + [sql])
    let told = outcome.errors.split(separator: "\n").filter { !$0.contains("no record has the word") }
    #expect(outcome.code <= 1 && told == [], "\(sql)\n\(outcome)")
    return outcome.lines
  }

  /// The rows of a statement on the tables of the file itself, as an independent answer.
  func direct(_ sql: String) throws -> [String] {
    let connection = try Connection(path: store, access: .readOnly)
    let rows = try connection.cursor(sql)
    var lines: [String] = []
    while try rows.step() {
      lines.append((0..<rows.columnCount).map { rows.text(at: Int32($0)) }.joined(separator: "\t"))
    }
    return lines
  }

  /// The short identifiers of the hits of `search`, in order.
  func hits(_ query: String, _ options: String...) throws -> [String] {
    try shell.run(["search", "--format", "ids"] + options + ["--", query]).lines
      .map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
  }

  /// The values of a statement on the file's own tables for each of these keys, which `?` stands for.
  func direct(_ sql: String, forKeys keys: [String]) throws -> [String] {
    try keys.flatMap { try direct(sql.replacing("?", with: $0.split(separator: "/p")[1])) }
  }
}

/// `sql`: statements on the store that join rows with search results.
@Suite(.overlapping, .temporaryDirectory)
struct SQLTests {
  @Test(arguments: ["<", "<=", "=", ">=", ">"])
  func `dates compare as texts, whether or not the store tests the condition`(_ operation: String) throws {
    let bench = try ShellFixture()
    for text in [
      "1999-11-24T02:00:00+03:00", "1999-11-24 12:00:00", "1999-11-24", "1996-01-01T02:30:00+03:00",
      "1995-12-31T23:30:00Z", "1995-12-31 23:30:00", "1995",
    ] {
      func keys(_ column: String) throws -> [String] {
        try bench.statement("SELECT key FROM Film WHERE \(column) \(operation) '\(text)' ORDER BY 1")
      }
      let (pushed, tested) = (try keys("released"), try keys("+released"))
      #expect(pushed == tested, "\(text)")
    }
  }

  @Test func `a search for NULL has no rows`() throws {
    let bench = try ShellFixture()
    #expect(try bench.statement("SELECT key FROM search(NULL)").isEmpty)
    let joined = try bench.statement(
      "SELECT f.key, h.key FROM Film f LEFT JOIN search(CASE f.title WHEN 'Up' THEN 'up' END) h ON h.key = f.key")
    #expect(joined.filter { $0.hasSuffix("\tFilm/p4") } == ["Film/p4\tFilm/p4"] && joined.count == 8)
  }

  @Test(arguments: ["toy", "cowboy story", "space robot flies garden", "*", "title:story", "nothing", "is:favorite"])
  func `search() returns the hits of search, in its order and with its scores, titles and snippets`(
    _ query: String
  ) throws {
    let bench = try ShellFixture()
    func check() throws {
      let found = try bench.shell.run(
        "search", "--format", "ndjson", "--snippets", "--fields", "@id,@entity,title", "--", query)
      let wanted = try found.lines.enumerated().map { index, line in
        let hit = try JSONValue(line)
        let score = String(format: "%.3f", hit["score"]?.number ?? -1)
        return [
          hit["id"]?.text ?? "", hit["entity"]?.text ?? "", score, "\(index + 1)", hit["fields"]?["title"]?.text ?? "",
          hit["snippet"]?["text"]?.text?.replacing("\n", with: " ").replacing("\t", with: " ") ?? "",
        ].joined(separator: "\t")
      }
      let rows = try bench.statement(
        "SELECT id, entity, printf('%.3f', score), rank, title, trim(snippet, '…') FROM search('\(query)')")
      #expect(rows == wanted)
      #expect(try bench.statement("SELECT key FROM search('\(query)')") == bench.hits(query))
      #expect(try bench.statement("SELECT key FROM search('\(query)', 'film')") == bench.hits(query, "--kind", "Film"))
    }
    try check()
    // The overlay: saved, and not indexed.
    try bench.shell.run("set", "Film/p4", "title=Up, a toy story of a cowboy robot")
    try bench.shell.run("delete", "Film/p1")
    try bench.importRecords(Films.lines(["Toy Garden"]), options: ["--kind", "Film"])
    try check()
  }

  private static let films = "SELECT ZTITLE, ZYEAR FROM ZFILM WHERE Z_PK = ?"

  @Test func `hits join rows by key in every kind of join`() throws {
    let bench = try ShellFixture()
    let stories = try bench.hits("story")
    let all = try bench.direct("SELECT 'Film/p' || Z_PK FROM ZFILM ORDER BY Z_PK")
    #expect(stories.count == 3 && all.count == 8)
    let inner = try bench.direct(Self.films, forKeys: stories)
    for join in [
      "search('story') h JOIN Film f ON f.key = h.key", "Film f JOIN search('story') h ON h.key = f.key",
      "Film f JOIN search('story') h USING (key)", "Film f, search('story') h WHERE f.key = h.key",
    ] {
      #expect(try bench.statement("SELECT f.title, f.year FROM \(join) ORDER BY h.rank") == inner, "\(join)")
    }
    let left = try bench.statement(
      "SELECT f.key, h.rank FROM Film f LEFT JOIN search('story') h ON h.key = f.key ORDER BY f.key")
    #expect(left == all.map { key in key + "\t" + (stories.firstIndex(of: key).map { "\($0 + 1)" } ?? "") })
    let right = try bench.statement(
      "SELECT h.key, f.title FROM Film f RIGHT JOIN (SELECT * FROM search('story')) h ON h.key = f.key AND f.year > 1995 ORDER BY h.rank"
    )
    let later = try stories.map { key in
      let title = try bench.direct("SELECT ZTITLE FROM ZFILM WHERE Z_PK = ? AND ZYEAR > 1995", forKeys: [key])
      return key + "\t" + (title.first ?? "")
    }
    #expect(right == later)
    let cross = try bench.statement(
      "SELECT f.key, h.key FROM Film f CROSS JOIN search('story') h ORDER BY f.key, h.rank")
    #expect(cross == all.flatMap { film in stories.map { film + "\t" + $0 } })
    let twice = try bench.statement(
      "SELECT a.key FROM search('story') a JOIN search('cowboy') b ON b.key = a.key ORDER BY a.rank")
    let cowboys = try bench.hits("cowboy")
    #expect(!twice.isEmpty && twice == stories.filter(cowboys.contains))
    let apart = try bench.statement(
      "SELECT f.title FROM Film f WHERE f.key IN (SELECT key FROM search('story')) ORDER BY f.key")
    #expect(try apart == bench.direct("SELECT ZTITLE FROM ZFILM WHERE Z_PK = ?", forKeys: stories.sorted()))
    let others = try bench.statement(
      "SELECT f.key FROM Film f WHERE f.key NOT IN (SELECT key FROM search('story')) ORDER BY f.key")
    #expect(others == all.filter { !stories.contains($0) })
    let common = try bench.statement(
      """
      WITH best AS (SELECT key, score FROM search('story') LIMIT 2)
      SELECT f.title, f.year FROM best JOIN Film f USING (key) ORDER BY best.score DESC
      """)
    #expect(common.count == 2 && Set(common).isSubset(of: inner))
    let correlated = try bench.statement(
      "SELECT f.key, (SELECT count(*) FROM search(f.year)) FROM Film f WHERE f.year > 2000 ORDER BY f.key")
    let years = try bench.direct("SELECT 'Film/p' || Z_PK, ZYEAR FROM ZFILM WHERE ZYEAR > 2000 ORDER BY Z_PK")
    let counts = try years.map { row in
      let cells = row.split(separator: "\t")
      return "\(cells[0])\t\(try bench.hits(String(cells[1])).count)"
    }
    #expect(correlated == counts)
  }

  @Test func `rows join with each other by relationships, conditions and expressions`() throws {
    let bench = try ShellFixture()
    let own = try bench.statement(
      "SELECT a.title, b.title FROM Film a JOIN Film b ON b.year = a.year AND b.key > a.key ORDER BY 1, 2")
    let wanted = try bench.direct(
      "SELECT a.ZTITLE, b.ZTITLE FROM ZFILM a JOIN ZFILM b ON b.ZYEAR = a.ZYEAR AND b.Z_PK > a.Z_PK ORDER BY 1, 2")
    #expect(own == wanted && own == ["Toy Story\tThe Seed"])
    for (condition, plain) in [
      ("rating > 8", "ZRATING > 8"), ("rating >= 8", "ZRATING >= 8"), ("year < 2000", "ZYEAR < 2000"),
      ("year = '1995'", "ZYEAR = 1995"), ("year IN (1995, 2009)", "ZYEAR IN (1995, 2009)"),
      ("year BETWEEN 1999 AND 2008", "ZYEAR BETWEEN 1999 AND 2008"), ("rating IS NULL", "ZRATING IS NULL"),
      ("title = 'up' COLLATE NOCASE", "ZTITLE = 'Up'"), ("title > 'T'", "ZTITLE > 'T'"),
      ("title LIKE '%story%'", "ZTITLE LIKE '%story%'"), ("isFavorite", "ZISFAVORITE = 1"),
      ("isFavorite = 0 AND year = 1995", "ZISFAVORITE = 0 AND ZYEAR = 1995"),
      ("released > '1999'", "ZRELEASED >= -63072000"), ("released >= '2001-11-02'", "ZRELEASED >= 26352000"),
      ("released = '1995-12-31T23:30:00Z'", "Z_PK = 8"), ("released < '1995-11-23'", "Z_PK = 1"),
      ("released <= '1995-11-22'", "Z_PK = 1"), ("key = 'Film/p3'", "Z_PK = 3"), ("key = 'film/p3'", "0"),
      ("key = 'Movie/p3'", "0"), ("key IN ('Film/p2', 'Film/p99', NULL, 5)", "Z_PK = 2"), ("title = NULL", "0"),
      ("title > 5 AND year < 'x'", "ZYEAR IS NOT NULL"),
    ] {
      #expect(
        try bench.statement("SELECT title FROM Film WHERE \(condition) ORDER BY key")
          == bench.direct("SELECT ZTITLE FROM ZFILM WHERE \(plain) ORDER BY Z_PK"), "\(condition)")
    }
    let grouped = try bench.statement(
      "SELECT year, count(*), max(rating) FROM film GROUP BY Year HAVING count(*) > 1 ORDER BY 1")
    #expect(grouped == ["1995\t2\t8.3"])
    let nested = try bench.statement(
      "SELECT f.title, p.value ->> 'name' FROM Film f, json_each(f.people) p WHERE f.key = 'Film/p4' ORDER BY p.id")
    #expect(nested == ["Up\tPete Docter", "Up\tEd Asner"])
  }

  @Test func `relationships are keys and tables of keys, and subentities belong to their parent's table`() throws {
    let bench = try ShellFixture.relatedFilms()
    let films = try bench.statement("SELECT key, entity, title, studio FROM Film ORDER BY key")
    #expect(films == ["Film/p1\tFilm\tToy Story\tStudio/p1", "Film/p2\tFilm\tPonyo\t"])
    #expect(
      try bench.statement("SELECT f.title, s.name FROM Film f JOIN Studio s ON s.key = f.studio") == [
        "Toy Story\tPixar"
      ])
    #expect(
      try bench.statement("SELECT s.name, f.title FROM Studio s LEFT JOIN Film f ON f.studio = s.key ORDER BY s.key")
        == ["Pixar\tToy Story", "Ghibli\t"])
    #expect(
      try bench.statement("SELECT key, entity, name FROM Person ORDER BY key")
        == ["Person/p1\tPerson\tAnn", "Star/p2\tStar\tTom"])
    #expect(try bench.statement("SELECT key, agent FROM Star") == ["Star/p2\tCAA"])
    // The order of the relationship is kept.
    #expect(
      try bench.statement("SELECT key, target FROM Film_cast ORDER BY key, position")
        == ["Film/p1\tStar/p2", "Film/p1\tPerson/p1", "Film/p2\tStar/p2"])
    #expect(
      try bench.statement("SELECT key, target FROM Star_films ORDER BY target") == [
        "Star/p2\tFilm/p1", "Star/p2\tFilm/p2",
      ])
    #expect(
      try bench.statement("SELECT key, target FROM Person_films ORDER BY key, target")
        == ["Person/p1\tFilm/p1", "Star/p2\tFilm/p1", "Star/p2\tFilm/p2"])
    #expect(try bench.statement("SELECT key, target FROM Studio_films") == ["Studio/p1\tFilm/p1"])
    #expect(
      try bench.statement(
        """
        SELECT f.title, p.name FROM search('toy') h JOIN Film f ON f.key = h.key JOIN Film_cast c ON c.key = f.key
        JOIN Person p ON p.key = c.target ORDER BY c.position
        """) == ["Toy Story\tTom", "Toy Story\tAnn"])
    #expect(
      try bench.statement(
        """
        SELECT f.title FROM search('tom', 'Star') h JOIN Film_cast c ON c.target = h.key JOIN Film f ON f.key = c.key
        ORDER BY 1
        """) == ["Ponyo", "Toy Story"])
  }

  @Test func `rows with equal numbers in several entities are never confused`() throws {
    let bench = try ShellFixture.relatedFilms()
    let hits = try bench.hits("*")
    #expect(hits.sorted() == ["Film/p1", "Film/p2", "Person/p1", "Star/p2"])
    for (table, wanted) in [
      ("Film", ["Film/p1", "Film/p2"]), ("Studio", []), ("Person", ["Person/p1", "Star/p2"]), ("Star", ["Star/p2"]),
    ] {
      for order in [
        "\(table) t JOIN search('*') h ON h.key = t.key", "search('*') h JOIN \(table) t ON h.key = t.key",
        "\(table) t CROSS JOIN search('*') h ON h.key = t.key",
        "search('*') h CROSS JOIN \(table) t ON h.key = t.key",
      ] {
        #expect(try bench.statement("SELECT t.key FROM \(order) ORDER BY 1") == wanted, "\(order)")
      }
    }
  }

  @Test func `a join by key reads the hits first and then single rows`() throws {
    // In a small table SQLite would read the rows first.
    let films = (1...3_000).map { "{\"title\": \"Film \($0)\", \"rating\": \($0 % 10)}\n" }.joined()
    let bench = try ShellFixture(films)
    let plan = try bench.statement(
      "EXPLAIN QUERY PLAN SELECT f.title FROM Film f JOIN search('toy') h ON h.key = f.key WHERE f.rating > 8")
    #expect(plan.count == 2 && plan[0].hasSuffix("SCAN h VIRTUAL TABLE INDEX 1:in order of rank"), "\(plan)")
    #expect(plan.count == 2 && plan[1].contains("SCAN f VIRTUAL TABLE") && plan[1].contains("key=?"), "\(plan)")
  }

  @Test func `a statement without a search needs no index, and one with a search names what is missing`() throws {
    let bench = try ShellFixture(isIndexed: false)
    #expect(try bench.statement("SELECT count(*) FROM Film") == ["8"])
    let outcome = try bench.shell.run("sql", "SELECT * FROM search('toy')")
    #expect(
      outcome.code == 3 && outcome.output == "" && outcome.errors.contains("hint: followspot index"), "\(outcome)")
  }

  @Test func `a database without a history and an attached one are queried like a store`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE books (isbn TEXT PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors, added INTEGER,
        "order" INTEGER, "key" TEXT);
      CREATE TABLE "search" (id INTEGER PRIMARY KEY, words TEXT);
      INSERT INTO authors VALUES (1, 'Ursula Le Guin'), (2, 'Iain Banks');
      INSERT INTO books VALUES ('a', 'The Dispossessed', 1, 631152000, 5, 'k1'), ('b', 'Excession', 2, 1609459200, 6, 'k2');
      INSERT INTO "search" VALUES (1, 'Dispossessed');
      """)
    func check(_ added: [String]) throws {
      #expect(
        try bench.statement(
          """
          SELECT b.title, a.name, b.added, b."order", b.key2 FROM search('dispossessed excession') h
          JOIN books b ON b.key = h.key JOIN authors a ON a.key = b.author ORDER BY b.title
          """) == ["Excession\tIain Banks\t2021-01-01\t6\tk2", "The Dispossessed\tUrsula Le Guin\t1990-01-01\t5\tk1"]
          + added)
      #expect(try bench.statement("SELECT id, words FROM search2") == ["1\tDispossessed"])
      #expect(
        try bench.statement("SELECT a.name, count(*) FROM authors a JOIN authors_books r ON r.key = a.key GROUP BY 1")
          .sorted()
          == (added.isEmpty ? ["Iain Banks\t1", "Ursula Le Guin\t1"] : ["Iain Banks\t1", "Ursula Le Guin\t2"]))
    }
    #expect(try bench.shell.run("index").code == 0)
    try check([])
    #expect(try bench.shell.run("attach").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    try check([])
    // The overlay.
    try bench.sql("INSERT INTO books VALUES ('c', 'dispossessed again', 1, 1609459200, 7, NULL)")
    try check(["dispossessed again\tUrsula Le Guin\t2021-01-01\t7\t"])
  }
}

/// `sql` on a store that Apple's software wrote. Without FOLLOWSPOT_DATA these tests are skipped, with a message.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping)
struct AppleStoreSQLTests {
  @Test func `rows and hits equal those of the file's tables and of search`() throws {
    let (path, directory) = try AppleStore.photos.copy()
    var bench = ShellFixture(directory: directory, shell: Shell(in: directory))
    bench.shell.environment["FOLLOWSPOT_STORE"] = path
    #expect(try bench.shell.run("index").code == 0)
    let before = FileManager.default.contents(atPath: path)
    func direct(_ sql: String) throws -> [String] {
      let rows = try Connection(path: path, access: .readOnly).cursor(sql)
      var lines: [String] = []
      while try rows.step() {
        lines.append((0..<rows.columnCount).map { rows.text(at: Int32($0)) }.joined(separator: "\t"))
      }
      return lines
    }
    #expect(
      try bench.statement("SELECT key, title FROM Keyword ORDER BY title")
        == direct("SELECT 'Keyword/p' || Z_PK, ZTITLE FROM ZKEYWORD ORDER BY ZTITLE"))
    #expect(try bench.statement("SELECT key FROM search('pumpkins')") == bench.hits("pumpkins"))
    let joined = try bench.statement(
      "SELECT d.longDescription, d.assetAttributes FROM search('pumpkins') h JOIN AssetDescription d ON d.key = h.key")
    let wanted = try direct(
      "SELECT ZLONGDESCRIPTION, 'AdditionalAssetAttributes/p' || ZASSETATTRIBUTES FROM ZASSETDESCRIPTION WHERE Z_PK = 1"
    )
    #expect(joined == wanted && joined.count == 1)
    #expect(
      try bench.statement("SELECT count(*), substr(min(dateCreated), 1, 19) FROM Asset")
        == direct(
          "SELECT count(*), strftime('%Y-%m-%dT%H:%M:%S', min(ZDATECREATED) + 978307200, 'unixepoch') FROM ZASSET"))
    #expect(FileManager.default.contents(atPath: path) == before)
  }
}
