// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// Predicates for which Foundation's evaluation throws or stops the program. They match the same objects before and
/// after the save, and none for which an expression has no value.
@Suite(.everyStore, .overlapping) struct PendingValueTests {
  struct Case {
    let predicate: Predicate<Song>
    let matches: (Song) -> Bool

    init(_ predicate: Predicate<Song>, _ matches: @escaping (Song) -> Bool) {
      self.predicate = predicate
      self.matches = matches
    }
  }

  private static let numbers = [0, 1, -1, 2, 7, Int.max, Int.max - 1, Int.min, Int.min + 1]
  private static let smalls: [Int16] = [0, 1, .max, .min]
  private static let limit = 9_223_372_036_854_775_807

  private static var arithmetic: [Case] {
    let (most, one, none, small): (Int, Int, Int?, Int16) = (limit, 1, nil, 1)
    let (zero, positive) = (one - 1, 1...)
    return [
      Case(#Predicate { 10 / $0.plays > 1 }) { $0.plays != 0 && 10 / $0.plays > 1 },
      Case(#Predicate { !(10 / $0.plays > 1) }) { $0.plays != 0 && !(10 / $0.plays > 1) },
      Case(#Predicate { 10 % $0.plays == 0 }) { $0.plays != 0 && 10 % $0.plays == 0 },
      Case(#Predicate { $0.plays / -1 > 0 }) { $0.plays < 0 },
      Case(#Predicate { $0.plays % -1 == 0 }) { _ in true },
      Case(#Predicate { $0.plays + 1 > 1 }) { $0.plays > 0 },
      Case(#Predicate { $0.plays - 2 < 0 }) { $0.plays < 2 },
      Case(#Predicate { $0.plays * 4 > $0.plays }) { $0.plays > 0 },
      Case(#Predicate { $0.plays * 2 == $0.plays }) { $0.plays == 0 },
      Case(#Predicate { $0.plays * 2 != $0.plays }) { $0.plays != 0 },
      Case(#Predicate { -$0.plays > 0 }) { $0.plays < 0 },
      Case(#Predicate { -$0.small > 32_767 }) { $0.small == .min },
      Case(#Predicate { $0.small + small > small }) { $0.small > 0 },
      Case(#Predicate { ($0.small * 100) / 100 == $0.small }) { _ in true },
      Case(#Predicate { (1...most).contains($0.plays + 1) }) { (0..<Int.max).contains($0.plays) },
      Case(#Predicate { positive.contains($0.plays + 1) }) { $0.plays >= 0 },
      Case(#Predicate { ($0.plays..<($0.plays + 2)).contains(1) }) { [0, 1].contains($0.plays) },
      Case(#Predicate { ($0.plays + 1...most).contains(8) }) { $0.plays <= 7 },
      Case(#Predicate { [8, most].contains($0.plays + 1) }) { [7, Int.max - 1].contains($0.plays) },
      Case(#Predicate { ($0.isLive ? $0.plays + 1 : 0) > most - 1 }) { $0.isLive && $0.plays >= .max - 1 },
      Case(#Predicate { 10 / $0.plays > 1 || $0.isLive }) { $0.isLive || [1, 2].contains($0.plays) },
      Case(#Predicate { $0.isLive || 10 / $0.plays > 1 }) { $0.isLive || [1, 2].contains($0.plays) },
      Case(#Predicate { !(10 / $0.plays > 1 && $0.isLive) }) { !$0.isLive || ![0, 1, 2].contains($0.plays) },
      Case(#Predicate { ($0.rank.flatMap { 10 / $0 } ?? 5) > 1 }) { $0.rank.map { [1, 2].contains($0) } ?? true },
      Case(#Predicate { ($0.rank ?? 10 / $0.plays) > 1 }) { song in
        song.rank.map { $0 > 1 } ?? (song.plays != 0 && 10 / song.plays > 1)
      },
      Case(#Predicate { ($0.isLive ? 10 / $0.plays : 5) > 1 }) { !$0.isLive || [1, 2].contains($0.plays) },
      Case(#Predicate { ($0.isLive ? 1 : $0.rank! - 1) >= 1 }) { $0.isLive || $0.rank.map { $0 > 1 } ?? false },
      Case(#Predicate { $0.plays > 1 / zero }) { _ in false },
      Case(#Predicate { !($0.plays > 1 % zero) }) { _ in false },
      Case(#Predicate { $0.plays < most + one }) { _ in true },
      Case(#Predicate { (most - 1..<most + one).contains($0.plays) }) { $0.plays >= .max - 1 },
      Case(#Predicate { $0.plays > none! }) { _ in false },
      Case(#Predicate { $0.scores.contains { 10 / $0 > 4 } }) { $0.scores.contains { [1, 2].contains($0) } },
      Case(#Predicate { $0.scores.allSatisfy { 10 / $0 > 4 } }) { $0.scores.allSatisfy { [1, 2].contains($0) } },
      Case(#Predicate { $0.scores.filter { 10 / $0 > 4 }.count == 1 }) {
        $0.scores.filter { [1, 2].contains($0) }.count == 1
      },
    ]
  }

  private static var optionals: [Case] {
    [
      Case(#Predicate { $0.rank! > 0 }) { $0.rank.map { $0 > 0 } ?? false },
      Case(#Predicate { !($0.rank! > 0) }) { $0.rank.map { $0 <= 0 } ?? false },
      Case(#Predicate { $0.rank! != 1 || $0.isLive }) { $0.isLive || $0.rank.map { $0 != 1 } ?? false },
      Case(#Predicate { $0.birthplace!.height == 1 }) { $0.birthplace?.height == 1 },
      Case(#Predicate { $0.birthplace!.height == nil }) { $0.birthplace.map { $0.height == nil } ?? false },
      Case(#Predicate { ($0.birthplace!.height ?? 1) == 1 }) { $0.birthplace.map { ($0.height ?? 1) == 1 } ?? false },
      Case(#Predicate { $0.album!.year == nil }) { $0.album.map { $0.year == nil } ?? false },
      Case(#Predicate { !($0.album!.year == nil) }) { $0.album.map { $0.year != nil } ?? false },
      Case(#Predicate { $0.album!.label!.name != "x" }) { $0.album?.label.map { $0.name != "x" } ?? false },
      Case(#Predicate { $0.album!.label == nil }) { $0.album.map { $0.label == nil } ?? false },
      Case(#Predicate { $0.optionalKeywords!.isEmpty }) { $0.optionalKeywords?.isEmpty ?? false },
      Case(#Predicate { $0.scores[1] == 2 }) { $0.scores.count > 1 && $0.scores[1] == 2 },
      Case(#Predicate { $0.scores[$0.plays] >= 0 }) { $0.scores.indices.contains($0.plays) },
    ]
  }

  private func insert(in context: ModelContext) {
    let albums = [Album("a", year: 1), Album("b", label: Label("x")), Album("c", year: 3, label: Label("y"))]
    for (index, plays) in Self.numbers.enumerated() {
      let song = Song("\(index)", plays: plays, album: index % 4 == 3 ? nil : albums[index % 4])
      context.insert(song)
      song.rank = index % 2 == 0 ? nil : index == 3 ? 0 : plays
      song.small = Self.smalls[index % Self.smalls.count]
      song.isLive = index % 3 == 0
      song.scores = (0..<index % 4).map { ($0 + index) % 4 }
      song.birthplace = index % 3 == 0 ? nil : Origin(town: "Ulm", height: index % 3 == 1 ? nil : 1)
      song.optionalKeywords = index % 3 == 0 ? nil : index % 3 == 1 ? [] : ["sun"]
    }
  }

  private func check(_ cases: [Case], _ context: ModelContext, _ state: String, _ location: SourceLocation) throws {
    let all = try context.fetch(FetchDescriptor<Song>())
    #expect(all.count == Self.numbers.count)
    for item in cases {
      let found = try context.fetch(FetchDescriptor(predicate: item.predicate)).map(\.title).sorted()
      let expected = all.filter(item.matches).map(\.title).sorted()
      #expect(found == expected, "\(state): \(item.predicate.expression)", sourceLocation: location)
      #expect(try context.fetchCount(FetchDescriptor(predicate: item.predicate)) == found.count)
    }
  }

  private func checkStates(_ cases: [Case], _ location: SourceLocation = #_sourceLocation) throws {
    let context = ModelContext(try newContainer(Song.self, Album.self, Label.self, Performer.self))
    insert(in: context)
    try check(cases, context, "unsaved", location)
    try context.save()
    try check(cases, context, "saved", location)
    // A predicate that reads albums is evaluated in memory for all songs then.
    let album = Album("unsaved")
    context.insert(album)
    let together = cases.map { item in
      let (predicate, isAny) = (item.predicate, #Predicate<Song> { $0.album?.title != "unsaved" })
      return Case(Predicate(all: [predicate, isAny]), item.matches)
    }
    try check(together, context, "saved, beside unsaved albums", location)
  }

  @Test func `arithmetic without a value or beyond its type never stops the program`() throws {
    try checkStates(Self.arithmetic)
  }

  @Test func `forced unwraps of nil and missing elements do not match`() throws { try checkStates(Self.optionals) }

  @Test func `a failed cast does not match`() throws {
    let context = ModelContext(try newContainer(Medium.self, Disc.self, Tape.self, Owner.self))
    let owner = Owner(id: 1)
    for medium in [
      Medium(name: "plain"), Disc(name: "disc", sides: 0), Tape(name: "tape", minutes: 0),
      Tape(name: "owned", minutes: 5, owner: owner),
    ] { context.insert(medium) }
    func names(_ predicate: Predicate<Medium>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
    }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(try names(#Predicate { ($0 as! Tape).minutes < 9 }) == ["owned", "tape"])
      #expect(try names(#Predicate { !(($0 as! Tape).minutes < 5) }) == ["owned"])
      #expect(try names(#Predicate { ($0 as! Tape).owner == nil }) == ["tape"])
      #expect(try names(#Predicate { 10 / ($0 as! Tape).minutes == 2 }) == ["owned"])
    }
  }

  @Test func `a batch delete takes unsaved objects by the same rules`() throws {
    let context = ModelContext(try newContainer(Song.self, Album.self, Label.self, Performer.self))
    insert(in: context)
    try context.delete(model: Song.self, where: #Predicate { 10 / $0.plays > 1 || $0.rank! > 100 })
    let left = Self.numbers.indices.filter { index in
      let number = Self.numbers[index]
      return ![1, 2].contains(number) && !(index % 2 == 1 && number > 100)
    }
    #expect(try context.fetch(FetchDescriptor<Song>()).map(\.plays) == left.map { Self.numbers[$0] })
  }

  @Test func `a required relationship whose object is to be deleted does not match`() throws {
    let context = ModelContext(try newContainer(Seat.self, Ticket.self))
    let seats = [Seat(row: 1), Seat(row: 2)]
    for seat in seats { context.insert(Ticket(seat)) }
    context.delete(seats[1])
    #expect(try context.fetchCount(FetchDescriptor<Ticket>(predicate: #Predicate { $0.seat.row < 9 })) == 1)
    #expect(try context.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.seat.row)])).count == 2)
  }
}

@Model final class Seat {
  var row: Int
  @Relationship(inverse: \Ticket.seat) var tickets: [Ticket] = []

  init(row: Int) { self.row = row }
}

@Model final class Ticket {
  var seat: Seat

  init(_ seat: Seat) { self.seat = seat }
}
