// SPDX-License-Identifier: MIT

import Base
import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// Columns with any name that SQLite allows, compared with SQL over the rows.
@Suite(.overlapping, .temporaryDirectory)
struct ColumnNameTests {
  private static let names = [
    "2020", "-x", "3d", "a b", "a_b", "a.b", "a-b", "a:b", "a>b", "(c)", "x*", "é", "@t", "OR", "a/b", "100%", "=",
    "a,b",
    "x:desc", "a'b", "a\"b", "\"", "#", " ", "_", "日本", "a[0]", "tx", "a\tb", "", "is", "kind",
  ]
  /// The properties of columns whose names no property can have.
  private static let properties = ["a\tb": "a_b2", "": "column", "is": "is_", "kind": "kind_"]

  private static func sql(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  private static func make() throws -> IndexedDatabase {
    let columns = names.map { sql($0) + " INTEGER" }.joined(separator: ", ")
    let database = try IndexedDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, title TEXT, \(columns))")
    for row in 1...20 {
      let values = names.indices.map { "\((row * (2 * $0 + 3) + $0) % 17)" }.joined(separator: ", ")
      try database.writer.execute("INSERT INTO t VALUES (\(row), 'title \(row)', \(values))")
    }
    try database.update()
    return database
  }

  private static func texts(_ query: String, _ database: IndexedDatabase) throws -> [String] {
    let rows = try database.writer.cursor(query)
    var found: [String] = []
    while try rows.step() { found.append(rows.text(at: 0)) }
    return found
  }

  @Test func `a column is asked, sorted and counted by its own name`() throws {
    let database = try Self.make()
    for column in Self.names {
      let written = TypedName.written(Self.properties[column] ?? column)
      let sql = Self.sql(column)
      for (condition, meant) in [(":>8", "> 8"), ("<= 8", "<= 8"), (":3", "= 3"), (":(1 OR 2)", "IN (1, 2)")] {
        #expect(
          try database.hits(written + condition)
            == Self.texts("SELECT 't/' || id FROM t WHERE \(sql) \(meant) ORDER BY 't/' || id", database),
          "\(written + condition)")
      }
      #expect(try database.hits(written + ":*").count == 20, "\(written)")
      var request = SearchRequest(query: "*")
      request.limit = nil
      request.facets = [TypedName.read(written)]
      for (order, direction) in [(written + ":desc,id", "DESC"), ("-\(written),id", "DESC"), (written + ",id", "ASC")] {
        request.sort = try #require(SearchRequest.Sort.keys(order))
        let found = try Searcher(storePath: database.path, directory: database.index).search(request)
        #expect(
          try found.hits.map(\.identifier.short)
            == Self.texts("SELECT 't/' || id FROM t ORDER BY \(sql) \(direction), id", database), "\(order)")
        #expect(
          try found.facets[0].values.map { "\($0.text) \($0.count)" }.sorted()
            == Self.texts("SELECT \(sql) || ' ' || count(*) FROM t GROUP BY \(sql)", database).sorted(), "\(written)")
      }
    }
  }

  @Test func `keys of a JSON column follow its own name`() throws {
    let database = try IndexedDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, "2020" TEXT);
      INSERT INTO t VALUES (1, '{"w": 5, "name": "iris"}'), (2, '{"w": 7, "name": "rose"}');
      """)
    try database.update()
    #expect(try database.hits("\"2020.w\":>5") == ["t/2"])
    #expect(try database.hits("\"2020.name\":iris") == ["t/1"])
  }

  @Test(arguments: ["2020:>8", "100%:>8", "a/b:>8"])
  func `a name that needs quotation marks is noted without them, and refused where records change`(query: String) throws
  {
    let database = try Self.make()
    let name = String(query.prefix { $0 != ":" })
    let sentence = "'\(name)' is a field only in quotation marks, as in \"\(name)\":VALUE"
    #expect(try database.search(query).notes.contains("\(sentence): '\(query)' is searched as words"))
    var request = SearchRequest(query: query)
    request.isStrict = true
    let error = #expect(throws: QueryError.self) {
      try Searcher(storePath: database.path, directory: database.index).search(request)
    }
    #expect(error?.message == "\(sentence); nothing was changed")
  }

  @Test func `what is suggested for an unknown field is not its own name`() throws {
    let database = try Self.make()
    let error = #expect(throws: QueryError.self) { try database.search("is:>3") }
    #expect(error?.recovery == .nearestNames(["id", "is_"]))
  }
}
