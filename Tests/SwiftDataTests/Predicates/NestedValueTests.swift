// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

struct Coordinate: Codable, Equatable {
  var latitude: Double
  var zone: Int?
}

struct Halt: Codable, Equatable {
  enum Kind: String, Codable { case short, long }

  var town: String
  var minutes: Int?
  var kind = Kind.short
  var isFinal = false
  var coordinate = Coordinate(latitude: 0)
  var tracks: [Int] = []
}

@Model final class Route {
  var name: String
  var halts: [Halt]
  var optionalHalts: [Halt]?
  var heights: [Double] = []
  var goal: Halt?

  init(_ name: String, _ halts: [Halt], goal: Halt? = nil) {
    self.name = name
    self.halts = halts
    self.goal = goal
  }
}

/// Structures in arrays and in other structures.
@Suite(.everyStore, .overlapping) struct NestedValueTests {
  let bench: PredicateFixture

  init() throws {
    bench = try PredicateFixture(Route.self) { context in
      let ulm = Halt(
        town: "Ulm \"1\"", minutes: 3, coordinate: Coordinate(latitude: 0.1 + 0.2, zone: 2), tracks: [1, 5])
      let bern = Halt(town: "Bern", kind: .long, isFinal: true, coordinate: Coordinate(latitude: -46.9475))
      context.insert(Route("both", [ulm, bern], goal: bern))
      context.insert(Route("none", []))
      let one = Route("one", [ulm], goal: ulm)
      one.optionalHalts = [bern]
      one.heights = [1.5, 2]
      context.insert(one)
    }
  }

  private func names(_ predicate: Predicate<Route>, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
    try bench.select(predicate, location).map(\.name)
  }

  @Test func `arrays of structures are counted`() throws {
    #expect(try names(#Predicate { $0.halts.count == 1 }) == ["one"])
    #expect(try names(#Predicate { $0.halts.isEmpty }) == ["none"])
    #expect(try names(#Predicate { !$0.heights.isEmpty && $0.heights.count > 1 }) == ["one"])
    #expect(try names(#Predicate { $0.optionalHalts?.count == 1 }) == ["one"])
  }

  @Test func `an array of structures contains one with certain values`() throws {
    #expect(try names(#Predicate { $0.halts.contains { $0.town == "Ulm \"1\"" } }) == ["both", "one"])
    #expect(try names(#Predicate { $0.halts.contains { $0.minutes == nil && $0.isFinal } }) == ["both"])
    #expect(try names(#Predicate { $0.halts.allSatisfy { ($0.minutes ?? 0) > 1 } }) == ["none", "one"])
    #expect(try names(#Predicate { $0.halts.contains { $0.kind.rawValue == "long" } }) == ["both"])
    #expect(try names(#Predicate { $0.halts.filter { $0.town.starts(with: "B") }.count == 1 }) == ["both"])
    #expect(try names(#Predicate { $0.halts.contains { $0.tracks.contains(5) } }) == ["both", "one"])
    let sum = 0.1 + 0.2
    #expect(try names(#Predicate { $0.halts.contains { $0.coordinate.latitude == sum } }) == ["both", "one"])
    #expect(try names(#Predicate { $0.halts.contains { $0.coordinate.zone == 2 } }) == ["both", "one"])
  }

  @Test func `a structure in a structure is compared by its properties`() throws {
    let (south, zero) = (-46.9475, 0.0)
    #expect(try names(#Predicate { $0.goal?.coordinate.latitude == south }) == ["both"])
    #expect(try names(#Predicate { ($0.goal?.coordinate.latitude ?? zero) > zero }) == ["one"])
    #expect(try names(#Predicate { $0.goal?.coordinate.zone == nil }) == ["both", "none"])
  }

  @Test func `elements that cannot be compared exactly are refused`() throws {
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try bench.context.fetch(FetchDescriptor<Route>(predicate: #Predicate { $0.heights.contains(1.5) }))
    }
    let bern = Halt(town: "Bern")
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try bench.context.fetch(FetchDescriptor<Route>(predicate: #Predicate { $0.halts.contains(bern) }))
    }
  }
}
