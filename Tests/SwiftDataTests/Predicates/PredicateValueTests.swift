// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// Numbers, ranges, structures and predicates within predicates.
@Suite(.everyStore, .overlapping) struct PredicateValueTests {
  let bench: PredicateFixture

  init() throws { bench = try .catalogue() }

  private func titles(_ predicate: Predicate<Song>, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
    try bench.select(predicate, location).map(\.title)
  }

  @Test func `predicates can calculate with numbers`() throws {
    #expect(try titles(#Predicate { $0.plays + 2 == 5 }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.plays * 2 - 1 > 19 }).count == 1)
    #expect(try titles(#Predicate { $0.plays / 3 == -1 }) == ["night"])
    #expect(try titles(#Predicate { $0.plays % 3 == -1 }) == ["night"])
    #expect(try titles(#Predicate { -$0.plays == 4 }) == ["night"])
    #expect(try titles(#Predicate { $0.length / 2 == 1.25 }) == ["Café Noon"])
    #expect(try titles(#Predicate { 1 / $0.length > 100 }).count == 3)
    #expect(try titles(#Predicate { ($0.rank ?? 0) + $0.plays > 10 }).count == 2)
    #expect(try titles(#Predicate { $0.length * -1 > 0 }) == ["night"])
  }

  @Test func `predicates can test whether a range contains a value`() throws {
    #expect(try titles(#Predicate { (0...3).contains($0.plays) }).count == 2)
    #expect(try titles(#Predicate { (0..<3).contains($0.plays) }).count == 1)
    let (closed, half, from, upTo, through) = (0...3, 0..<3, 3..., ..<3, ...3)
    #expect(try titles(#Predicate { closed.contains($0.plays) }).count == 2)
    #expect(try titles(#Predicate { half.contains($0.plays) }).count == 1)
    #expect(try titles(#Predicate { from.contains($0.plays) }).count == 3)
    #expect(try titles(#Predicate { upTo.contains($0.plays) }).count == 2)
    #expect(try titles(#Predicate { through.contains($0.plays) }).count == 3)
    #expect(try titles(#Predicate { ($0.plays...20).contains(11) }).count == 4)
    let dates = Date(timeIntervalSinceReferenceDate: 1)...Date.distantFuture
    #expect(try titles(#Predicate { dates.contains($0.added) }) == ["night"])
    #expect(
      try titles(#Predicate { song in if let date = song.released { dates.contains(date) } else { false } }).count == 1)
  }

  @Test func `predicates can use properties of structures that have their own columns`() throws {
    #expect(try titles(#Predicate { $0.origin.town == "Ulm" }) == ["Dawn"])
    #expect(try titles(#Predicate { ($0.origin.height ?? 0) > 400 }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.birthplace == nil }).count == 4)
    #expect(try titles(#Predicate { $0.birthplace?.town == "Bern" }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.birthplace?.height == nil }).count == 5)
    #expect(try titles(#Predicate { ($0.birthplace?.town ?? "none") == "none" }).count == 4)
  }

  @Test func `a predicate can contain another one`() throws {
    typealias PE = PredicateExpressions
    let often = #Predicate<Song> { $0.plays > 9 }
    let early = #Predicate<Album> { ($0.year ?? 3_000) < 2_000 }
    let both = Predicate<Song> { song in
      PE.build_Conjunction(
        lhs: PE.build_evaluate(PE.build_Arg(often), song),
        rhs: PE.build_NilCoalesce(
          lhs: PE.build_flatMap(PE.build_KeyPath(root: song, keyPath: \.album)) {
            PE.build_evaluate(PE.build_Arg(early), $0)
          }, rhs: PE.build_Arg(false)))
    }
    #expect(try titles(both) == ["Café Noon"])
    #expect(try titles(Predicate<Song> { PE.build_Negation(PE.build_evaluate(PE.build_Arg(often), $0)) }).count == 3)
  }
}
