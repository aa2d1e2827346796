// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// A to-one relationship without an inverse whose object was deleted.
@Suite(.everyStore) struct DeletedTargetTests {
  @Test func `it is nil in memory and in predicates`() throws {
    let bench = try PredicateFixture(Medium.self, Disc.self, Tape.self, Owner.self) { context in
      let (kept, lost) = (Owner(id: 1), Owner(id: 2))
      for owner in [kept, lost, Owner(id: 3)] { context.insert(owner) }
      kept.favourite = Disc(name: "kept", sides: 1)
      lost.favourite = Disc(name: "lost", sides: 2)
    }
    let other = ModelContext(bench.container)
    try other.delete(model: Disc.self, where: #Predicate { $0.name == "lost" })
    try other.save()
    #expect(try bench.select(#Predicate<Owner> { $0.favourite == nil }).map(\.id) == [2, 3])
    #expect(try bench.select(#Predicate<Owner> { $0.favourite != nil }).map(\.id) == [1])
    #expect(try bench.select(#Predicate<Owner> { $0.favourite?.name == nil }).map(\.id) == [2, 3])
    #expect(try bench.select(#Predicate<Owner> { $0.favourite.flatMap { $0.sides == 1 } ?? true }).count == 3)
    let fresh = ModelContext(bench.container)
    let owners = try fresh.fetch(FetchDescriptor<Owner>(sortBy: [SortDescriptor(\.id)]))
    #expect(owners.map { $0.favourite?.name } == ["kept", nil, nil])
  }
}
