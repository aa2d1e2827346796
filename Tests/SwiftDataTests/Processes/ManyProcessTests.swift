// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

/// Several processes that save to one store at once.
@Suite(.overlapping) struct ManyProcessTests {
  @Test func `every save of many processes is kept`() async throws {
    let (writers, saves) = (8, Rounds.isLong ? 2_000 : 50)
    let other = try OtherProcess()
    _ = try other.entry("shared")
    let history = try HistoryObserver(modelContainer: other.container)
    let clock = ContinuousClock()
    let begun = clock.now
    let processes = try (0..<writers).map { try other.start(["discuss", "\(saves)"], by: "writer\($0)") }
    for process in processes {
      #expect(await waitUntil(within: 1_500) { !process.isRunning })
      let outcome = process.wait()
      #expect(outcome.code == 0, "\(outcome)")
      #expect(outcome.lines.count == saves)
    }
    print("\(writers) processes saved \(saves) times each in \(clock.now - begun)")

    let names = (0..<writers).flatMap { writer in (0..<saves).map { "writer\(writer)-\($0)" } }
    let context = ModelContext(other.container)
    let entries = try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.title != "shared" }))
    #expect(Set(entries.map(\.title)) == Set(names))
    #expect(entries.count == names.count)
    for entry in entries {
      #expect((entry.topic == "begun") == (entry.day == saves - 1), "\(entry.title)")
    }
    let shared = try #require(
      try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.title == "shared" })).first)
    #expect(shared.comments.map(\.text).sorted() == names.sorted())

    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.map(\.transactionIdentifier) == (1...Int64(writers * saves + 1)).map { $0 })
    let authors = Dictionary(grouping: transactions.dropFirst(), by: { $0.author ?? "" }).mapValues(\.count)
    #expect(authors == Dictionary(uniqueKeysWithValues: (0..<writers).map { ("writer\($0)", saves) }))
    for transaction in transactions.dropFirst() {
      let inserts = transaction.changes.count { if case .insert = $0 { true } else { false } }
      #expect(inserts == 2, "transaction \(transaction.transactionIdentifier)")
    }
    #expect(await waitUntil { (1...writers * saves).contains(history.eventCounter) })
  }
}
