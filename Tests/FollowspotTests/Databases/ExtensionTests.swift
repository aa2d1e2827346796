// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Records in two tables with the same key.
@Suite(.temporaryDirectory) struct ExtensionTests {
  private static let schema = """
    CREATE TABLE page(id INTEGER PRIMARY KEY, title TEXT, slug TEXT, live INTEGER);
    CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE article(page_id INTEGER PRIMARY KEY REFERENCES page(id), body TEXT, price REAL,
      author_id INTEGER REFERENCES author(id));
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE article_tag(article_id INTEGER REFERENCES article(page_id), tag_id INTEGER REFERENCES tag(id));
    INSERT INTO page VALUES(1, 'Home', 'home', 1), (2, 'Harbour at night', 'a2', 1), (3, 'Marsh birds', 'a3', 0),
      (4, 'Old mill', 'a4', 1);
    INSERT INTO author VALUES(1, 'Ottilie Brandt'), (2, 'Anouk Lenoir');
    INSERT INTO article VALUES(2, 'Lamps over the quay.', 12.5, 1), (3, 'Herons and reeds.', 90, 2),
      (4, 'A wheel in the harbour.', 95, 2);
    INSERT INTO tag VALUES(1, 'fog'), (2, 'water'); INSERT INTO article_tag VALUES(2, 1), (4, 2);
    """

  @Test(arguments: [true, false])
  func `a record and the row that extends it are found once, by the words of both`(isAttached: Bool) throws {
    let database = try IndexedDatabase(Self.schema, isAttached: isAttached)
    try database.update()
    func found(_ query: String, isIndexOnly: Bool = false) throws -> [String] {
      try database.search(query, isIndexOnly: isIndexOnly).hits.map(\.identifier.short)
    }
    // The title counts more than the text of another record.
    #expect(try found("harbour") == ["page/2", "page/4", "author/1"])
    #expect(try database.search("herons").hits.map(\.title) == ["Marsh birds"])
    #expect(try found("harbour fog") == ["page/2"])
    #expect(try found("marsh lenoir")[0] == "page/3")
    #expect(try Set(found("*")) == Set((1...4).map { "page/\($0)" } + ["author/1", "author/2", "tag/1", "tag/2"]))
    // A condition on a field asks for the rows that have it.
    #expect(try Set(found("author:ottilie")) == ["page/2", "article/2"])
    // What only the article has, and its kind, ask for it.
    #expect(try Set(found("price:>80")) == ["article/3", "article/4"])
    #expect(try database.hits("kind:article harbour") == ["article/2", "article/4"])
    #expect(try found("-kind:page herons") == ["article/3"])
    #expect(try database.search("kind:article herons").hits.map(\.title) == ["Marsh birds"])
    #expect(try found("slug:a3") == ["page/3"])
    #expect(try found("article herons") == ["article/3"])
    try database.writer.execute(
      """
      UPDATE article SET body = 'Cranes.' WHERE page_id = 3; DELETE FROM page WHERE id = 4;
      INSERT INTO page VALUES(5, 'Quarry', 'a5', 1); INSERT INTO article VALUES(5, 'Slate and dust.', 1, NULL);
      """)
    for isIndexOnly in [false, true] {
      #expect(try found("herons", isIndexOnly: isIndexOnly) == [])
      #expect(try found("cranes", isIndexOnly: isIndexOnly) == ["page/3"])
      #expect(try found("slate", isIndexOnly: isIndexOnly) == ["page/5"])
      // The page of this article is gone.
      #expect(try found("wheel", isIndexOnly: isIndexOnly) == ["article/4"])
      if !isIndexOnly { try database.update() }
    }
    #expect(try database.isEqual)
  }

  @Test func `what only one half of a record has finds that half, whatever else matches`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE page(id INTEGER PRIMARY KEY, title TEXT, status TEXT, created DATE);
      CREATE TABLE article(id INTEGER PRIMARY KEY REFERENCES page(id), body TEXT, status TEXT, published DATE);
      INSERT INTO page VALUES(1, 'Harbour', 'published', '2020-01-01'), (2, 'Marsh', 'draft', '2023-01-01');
      INSERT INTO article VALUES(1, 'Lamps over the quay', 'draft', '2023-05-01');
      """)
    try database.update()
    #expect(try database.hits("status:draft") == ["article/1", "page/2"])
    #expect(try database.hits("2023") == ["article/1", "page/2"])
    #expect(try database.hits("quay -draft") == [])
    #expect(try database.hits("quay -reeds") == ["article/1", "page/1"])
    #expect(try database.hits("quay") == ["page/1"])
  }

  @Test func `tables that extend each other, or a record without a title, stay records of their own`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY REFERENCES b(id), title TEXT);
      CREATE TABLE b(id INTEGER PRIMARY KEY REFERENCES a(id), title TEXT);
      CREATE TABLE thing(id INTEGER PRIMARY KEY, size INTEGER);
      CREATE TABLE lamp(thing_id INTEGER PRIMARY KEY REFERENCES thing(id), name TEXT);
      INSERT INTO a VALUES(1, 'north'); INSERT INTO b VALUES(1, 'south');
      INSERT INTO thing VALUES(1, 5); INSERT INTO lamp VALUES(1, 'bright');
      """)
    try database.update()
    #expect(try database.search("north").hits.first?.identifier.short == "a/1")
    #expect(try database.search("south").hits.first?.identifier.short == "b/1")
    #expect(try database.hits("bright").contains("lamp/1"))
    #expect(try database.isEqual)
  }
}
