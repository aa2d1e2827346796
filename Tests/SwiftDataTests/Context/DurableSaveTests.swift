// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// A save that is durable never throws: the next save would write its objects a second time.
@Suite(.temporaryDirectory) struct DurableSaveTests {
  private let directory = TemporaryDirectory()

  private func makeFilms() throws -> (ModelContext, [Film]) {
    let url = newStoreURL()
    let context = ModelContext(try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: url)))
    let films = [Film("Up", year: 2009, studio: Studio(name: "Pixar")), Film("Cars", year: 2006)]
    for film in films { context.insert(film) }
    try context.save()
    return (context, films)
  }

  private func titles(_ context: ModelContext) throws -> [String] {
    try ModelContext(context.container).fetch(FetchDescriptor<Film>(sortBy: [SortDescriptor(\.title)])).map(\.title)
  }

  @Test func `a save reads nothing after its commit, and a second save inserts nothing twice`() throws {
    let (context, films) = try makeFilms()
    let faults = try ReadFaults(in: context)
    let coco = Film("Coco", year: 2017, studio: films[0].studio)
    context.insert(coco)
    films[0].year = 2010
    context.delete(films[1])
    try context.save()
    #expect(faults.areActive)
    #expect(throws: SwiftDataError.readFailure) { try context.fetch(FetchDescriptor<Film>()) }
    #expect(!context.hasChanges)
    #expect(!coco.persistentModelID.isTemporary)
    #expect(films[1].modelContext == nil)
    faults.end()
    try context.save()
    coco.year = 2018
    try context.save()
    #expect(try titles(context) == ["Coco", "Up"])
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 3)
  }

  @Test func `a batch delete reads nothing after its commit`() throws {
    let (context, films) = try makeFilms()
    let faults = try ReadFaults(in: context)
    try context.delete(model: Film.self, where: #Predicate { $0.year < 2009 })
    #expect(faults.areActive)
    #expect(films[1].modelContext == nil)
    faults.end()
    #expect(try titles(context) == ["Up"])
  }

  @Test func `values that a custom store does not return from a save are read again`() throws {
    let configuration = FileStore.Configuration(
      name: "notes", url: URL(fileURLWithPath: directory.file("notes.json")), tellsCorrections: false)
    let context = ModelContext(try ModelContainer(for: Note.self, configurations: configuration))
    let note = Note("Buy lamps", stars: 9)
    context.insert(note)
    try context.save()
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 1)
    #expect(note.stars == 5)
  }
}
