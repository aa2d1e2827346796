// SPDX-License-Identifier: MIT

import Base
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// The recency boost ranks newer records higher, and does not change which records are found.
@Suite(.overlapping, .temporaryDirectory)
struct RecencyTests {
  private static let films = ["robot one", "robot two", "robot three", "robot robot", "story"]
  private static let years: [Int64?] = [1990, 2020, nil, 2000, 2024]
  private static let day = 86_400.0

  /// Films of some years. The year is also the number of days after 2001 on which the film was released.
  private func films(_ body: (Titles) throws -> Void) throws {
    let titles = try Titles(Self.films.map { ($0, nil) })
    try titles.bench.store.save { save in
      for (number, year) in Self.years.enumerated() {
        try save.update(
          titles.bench.film, key: Int64(number + 1),
          [
            (attribute: 2, value: year.map { .integer($0) } ?? .null),
            (attribute: 4, value: year.map { .real(Double($0) * Self.day) } ?? .null),
          ])
      }
    }
    try body(titles)
    // The index gives the same answer as the overlay.
    try Indexer(titles.bench.options()).catchUp()
    try body(titles)
  }

  private func search(_ titles: Titles, _ query: String, _ recency: String?) throws -> [Hit] {
    try titles.search(query) {
      $0.words = .all
      $0.recency = recency.flatMap { SearchRequest.RecencyBoost($0) }
    }.hits
  }

  @Test(arguments: ["year", "year:5", "released:10d", "Released:10d"])
  func `newer matches get a higher boost, and the same records are found`(recency: String) throws {
    try films { titles throws in
      let plain = try search(titles, "robot", nil)
      let raised = try search(titles, "robot", recency)
      #expect(Set(raised.map(\.title)) == Set(plain.map(\.title)))
      #expect(raised.map(\.title).filter { $0 != "robot robot" } == ["robot two", "robot one", "robot three"])
      let scores = Dictionary(plain.map { ($0.title, $0.score) }, uniquingKeysWith: max)
      func gain(_ hit: Hit) -> Double { hit.score - (scores[hit.title] ?? 0) }
      let newest = try gain(#require(raised.first { $0.title == "robot two" }))
      #expect(newest > 0)
      let half = recency == "year:5" ? 5.0 : 10
      for hit in raised {
        let year = Self.films.firstIndex(of: hit.title).flatMap { Self.years[$0] }
        let expected = year.map { newest * exp2(Double($0 - 2020) / half) } ?? 0
        #expect(abs(gain(hit) - expected) < 0.001 * newest, "\(hit.title)")
      }
    }
  }

  @Test func `the boost counts from the newest match, not from records with some of the words`() throws {
    let films = (1...8).map { ("blue robot \($0)", nil as String?) } + [("blue moon", nil), ("wall-e red-blue", nil)]
    let titles = try Titles(films)
    try titles.bench.store.save { save in
      for key in 1...10 {
        let year = Int64(key == 9 ? 2024 : 1990 + key)
        try save.update(titles.bench.film, key: Int64(key), [(attribute: 2, value: .integer(year))])
      }
    }
    func best(_ words: SearchRequest.Words, isIndexOnly: Bool = false) throws -> Hit? {
      try titles.search("blue robot") {
        $0.words = words
        $0.isIndexOnly = isIndexOnly
        $0.recency = SearchRequest.RecencyBoost("year:1")
      }.hits.first
    }
    #expect(try best(.widening)?.title == "blue robot 8")
    #expect(try best(.widening)?.score == best(.all)?.score)
    try Indexer(titles.bench.options()).catchUp()
    let score = try best(.all)?.score
    // Newer saves do not affect an answer of the index alone.
    try titles.bench.store.save { save in
      try save.update(titles.bench.film, key: 8, [(attribute: 2, value: .integer(1800))])
    }
    #expect(try best(.all, isIndexOnly: true)?.score == score)
    #expect(try best(.all)?.title == "blue robot 7")
    let joined = try titles.search("wall-e red-blue") {
      $0.words = .any
      $0.recency = SearchRequest.RecencyBoost("year")
    }
    #expect(joined.hits.first?.title == "wall-e red-blue")
  }

  @Test func `new records come first among equal scores`() throws {
    try films { titles throws in
      #expect(
        try search(titles, "*", "year").map(\.title)
          == ["story", "robot two", "robot robot", "robot one", "robot three"])
      #expect(try search(titles, "nowhere", "year").isEmpty)
    }
  }

  @Test(arguments: [
    ("title", "recency of title: the index has no number or date of that name"),
    ("yaer", "recency of yaer: the index has no number or date of that name"),
    ("year:0", "recency of year: '0' is not a number above 0"),
    ("year:-3", "recency of year: '-3' is not a number above 0"),
    ("year:1y", "recency of year: '1y' is not a number above 0"),
    ("released:5", "recency of released: '5' is not a time"),
    ("released:0d", "recency of released: '0d' is not a time"),
    ("released:today", "recency of released: 'today' is not a time"),
  ])
  func `a field without an order is refused`(recency: String, message: String) throws {
    try films { titles throws in
      let error = #expect(throws: OperationError.self) { try search(titles, "robot", recency) }
      #expect(error?.message == message)
      #expect(error?.action != nil)
    }
  }

  @Test(arguments: ["", ":", "year:", ":5", "a:b:c"])
  func `other text is not a recency boost`(text: String) { #expect(SearchRequest.RecencyBoost(text) == nil) }
}
