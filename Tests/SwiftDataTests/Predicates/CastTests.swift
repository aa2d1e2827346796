// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Suite(.everyStore, .overlapping) struct CastTests {
  let bench: PredicateFixture

  init() throws {
    bench = try PredicateFixture(Medium.self, Disc.self, Tape.self, Owner.self) { context in
      let (one, two) = (Owner(id: 1), Owner(id: 2))
      context.insert(one)
      context.insert(two)
      let kind = Disc(name: "Kind", sides: 2, owner: one)
      let blue = Disc(name: "Blue", sides: 1, owner: two)
      for medium in [
        Medium(name: "plain", owner: one), kind, blue, Tape(name: "C90", minutes: 90),
        Tape(name: "C60", minutes: 60, owner: two),
      ] { context.insert(medium) }
      blue.sleeve = "card"
      one.favourite = kind
      one.present = kind
    }
  }

  private func names(_ predicate: Predicate<Medium>, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
    try bench.select(predicate, location).map(\.name)
  }

  @Test func `a type check selects objects of the class and its subclasses`() throws {
    #expect(try names(#Predicate { $0 is Disc }) == ["Kind", "Blue"])
    #expect(try names(#Predicate { !($0 is Disc) }) == ["plain", "C60", "C90"])
    let owners = try bench.select(#Predicate<Owner> { $0.media.contains { $0 is Tape } })
    #expect(owners.map(\.id) == [2])
    #expect(try bench.select(#Predicate<Owner> { $0.present is Disc }).map(\.id) == [1])
    #expect(try bench.select(#Predicate<Owner> { !($0.present is Disc) }).map(\.id) == [2])
  }

  @Test func `a cast permits the properties of the subclass`() throws {
    #expect(try names(#Predicate { ($0 as? Disc)?.sides == 2 }) == ["Kind"])
    #expect(try names(#Predicate { ($0 as? Disc)?.sides != 2 }).count == 4)
    #expect(try names(#Predicate { ($0 as? Disc)?.name == "C90" }) == [])
    #expect(try names(#Predicate { ($0 as? Disc)?.name == nil }).count == 3)
    #expect(try names(#Predicate { ($0 as? Disc)?.sleeve == nil }).count == 4)
    #expect(try names(#Predicate { ($0 as! Tape).minutes > 80 }) == ["C90"])
    #expect(try names(#Predicate { ($0 as! Tape).name != "C60" }) == ["C90"])
    #expect(try names(#Predicate { ($0 as? Tape)?.owner?.id == 2 }) == ["C60"])
    #expect(try names(#Predicate { ($0 as? Tape)?.owner == nil }).count == 4)
    #expect(
      try names(#Predicate { medium in if let disc = medium as? Disc { disc.sides == 1 } else { true } }).count == 4)
    #expect(try names(#Predicate { $0 as? Disc != nil }).count == 2)
  }

  @Test func `inherited properties are those of the superclass`() throws {
    let discs = try bench.select(#Predicate<Disc> { $0.name == "Kind" || $0.sides == 1 })
    #expect(discs.map(\.name) == ["Kind", "Blue"])
    #expect(try bench.select(#Predicate<Disc> { $0.owner?.id == 2 }).map(\.name) == ["Blue"])
    #expect(try bench.select(#Predicate<Tape> { $0.owner == nil }).map(\.name) == ["C90"])
    #expect(try bench.select(#Predicate<Owner> { $0.favourite?.name == "Kind" }).map(\.id) == [1])
    let identifier = try #require(discs.first).persistentModelID
    #expect(try bench.select(#Predicate<Disc> { $0.persistentModelID == identifier }).map(\.name) == ["Kind"])
    #expect(try names(#Predicate { $0.persistentModelID == identifier }) == ["Kind"])
  }

  @Test func `a property named id is the model's own`() throws {
    #expect(try bench.select(#Predicate<Owner> { $0.id == 2 }).map(\.id) == [2])
  }
}
