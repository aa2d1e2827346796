// SPDX-License-Identifier: MIT

import SQLite
import SwiftData
import TestSupport
import Testing

/// Stores whose content or file is not what it was.
@Suite(.overlapping, .temporaryDirectory)
struct DamageTests {
  private func makeFilm() throws -> (URL, ModelContext, Film) {
    let url = newStoreURL()
    let container = try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let film = Film("Up", year: 2009, rating: .parental, studio: Studio(name: "Pixar"))
    film.place = Place(city: "Emeryville", latitude: 37.8, longitude: nil)
    context.insert(film)
    try context.save()
    return (url, context, film)
  }

  @Test(arguments: [
    ("ZYEAR = 'soon'", "year", "Int"), ("ZTITLE = x'00'", "title", "String"), ("ZTITLE = NULL", "title", "String"),
    ("ZRATING = 'unheard of'", "rating", "Rating"), ("ZTAGS = x'ff'", "tags", "Array<String>"),
    ("ZISSEEN = 2", "isSeen", "Bool"), ("ZRELEASED = 'today'", "released", "Optional<Date>"),
    ("ZSCORE = x'01'", "score", "Double"),
  ])
  func `a value of another type is refused with its row and property`(
    assignment: String, property: String, type: String
  ) throws {
    let (url, context, _) = try makeFilm()
    try execute("UPDATE ZFILM SET \(assignment)", url)
    let other = ModelContext(context.container)
    let said = explanation(of: .loadIssueModelContainer) { _ = try other.fetch(FetchDescriptor<Film>()) }
    #expect(
      said
        == "Film/p1.\(property): the stored value is not of type \(type); correct it, or declare the property as it is "
        + "stored")
    #expect(try other.fetchCount(FetchDescriptor<Film>()) == 1)
    #expect(try other.fetch(FetchDescriptor<Studio>()).map(\.name) == ["Pixar"])
  }

  @Test func `an element of a structure of another type is refused`() throws {
    let (url, context, _) = try makeFilm()
    let connection = try Connection(path: url.path, access: .readOnly)
    let column = try connection.cursor(
      "SELECT name FROM pragma_table_info('ZFILM') WHERE name LIKE '%LATITUDE%'")
    #expect(try column.step())
    try execute("UPDATE ZFILM SET \(quoted(column.text(at: 0))) = 'north'", url)
    let other = ModelContext(context.container)
    let said = explanation(of: .loadIssueModelContainer) { _ = try other.fetch(FetchDescriptor<Film>()) }
    #expect(said.hasPrefix("Film/p1.place: the stored value is not of type Optional<Place>"), "\(said)")
  }

  @Test func `a table that is missing is an error, not a crash`() throws {
    let (url, context, _) = try makeFilm()
    try execute("DROP TABLE ZFILM", url)
    let other = ModelContext(context.container)
    for attempt in [
      { _ = try other.fetch(FetchDescriptor<Film>()) },
      {
        other.insert(Film("Coco", year: 2017))
        try other.save()
      },
    ] {
      do {
        try attempt()
        Issue.record("nothing was thrown")
      } catch let error as SwiftDataError {
        #expect("\(error)".contains("ZFILM"), "\(error)")
      }
    }
  }

  @Test func `a relationship to a missing row is nil`() throws {
    let (url, context, _) = try makeFilm()
    try execute("DELETE FROM ZSTUDIO", url)
    let other = ModelContext(context.container)
    let found = try #require(try other.fetch(FetchDescriptor<Film>()).first)
    #expect(found.studio == nil)
    found.title = "Up again"
    try other.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Film>()).map(\.title) == ["Up again"])
  }

  private func removeFiles(_ url: URL) {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
  }

  @Test func `a save to a removed store is refused`() throws {
    let (url, context, film) = try makeFilm()
    removeFiles(url)
    film.year = 1
    let reason = "\(url.path) was removed or replaced by another file; make a new ModelContainer"
    #expect(explanation(of: .loadIssueModelContainer) { try context.save() } == reason)
    #expect(explanation(of: .loadIssueModelContainer) { _ = try context.fetch(FetchDescriptor<Film>()) } == reason)
    #expect(context.hasChanges)
    #expect(film.year == 1)
    let missing = explanation(of: .loadIssueModelContainer) {
      _ = try ModelContext(context.container).fetch(FetchDescriptor<Film>())
    }
    let absent = "no store at \(url.path); put the file back, then make a new ModelContainer"
    // By a connection of its own, or by one that is open still.
    #expect([absent, reason].contains(missing))
    let again = try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: url))
    #expect(try ModelContext(again).fetchCount(FetchDescriptor<Film>()) == 0)
  }

  @Test func `a save to a replaced store is refused`() throws {
    let (url, context, film) = try makeFilm()
    removeFiles(url)
    let fresh = try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: url))
    film.year = 1
    let saving = explanation(of: .loadIssueModelContainer) { try context.save() }
    #expect(saving == "\(url.path) was removed or replaced by another file; make a new ModelContainer")
    let fetching = explanation(of: .loadIssueModelContainer) {
      _ = try ModelContext(context.container).fetch(FetchDescriptor<Film>())
    }
    #expect(fetching == "\(url.path) was replaced by another store; make a new ModelContainer")
    #expect(try ModelContext(fresh).fetchCount(FetchDescriptor<Film>()) == 0)
  }

  @Test func `erasing empties a store in one transaction despite delete rules, and notifies all contexts`() throws {
    try eraseAll(of: ModelConfiguration(isStoredInMemoryOnly: true))
    let url = newStoreURL()
    try eraseAll(of: ModelConfiguration(url: url))
  }

  private func eraseAll(of configuration: ModelConfiguration) throws {
    let container = try ModelContainer(
      for: Schema([Crew.self, Film.self, Poster.self]), configurations: [configuration])
    let context = ModelContext(container)
    let crew = Crew("Apollo", year: 1969, members: [Member("Neil"), Member("Buzz")])
    let film = Film("Up", year: 2009, studio: Studio(name: "Pixar"))
    film.cast = [Person(name: "Ed Asner")]
    context.insert(crew)
    context.insert(film)
    context.insert(Poster("long", pixels: Data(repeating: 1, count: 200_000)))
    try context.save()
    let before = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    try container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Film>()) == 0)
    #expect(film.modelContext == nil)
    #expect(crew.modelContext == nil)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == before + 1)
    #expect(history.last?.changes.count == 7)
    context.insert(Film("Coco", year: 2017))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Film>()) == 1)
    try container.erase()
  }
}

/// A disk that is really full: a small file system in memory, which only root may mount.
@Suite(
  .serialized, .overlapping,
  .enabled(if: geteuid() == 0, "a full disk is not shown without root: a small file system cannot be mounted"))
struct FullDiskSaveTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: [false, true])
  func `a save on a full disk is refused completely, and succeeds when space is free`(isExternal: Bool) throws {
    let disk: SmallDisk
    do {
      disk = try SmallDisk(in: directory, megabytes: 2)
    } catch {
      print("not shown: \(error)")
      return
    }
    let url = URL(fileURLWithPath: disk.path + "/pictures.store")
    let container = try ModelContainer(for: Poster.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Poster("first", pixels: Data([1])))
    try context.save()
    for number in 0..<60 {
      context.insert(Poster("\(number)", pixels: Data(repeating: 1, count: isExternal ? 120_000 : 90_000)))
    }
    let said = explanation(of: .saveFailure) { try context.save() }
    #expect(said.hasPrefix("no space left for \(disk.path)"), "\(said)")
    #expect(said.hasSuffix("free space on the disk, then try again; nothing was lost"), "\(said)")
    #expect(context.insertedModelsArray.count == 60)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Poster>()).map(\.name) == ["first"])
    #expect(try context.fetchCount(FetchDescriptor<Poster>()) == 61)
    #expect(disk.grow(toMegabytes: 64))
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Poster>())
    #expect(found.count == 61)
    #expect(found.reduce(0) { $0 + $1.pixels.count } == 1 + 60 * (isExternal ? 120_000 : 90_000))
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
  }

  @Test func `a migration on a full disk does not change the store, and succeeds when space is free`() throws {
    let disk: SmallDisk
    do {
      disk = try SmallDisk(in: directory, megabytes: 6)
    } catch {
      print("not shown: \(error)")
      return
    }
    let url = URL(fileURLWithPath: disk.path + "/shelf.store")
    let first = ModelContext(try makeLibrary(url))
    for number in 0..<400 {
      first.insert(LibraryV1.Book("\(number) " + String(repeating: "x", count: 4_000), pages: number))
    }
    try first.save()
    try execute("PRAGMA wal_checkpoint(TRUNCATE)", url)
    let before = try TableDump(url)
    try disk.fill()
    let said = explanation(of: .saveFailure) { _ = try library(LibraryV3.self, url, plan: LibraryPlan.self) }
    #expect(said.contains("no space left for \(url.path)"), "\(said)")
    disk.empty()
    #expect(try TableDump(url) == before)
    #expect(disk.grow(toMegabytes: 64))
    let context = ModelContext(try library(LibraryV3.self, url, plan: LibraryPlan.self))
    #expect(try context.fetchCount(FetchDescriptor<LibraryV3.Book>()) == 403)
  }
}
