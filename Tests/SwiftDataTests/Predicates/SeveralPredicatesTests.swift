// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SwiftData

/// `Predicate(all:)` and `Predicate(any:)`.
@Suite(.everyStore, .overlapping) struct SeveralPredicatesTests {
  let bench: PredicateFixture

  init() throws { bench = try .catalogue() }

  private func count(_ predicate: Predicate<Song>, _ location: SourceLocation = #_sourceLocation) throws -> Int {
    try bench.select(predicate, location).count
  }

  @Test func `all of the predicates have to hold, or one of them`() throws {
    let parts = [#Predicate<Song> { $0.plays > 5 }, #Predicate { $0.rank == nil }, #Predicate { $0.title != "" }]
    let (all, one) = (try count(Predicate(all: parts)), try count(Predicate(any: parts)))
    #expect(try count(#Predicate { $0.plays > 5 && $0.rank == nil && $0.title != "" }) == all)
    #expect(try count(#Predicate { $0.plays > 5 || $0.rank == nil || $0.title != "" }) == one)
    #expect(try count(Predicate(all: parts.reversed())) == all)
  }

  @Test func `no predicates hold always or never`() throws {
    #expect(try count(Predicate(all: [])) == 5)
    #expect(try count(Predicate(any: [])) == 0)
    #expect(try Predicate<Int>(all: []).evaluate(1))
    #expect(try Predicate<Int>(any: []).evaluate(1) == false)
  }

  @Test func `predicates of predicates are one statement`() throws {
    let labels = Predicate<Song>(any: [#Predicate { $0.album?.label?.name == "Blue" }, #Predicate { $0.plays > 5 }])
    let all = Predicate(all: [labels, #Predicate { $0.performers.contains { $0.name != "" } }, .true])
    _ = try count(all)
    _ = try count(Predicate<Song> { PredicateExpressions.build_evaluate(PredicateExpressions.build_Arg(all), $0) })
    #expect(try bench.compile(all).condition.contains(" OR "))
  }

  @Test func `an object that is not saved is found by several predicates`() throws {
    bench.context.insert(Song("new"))
    let new = Predicate<Song>(all: [#Predicate { $0.title == "new" }, #Predicate { $0.plays == 0 }])
    #expect(try bench.context.fetch(FetchDescriptor(predicate: new)).map(\.title) == ["new"])
  }

  @Test(arguments: [100, 2_000])
  func `many predicates are fetched by`(number: Int) throws {
    let parts = (0..<number).map { limit in #Predicate<Song> { $0.plays != limit + 1_000 } }
    #expect(try bench.context.fetchCount(FetchDescriptor(predicate: Predicate(all: parts))) == 5)
    let none = (0..<number).map { limit in #Predicate<Song> { $0.plays == limit + 1_000 } }
    #expect(try bench.context.fetchCount(FetchDescriptor(predicate: Predicate(any: none))) == 0)
  }

  @Test func `predicates of two inputs are joined`() throws {
    let parts = [#Predicate<Int, Int> { $0 < $1 }, #Predicate<Int, Int> { $0 > 0 || $1 > 5 }]
    #expect(try Predicate(all: parts).evaluate(1, 2))
    #expect(try Predicate(all: parts).evaluate(0, 2) == false)
    #expect(try Predicate(any: parts).evaluate(0, 2))
    #expect(try Predicate(any: parts).evaluate(0, 0) == false)
  }

  @Test func `a predicate without SQL among several is refused`() throws {
    let parts = [#Predicate<Song> { $0.plays > 5 }, #Predicate { $0.shout == "DAWN" }]
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try bench.context.fetch(FetchDescriptor(predicate: Predicate(any: parts)))
    }
  }
}
