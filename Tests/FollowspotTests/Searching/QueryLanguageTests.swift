// SPDX-License-Identifier: MIT

import Foundation
import SQLite
internal import Store
import TestSupport
import Testing

@testable import Base
@testable internal import Followspot
@testable import SearchIndex

@Suite(.overlapping, .temporaryDirectory)
struct QueryLanguageTests {
  @Test func `NEAR finds words in any order within the distance`() throws {
    let films = ["red moon", "moon red", "red big moon", "red one two three moon", "red", "moon"]
    let titles = try Titles(films.map { ($0, nil) } + [("red", "moon")])
    #expect(try titles.all("red NEAR/1 moon").sorted() == ["moon red", "red moon"])
    #expect(try titles.all("red NEAR/2 moon").sorted() == ["moon red", "red big moon", "red moon"])
    #expect(try titles.all("red NEAR moon").count == 4)
    #expect(try titles.all("red NEAR/4 moon -big").count == 3)
    #expect(try titles.all("big NEAR/2 red NEAR/2 moon") == ["red big moon"])
    // Without a word on both sides, NEAR itself is a word.
    #expect(try titles.all("NEAR red") == [])
    #expect(try titles.all("red NEAR") == [])
  }

  @Test func `has: finds records with a value`() throws {
    let bench = try IndexedStore(seed: 3, films: 200)
    try Indexer(bench.options()).catchUp()
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    let columns = [
      "plot": "ZPLOT", "year": "ZYEAR", "rating": "ZRATING", "released": "ZRELEASED", "isFavorite": "ZISFAVORITE",
    ]
    let connection = try Connection(path: bench.storePath, access: .readOnly)
    for (field, column) in columns {
      let expected = try connection.integer("SELECT COUNT(*) FROM ZFILM WHERE \(column) IS NOT NULL")
      #expect(try searcher.count(SearchRequest(query: "has:\(field)")).count == Int(expected ?? -1), "\(field)")
      #expect(try searcher.count(SearchRequest(query: "\(field):*")).count == Int(expected ?? -1), "\(field)")
      #expect(try searcher.count(SearchRequest(query: "-has:\(field)")).count == 200 - Int(expected ?? -1), "\(field)")
    }
    #expect(
      try searcher.count(SearchRequest(query: "has:genres")).count
        == Int(connection.integer("SELECT COUNT(*) FROM ZFILM WHERE CAST(ZGENRES AS TEXT) <> '[]'") ?? -1))
    #expect(throws: QueryError.self) { try searcher.count(SearchRequest(query: "has:plt")) }
    let released = "date(ZRELEASED + 978307200, 'unixepoch')"
    for (query, condition) in [
      ("released:1990s", "substr(\(released), 1, 3) = '199'"),
      ("year:1990..<2000", "ZYEAR >= 1990 AND ZYEAR < 2000"), ("year:1990...1999", "ZYEAR BETWEEN 1990 AND 1999"),
      ("released:\"1985-03-01 00:00\"..", "ZRELEASED >= -499824000"),
      ("released:<\"1985-03-01 00:00\"", "ZRELEASED < -499824000"),
      ("released = \"1985-03-01 00:00\"..\"1999-12-31 23:59\"", "ZRELEASED BETWEEN -499824000 AND -31622460"),
      ("released:(\"1985-03-01 00:00\"..\"1999-12-31 23:59\")", "ZRELEASED BETWEEN -499824000 AND -31622460"),
    ] {
      let expected = try connection.integer("SELECT COUNT(*) FROM ZFILM WHERE \(condition)")
      #expect(try searcher.count(SearchRequest(query: query)).count == Int(expected ?? -1), "\(query)")
    }
  }

  /// Films 1 and 2 by ann in transaction 1, 3 by bob in 2, 2 again by bob in 3.
  private func makeHistory() throws -> Titles {
    let titles = try Titles([("one", nil), ("two", nil)])
    let (store, film) = (titles.bench.store, titles.bench.film)
    try store.save(author: "Bob") { save in
      try save.insert(film, [.text("three")] + [Value?](repeating: .null, count: 9))
    }
    try store.save(author: "Bob") { save in try save.update(film, key: 2, [(attribute: 0, value: .text("two!"))]) }
    try Indexer(titles.bench.options()).catchUp()
    return titles
  }

  @Test func `conditions on the history find records by author, time and transaction`() throws {
    let titles = try makeHistory()
    let expected: [(String, [String])] = [
      ("author:ann", ["one", "two!"]), ("author:bob", ["three", "two!"]), ("author:ann author:bob", ["two!"]),
      ("author:nobody", []), ("@author:ann -author:bob", ["one"]), ("tx:1", ["one", "two!"]), ("tx:2", ["three"]),
      ("tx:>1", ["three", "two!"]), ("tx:>=3", ["two!"]), ("tx:<2", ["one", "two!"]),
      ("tx:1..2", ["one", "three", "two!"]),
      ("tx:99", []), ("changed:today", ["one", "three", "two!"]), ("changed:1h", ["one", "three", "two!"]),
      ("changed:1d..", ["one", "three", "two!"]), ("changed:..1d", []), ("changed:last-year", []),
      ("changed:1990..1995", []), ("changed:2000..", ["one", "three", "two!"]), ("three author:bob", ["three"]),
      ("-author:ann", ["three"]), ("tx:1 OR tx:2", ["one", "three", "two!"]),
    ]
    for (query, titled) in expected { #expect(try titles.all(query).sorted() == titled, "\(query)") }
  }

  @Test func `authors are compared without regard to case and diacritics`() throws {
    let titles = try Titles([("one", nil)])
    let (store, film) = (titles.bench.store, titles.bench.film)
    let authors = ["Éva", "ÉVA", "eva", "Straße", "Ἀθηνᾶ", "eve", "e%a"]
    for author in authors {
      try store.save(author: author) { save in
        try save.insert(film, [.text("by " + author)] + [Value?](repeating: .null, count: 9))
      }
    }
    try Indexer(titles.bench.options()).catchUp()
    let connection = try Connection(path: titles.bench.storePath, access: .readOnly)
    for (typed, meant) in [
      ("éva", ["Éva", "ÉVA", "eva"]), ("EVA", ["Éva", "ÉVA", "eva"]), ("strasse", ["Straße"]), ("STRAßE", ["Straße"]),
      ("αθηνα", ["Ἀθηνᾶ"]), ("e%a", ["e%a"]), ("ev", []), ("ANN", ["ann"]),
    ] {
      let names = meant.map { "'\($0)'" }.joined(separator: ", ")
      let rows = try connection.integer(
        """
        SELECT COUNT(DISTINCT c.ZENTITYPK) FROM ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
        JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS WHERE a.ZNAME IN (\(names))
        """)
      let found = try titles.searcher.count(SearchRequest(query: "author:\"\(typed)\"")).count
      #expect(found == Int(rows ?? -1), "\(typed)")
    }
  }

  @Test func `conditions on the history find many records as well as few`() throws {
    let bench = try IndexedStore(seed: 5, films: 1_500)
    try bench.insert(700, author: "second")
    try bench.store.save(author: "third") { save in
      for key in 1...1_200 { try save.delete(bench.film, key: Int64(key)) }
    }
    try bench.insert(50, author: "second")
    try Indexer(bench.options()).catchUp()
    let searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
    func count(_ query: String) throws -> Int { try searcher.count(SearchRequest(query: query)).count }
    #expect(try count("tx:1") == 300)
    #expect(try count("author:importer OR author:third") == 300)
    #expect(try count("-author:importer") == 750)
    #expect(try count("author:second") == 750)
    #expect(try count("tx:1..2") == 1_000)
    #expect(try count("changed:1d") == 1_050)
    #expect(try count("-changed:1d") == 0)
    for query in ["year:1950..1960", "ba", "-ba", "ba OR co"] {
      let parts = try count("(\(query)) tx:1") + count("(\(query)) -tx:1")
      #expect(try parts == count(query), "\(query)")
      let key = try searcher.search(SearchRequest(query: "(\(query)) tx:1")).hits.map(\.identifier.key).max()
      #expect(key ?? 0 <= 1_500)
    }
  }

  @Test(arguments: [
    "tx:x", "tx:-1", "tx:1.5", "changed:soon", "changed:>soon", "author:a..b", "has:nothing", "tx:1..x",
  ])
  func `an invalid condition on the history is refused, with its offset`(query: String) throws {
    let titles = try makeHistory()
    let error = #expect(throws: QueryError.self) { try titles.search(query) }
    #expect(error?.offset != nil)
  }

  @Test(
    arguments: [
      ("8", 8), ("-2.5", -2.5), ("1e3", 1_000), ("2k", 2_000), ("2K", 2_000), ("2.5M", 2.5e6), ("1G", 1e9), ("1B", 1e9),
      ("k", nil), ("", nil), ("nan", nil), ("inf", nil), ("0x10", nil), ("1e999", nil), ("2kk", nil), ("1m", nil),
    ] as [(String, Double?)])
  func `a number can have a magnitude suffix`(_ text: String, _ number: Double?) {
    #expect(NumberText.parse(text) == number)
  }

  private static let quantities: [(text: String, unit: FieldUnit?, number: Double)] = [
    ("2h", .minutes, 120), ("90min", .minutes, 90), ("1h30m", .minutes, 90), ("1.5h", .minutes, 90),
    ("1d12h", .hours, 36), ("1w", .days, 7), ("500ms", .seconds, 0.5), ("-1h30m", .minutes, -90),
    ("90", .minutes, 90), ("2k", .minutes, 2_000), ("10MB", .bytes, 1e7), ("10mb", .bytes, 1e7),
    ("4KiB", .bytes, 4_096), ("1GB", .megabytes, 1_000), ("2TiB", .bytes, 2_199_023_255_552), ("1G", .bytes, 1e9),
    ("1.1h", .minutes, 66), ("2.05h", .minutes, 123), ("2.01MB", .bytes, 2_010_000), ("2.01M", .bytes, 2_010_000),
    ("10B", .bytes, 10), ("5b", .bytes, 5), ("2H", .minutes, 120), ("-0h30m", .minutes, -30), ("0h", .minutes, 0),
  ]

  @Test(arguments: quantities)
  func `a number can be a quantity in the unit of its field`(
    _ text: String, _ unit: FieldUnit?, _ number: Double
  ) {
    #expect(NumberText.parse(text, in: unit) == number)
  }

  @Test(arguments: [
    "30m1h", "1h1h", "1h30", "h", "1h-30m", "1h10MB", "2hours", "nanh", "0x1h", "1e400h", "é", "10MB", "1m ",
  ])
  func `a quantity of another unit is not a number`(_ text: String) {
    #expect(NumberText.parse(text, in: .minutes) == nil)
    #expect(NumberText.parse(text) == nil)
  }

  @Test func `a field with a unit accepts quantities in every unit of its dimension`() throws {
    func definition(_ unit: FieldUnit?) -> IndexDefinition {
      IndexDefinition(
        language: "none", stopWords: [],
        entities: [
          "Film": EntityDefinition(
            title: ["title"],
            fields: [
              FieldDefinition(name: "title", roles: [.text]),
              FieldDefinition(name: "runtime", path: "rating", roles: [.number], unit: unit),
            ])
        ])
    }
    func makeFilms(_ unit: FieldUnit?) throws -> Titles {
      let titles = try Titles([("short", nil), ("full", nil), ("long", nil)], definition: definition(unit))
      try titles.bench.store.save { save in
        for (key, minutes) in [(1, 12.0), (2, 120), (3, 150)] as [(Int64, Double)] {
          try save.update(titles.bench.film, key: key, [(attribute: 3, value: .real(minutes))])
        }
      }
      return titles
    }
    do {
      let titles = try makeFilms(.minutes)
      #expect(try titles.all("runtime:2h") == ["full"])
      #expect(try titles.all("runtime:>2h") == ["long"])
      #expect(try titles.all("runtime:..90min") == ["short"])
      #expect(try titles.all("runtime:1h30m..2h") == ["full"])
      #expect(try titles.all("runtime:>=120 runtime:<2.5h") == ["full"])
      let error = #expect(throws: QueryError.self) { try titles.all("runtime:>2GB") }
      #expect(
        error?.recovery
          == .examples(["runtime:1..10", "runtime:>=5", "runtime:<2.5M"], .counts(.minutes, field: "runtime")))
    }
    let titles = try makeFilms(nil)
    for query in ["runtime:>2h", "runtime:2h"] {
      let error = #expect(throws: QueryError.self) { try titles.all(query) }
      let recovery = String(describing: error?.recovery)
      #expect(recovery.contains("undeclared"))
    }
  }

  @Test func `the number of ranges is limited`() throws {
    let titles = try Titles([("one", nil)])
    func query(_ count: Int) -> String { (0..<count).map { "year:\($0).." }.joined(separator: " OR ") }
    #expect(try titles.all(query(16)) == [])
    let error = #expect(throws: QueryError.self) { try titles.all(query(17)) }
    #expect(error?.offset == query(16).count + 4)
    // Whole months are terms.
    let months = (1970..<2000).map { "released:\($0)-03" }.joined(separator: " OR ")
    #expect(try titles.all(months) == [])
  }

  // 2024-02-29 12:00 UTC, a Thursday.
  private static let now = CalendarDay(year: 2024, month: 2, day: 29).secondsSince2001 + 43_200

  @Test(arguments: [
    ("today", "2024-02-29", "2024-03-01"), ("yesterday", "2024-02-28", "2024-02-29"),
    ("Tomorrow", "2024-03-01", "2024-03-02"),
    ("this-week", "2024-02-26", "2024-03-04"), ("last-week", "2024-02-19", "2024-02-26"),
    ("next-week", "2024-03-04", "2024-03-11"), ("this-month", "2024-02-01", "2024-03-01"),
    ("last-month", "2024-01-01", "2024-02-01"), ("next-month", "2024-03-01", "2024-04-01"),
    ("last-year", "2023-01-01", "2024-01-01"), ("this-year", "2024-01-01", "2025-01-01"),
    ("next-year", "2025-01-01", "2026-01-01"), ("2023", "2023-01-01", "2024-01-01"),
  ])
  func `a period can be relative to the present`(_ text: String, _ start: String, _ end: String) throws {
    let period = try #require(DatePeriod(text, now: Self.now, in: .utc))
    #expect(DateText.format(secondsSince2001: period.start) == start)
    #expect(DateText.format(secondsSince2001: period.end) == end)
    #expect(!period.isSince)
  }

  @Test(arguments: [
    ("2d", "2024-02-27T12:00:00Z"), ("12h", "2024-02-29"), ("30min", "2024-02-29T11:30:00Z"),
    ("30m", "2024-02-29T11:30:00Z"),
    ("60s", "2024-02-29T11:59:00Z"), ("1w", "2024-02-22T12:00:00Z"), ("1mo", "2024-01-29T12:00:00Z"),
    ("1y", "2023-03-01T12:00:00Z"),
  ])
  func `a duration is a period up to now, and in a comparison it is the start`(_ text: String, _ start: String) throws {
    let period = try #require(DatePeriod(text, now: Self.now, in: .utc))
    #expect(DateText.format(secondsSince2001: period.start) == start)
    #expect(period.end == Self.now.nextUp && period.isSince)
    #expect([period.lowest(isInclusive: true), period.highest(isInclusive: true)] == [period.lower, period.lower])
  }

  @Test(arguments: ["", "2", "d", "2x", "-2d", "last", "last-day", "last-", "999999d", "99999y", "2d2", "now-1", "٢d"])
  func `other text is not a relative period`(text: String) {
    #expect(DatePeriod(relative: text, to: Self.now, in: .utc) == nil)
  }
}
