// SPDX-License-Identifier: MIT

import Followspot
import TestSupport
import Testing

/// The order of hits while the last word of a query is not finished.
@Suite(.overlapping, .temporaryDirectory)
struct UnfinishedWordTests {
  @Test func `a title that the beginning completes comes before a title with the finished words alone`() throws {
    let often = String(repeating: "jazz vinyl. ", count: 20)
    let films =
      (0..<8).map { _ in ("Jazz", often) } + [("Jazz Vinyl", "a shop"), ("Vinyl", "jazz"), ("The Jazz Vinyls", "")]
    let titles = try Titles(films)
    for query in ["jazz viny*", "jazz vinyl", "jazz vin*", "\"jazz vin*\""] {
      #expect(try titles.search(query).hits.first?.title == "Jazz Vinyl", "\(query)")
    }
    #expect(try titles.search("jazz viny*").hits.prefix(2).map(\.title) == ["Jazz Vinyl", "The Jazz Vinyls"])
    #expect(try titles.search("viny*").hits.first?.title == "Vinyl")
  }

  @Test func `a title with exactly the typed letters comes before one that goes on`() throws {
    let titles = try Titles([("Starlight", "star starlight star"), ("Star", "a film"), ("Stardust", "star")])
    #expect(try titles.search("star*").hits.first?.title == "Star")
  }

  @Test func `a title beyond the best candidates of the first stage is found by its beginning`() throws {
    let often = String(repeating: "red moon moonlight ", count: 30)
    let titles = try Titles((0..<250).map { ("Red red red \($0)", often) } + [("Red Moonlight", nil)])
    for query in ["red moonli*", "red moon*"] {
      #expect(try titles.search(query).hits.first?.title == "Red Moonlight", "\(query)")
    }
  }

  @Test func `the explanation of a query with a beginning adds up to the score`() throws {
    let titles = try Titles([("Jazz Vinyl", "a shop"), ("Jazz", "vinyl")])
    let hits = try titles.search("jazz viny*").hits
    #expect(hits.count == 2)
    for hit in hits {
      let explained = try #require(
        try titles.searcher.explain(hit.identifier, SearchRequest(query: "jazz viny*")))
      #expect(abs(explained.score - hit.score) < 0.0005)
      #expect(abs(explained.parts.reduce(0) { $0 + $1.score } - explained.score) < 0.0005)
    }
  }
}
