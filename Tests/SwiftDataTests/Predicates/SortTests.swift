// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SwiftData

/// SQL orders rows as `SortDescriptor.compare` does.
@Suite(.everyStore, .overlapping) struct SortTests {
  let bench: PredicateFixture

  init() throws { bench = try .catalogue() }

  /// Compares rows with Swift's own sort, in the order given and in the opposite one.
  private func check<Model: PersistentModel>(
    bench: PredicateFixture? = nil, _ make: (_ first: SortOrder, _ second: SortOrder) -> [SortDescriptor<Model>],
    location: SourceLocation = #_sourceLocation
  ) throws {
    let context = (bench ?? self.bench).context
    let all = try context.fetch(FetchDescriptor<Model>())
    for order in [make(.forward, .reverse), make(.reverse, .forward)] {
      let found = try context.fetch(FetchDescriptor<Model>(sortBy: order)).compactMap(\.persistentModelID.row)
      // Fetches without an order come by key, and Swift's sort keeps the order of equals.
      let expected = all.sorted(using: order).compactMap(\.persistentModelID.row)
      #expect(found == expected, sourceLocation: location)
    }
  }

  @Test func `rows are ordered by values of every type`() throws {
    try check { first, _ in [SortDescriptor(\Song.plays, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.rank, order: first)] }
    try check { [SortDescriptor(\Song.small, order: $0), SortDescriptor(\Song.length, order: $1)] }
    try check { first, _ in [SortDescriptor(\Song.gain, order: first), SortDescriptor(\Song.title, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.big, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.price, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.added, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.released, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.code, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.genre, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.mood, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.level, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.isLive, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.isNew, order: first), SortDescriptor(\Song.plays, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.persistentModelID, order: first)] }
    try check { [SortDescriptor(\Song.genre, order: $1), SortDescriptor(\Song.title, order: $0)] }
  }

  @Test func `text is ordered by its comparator`() throws {
    let words = ["b10", "B9", "a", "Émile", "emile", "É", "", "zoo", "Zoo", "10", "9", "a b", "ab", "ß", "ss"]
    let bench = try PredicateFixture(Performer.self, Song.self, Album.self, Label.self) { context in
      for word in words { context.insert(Performer(word)) }
    }
    try check(bench: bench) { first, _ in [SortDescriptor(\Performer.name, order: first)] }
    try check(bench: bench) { first, _ in [SortDescriptor(\Performer.name, comparator: .lexical, order: first)] }
    try check(bench: bench) { first, _ in
      [SortDescriptor(\Performer.name, comparator: .localizedStandard, order: first)]
    }
    try check(bench: bench) { first, _ in [SortDescriptor(\Performer.name, comparator: .localized, order: first)] }
    try check { [SortDescriptor(\Song.subtitle, comparator: .localizedStandard, order: $1)] }
    try check { first, _ in [SortDescriptor(\Song.subtitle, comparator: .lexical, order: first)] }
    let order = SortDescriptor(\Performer.name, comparator: .localizedStandard)
    let found = try bench.context.fetch(FetchDescriptor(sortBy: [order])).map(\.name)
    #expect(found.prefix(4) == ["", "9", "10", "a"])
  }

  @Test func `rows are ordered by properties of objects they lead to`() throws {
    try check { first, _ in [SortDescriptor(\Song.album?.title, order: first)] }
    try check { first, _ in
      [SortDescriptor(\Song.album?.year, order: first), SortDescriptor(\Song.plays, order: first)]
    }
    try check { first, _ in
      [SortDescriptor(\Song.album?.label?.name, order: first), SortDescriptor(\Song.title, order: first)]
    }
    try check { [SortDescriptor(\Song.album?.label?.isMajor, order: $0), SortDescriptor(\Song.title, order: $1)] }
    try check { first, _ in [SortDescriptor(\Song.album?.title, comparator: .localizedStandard, order: first)] }
    try check { first, _ in
      [SortDescriptor(\Song.origin.town, order: first), SortDescriptor(\Song.origin.height, order: first)]
    }
    try check { first, _ in [SortDescriptor(\Song.birthplace?.town, order: first)] }
  }

  @Test func `rows of subclasses are ordered by inherited properties`() throws {
    let bench = try PredicateFixture(Medium.self, Disc.self, Tape.self, Owner.self) { context in
      let owner = Owner(id: 3)
      for medium in [
        Tape(name: "b", minutes: 1), Disc(name: "b", sides: 2, owner: owner), Medium(name: "a"),
        Disc(name: "c", sides: 1),
        Disc(name: "a", sides: 4, owner: Owner(id: 2)), Tape(name: "a", minutes: 0),
      ] { context.insert(medium) }
    }
    try check(bench: bench) { first, _ in [SortDescriptor(\Medium.name, order: first)] }
    try check(bench: bench) { first, _ in [SortDescriptor(\Disc.name, order: first)] }
    try check(bench: bench) { first, _ in
      [SortDescriptor(\Disc.owner?.id, order: first), SortDescriptor(\Disc.sides, order: first)]
    }
    try check(bench: bench) { first, _ in [SortDescriptor(\Medium.persistentModelID, order: first)] }
  }

  @Test func `rows are ordered by the raw values of enumerations`() throws {
    try check { first, _ in [SortDescriptor(\Song.genre.rawValue, comparator: .lexical, order: first)] }
    try check { first, _ in [SortDescriptor(\Song.mood?.rawValue, comparator: .lexical, order: first)] }
    try check { [SortDescriptor(\Song.level.rawValue, order: $0), SortDescriptor(\Song.plays, order: $1)] }
  }

  @Test func `orders without SQL are refused`() throws {
    func refusal(_ order: SortDescriptor<Song>) -> String? {
      do {
        _ = try bench.context.fetch(FetchDescriptor(sortBy: [order]))
        return nil
      } catch {
        guard let error = error as? SwiftDataError, error == .unsupportedSortDescriptor else { return "\(error)" }
        return error.explanation
      }
    }
    #expect(
      refusal(SortDescriptor(\Song.shout))
        == "Song has no stored property at a key path to String: rows are sorted by stored properties, also those of "
        + "to-one relationships; sort the fetched objects by others")
    #expect(refusal(SortDescriptor(\Song.title.count))?.hasPrefix("Song has no stored property") == true)
    #expect(refusal(SortDescriptor(\Song.performers.count))?.hasPrefix("Song has no stored property") == true)
    #expect(refusal(SortDescriptor(\Song.note))?.hasPrefix("Song has no stored property") == true)
  }

  @Test func `a sort descriptor whose order is changed later uses the new order`() throws {
    var (plays, subtitle) = (SortDescriptor(\Song.plays), SortDescriptor(\Song.subtitle, comparator: .lexical))
    (plays.order, subtitle.order) = (.reverse, .reverse)
    let context = bench.context
    let all = try context.fetch(FetchDescriptor<Song>())
    #expect(try context.fetch(FetchDescriptor(sortBy: [plays])).map(\.plays) == [12, 10, 3, 0, -4])
    #expect(ObjectOrder([plays]).sorted(all).map(\.plays) == [12, 10, 3, 0, -4])
    let texts = ["last", "first", "", nil, nil]
    #expect(try context.fetch(FetchDescriptor(sortBy: [subtitle])).map(\.subtitle) == texts)
    #expect(ObjectOrder([subtitle]).sorted(all).map(\.subtitle) == texts)
    // Unsaved objects are sorted in memory.
    context.insert(Song("new", plays: 5))
    #expect(try context.fetch(FetchDescriptor(sortBy: [plays])).map(\.plays) == [12, 10, 5, 3, 0, -4])
  }
}
