// SPDX-License-Identifier: MIT

import SwiftData
import Testing

/// What a context does with objects, one claim a test.
@Suite(.everyStore) struct ModelContextTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Film.self)
    context = ModelContext(container)
  }

  private func film(_ title: String = "Up", year: Int = 2009) throws -> Film {
    let film = Film(title, year: year)
    context.insert(film)
    try context.save()
    return film
  }

  private func titles(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Film>()).map(\.title).sorted()
  }

  @Test func `a context is described by its configurations, its author and its unsaved changes`() throws {
    let film = try film()
    #expect(context.debugDescription == "ModelContext of default: 0 inserted, 0 changed, 0 deleted")
    context.author = "me"
    film.year = 1
    context.insert(Film("Coco", year: 2017))
    #expect(String(reflecting: context) == "ModelContext of default by me: 1 inserted, 1 changed, 0 deleted")
  }

  // MARK: Insert

  @Test func `an object has no context until it is inserted`() {
    let film = Film("Up", year: 2009)
    #expect(film.modelContext == nil)
    #expect(!film.hasChanges)
    context.insert(film)
    #expect(film.modelContext === context)
    #expect(film.hasChanges)
  }

  @Test func `an insert also inserts all related objects`() throws {
    let film = Film("Up", year: 2009)
    let person = Person(name: "Ed Asner")
    person.films = [film]
    film.studio = Studio(name: "Pixar")
    context.insert(person)
    #expect(context.insertedModelsArray.count == 3)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Studio>()) == 1)
  }

  @Test func `an object that is reached later is saved too`() throws {
    let film = try film()
    film.studio = Studio(name: "Pixar")
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Studio>()).map(\.name) == ["Pixar"])
  }

  @Test func `an identifier is temporary until the first save and permanent afterwards`() throws {
    let film = Film("Up", year: 2009)
    context.insert(film)
    let before = film.persistentModelID
    #expect(before.isTemporary)
    #expect(before.storeIdentifier == nil)
    try context.save()
    let after = film.persistentModelID
    #expect(!after.isTemporary)
    #expect(after.storeIdentifier == container.storeIdentifier(forConfigurationNamed: "default"))
    #expect(after.entityName == "Film")
  }

  @Test func `identifiers survive JSON`() throws {
    let saved = try film().persistentModelID
    let temporary = Film("New", year: 1).persistentModelID
    for identifier in [saved, temporary] {
      let data = try JSONEncoder().encode(identifier)
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == identifier)
    }
  }

  // MARK: Changes

  @Test func `a change marks object and context`() throws {
    let film = try film()
    #expect(!context.hasChanges)
    film.year = 2010
    #expect(film.hasChanges)
    #expect(context.hasChanges)
    #expect(context.changedModelsArray.map(\.persistentModelID) == [film.persistentModelID])
  }

  @Test func `rollback undoes all unsaved changes`() throws {
    let kept = try film("Kept")
    let deleted = try film("Deleted")
    kept.title = "Changed"
    context.delete(deleted)
    let inserted = Film("Inserted", year: 1)
    context.insert(inserted)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(kept.title == "Kept")
    #expect(!deleted.isDeleted)
    #expect(inserted.modelContext == nil)
    #expect(try titles(context) == ["Deleted", "Kept"])
  }

  @Test func `a transaction that throws is rolled back`() throws {
    struct Failure: Error {}
    let film = try film()
    #expect(throws: Failure.self) {
      try context.transaction {
        film.title = "Changed"
        throw Failure()
      }
    }
    #expect(film.title == "Up")
    try context.transaction { film.title = "Down" }
    #expect(try titles(ModelContext(container)) == ["Down"])
  }

  @Test func `one save is one history transaction with the context's author`() throws {
    context.author = "tests"
    for title in ["A", "B"] { context.insert(Film(title, year: 1)) }
    try context.save()
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["tests"])
    #expect(history.map(\.changes.count) == [2])
  }

  // MARK: Deletes

  @Test func `a deleted object is gone after the save`() throws {
    let film = try film()
    let identifier = film.persistentModelID
    context.delete(film)
    #expect(film.isDeleted)
    #expect(context.deletedModelsArray.count == 1)
    #expect(try titles(context) == [])
    try context.save()
    #expect(film.modelContext == nil)
    #expect(!film.isDeleted)
    #expect(context.registeredModel(for: identifier) as Film? == nil)
    #expect(film.title == "Up")
  }

  @Test func `deleting an unsaved object leaves nothing`() throws {
    let film = Film("Up", year: 2009)
    context.insert(film)
    context.delete(film)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
  }

  @Test func `cascade deletes related objects and nullify removes the reference`() throws {
    let studio = Studio(name: "Pixar")
    let film = Film("Up", year: 2009, studio: studio)
    let person = Person(name: "Ed Asner")
    film.cast = [person]
    context.insert(film)
    try context.save()
    context.delete(studio)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Film>()) == 0)
    #expect(person.films.isEmpty)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Person>())[0].films.isEmpty)
  }

  @Test func `a batch delete is one transaction and is saved at once`() throws {
    for year in 1...5 { context.insert(Film("Film \(year)", year: year)) }
    try context.save()
    let held = try context.fetch(FetchDescriptor<Film>())
    try context.delete(model: Film.self, where: #Predicate { $0.year > 2 })
    #expect(try titles(ModelContext(container)) == ["Film 1", "Film 2"])
    #expect(held.filter { $0.modelContext == nil }.map(\.year).sorted() == [3, 4, 5])
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == [5, 3])
  }

  // MARK: Uniqueness

  @Test func `inserting a unique value again updates the object that holds it`() throws {
    let first = Studio(name: "Pixar", founded: 1979)
    context.insert(first)
    try context.save()
    let second = Studio(name: "Pixar", founded: 1986)
    context.insert(second)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Studio>()) == 1)
    #expect(first.founded == 1986)
    #expect(second == first)
    second.founded = 1995
    #expect(first.founded == 1995)
  }

  @Test func `changing a value to a duplicate of a unique one is refused, and no change is lost`() throws {
    context.insert(Studio(name: "Pixar"))
    let other = Studio(name: "Ghibli")
    context.insert(other)
    try context.save()
    other.name = "Pixar"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(context.hasChanges)
    other.name = "Aardman"
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Studio>()).map(\.name).sorted() == ["Aardman", "Pixar"])
  }

  // MARK: Identity

  @Test func `a context has one object for a row`() throws {
    let film = try film()
    #expect(try context.fetch(FetchDescriptor<Film>())[0] === film)
    #expect(context.model(for: film.persistentModelID) === film)
    let registered: Film? = context.registeredModel(for: film.persistentModelID)
    #expect(registered === film)
  }

  @Test func `an object by identifier is read when it is asked`() throws {
    let identifier = try film().persistentModelID
    let other = ModelContext(container)
    #expect(other.registeredModel(for: identifier) as Film? == nil)
    let found = try #require(other.model(for: identifier) as? Film)
    #expect(found.title == "Up")
  }

  @Test func `objects without strong references are released`() throws {
    weak var released: Film?
    do {
      let film = try film()
      released = film
      #expect(released != nil)
    }
    #expect(released == nil)
  }

  // MARK: Undo

  @Test func `changes are undone and redone`() throws {
    context.undoManager = UndoManager()
    let film = try film()
    context.undoManager?.removeAllActions()
    film.title = "Down"
    film.year = 1
    context.undoManager?.undo()
    #expect((film.title, film.year) == ("Down", 2009))
    context.undoManager?.undo()
    #expect((film.title, film.year) == ("Up", 2009))
    context.undoManager?.redo()
    #expect((film.title, film.year) == ("Down", 2009))
  }

  @Test func `inserts and deletes are undone and redone`() throws {
    let undo = UndoManager()
    let film = try film()
    context.undoManager = undo
    context.delete(film)
    #expect(try titles(context) == [])
    undo.undo()
    #expect(try titles(context) == ["Up"])
    undo.redo()
    #expect(try titles(context) == [])
    undo.undo()
    context.insert(Film("New", year: 1))
    undo.undo()
    try context.save()
    #expect(try titles(ModelContext(container)) == ["Up"])
  }

  // MARK: Notifications

  @Test func `a save posts a notification before and after`() throws {
    let notes = Notes(context)
    let film = Film("Up", year: 2009)
    context.insert(film)
    try context.save()
    film.year = 2010
    try context.save()
    context.delete(film)
    try context.save()
    let identifier = film.persistentModelID
    #expect(notes.names == ["will", "did", "will", "did", "will", "did"])
    #expect(notes.inserted == [[identifier], [], []])
    #expect(notes.updated == [[], [identifier], []])
    #expect(notes.deleted == [[], [], [identifier]])
    #expect(notes.tokens.map { $0?.tokenValue?.values.first } == [1, 2, 3])
  }

  // MARK: Batches

  @Test func `enumerating keeps one batch in memory and refuses changes unless escaping mutations are allowed`() throws
  {
    for year in 1...25 { context.insert(Film("Film \(year)", year: year)) }
    try context.save()
    var years: [Int] = []
    let other = ModelContext(container)
    try other.enumerate(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.year)]), batchSize: 10) {
      years.append($0.year)
    }
    #expect(years == Array(1...25))
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try other.enumerate(FetchDescriptor<Film>()) { $0.year += 100 }
    }
    other.rollback()
    try other.enumerate(FetchDescriptor<Film>(), allowEscapingMutations: true) { $0.year += 100 }
    try other.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Film>()).map(\.year).min() == 101)
  }

  @Test func `a batched fetch reads objects during iteration`() throws {
    for year in 1...25 { context.insert(Film("Film \(year)", year: year)) }
    try context.save()
    var descriptor = FetchDescriptor<Film>(sortBy: [SortDescriptor(\.year, order: .reverse)])
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(descriptor, batchSize: 10)
    }
    descriptor.includePendingChanges = false
    let films = try ModelContext(container).fetch(descriptor, batchSize: 10)
    #expect(films.count == 25)
    #expect(films.map(\.year) == Array((1...25).reversed()))
    #expect(films[7].year == 18)
  }
}

/// What a context announces.
private final class Notes {
  var names: [String] = []
  var inserted: [[PersistentIdentifier]] = []
  var updated: [[PersistentIdentifier]] = []
  var deleted: [[PersistentIdentifier]] = []
  var tokens: [DefaultHistoryToken?] = []
  private var observers: [any NSObjectProtocol] = []

  init(_ context: ModelContext) {
    nonisolated(unsafe) let notes = self
    let center = NotificationCenter.default
    observers = [
      center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { _ in notes.names.append("will")
      },
      center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notes.note($0) },
    ]
  }

  private func note(_ notification: Notification) {
    names.append("did")
    typealias Key = ModelContext.NotificationKey
    func identifiers(_ key: Key) -> [PersistentIdentifier] {
      notification.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? []
    }
    inserted.append(identifiers(.insertedIdentifiers))
    updated.append(identifiers(.updatedIdentifiers))
    deleted.append(identifiers(.deletedIdentifiers))
    tokens.append(notification.userInfo?[Key.historyTokens.rawValue] as? DefaultHistoryToken)
    // As Apple's sample reads them.
    #expect(notification.userInfo?[Key.insertedIdentifiers] as? [PersistentIdentifier] == inserted.last)
    #expect(notification.userInfo?[Key.updatedIdentifiers] as? [PersistentIdentifier] == updated.last)
    #expect(notification.userInfo?[Key.deletedIdentifiers] as? [PersistentIdentifier] == deleted.last)
    #expect(notification.userInfo?[Key.historyTokens] as? DefaultHistoryToken == tokens.last)
  }

  deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
}
