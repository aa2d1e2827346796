// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// SQL selects what `Predicate.evaluate` does; `select` compares the two for every row.
@Suite(.everyStore, .overlapping) struct PredicateTests {
  let bench: PredicateFixture

  init() throws { bench = try .catalogue() }

  private func titles(_ predicate: Predicate<Song>, _ location: SourceLocation = #_sourceLocation) throws -> [String] {
    try bench.select(predicate, location).map(\.title)
  }

  @Test func `values are equal if they are equal in Swift`() throws {
    #expect(try titles(#Predicate { $0.plays == 10 }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.plays != 10 }).count == 4)
    #expect(try titles(#Predicate { $0.rank == 7 }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.rank != 7 }).count == 4)
    #expect(try titles(#Predicate { $0.rank == nil }).count == 3)
    #expect(try titles(#Predicate { nil != $0.rank }).count == 2)
    let (none, seven): (Int?, Int?) = (nil, 7)
    #expect(try titles(#Predicate { $0.rank == none }).count == 3)
    #expect(try titles(#Predicate { $0.rank == seven }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.subtitle == "" }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.isNew == true }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.isLive }) == ["Dawn"])
    #expect(try titles(#Predicate { !$0.isLive }).count == 4)
    #expect(try titles(#Predicate { $0.small == -7 }) == ["night"])
    #expect(try titles(#Predicate { $0.big == 18_446_744_073_709_551_615 }) == ["Café Noon"])
    let (nan, zero) = (Double.nan, -0.0)
    #expect(try titles(#Predicate { $0.length == nan }) == [])
    #expect(try titles(#Predicate { $0.gain != nan }).count == 5)
    #expect(try titles(#Predicate { $0.length == zero }).count == 3)
  }

  @Test func `text equals its other Unicode normalization forms`() throws {
    let (composed, decomposed) = ("Caf\u{e9} Noon", "Cafe\u{301} Noon")
    #expect(try titles(#Predicate { $0.title == composed }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.title == decomposed }) == ["Café Noon"])
    let dusk = ["Caf\u{e9} Dusk", "nothing"]
    #expect(try titles(#Predicate { dusk.contains($0.title) }).count == 1)
    #expect(try titles(#Predicate { !dusk.contains($0.title) }).count == 4)
    let accented: String? = "caf\u{e9}"
    #expect(try titles(#Predicate { $0.subtitle != accented }).count == 5)
  }

  @Test func `values of every type are compared`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 86_400.25)
    #expect(try titles(#Predicate { $0.added == date }) == ["night"])
    #expect(try titles(#Predicate { $0.added < date }).count == 4)
    let released: Date? = Date(timeIntervalSinceReferenceDate: 1_000)
    #expect(try titles(#Predicate { $0.released == released }) == ["Café Noon"])
    let past = Date.distantPast
    #expect(try titles(#Predicate { ($0.released ?? past) > past }) == ["Café Noon"])
    let code = UUID(uuid: (255, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    #expect(try titles(#Predicate { $0.code == code }) == ["night"])
    #expect(try titles(#Predicate { $0.code < code }).count == 4)
    let link = URL(string: "https://example.org/a")
    #expect(try titles(#Predicate { $0.link == link }).count == 1)
    #expect(try titles(#Predicate { $0.link?.absoluteString == "https://example.org/a" }).count == 1)
    let (cover, part) = (Data([1, 2, 3]), Data([2, 3]))
    #expect(try titles(#Predicate { $0.cover == cover }).count == 1)
    #expect(try titles(#Predicate { $0.cover.contains(part) }).count == 1)
    #expect(try titles(#Predicate { $0.cover.count == 3 || $0.cover.isEmpty }).count == 5)
    let (tenth, long) = (Decimal(string: "0.1")!, Decimal(string: "12345678901234567890.5")!)
    #expect(try titles(#Predicate { $0.price == tenth }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.price == long }).count == 1)
    #expect(try titles(#Predicate { $0.price > tenth }).count == 2)
    #expect(try titles(#Predicate { $0.price < long }).count == 4)
    let (five, most): (UInt64, UInt64) = (5, .max)
    #expect(try titles(#Predicate { $0.big > five }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.big < most }).count == 4)
    let reference = 86_400.25
    #expect(try titles(#Predicate { $0.added.timeIntervalSinceReferenceDate == reference }) == ["night"])
    #expect(try titles(#Predicate { $0.added.timeIntervalSince1970 > 978_307_200 }) == ["night"])
  }

  @Test func `enumerations are compared by their cases, and ordered by their own order`() throws {
    let (fugue, aria, middle): (Genre, Genre, Level) = (.fugue, .aria, .middle)
    #expect(try titles(#Predicate { $0.genre == fugue }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.genre != fugue }).count == 4)
    #expect(try titles(#Predicate { $0.mood == aria }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.mood == nil }).count == 3)
    #expect(try titles(#Predicate { $0.genre.rawValue == "aria" }).count == 1)
    #expect(try titles(#Predicate { $0.mood?.rawValue == "waltz" }).count == 1)
    #expect(try titles(#Predicate { $0.genre.label == "a fugue" }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.genre < fugue }).count == 4)
    #expect(try titles(#Predicate { $0.genre >= aria }).count == 2)
    #expect(try titles(#Predicate { $0.level >= middle }).count == 2)
    #expect(try titles(#Predicate { $0.level.rawValue * 2 == 10 }).count == 1)
    let key = Key(rawValue: "D")
    #expect(try titles(#Predicate { $0.key == key }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.key.rawValue == "D" }) == ["Café Noon"])
    let genres: Set<Genre> = [.fugue, .aria]
    #expect(try titles(#Predicate { genres.contains($0.genre) }).count == 2)
  }

  @Test func `conditions are joined and negated`() throws {
    #expect(try titles(#Predicate { $0.plays > 3 && $0.title != "x" || $0.plays < 0 }).count == 3)
    #expect(try titles(#Predicate { !($0.plays > 3) }).count == 3)
    #expect(try titles(#Predicate { !($0.rank == 1 || $0.subtitle == "last") }).count == 3)
    #expect(try titles(#Predicate { ($0.plays > 3) == $0.isLive }).count == 2)
    #expect(try titles(#Predicate { _ in true }).count == 5)
    #expect(try titles(#Predicate { _ in false }) == [])
    #expect(try titles(Predicate.true).count == 5)
    let limit: Int? = nil
    #expect(try titles(#Predicate { limit == nil || $0.plays < limit! }).count == 5)
    #expect(try titles(#Predicate { limit != nil && $0.plays < limit! }) == [])
    #expect(try titles(#Predicate { $0.plays < limit! }) == [])
    #expect(try titles(#Predicate { $0.plays > 3 ? $0.title == "Café Noon" : $0.isLive }).count == 2)
    #expect(try titles(#Predicate { ($0.isLive ? $0.plays : $0.plays * 2) >= 20 }).count == 2)
    #expect(try titles(#Predicate { if $0.isLive { $0.plays == 3 } else { $0.plays == 0 } }).count == 2)
  }

  @Test func `predicates can use optional values`() throws {
    #expect(try titles(#Predicate { ($0.subtitle ?? "none") == "none" }).count == 2)
    #expect(try titles(#Predicate { ($0.rank ?? 0) < 2 }).count == 4)
    #expect(try titles(#Predicate { $0.subtitle?.isEmpty ?? true }).count == 3)
    #expect(try titles(#Predicate { $0.subtitle?.isEmpty ?? false }).count == 1)
    #expect(try titles(#Predicate { $0.subtitle?.isEmpty == false }).count == 2)
    #expect(try titles(#Predicate { $0.rank! > 1 }) == ["Café Noon"])
    #expect(try titles(#Predicate { !($0.rank! > 1) }) == ["Dawn"])
    #expect(try titles(#Predicate { song in if let rank = song.rank { rank > 1 } else { song.plays < 0 } }).count == 2)
    #expect(
      try titles(
        #Predicate { song in
          if let rank = song.rank, let text = song.subtitle { text == "" && rank == 7 } else { false }
        }) == ["Café Noon"])
    #expect(try titles(#Predicate { $0.subtitle.flatMap { $0 == "first" } ?? true }).count == 3)
    #expect(try titles(#Predicate { song in song.rank.flatMap { _ in true } == nil }).count == 3)
    #expect(try titles(#Predicate { $0.isNew ?? true }).count == 4)
    #expect(try titles(#Predicate { !($0.isNew ?? false) }).count == 4)
  }

  @Test func `relationships to one object are followed`() throws {
    #expect(try titles(#Predicate { $0.album == nil }) == ["night"])
    #expect(try titles(#Predicate { $0.album != nil }).count == 4)
    #expect(try titles(#Predicate { $0.album?.title == "Live" }).count == 2)
    #expect(try titles(#Predicate { $0.album?.title != "Live" }).count == 3)
    #expect(try titles(#Predicate { $0.album?.year == nil }).count == 2)
    #expect(try titles(#Predicate { $0.album!.title == "Live" }).count == 2)
    #expect(try titles(#Predicate { $0.album?.label?.name == "Northern" }).count == 2)
    #expect(try titles(#Predicate { $0.album?.label?.isMajor ?? false }).count == 2)
    #expect(try titles(#Predicate { $0.album?.label?.isMajor == nil }).count == 2)
    #expect(try titles(#Predicate { $0.album?.label == nil }).count == 2)
    #expect(try titles(#Predicate { !($0.album?.label?.isMajor ?? true) }).count == 1)
    #expect(try titles(#Predicate { $0.album?.songs.count == 2 }).count == 2)
    #expect(try titles(#Predicate { $0.album?.songs.isEmpty ?? true }) == ["night"])
    #expect(try titles(#Predicate { ($0.album?.year ?? 0) > 2_000 }).count == 1)
    #expect(try titles(#Predicate { $0.album!.year! > 2_000 }).count == 1)
    #expect(try titles(#Predicate { $0.album.flatMap { $0.year } == 1_999 }).count == 2)
  }

  @Test func `predicates can search to-many relationships`() throws {
    #expect(try titles(#Predicate { $0.performers.isEmpty }).count == 1)
    #expect(try titles(#Predicate { $0.performers.count == 2 }).count == 2)
    #expect(try titles(#Predicate { $0.performers.contains { $0.name == "Bo" } }).count == 2)
    #expect(try titles(#Predicate { !$0.performers.contains { $0.name == "Bo" } }).count == 3)
    #expect(try titles(#Predicate { $0.performers.allSatisfy { $0.born != nil } }).count == 3)
    #expect(try titles(#Predicate { $0.performers.filter { $0.born == nil }.count == 1 }).count == 2)
    #expect(try titles(#Predicate { $0.performers.filter { $0.born != nil }.isEmpty }).count == 2)
    #expect(try titles(#Predicate { $0.performers.contains { $0.songs.count > 1 && $0.born == 1_970 } }).count == 2)
    #expect(try titles(#Predicate { song in song.performers.contains { $0.name < song.title } }).count == 3)
    #expect(
      try titles(#Predicate { song in song.performers.contains { $0.songs.contains { $0.album == song.album } } }).count
        == 4)
    let albums = try bench.select(
      #Predicate<Album> { album in album.songs.contains { $0.performers.contains { $0.name == "Bo" } } })
    #expect(albums.map(\.title) == ["Live"])
    let labels = try bench.select(#Predicate<Label> { $0.albums.contains { $0.songs.allSatisfy { $0.plays > 5 } } })
    #expect(labels.map(\.name) == ["Attic"])
    let quiet = try bench.select(
      #Predicate<Label> { label in label.albums.filter { $0.songs.filter { $0.plays > 5 }.count == 1 }.count == 1 })
    #expect(quiet.count == 2)
    let songs = try titles(#Predicate { $0.album?.songs.contains { $0.plays > 11 } ?? false })
    #expect(songs.count == 1)
  }

  @Test func `objects are compared by identity`() throws {
    let context = bench.context
    let live = try #require(try bench.select(#Predicate<Album> { $0.title == "Live" }).first)
    let identifier = live.persistentModelID
    #expect(try titles(#Predicate { $0.album?.persistentModelID == identifier }).count == 2)
    #expect(try bench.select(#Predicate<Album> { $0.persistentModelID == identifier }) == [live])
    #expect(try bench.select(#Predicate<Album> { $0.id != identifier }).count == 2)
    let identifiers = [identifier]
    #expect(try bench.select(#Predicate<Album> { identifiers.contains($0.persistentModelID) }) == [live])
    let temporary = Album("unsaved").persistentModelID
    #expect(try bench.select(#Predicate<Album> { $0.persistentModelID == temporary }) == [])
    let (optional, none): (PersistentIdentifier?, PersistentIdentifier?) = (identifier, nil)
    #expect(try titles(#Predicate { $0.album?.persistentModelID == optional }).count == 2)
    #expect(try titles(#Predicate { $0.album?.persistentModelID != optional }).count == 3)
    #expect(try titles(#Predicate { $0.album?.persistentModelID == none }).count == 1)
    let albums: [PersistentIdentifier?] = [identifier, nil, temporary]
    #expect(try titles(#Predicate { albums.contains($0.album.flatMap { $0.persistentModelID }) }).count == 3)
    let bo = try #require(try bench.select(#Predicate<Performer> { $0.name == "Bo" }).first).persistentModelID
    #expect(try titles(#Predicate { $0.performers.contains { $0.persistentModelID == bo } }).count == 2)
    #expect(try titles(#Predicate { ($0.album?.persistentModelID ?? identifier) == identifier }).count == 3)
    #expect(try titles(#Predicate { ($0.isLive ? none : $0.album?.persistentModelID) == identifier }).count == 1)
    #expect(
      try titles(#Predicate { song in song.album.flatMap { $0.songs.contains { $0 == song } } ?? false }).count == 4)
    #expect(try titles(#Predicate { song in song.album.flatMap { $0.songs.contains(song) } ?? false }).count == 4)
    #expect(try titles(#Predicate { $0.album?.label == $0.album?.label }).count == 5)
    let foreign = try PredicateFixture(Album.self, Song.self, Label.self, Performer.self) { $0.insert(Album("other")) }
    let stranger = try #require(try foreign.context.fetch(FetchDescriptor<Album>()).first)
    let strange = stranger.persistentModelID
    #expect(try titles(#Predicate { $0.album?.persistentModelID == strange }) == [])
    #expect(!context.hasChanges)
  }

  @Test func `predicates can search captured collections`() throws {
    let (titles, plays, ranks) = (["Dawn", "night"], Set([3, 12]), [1, nil] as [Int?])
    #expect(try self.titles(#Predicate { titles.contains($0.title) }) == titles)
    #expect(try self.titles(#Predicate { plays.contains($0.plays) }).count == 2)
    #expect(try self.titles(#Predicate { ranks.contains($0.rank) }).count == 4)
    #expect(try self.titles(#Predicate { !ranks.contains($0.rank) }).count == 1)
    #expect(try self.titles(#Predicate { plays.contains($0.rank ?? 3) }).count == 3)
    let empty: [String] = []
    #expect(try self.titles(#Predicate { empty.contains($0.title) }) == [])
    #expect(try self.titles(#Predicate { song in titles.contains { $0 == song.title } }) == titles)
    #expect(try self.titles(#Predicate { song in plays.allSatisfy { $0 >= song.plays } }).count == 3)
    let (many, words) = (Array(5..<2_000), (0..<1_000).map { "\"\($0)\\\n" } + ["night", "Café Noon"])
    #expect(try self.titles(#Predicate { many.contains($0.plays) }).count == 2)
    #expect(try self.titles(#Predicate { words.contains($0.title) }).count == 2)
    #expect(try self.titles(#Predicate { many[5] == $0.plays }).count == 1)
    let lengths = (0..<1_000).map { Double($0) / 4 }
    #expect(try self.titles(#Predicate { lengths.contains($0.length) }).count == 4)
    let named = ["night": 4]
    #expect(try self.titles(#Predicate { $0.plays == -named["night"]! }) == ["night"])
  }

  @Test func `predicates can search arrays and dictionaries that are attributes`() throws {
    let cafe = "Cafe\u{301}"
    #expect(try titles(#Predicate { $0.keywords.contains("sun") }).count == 2)
    #expect(try titles(#Predicate { $0.keywords.contains(cafe) }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.keywords.contains("it's") }) == ["night"])
    #expect(try titles(#Predicate { $0.keywords.isEmpty }).count == 2)
    #expect(try titles(#Predicate { $0.keywords.count > 1 }).count == 2)
    #expect(try titles(#Predicate { $0.keywords.contains { $0.starts(with: "mo") } }) == ["night"])
    #expect(try titles(#Predicate { $0.scores.contains(9) }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.scores.filter { $0 > 3 }.count == 1 }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.scores.max() == 9 }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.scores.min() == nil }).count == 4)
    #expect(try titles(#Predicate { $0.scores[1] == 9 }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.counts["a"] == 1 }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.counts["a", default: 5] == 5 }).count == 4)
    #expect(try titles(#Predicate { $0.optionalKeywords == nil }).count == 3)
    #expect(try titles(#Predicate { $0.optionalKeywords?.contains("x") ?? false }).count == 1)
    #expect(try titles(#Predicate { $0.optionalKeywords?.isEmpty ?? true }).count == 4)
    #expect(try titles(#Predicate { $0.optionalKeywords?.isEmpty == true }).count == 1)
    #expect(try titles(#Predicate { $0.optionalKeywords?.count == 0 }).count == 1)
    #expect(try titles(#Predicate { ($0.optionalKeywords ?? []).count == 0 }).count == 4)
    #expect(try titles(#Predicate { $0.remark == nil }).count == 4)
  }

  @Test func `predicates can search the characters of a text`() throws {
    #expect(try titles(#Predicate { $0.title.contains("aw") }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.title.contains("Cafe") }) == [])
    #expect(try titles(#Predicate { $0.title.contains("\u{e9}") }).count == 2)
    #expect(try titles(#Predicate { $0.title.contains("") }).count == 5)
    #expect(try titles(#Predicate { $0.title.starts(with: "Caf") }).count == 2)
    #expect(try titles(#Predicate { $0.title.starts(with: "Cafe") }) == [])
    #expect(try titles(#Predicate { $0.title.starts(with: "Caf\u{e9}") }).count == 2)
    #expect(try titles(#Predicate { !$0.title.starts(with: "D") }).count == 4)
    #expect(try titles(#Predicate { $0.title.localizedStandardContains("CAFE") }).count == 2)
    #expect(try titles(#Predicate { $0.subtitle?.localizedStandardContains("AST") ?? false }) == ["night"])
    #expect(try titles(#Predicate { $0.title.isEmpty }).count == 1)
    #expect(try titles(#Predicate { $0.title.count == 9 }).count == 2)
    let same = ComparisonResult.orderedSame
    #expect(try titles(#Predicate { $0.title.caseInsensitiveCompare("DAWN") == same }) == ["Dawn"])
    #expect(try titles(#Predicate { $0.title.localizedCompare("dawn") != same }).count == 5)
    #expect(try titles(#Predicate { $0.title > "E" }) == ["night"])
    let prefix = "nig"
    #expect(try titles(#Predicate { $0.title.starts(with: prefix) }) == ["night"])
    #expect(try titles(#Predicate { prefix.contains($0.title) }) == [""])
  }
}
