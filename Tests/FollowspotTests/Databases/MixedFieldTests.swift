// SPDX-License-Identifier: MIT

import Base
import Followspot
import SQLite
import Store
import TestSupport
import Testing

/// A field whose values are numbers in one kind, dates in another and texts in a third, compared with SQL over the rows.
@Suite(.overlapping, .temporaryDirectory)
struct MixedFieldTests {
  private static let schema = """
    CREATE TABLE price (id INTEGER PRIMARY KEY, name TEXT, value REAL);
    CREATE TABLE visit (id INTEGER PRIMARY KEY, name TEXT, value DATE);
    CREATE TABLE remark (id INTEGER PRIMARY KEY, name TEXT, value TEXT);
    INSERT INTO price VALUES (1, 'tea', 5), (2, 'cake', 55), (3, 'house', 1e6), (4, 'ship', 9e8), (5, 'year', 1996.5),
      (6, 'other year', 1996), (7, 'nothing', NULL);
    INSERT INTO visit VALUES (1, 'anna', '1995-11-22'), (2, 'bob', '2020-02-03'), (3, 'cora', '2031-01-01'),
      (4, 'dora', NULL);
    INSERT INTO remark VALUES (1, 'short', 'fifty 55'), (2, 'long', 'yesterday'), (3, 'none', '');
    """

  private static func expected(_ tables: [String: String], _ database: IndexedDatabase) throws -> [String] {
    var found: [String] = []
    for (table, condition) in tables {
      let rows = try database.writer.cursor("SELECT id FROM \(table) WHERE \(condition)")
      while try rows.step() { found.append("\(table)/\(rows.integer(at: 0))") }
    }
    return found.sorted()
  }

  private static let conditions: [(query: String, rows: [String: String])] = [
    ("kind:price value:>55", ["price": "value > 55"]),
    ("value:>55", ["price": "value > 55"]),
    ("kind:price value:<2020", ["price": "value < 2020"]),
    ("kind:visit value:<2020", ["visit": "date(value) < '2020'"]),
    ("value:<2020", ["price": "value < 2020", "visit": "date(value) < '2020'"]),
    ("value:1995-11..1997-02", ["visit": "date(value) >= '1995-11' AND date(value) < '1997-03'"]),
    ("value:1990..1999", ["price": "value BETWEEN 1990 AND 1999", "visit": "date(value) BETWEEN '1990' AND '2000'"]),
    ("kind:price value:1990..1999", ["price": "value BETWEEN 1990 AND 1999"]),
    ("value:>=1e6", ["price": "value >= 1e6"]),
    ("-kind:visit value:>55", ["price": "value > 55"]),
    ("kind:(price OR visit) value:2020..", ["price": "value >= 2020", "visit": "date(value) >= '2020'"]),
    ("(kind:price value:<10) OR (kind:visit value:<2000)", ["price": "value < 10", "visit": "date(value) < '2000'"]),
    ("value:55", ["price": "value = 55", "remark": "value LIKE '%55%'"]),
    ("kind:price value:55", ["price": "value = 55"]),
    ("kind:remark value:55", ["remark": "value LIKE '%55%'"]),
    ("value:1995-11-22", ["visit": "date(value) = '1995-11-22'"]),
    ("has:value", ["price": "value IS NOT NULL", "visit": "value IS NOT NULL", "remark": "value <> ''"]),
  ]

  @Test func `the values of a field have the types of the kinds that the query allows`() throws {
    let database = try IndexedDatabase(Self.schema)
    try database.update()
    for (query, rows) in Self.conditions {
      #expect(try database.hits(query) == Self.expected(rows, database), "\(query)")
    }
    // The same for changes that are not indexed.
    try database.writer.execute(
      "UPDATE price SET value = 56 WHERE id = 1; UPDATE visit SET value = '1970-01-01' WHERE id = 2")
    for (query, rows) in Self.conditions {
      #expect(try database.hits(query) == Self.expected(rows, database), "\(query), with changes")
    }
  }

  @Test(arguments: ["kind:visit value:>55", "kind:price value:>yesterday", "kind:price value:soon", "value:>soon"])
  func `a value of another type than the allowed kinds have is refused`(query: String) throws {
    let database = try IndexedDatabase(Self.schema)
    try database.update()
    #expect(throws: QueryError.self) { try database.search(query) }
  }

  @Test func `the kinds of a request count as those of its query`() throws {
    let database = try IndexedDatabase(Self.schema)
    try database.update()
    var request = SearchRequest(query: "value:<2020")
    request.kinds = ["price"]
    let searcher = try Searcher(storePath: database.path, directory: database.index)
    #expect(
      try searcher.search(request).hits.map(\.identifier.short).sorted()
        == Self.expected(["price": "value < 2020"], database))
    request.query = "value:yesterday"
    #expect(throws: QueryError.self) { try searcher.search(request) }
  }
}
