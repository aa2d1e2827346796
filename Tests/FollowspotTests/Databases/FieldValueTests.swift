// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot

/// Which values a field has, and which of them are equal, compared with SQL over the rows.
@Suite(.overlapping, .temporaryDirectory)
struct FieldValueTests {
  private static func rows(_ query: String, _ database: IndexedDatabase) throws -> [String] {
    let rows = try database.writer.cursor(query)
    var found: [String] = []
    while try rows.step() { found.append(rows.text(at: 0)) }
    return found.sorted()
  }

  @Test func `an infinite number is greater or less than all others`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size REAL, j TEXT);
      INSERT INTO t VALUES (1, 'a', 9e999, '{"w": 9e999}'), (2, 'b', -9e999, '{"w": -9e999}'), (3, 'c', 0, '{"w": 0}'),
        (4, 'd', NULL, '{}'), (5, 'e', 1e308, '{"w": 1e308}'), (6, 'f', -2.5, '{"w": -2.5}');
      """)
    try database.update()
    for condition in ["> 0", ">= 1e308", "> 1e308", "< 0", "<= -2.5", "< -1e308", "= 0"] {
      let typed = condition.replacing(" ", with: "").replacing("=0", with: "0")
      let ids = try Self.rows("SELECT 't/' || id FROM t WHERE size \(condition)", database)
      #expect(try database.hits("size:\(typed)") == ids, "\(typed)")
      #expect(try database.hits("j.w:\(typed)") == ids, "\(typed)")
    }
    #expect(try database.hits("has:size") == Self.rows("SELECT 't/' || id FROM t WHERE size IS NOT NULL", database))
    var request = SearchRequest(query: "*")
    request.sort = [.init("size:desc")!]
    let searcher = try Searcher(storePath: database.path, directory: database.index)
    #expect(try searcher.search(request).hits.map(\.identifier.short) == ["t/1", "t/5", "t/3", "t/6", "t/2", "t/4"])
    // The boost is measured by the highest finite number.
    (request.sort, request.boosts) = ([], ["size"])
    let boosted = try searcher.search(request).hits
    #expect(boosted.prefix(2).map(\.identifier.short) == ["t/1", "t/5"])
    #expect(boosted[0].score == boosted[1].score && boosted[1].score.isFinite)
  }

  @Test func `has finds records with any value but NULL and the empty text`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, note TEXT, code TEXT, n INTEGER);
      INSERT INTO t VALUES (1, 'one', '', '', 0), (2, 'two', ',', ',', NULL), (3, 'three', ' ', ' ', 5),
        (4, 'four', NULL, NULL, NULL), (5, 'five', 'some long text with words', 'A1', 1),
        (6, 'six', 'another long text with words', 'A1', 2), (7, 'seven', char(9), '→', 3);
      """)
    try database.update()
    for column in ["note", "code", "n", "title"] {
      let ids = try Self.rows("SELECT 't/' || id FROM t WHERE \(column) IS NOT NULL AND \(column) <> ''", database)
      #expect(try database.hits("has:\(column)") == ids, "\(column)")
      #expect(try database.hits("\(column):*") == ids, "\(column)")
      let others = try Self.rows("SELECT 't/' || id FROM t WHERE \(column) IS NULL OR \(column) = ''", database)
      #expect(try database.hits("-has:\(column)") == others, "\(column)")
    }
  }

  @Test(arguments: ["new", "isNew", "is_new", "NEW"])
  func `is finds a flag by the name of its column, with is before it or not`(column: String) throws {
    for type in ["BOOLEAN", "INTEGER"] {
      let database = try IndexedDatabase(
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, \(column) \(type));
        INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 0), (3, 'c', 1), (4, 'd', NULL);
        """)
      try database.update()
      let ids = try Self.rows("SELECT 't/' || id FROM t WHERE \(column) = 1", database)
      #expect(try database.hits("is:new") == ids, "\(column) \(type)")
      #expect(try database.hits("is:\(column)") == ids, "\(column) \(type)")
    }
  }

  @Test func `facets count values without regard to case, but never join other diacritics`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, city TEXT);
      INSERT INTO t (title, city) VALUES ('a', 'Maçon'), ('b', 'Mâcon'), ('c', 'MÂCON'), ('d', 'maçon'), ('e', 'Macon'),
        ('f', 'Ma' || 'c' || char(807) || 'on'), ('g', 'Zürich'), ('h', 'Zurich'), ('i', 'ＺＵＲＩＣＨ'), ('j', 'Οδός'),
        ('k', 'ΟΔΌΣ');
      """)
    try database.update()
    var request = SearchRequest(query: "*")
    request.facets = ["city"]
    for readsSlots in [true, false] {
      request.readsSlots = readsSlots
      let facets = try Searcher(storePath: database.path, directory: database.index).search(request).facets
      #expect(
        facets[0].values.map { "\($0.count) \($0.text.lowercased().replacing("ς", with: "σ"))" }.sorted()
          == ["1 macon", "1 zürich", "2 mâcon", "2 zurich", "2 οδόσ", "3 maçon"].sorted(), "\(readsSlots)")
    }
    // A condition ignores diacritics.
    #expect(try database.hits("city:Mâcon").count == 6)
  }

  @Test func `halfwidth katakana are the letters that they stand for`() throws {
    let pairs = [
      ("ｶﾒﾗ", "カメラ"), ("ｶﾞｲﾄﾞ", "ガイド"), ("ﾊﾟｿｺﾝ", "パソコン"), ("ｻｰﾊﾞｰ", "サーバー"), ("ｳﾞｧｲｵﾘﾝ", "ヴァイオリン"),
      ("ｷｬｯﾄ･ｼｮｰ", "キャット・ショー"),
    ]
    let database = try IndexedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, word TEXT)")
    for (half, full) in pairs {
      try database.writer.execute(
        "INSERT INTO t (title, word) VALUES ('half \(half)', '\(half)'), ('full \(full)', '\(full)')")
    }
    try database.update()
    for (number, (half, full)) in pairs.enumerated() {
      let ids = ["t/\(2 * number + 1)", "t/\(2 * number + 2)"].sorted()
      for query in [half, full, "\"\(half)\"", "title:\(full)", "word:\(half)"] {
        #expect(try database.hits(query) == ids, "\(query)")
      }
    }
    var request = SearchRequest(query: "*")
    request.facets = ["word"]
    let facets = try Searcher(storePath: database.path, directory: database.index).search(request).facets
    #expect(facets[0].values.map(\.count) == pairs.map { _ in 2 })
  }
}
