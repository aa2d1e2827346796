// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SwiftData

/// Random predicates over random rows: SQL selects the rows that `Predicate.evaluate` does.
@Suite(.everyStore, .overlapping) struct RandomPredicateTests {
  private static let count = 60

  private func bench(_ grammar: inout PredicateGrammar) throws -> PredicateFixture {
    let bench = try PredicateFixture(Song.self, Album.self, Label.self, Performer.self) { context in
      let labels = [Label("one", isMajor: true), Label("two")]
      let albums = (0..<4).map { index in
        Album(
          PredicateGrammar.texts[index], year: index == 0 ? nil : index, label: index == 3 ? nil : labels[index % 2])
      }
      let performers = (0..<4).map { Performer(PredicateGrammar.texts[$0], born: $0 == 1 ? nil : $0) }
      for model in albums { context.insert(model) }
      for model in performers { context.insert(model) }
      for _ in 0..<30 {
        let song = Song("")
        context.insert(song)
        Self.change(song, albums, performers, &grammar)
      }
    }
    return bench
  }

  private static func change(
    _ song: Song, _ albums: [Album], _ performers: [Performer], _ grammar: inout PredicateGrammar
  ) {
    func optional<Value>(_ value: Value) -> Value? { grammar.pick(3) == 0 ? nil : value }
    song.title = grammar.one(of: PredicateGrammar.texts)
    song.subtitle = optional(grammar.one(of: PredicateGrammar.texts))
    song.plays = grammar.pick(7) - 1
    song.rank = optional(grammar.pick(4))
    song.length = Double(grammar.pick(4)) / 2
    song.price = Decimal(grammar.pick(4)) / 10
    song.isLive = grammar.flip()
    song.isNew = optional(grammar.flip())
    song.added = grammar.one(of: PredicateGrammar.dates)
    song.genre = grammar.one(of: Genre.allCases)
    song.mood = optional(grammar.one(of: Genre.allCases))
    song.level = grammar.one(of: [.low, .middle, .high])
    song.keywords = (0..<grammar.pick(3)).map { _ in grammar.one(of: PredicateGrammar.words) }
    song.optionalKeywords = optional((0..<grammar.pick(3)).map { _ in grammar.one(of: PredicateGrammar.words) })
    song.scores = (0..<grammar.pick(3)).map { _ in grammar.pick(5) }
    song.album = optional(grammar.one(of: albums))
    song.performers = performers.filter { _ in grammar.pick(3) == 0 }
  }

  @Test(arguments: 0..<12) func `SQL selects the rows that the predicate holds for`(seed: Int) throws {
    var grammar = PredicateGrammar(random: SeededGenerator(seed: seed))
    let bench = try bench(&grammar)
    let all = try bench.context.fetch(FetchDescriptor<Song>())
    for step in 0..<Self.count {
      let predicate = grammar.predicate()
      let found = try bench.context.fetch(FetchDescriptor(predicate: predicate)).compactMap(\.persistentModelID.row)
      let expected = try all.filter { try predicate.evaluate($0) }.compactMap(\.persistentModelID.row)
      let compiled = try bench.compile(predicate)
      #expect(found == expected, "seed \(seed), step \(step): \(compiled), \(predicate.expression)")
    }
  }

  @Test(arguments: 0..<6) func `unsaved changes count`(seed: Int) throws {
    var grammar = PredicateGrammar(random: SeededGenerator(seed: 1_000 + seed))
    let bench = try bench(&grammar)
    let context = bench.context
    for step in 0..<Self.count / 2 {
      let albums = try context.fetch(FetchDescriptor<Album>())
      let performers = try context.fetch(FetchDescriptor<Performer>())
      let songs = try context.fetch(FetchDescriptor<Song>())
      switch grammar.pick(5) {
      case 0: Self.change(grammar.one(of: songs), albums, performers, &grammar)
      case 1: grammar.one(of: performers).born = grammar.pick(4)
      case 2: grammar.one(of: albums).year = grammar.pick(4)
      case 3:
        let song = Song("")
        context.insert(song)
        Self.change(song, albums, performers, &grammar)
      default: context.delete(grammar.one(of: songs))
      }
      let predicate = grammar.predicate()
      let fetched = try context.fetch(FetchDescriptor(predicate: predicate))
      let found = Set(fetched.map(\.persistentModelID.uriRepresentation))
      let all = try context.fetch(FetchDescriptor<Song>())
      let expected = Set(try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID.uriRepresentation))
      #expect(found == expected, "seed \(seed), step \(step): \(predicate.expression)")
      if grammar.pick(4) == 0 { try context.save() }
    }
  }

  @Test(arguments: 0..<6) func `SQL orders rows as the descriptors do`(seed: Int) throws {
    var grammar = PredicateGrammar(random: SeededGenerator(seed: 2_000 + seed))
    let bench = try bench(&grammar)
    let all = try bench.context.fetch(FetchDescriptor<Song>())
    let makers: [(SortOrder) -> SortDescriptor<Song>] = [
      { SortDescriptor(\.title, order: $0) }, { SortDescriptor(\.subtitle, order: $0) },
      { SortDescriptor(\.plays, order: $0) }, { SortDescriptor(\.rank, order: $0) },
      { SortDescriptor(\.isNew, order: $0) }, { SortDescriptor(\.genre, order: $0) },
      { SortDescriptor(\.mood, order: $0) }, { SortDescriptor(\.price, order: $0) },
      { SortDescriptor(\.album?.year, order: $0) }, { SortDescriptor(\.album?.label?.name, order: $0) },
      { SortDescriptor(\.title, comparator: .localizedStandard, order: $0) },
      { SortDescriptor(\.subtitle, comparator: .localized, order: $0) },
    ]
    for step in 0..<Self.count / 2 {
      let order = (0...grammar.pick(3)).map { _ in grammar.one(of: makers)(grammar.flip() ? .forward : .reverse) }
      let found = try bench.context.fetch(FetchDescriptor(sortBy: order)).compactMap(\.persistentModelID.row)
      let expected = all.sorted(using: order).compactMap(\.persistentModelID.row)
      let terms = try bench.compile(order).terms
      #expect(found == expected, "seed \(seed), step \(step): \(terms)")
    }
  }
}
