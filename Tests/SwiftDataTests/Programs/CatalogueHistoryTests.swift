// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model final class AnimatedFilm {
  @Attribute(.unique) var title: String
  @Attribute(.preserveValueOnDeletion) var studioCode: String
  var releaseYear: Int
  var rating: Double

  init(title: String, studioCode: String, releaseYear: Int, rating: Double = 0) {
    self.title = title
    self.studioCode = studioCode
    self.releaseYear = releaseYear
    self.rating = rating
  }
}

/// Keeps how far the history was read.
private struct TokenStore {
  let defaults: UserDefaults
  private let key = "lastHistoryToken"

  func save(_ token: DefaultHistoryToken) throws { defaults.set(try JSONEncoder().encode(token), forKey: key) }

  func load() throws -> DefaultHistoryToken? {
    try defaults.data(forKey: key).map { try JSONDecoder().decode(DefaultHistoryToken.self, from: $0) }
  }
}

/// Notes the saves of contexts as their notifications come.
@Observable private final class SyncMonitor: @unchecked Sendable {
  // Unchecked: the one test that saves also reads.

  private(set) var savedTitles: [String] = []
  @ObservationIgnored private var registration: (any NSObjectProtocol)?

  init(_ container: ModelContainer) {
    registration = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { [weak self] notification in
      guard let context = notification.object as? ModelContext, context.container == container else { return }
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      guard let inserted = notification.userInfo?[key] as? [PersistentIdentifier] else { return }
      self?.savedTitles += inserted.compactMap { (context.model(for: $0) as? AnimatedFilm)?.title }
    }
  }

  deinit { registration.map { NotificationCenter.default.removeObserver($0) } }
}

private protocol Importing {
  func importNewRelease(_ title: String) throws
}

/// Sets the author by the name that Core Data has for it.
private struct FormerImporter: Importing {
  let container: ModelContainer

  @available(*, deprecated)
  func importNewRelease(_ title: String) throws {
    let backgroundContext = ModelContext(container)
    backgroundContext.transactionAuthor = "Former"
    backgroundContext.insert(AnimatedFilm(title: title, studioCode: "F", releaseYear: 2_009))
    try backgroundContext.save()
  }
}

/// A program that imports into a catalogue and follows its history.
@Suite(.temporaryDirectory) final class CatalogueHistoryTests {
  private let directory: TemporaryDirectory
  private let container: ModelContainer

  init() throws {
    directory = TemporaryDirectory()
    // A directory that an app shares with its extensions.
    let url = URL(fileURLWithPath: directory.path).appendingPathComponent("shared/Films.store")
    let configuration = ModelConfiguration(url: url)
    container = try ModelContainer(for: AnimatedFilm.self, configurations: configuration)
  }

  deinit { directory.remove() }

  // MARK: The program

  private func importNewReleases(_ titles: [String], author: String = "BackgroundImporter") throws {
    let backgroundContext = ModelContext(container)
    backgroundContext.author = author
    for (index, title) in titles.enumerated() {
      backgroundContext.insert(AnimatedFilm(title: title, studioCode: "P\(index)", releaseYear: 2_024))
    }
    try backgroundContext.save()
  }

  private func edit(_ title: String, author: String = "MainApp", _ body: (AnimatedFilm, ModelContext) -> Void) throws {
    let context = ModelContext(container)
    context.author = author
    let found = try context.fetch(FetchDescriptor<AnimatedFilm>(predicate: #Predicate { $0.title == title }))
    body(try #require(found.first), context)
    try context.save()
  }

  private func fetchRecentHistory(after token: DefaultHistoryToken?) throws -> [DefaultHistoryTransaction] {
    let context = ModelContext(container)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      descriptor.predicate = #Predicate { transaction in transaction.token > token }
    }
    return try context.fetchHistory(descriptor)
  }

  /// What others did, in words, and how far that reaches.
  private func processHistory(
    _ transactions: [DefaultHistoryTransaction]
  ) -> (lines: [String], token: DefaultHistoryToken?) {
    let context = ModelContext(container)
    var lines: [String] = []
    func title(_ id: PersistentIdentifier) -> String { (context.model(for: id) as? AnimatedFilm)?.title ?? "?" }
    for transaction in transactions where transaction.author != "MainApp" {
      for change in transaction.changes {
        switch change {
        case .insert(let insert as DefaultHistoryInsert<AnimatedFilm>):
          lines.append("inserted \(title(insert.changedPersistentIdentifier))")
        case .update(let update as DefaultHistoryUpdate<AnimatedFilm>):
          var names: [String] = []
          if update.updatedAttributes.contains(\.rating) { names.append("rating") }
          if update.updatedAttributes.contains(\.releaseYear) { names.append("year") }
          if update.updatedAttributes.contains(\.title) { names.append("title") }
          lines.append("updated \(names.joined(separator: ", ")) of \(title(update.changedPersistentIdentifier))")
        case .delete(let delete as DefaultHistoryDelete<AnimatedFilm>):
          lines.append("deleted \(delete.tombstone[\.studioCode] as? String ?? "?")")
        default:
          break
        }
      }
    }
    return (lines, transactions.last?.token)
  }

  private func fetchFilmChangesOnly(after token: DefaultHistoryToken?) throws -> [(HistoryChange, Date)] {
    try fetchRecentHistory(after: token).flatMap { transaction in
      transaction.changes.compactMap { change in
        change.changedPersistentIdentifier.entityName == Schema.entityName(for: AnimatedFilm.self)
          ? (change, transaction.timestamp) : nil
      }
    }
  }

  private func purgeProcessedHistory(upTo token: DefaultHistoryToken) throws {
    let context = ModelContext(container)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.token <= token }
    try context.deleteHistory(descriptor)
  }

  private func processHistoryInBatches(of batchSize: Int) throws -> [[String]] {
    let context = ModelContext(container)
    var (token, batches): (DefaultHistoryToken?, [[String]]) = (nil, [])
    while true {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      descriptor.fetchLimit = UInt64(batchSize)
      if let last = token { descriptor.predicate = #Predicate { $0.token > last } }
      let transactions = try context.fetchHistory(descriptor)
      guard !transactions.isEmpty else { return batches }
      batches.append(transactions.map { $0.author ?? "-" })
      token = transactions.last?.token
    }
  }

  // MARK: What it does

  @Test func `the history tells inserts, updates and deletes of others, with names`() throws {
    try importNewReleases(["Elio", "Hoppers"])
    let (lines, token) = processHistory(try fetchRecentHistory(after: nil))
    #expect(lines == ["inserted Elio", "inserted Hoppers"])

    try edit("Elio", author: "Server") { film, _ in
      film.rating = 4.5
      film.releaseYear = 2_025
    }
    try edit("Hoppers", author: "Server") { $1.delete($0) }
    try edit("Elio") { film, _ in film.rating = 1 }
    let (later, last) = processHistory(try fetchRecentHistory(after: token))
    #expect(later == ["updated rating, year of Elio", "deleted P1"])
    #expect(try fetchRecentHistory(after: last).isEmpty)
  }

  @Test func `the author is kept with each transaction`() throws {
    try importNewReleases(["Elio"])
    try importNewReleases(["Hoppers"], author: "MainApp")
    let former: any Importing = FormerImporter(container: container)
    try former.importNewRelease("Up")
    #expect(try fetchRecentHistory(after: nil).map(\.author) == ["BackgroundImporter", "MainApp", "Former"])
  }

  @Test func `a token survives in user defaults`() throws {
    let suite = "followspot-test-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { defaults.removePersistentDomain(forName: suite) }
    #expect(try TokenStore(defaults: defaults).load() == nil)
    try importNewReleases(["Elio"])
    let token = try #require(try fetchRecentHistory(after: nil).last?.token)
    try TokenStore(defaults: defaults).save(token)
    let loaded = try TokenStore(defaults: defaults).load()
    #expect(loaded == token)
    #expect(try fetchRecentHistory(after: loaded).isEmpty)
    try importNewReleases(["Hoppers"])
    #expect(try fetchRecentHistory(after: loaded).count == 1)
  }

  @Test func `a monitor hears of each save`() throws {
    let monitor = SyncMonitor(container)
    try importNewReleases(["Elio", "Hoppers"])
    try edit("Elio") { film, _ in film.rating = 2 }
    try importNewReleases(["Up"])
    #expect(monitor.savedTitles == ["Elio", "Hoppers", "Up"])
  }

  @Test func `changes of one class come with their times`() throws {
    let begun = Date.now
    try importNewReleases(["Elio"])
    try edit("Elio") { film, _ in film.rating = 2 }
    let changes = try fetchFilmChangesOnly(after: nil)
    #expect(
      changes.map { change, _ in
        switch change {
        case .insert: "insert"
        case .update: "update"
        case .delete: "delete"
        }
      } == ["insert", "update"])
    #expect(changes.allSatisfy { $0.1 >= begun.addingTimeInterval(-1) && $0.1 <= Date.now.addingTimeInterval(1) })
  }

  @Test func `processed history is purged, and its tokens expire`() throws {
    try importNewReleases(["Elio"])
    let first = try #require(try fetchRecentHistory(after: nil).last?.token)
    try importNewReleases(["Hoppers"])
    let second = try #require(try fetchRecentHistory(after: nil).last?.token)
    try importNewReleases(["Up"])
    try purgeProcessedHistory(upTo: second)
    #expect(try fetchRecentHistory(after: nil).count == 1)
    #expect(throws: SwiftDataError.historyTokenExpired) { try fetchRecentHistory(after: first) }
  }

  @Test func `batches reach the end for every author`() throws {
    for number in 0..<7 {
      try importNewReleases(["\(number)"], author: number < 4 ? "MainApp" : "Server")
    }
    #expect(
      try processHistoryInBatches(of: 3)
        == [["MainApp", "MainApp", "MainApp"], ["MainApp", "Server", "Server"], ["Server"]])
  }
}
