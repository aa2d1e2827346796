// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Followspot

/// Which records have a word, in a field or in any: compared with lists of the forms of each word.
@Suite(.overlapping, .temporaryDirectory)
struct WordTermTests {
  /// Words with the same stem in English.
  private static let forms = [
    ["walk", "walks", "walking", "walked"], ["happy", "happiness"], ["city", "cities"], ["run", "running"], ["news"],
    ["new"], ["2001"], ["2001s"], ["3d"], ["walker", "walkers"],
  ]
  private static let words = forms.flatMap(\.self)

  private struct Film {
    let number: Int
    let title: [String]
    let plot: [String]

    var name: String { (title + ["t\(number)"]).joined(separator: " ") }
    func fields(_ field: String) -> [[String]] {
      field == "title" ? [title] : field == "plot" ? [plot] : [title, plot]
    }
  }

  private static func sequence(_ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: count, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
  }

  @Test func `a phrase does not match a form of a word that is not written`() throws {
    let titles = try Titles([("ToyStory wars", "-"), ("Wars toystory", "toy")])
    for (query, found) in [
      ("toystory", ["ToyStory wars", "Wars toystory"]), ("toy", ["ToyStory wars", "Wars toystory"]),
      ("\"toystory wars\"", ["ToyStory wars"]), ("\"toy toystory\"", []), ("\"toy story\"", []), ("\"story wars\"", []),
    ] {
      let hits = try titles.searcher.search(SearchRequest(query: query)).hits
      #expect(hits.map(\.title).sorted() == found, "\(query)")
    }
  }

  @Test(arguments: 0..<4)
  func `words, prefixes and phrases find what a comparison of the texts finds`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let films = (0..<60).map {
      Film(number: $0, title: Self.sequence(1...3, &random), plot: Self.sequence(1...6, &random))
    }
    let titles = try Titles(films.map { ($0.name, $0.plot.joined(separator: " ")) })
    func expect(_ query: String, _ field: String, _ matches: ([String]) -> Bool) throws {
      var request = SearchRequest(query: field.isEmpty ? query : "\(field):\(query)")
      request.words = .all
      request.limit = 100
      let wanted = films.filter { $0.fields(field).contains(where: matches) }.map(\.name).sorted()
      let found = try titles.searcher.search(request)
      // A word that no record has is corrected.
      guard found.corrected == nil else { return #expect(wanted.isEmpty, "seed \(seed): \(request.query)") }
      #expect(found.hits.map(\.title).sorted() == wanted, "seed \(seed): \(request.query)")
    }
    for field in ["", "title", "plot"] {
      for word in Self.words {
        let forms = Self.forms.first { $0.contains(word) } ?? []
        try expect(word, field) { !Set($0).isDisjoint(with: forms) }
      }
      for prefix in ["wal", "walk", "walki", "cit", "citi", "200", "happ"] {
        try expect(prefix + "*", field) { $0.contains { $0.hasPrefix(prefix) } }
      }
      for pattern in [("wal*s", "wal", "s"), ("200*s", "200", "s"), ("*ing", "", "ing"), ("*lked", "", "lked")] {
        try expect(pattern.0, field) { $0.contains { $0.hasPrefix(pattern.1) && $0.hasSuffix(pattern.2) } }
      }
      for part in ["alk", "unn", "001", "pin", "tie"] {
        try expect("*\(part)*", field) { $0.contains { $0.contains(part) } }
      }
      for _ in 0..<20 {
        let pair = Self.sequence(2...2, &random)
        try expect("\"\(pair[0]) \(pair[1])\"", field) { words in
          zip(words, words.dropFirst()).contains { $0 == pair[0] && $1 == pair[1] }
        }
      }
    }
  }
}
