// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Ranges and sort orders of numbers and dates, compared with the results of SQL on the rows.
@Suite(.overlapping, .temporaryDirectory)
struct NumberOrderTests {
  private static let entity = EntityDescription(
    "Reading",
    attributes: [
      AttributeDescription("value", .double, isOptional: true),
      AttributeDescription("count", .integer64, isOptional: true),
      AttributeDescription("taken", .date, isOptional: true),
    ])

  private struct Readings {
    let connection: Connection
    let searcher: Searcher

    func keys(_ query: String) throws -> [Int64] {
      var request = SearchRequest(query: query)
      (request.limit, request.words) = (nil, .all)
      return try searcher.search(request).hits.map(\.identifier.key).sorted()
    }

    func keys(sortedBy sort: String) throws -> [Int64] {
      var request = SearchRequest(query: "*")
      (request.limit, request.sort) = (nil, SearchRequest.Sort.keys(sort) ?? [])
      return try searcher.search(request).hits.map(\.identifier.key)
    }

    func rows(_ sql: String) throws -> [Int64] {
      let statement = try connection.statement(sql)
      defer { statement.reset() }
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.integer(at: 0)) }
      return keys
    }
  }

  private static func fixture(_ rows: [[Value]]) throws -> Readings {
    let directory = TemporaryDirectory()
    let path = directory.file("readings.store")
    let store = try PersistentStore.create(path, model: ModelDescription(entities: [entity]))
    try store.save(author: "ann") { save in
      for row in rows { try save.insert(store.layout.entities[0], row) }
    }
    let index = IndexDirectory(path: path + ".index")
    try Indexer(Indexer.Options(storePath: path, directory: index)).catchUp()
    return try Readings(
      connection: Connection(path: path, access: .readOnly), searcher: Searcher(storePath: path, directory: index))
  }

  /// The operators of a range, and their SQL operators.
  private static let operators = [("<", "<"), ("<=", "<="), (">", ">"), (">=", ">="), ("", "=")]

  @Test(arguments: Rounds.seeds(2, long: 100))
  func `ranges of doubles find the same rows as SQL, for all magnitudes`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var numbers = (0..<120).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
    numbers += (0..<40).map { _ in Double.random(in: -1e9...1e9, using: &random).rounded() }
    numbers += [0, 1.5, -1.5, -1, 1, -160_358_400].flatMap { [$0.nextDown, $0, $0.nextUp] }
    let readings = try Self.fixture(numbers.map { [.real($0), .null, .null] } + [[.null, .null, .null]])
    for number in numbers.shuffled(using: &random).prefix(60) + [-1.5, 1.5, 0, -1, (-1.5).nextDown] {
      for (typed, sql) in Self.operators {
        let expected = try readings.rows("SELECT Z_PK FROM ZREADING WHERE ZVALUE \(sql) \(number) ORDER BY 1")
        #expect(try readings.keys("value:\(typed)\(number)") == expected, "seed \(seed): value:\(typed)\(number)")
      }
      let other = numbers.randomElement(using: &random) ?? 0
      let between = "ZVALUE BETWEEN \(min(number, other)) AND \(max(number, other))"
      #expect(
        try readings.keys("value:\(min(number, other))..\(max(number, other))")
          == readings.rows("SELECT Z_PK FROM ZREADING WHERE \(between) ORDER BY 1"), "seed \(seed): \(between)")
    }
    for order in ["asc", "desc"] {
      #expect(
        try readings.keys(sortedBy: "value:\(order)")
          == readings.rows("SELECT Z_PK FROM ZREADING ORDER BY ZVALUE IS NULL, ZVALUE \(order), Z_PK"))
    }
  }

  @Test(arguments: Rounds.seeds(2, long: 100))
  func `ranges of integers are exact even for integers that doubles cannot represent`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let near: [Int64] = [1 << 53, -(1 << 53), 1 << 60, -(1 << 60), 0, .max - 4, .min + 4]
    let numbers =
      near.flatMap { edge in (-4...4).map { edge + $0 } }
      + (0..<60).map { _ in Int64(truncatingIfNeeded: random.next()) }
    let readings = try Self.fixture(numbers.map { [.null, .integer($0), .null] })
    for number in numbers {
      // SQL parses the smallest integer as a minus and a positive number, which is a double.
      let literal = number == .min ? "(-9223372036854775807 - 1)" : "\(number)"
      for (typed, sql) in Self.operators {
        let expected = try readings.rows("SELECT Z_PK FROM ZREADING WHERE ZCOUNT \(sql) \(literal) ORDER BY 1")
        #expect(try readings.keys("count:\(typed)\(number)") == expected, "seed \(seed): count:\(typed)\(number)")
      }
    }
    #expect(
      try readings.keys(sortedBy: "count:desc") == readings.rows("SELECT Z_PK FROM ZREADING ORDER BY ZCOUNT DESC"))
    // Several fields are compared by the values themselves, not by Xapian.
    #expect(
      try readings.keys(sortedBy: "count,taken")
        == readings.rows("SELECT Z_PK FROM ZREADING ORDER BY ZCOUNT, Z_PK"))
  }

  @Test(arguments: Rounds.seeds(2, long: 50))
  func `days before and after 2001 find the same rows as SQL`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    // Seconds from 1970 to 2001, which Core Data stores as negative numbers.
    let origin = 978_307_200
    let days = (0..<400).map { _ in Int.random(in: -25_000...25_000, using: &random) }
    let rows = days.map { day -> [Value] in
      let within = Bool.random(using: &random) ? 0 : Int.random(in: 1...86_399, using: &random)
      return [.null, .null, .real(Double(day * 86_400 - origin + within))]
    }
    let readings = try Self.fixture(rows)
    let date = "date(ZTAKEN + \(origin), 'unixepoch')"
    for day in days.prefix(100) {
      let text = try readings.connection.statement("SELECT date(\(day * 86_400), 'unixepoch')")
      #expect(try text.step())
      let typed = text.text(at: 0)
      text.reset()
      for (sign, sql) in Self.operators {
        let expected = try readings.rows("SELECT Z_PK FROM ZREADING WHERE \(date) \(sql) '\(typed)' ORDER BY 1")
        #expect(try readings.keys("taken:\(sign)\(typed)") == expected, "seed \(seed): taken:\(sign)\(typed)")
      }
    }
    #expect(
      try readings.keys(sortedBy: "taken") == readings.rows("SELECT Z_PK FROM ZREADING ORDER BY ZTAKEN, Z_PK"))
  }
}
