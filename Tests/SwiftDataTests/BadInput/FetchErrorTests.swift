// SPDX-License-Identifier: MIT

import SQLite
import SwiftData
import TestSupport
import Testing

/// Errors of fetches say what cannot be read or compiled, and never speak of a save.
@Suite(.overlapping, .temporaryDirectory) struct FetchErrorTests {
  private func makeFilm() throws -> (URL, ModelContext) {
    let url = newStoreURL()
    let context = ModelContext(try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: url)))
    context.insert(Film("Up", year: 2009, tags: ["balloons"]))
    try context.save()
    return (url, ModelContext(context.container))
  }

  /// A predicate that is deeper than SQLite's limit for expressions.
  private func deepPredicate() -> Predicate<Film> {
    typealias PE = PredicateExpressions
    return (1...1_100).reduce(#Predicate<Film> { $0.year == 0 }) { previous, year in
      Predicate<Film> { film in
        PE.build_Disjunction(
          lhs: PE.build_evaluate(PE.build_Arg(previous), film),
          rhs: PE.build_Equal(lhs: PE.build_KeyPath(root: film, keyPath: \.year), rhs: PE.build_Arg(year)))
      }
    }
  }

  @Test func `a predicate that SQLite does not accept is unsupported`() throws {
    let (_, context) = try makeFilm()
    let descriptor = FetchDescriptor(predicate: deepPredicate(), sortBy: [SortDescriptor(\.year)])
    let reason = "SQLite does not accept the predicate of the fetch of Film"
    #expect(explanation(of: .unsupportedPredicate) { _ = try context.fetch(descriptor) } == reason)
    #expect(explanation(of: .unsupportedPredicate) { _ = try context.fetchCount(descriptor) } == reason)
    #expect(explanation(of: .unsupportedPredicate) { _ = try context.fetchIdentifiers(descriptor) } == reason)
    let deletion = explanation(of: .unsupportedPredicate) {
      try context.delete(model: Film.self, where: descriptor.predicate)
    }
    #expect(deletion == reason)
    #expect(try context.fetchCount(FetchDescriptor<Film>()) == 1)
  }

  @Test func `a sort order that SQLite does not accept is unsupported`() throws {
    let (_, context) = try makeFilm()
    let order = Array(repeating: SortDescriptor(\Film.year), count: 2_001)
    let descriptor = FetchDescriptor<Film>(predicate: #Predicate { $0.year > 0 }, sortBy: order)
    let said = explanation(of: .unsupportedSortDescriptor) { _ = try context.fetch(descriptor) }
    #expect(said == "SQLite does not accept the sort order of the fetch of Film")
  }

  @Test func `a history predicate that SQLite does not accept is unsupported`() throws {
    let (_, context) = try makeFilm()
    typealias PE = PredicateExpressions
    let deep = (1...1_100).reduce(#Predicate<DefaultHistoryTransaction> { $0.author == nil }) { previous, number in
      Predicate<DefaultHistoryTransaction> { transaction in
        PE.build_Disjunction(
          lhs: PE.build_evaluate(PE.build_Arg(previous), transaction),
          rhs: PE.build_Equal(
            lhs: PE.build_KeyPath(root: transaction, keyPath: \.transactionIdentifier),
            rhs: PE.build_Arg(Int64(number))))
      }
    }
    let descriptor = HistoryDescriptor(predicate: deep)
    let reason = "SQLite does not accept the predicate of the history request"
    #expect(explanation(of: .unsupportedPredicate) { _ = try context.fetchHistory(descriptor) } == reason)
    #expect(explanation(of: .unsupportedPredicate) { try context.deleteHistory(descriptor) } == reason)
  }

  @Test(arguments: [
    "DROP TABLE ATRANSACTION", "DROP TABLE ATRANSACTIONSTRING",
    "ALTER TABLE ATRANSACTION RENAME COLUMN ZTIMESTAMP TO ZWHEN",
  ])
  func `a damaged history is said to be damaged, whatever is asked of it`(_ damage: String) throws {
    let (url, context) = try makeFilm()
    _ = try context.fetchCount(FetchDescriptor<Film>())
    try execute(damage, url)
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    let reason = "the history of \(url.path) is damaged; restore the store from a backup"
    for descriptor in [
      Descriptor(), Descriptor(predicate: #Predicate { $0.author == "me" }),
      Descriptor(sortBy: [SortDescriptor(\.timestamp)]),
    ] {
      #expect(explanation(of: .readFailure) { _ = try context.fetchHistory(descriptor) } == reason)
    }
  }

  @Test func `history of a damaged store cannot be deleted`() throws {
    let (url, context) = try makeFilm()
    _ = try context.fetchCount(FetchDescriptor<Film>())
    try execute("DROP TABLE ATRANSACTIONSTRING", url)
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "me" })
    let said = explanation(of: .saveFailure) { try context.deleteHistory(descriptor) }
    #expect(said == "the history of \(url.path) is damaged; restore the store from a backup")
  }

  @Test func `a value that SQLite cannot read fails the fetch as a read`() throws {
    let (url, context) = try makeFilm()
    try execute("UPDATE ZFILM SET ZTAGS = CAST('[' AS BLOB)", url)
    let descriptor = FetchDescriptor<Film>(predicate: #Predicate { $0.tags.contains("balloons") })
    let said = explanation(of: .readFailure) { _ = try context.fetchCount(descriptor) }
    #expect(said == "a statement on \(url.path) failed")
  }

  @Test func `a damaged page fails the fetch as a read, and the advice is a backup`() throws {
    let (url, context) = try makeFilm()
    let connection = try Connection(path: url.path, access: .readWrite)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let page = try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZFILM'"))
    let file = try FileHandle(forUpdating: url)
    try file.seek(toOffset: UInt64(page - 1) * 4_096)
    try file.write(contentsOf: Data(repeating: 0xff, count: 4_096))
    try file.close()
    let said = explanation(of: .readFailure) { _ = try context.fetch(FetchDescriptor<Film>()) }
    #expect(said == "\(url.path) is damaged; restore the store from a backup")
  }

  @Test func `a missing table causes a read error of every fetch, independent of its predicate`() throws {
    let (url, context) = try makeFilm()
    try execute("DROP TABLE ZFILM", url)
    let descriptor = FetchDescriptor<Film>(predicate: #Predicate { $0.year > 0 }, sortBy: [SortDescriptor(\.title)])
    let said = explanation(of: .readFailure) { _ = try context.fetch(descriptor) }
    #expect(said == "SQLite rejected a statement on \(url.path)")
  }
}
