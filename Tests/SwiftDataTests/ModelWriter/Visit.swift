// SPDX-License-Identifier: MIT

internal import SwiftData

/// One run of a program on a store that may hold what earlier runs left. It adds entries by an actor, and prints what
/// it finds by text, in order, in sections and in the history since the last run.
@MainActor struct Visit {
  private let container: ModelContainer
  private let context: ModelContext
  private let tokenURL: URL

  init(_ container: ModelContainer, author: String, _ url: URL) {
    self.container = container
    context = container.mainContext
    context.autosaveEnabled = false
    context.author = author
    tokenURL = url.appendingPathExtension("token")
  }

  func run() async throws {
    try tell("left", titles(containing: "ITEM"))
    let run = try context.fetchCount(FetchDescriptor<Entry>()) / 2 + 1
    try await Clerk(modelContainer: container).add("Item 10 of run \(run)", "item 9 of run \(run)")
    try tell("found", titles(containing: "ITEM"))
    let remarks = FetchDescriptor<Entry>(
      predicate: #Predicate { entry in
        entry.title.starts(with: "item") && entry.comments.contains { $0.text.localizedStandardContains("elan") }
      }, sortBy: [SortDescriptor(\.title, order: .reverse)])
    try tell("with comments", context.fetch(remarks).map(\.title))
    let sections = try ResultsObserver<Entry, String>(
      filterBy: #Predicate { !$0.title.localizedStandardContains("nothing") },
      sortBy: [
        SortDescriptor(\.topic, comparator: .localizedStandard),
        SortDescriptor(\.title, comparator: .localizedStandard),
      ], sectionBy: \.topic, modelContext: context)
    tell("sections", sections.sections?.map { "\($0.title) \($0.count)" } ?? [])
    try undo()
    context.insert(Entry("To be REMOVED"))
    try context.save()
    try context.delete(model: Entry.self, where: #Predicate { $0.title.localizedStandardContains("removed") })
    try tell("authors", authors())
  }

  private func titles(containing text: String) throws -> [String] {
    try context.fetch(
      FetchDescriptor<Entry>(
        predicate: #Predicate { $0.title.localizedStandardContains(text) },
        sortBy: [SortDescriptor(\.title, comparator: .localizedStandard)])
    ).map(\.title)
  }

  private func undo() throws {
    let manager = UndoManager()
    context.undoManager = manager
    defer { context.undoManager = nil }
    guard let first = try context.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.title)])).first else { return }
    let title = first.title
    first.title = "undone"
    let changed = try titles(containing: "UNDONE")
    manager.undo()
    tell("undone", changed + [first.title == title ? "as before" : first.title])
    context.rollback()
  }

  /// Of the transactions since the last run, whose token lies beside the store.
  private func authors() throws -> [String] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let data = try? Data(contentsOf: tokenURL) {
      let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
      descriptor.predicate = #Predicate { $0.token > token }
    }
    let found = try context.fetchHistory(descriptor)
    try JSONEncoder().encode(found.last?.token).write(to: tokenURL)
    return found.map { $0.author ?? "-" }
  }

  private func tell(_ what: String, _ found: [String]) { print("\(what): \(found.joined(separator: ", "))") }
}

@ModelActor private actor Clerk {
  func add(_ titles: String...) throws {
    modelContext.author = "clerk"
    for title in titles {
      let entry = Entry(title, topic: title.first == "I" ? "capital" : "Small")
      modelContext.insert(entry)
      entry.comments = [Comment("Élan of \(title)")]
    }
    try modelContext.save()
  }
}
