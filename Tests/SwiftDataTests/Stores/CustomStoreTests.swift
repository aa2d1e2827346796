// SPDX-License-Identifier: MIT

import Testing

@testable import SwiftData

/// Contexts over stores of one's own.
@Suite struct CustomStoreTests {
  private func dictionary() throws -> ModelContainer {
    try ModelContainer(
      for: Film.self, configurations: DictionaryStore.Configuration(name: "mine"))
  }

  @Test func `objects and their relationships are saved to a custom store and read back`() throws {
    let container = try dictionary()
    let context = ModelContext(container)
    let film = Film("Up", year: 2009, tags: ["balloons"], studio: Studio(name: "Pixar"))
    film.cast = [Person(name: "Ed Asner")]
    context.insert(film)
    try context.save()
    #expect(film.persistentModelID.storeIdentifier == container.storeIdentifier(forConfigurationNamed: "mine"))

    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Film>()).first)
    #expect((found.title, found.year, found.tags, found.studio?.name) == ("Up", 2009, ["balloons"], "Pixar"))
    #expect(found.cast.map(\.name) == ["Ed Asner"])
    #expect(found.studio?.films.map(\.title) == ["Up"])
    found.year = 2010
    try other.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Film>()).first?.year == 2010)
    other.delete(found)
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Film>()) == 0)
  }

  @Test func `a default snapshot is copied with its relationships, remapped or not`() throws {
    let film = Film("Up", year: 2009, studio: Studio(name: "Pixar"))
    let context = ModelContext(try dictionary())
    context.insert(film)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let snapshot = DefaultSnapshot(from: film.persistentBackingData, relatedBackingDatas: &related)
    func identifier(_ entity: String) throws -> PersistentIdentifier {
      try .identifier(for: "store", entityName: entity, primaryKey: 7)
    }
    let old = try #require(film.studio).persistentModelID
    let copy = snapshot.copy(persistentIdentifier: try identifier("Film"))
    #expect(try copy.persistentIdentifier == identifier("Film"))
    let remapped = snapshot.copy(
      persistentIdentifier: try identifier("Film"), remappedIdentifiers: [old: try identifier("Studio")])
    #expect(copy.values["studio"] as? PersistentIdentifier == old)
    #expect(try remapped.values["studio"] as? PersistentIdentifier == identifier("Studio"))
    #expect(copy.values["title"] as? String == "Up")
  }

  @Test func `unsaved values of related objects order the objects of a custom store`() throws {
    let context = ModelContext(try dictionary())
    for (year, name) in ["b", "a", "c"].enumerated() {
      context.insert(Film("Film \(name)", year: year, studio: Studio(name: name)))
    }
    try context.save()
    let byStudio = FetchDescriptor<Film>(sortBy: [SortDescriptor(\.studio?.name)])
    #expect(try context.fetch(byStudio).map(\.title) == ["Film a", "Film b", "Film c"])
    let films = try context.fetch(FetchDescriptor<Film>(predicate: #Predicate { $0.title == "Film a" }))
    films.first?.studio?.name = "zeta"
    #expect(try context.fetch(byStudio).map(\.title) == ["Film b", "Film c", "Film a"])
    // No film has unsaved changes, and identifiers do not change.
    let byIdentifier = FetchDescriptor<Film>(sortBy: [SortDescriptor(\.persistentModelID)])
    #expect(try context.fetchIdentifiers(byIdentifier).count == 3)
    #expect(try context.fetchCount(FetchDescriptor<Film>(predicate: #Predicate { 10 / $0.year > 5 })) == 1)
  }

  @Test func `the context filters and sorts if the store requests it`() throws {
    let container = try dictionary()
    let context = ModelContext(container)
    for year in [3, 1, 2, 5, 4] { context.insert(Film("Film \(year)", year: year)) }
    try context.save()
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Film>(
      predicate: #Predicate { $0.year > 1 }, sortBy: [SortDescriptor(\.year, order: .reverse)])
    #expect(try other.fetch(descriptor).map(\.year) == [5, 4, 3, 2])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try other.fetch(descriptor).map(\.year) == [4, 3])
    #expect(try other.fetchCount(FetchDescriptor<Film>(predicate: #Predicate { $0.year > 3 })) == 2)
    other.insert(Film("New", year: 9))
    #expect(try other.fetch(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.year)])).map(\.year) == [1, 2, 3, 4, 5, 9])
  }

  @Test func `a batch delete needs a store that supports it`() throws {
    let container = try dictionary()
    let context = ModelContext(container)
    context.insert(Film("Up", year: 1))
    try context.save()
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.delete(model: Film.self, where: #Predicate { $0.year == 1 })
    }
    try context.delete(model: Film.self)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Film>()) == 0)
  }

  @Test func `a store with snapshots of its own kind keeps a JSON file and a history`() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("notes-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let configuration = FileStore.Configuration(name: "notes", url: directory.appendingPathComponent("notes.json"))
    let container = try ModelContainer(for: Note.self, configurations: configuration)
    let context = ModelContext(container)
    context.author = "tests"
    let note = Note("Buy lamps", stars: 9)
    context.insert(note)
    try context.save()
    #expect(note.stars == 5)
    #expect(!context.hasChanges)
    note.text = "Buy lights"
    try context.save()

    let again = try ModelContainer(for: Note.self, configurations: configuration)
    let other = ModelContext(again)
    let found = try #require(try other.fetch(FetchDescriptor<Note>()).first)
    #expect((found.text, found.stars) == ("Buy lights", 5))
    #expect(found == note)

    let history = try context.fetchHistory(HistoryDescriptor<FileStore.Transaction>())
    #expect(history.map(\.author) == ["tests", "tests"])
    try context.deleteHistory(HistoryDescriptor<FileStore.Transaction>(predicate: #Predicate { $0.token.id < 2 }))
    #expect(try context.fetchHistory(HistoryDescriptor<FileStore.Transaction>()).map(\.token.id) == [2])
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }

  @Test func `two stores share a container, each with its own classes`() throws {
    let container = try ModelContainer(
      for: Schema([Film.self, Note.self]),
      configurations: [
        ModelConfiguration("films", schema: Schema([Film.self]), isStoredInMemoryOnly: true),
        DictionaryStore.Configuration(name: "notes", schema: Schema([Note.self])),
      ])
    let context = ModelContext(container)
    context.insert(Film("Up", year: 2009))
    context.insert(Note("Seen", stars: 4))
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Film>()).map(\.title) == ["Up"])
    #expect(try other.fetch(FetchDescriptor<Note>()).map(\.text) == ["Seen"])
  }

  @Test func `the default store accepts complete snapshots, as every store does`() throws {
    let container = try ModelContainer(for: Film.self, configurations: CountingStore.Configuration(name: "counted"))
    let context = ModelContext(container)
    let film = Film("Up", year: 2009, studio: Studio(name: "Pixar"))
    film.place = Place(city: "Paris", latitude: 1, longitude: nil)
    context.insert(film)
    context.insert(Film("Down", year: 1))
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(
      FetchDescriptor<Film>(predicate: #Predicate { $0.year > 1 }, sortBy: [SortDescriptor(\.title)]))
    #expect(found.map(\.title) == ["Up"])
    #expect(found.first?.studio?.name == "Pixar")
    #expect(found.first?.place == film.place)
    found.first?.title = "Upper"
    try other.save()
    try other.delete(model: Film.self, where: #Predicate { $0.year == 1 })
    #expect(try ModelContext(container).fetch(FetchDescriptor<Film>()).map(\.title) == ["Upper"])
    try container.erase()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Film>()) == 0)
    #expect(CountingStore.saves(of: container) == 2)
  }
}

/// Forwards everything to a default store in memory, and counts the saves.
private final class CountingStore: DataStore, DataStoreBatching {
  typealias Snapshot = DefaultSnapshot

  struct Configuration: DataStoreConfiguration {
    typealias Store = CountingStore
    var name: String
    var schema: Schema?

    static func == (left: Configuration, right: Configuration) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  let configuration: Configuration
  private let inner: DefaultStore
  private var count = 0
  nonisolated(unsafe) private static var last: CountingStore?

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    inner = try DefaultStore(
      ModelConfiguration(schema: configuration.schema, isStoredInMemoryOnly: true), migrationPlan: migrationPlan)
    Self.last = self
  }

  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
    try inner.fetch(request)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    count += 1
    return try inner.save(request)
  }

  func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws { try inner.delete(request) }
  func erase() throws { try inner.erase() }

  static func saves(of container: ModelContainer) -> Int? {
    last?.identifier == container.storeIdentifier(forConfigurationNamed: "counted") ? last?.count : nil
  }
}
