// SPDX-License-Identifier: MIT

import Followspot
import Store
import TestSupport
import Testing

/// Tables whose rows only repeat texts of others.
@Suite(.temporaryDirectory) struct RepeatedTextTests {
  private static let pages = """
    CREATE TABLE page(id INTEGER PRIMARY KEY, title TEXT, body TEXT);
    WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
    INSERT INTO page SELECT i, 'Harbour ' || i || ' lights', 'lamps over quay number ' || i FROM n;
    """

  @Test(arguments: [true, false])
  func `a log, a table of words and a full-text index come after what they repeat`(isAttached: Bool) throws {
    let database = try IndexedDatabase(
      Self.pages + """
        CREATE TABLE log(id INTEGER PRIMARY KEY, page_id INTEGER REFERENCES page(id), label TEXT, action TEXT);
        INSERT INTO log SELECT id, id, title, 'publish' FROM page;
        CREATE TABLE textid(id INTEGER PRIMARY KEY, class TEXT, itemid INTEGER);
        INSERT INTO textid SELECT id + 100, 'page', id FROM page;
        CREATE TABLE word(word TEXT, textid_id INTEGER REFERENCES textid(id));
        INSERT INTO word SELECT 'LAMPS', id FROM textid;
        CREATE VIRTUAL TABLE found USING fts5(title, body); INSERT INTO found(rowid, title, body) SELECT * FROM page;
        """, isAttached: isAttached)
    try database.update()
    func found(_ query: String) throws -> [String] { try database.search(query).hits.map(\.identifier.short) }
    #expect(try found("harbour 7 lights").first == "page/7")
    #expect(try found("lamps").prefix(20).allSatisfy { $0.hasPrefix("page/") })
    // Nothing is lost.
    #expect(try database.hits("kind:log harbour publish").count == 40)
    #expect(try database.hits("kind:word lamps").count == 40)
    #expect(try database.search("kind:log").hits.first?.title == "log 1 · Harbour 1 lights")
    #expect(try database.isEqual)
  }

  @Test func `a table whose texts are its own is none of them`() throws {
    let database = try IndexedDatabase(
      Self.pages + """
        CREATE TABLE note(id INTEGER PRIMARY KEY, page_id INTEGER REFERENCES page(id), title TEXT);
        INSERT INTO note SELECT id, id, 'ferry timetable ' || id FROM page WHERE id < 30;
        INSERT INTO note SELECT id, id, title FROM page WHERE id >= 30;
        """)
    try database.update()
    func found(_ query: String) throws -> [String] { try database.search(query).hits.map(\.identifier.short) }
    #expect(try database.hits("ferry").count == 29)
    // The note is called so, and the page only refers to it.
    #expect(try found("ferry 7").first == "note/7")
  }
}
