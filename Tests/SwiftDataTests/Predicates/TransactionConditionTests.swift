// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SwiftData

@Suite(.everyStore, .overlapping) struct TransactionConditionTests {
  let context: ModelContext
  let all: [DefaultHistoryTransaction]

  init() throws {
    context = ModelContext(try newContainer(Performer.self, Song.self, Album.self, Label.self))
    for (index, author) in [nil, "app", "sync", "app", nil].enumerated() {
      context.author = author
      context.insert(Performer("\(index)"))
      try context.save()
    }
    all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  /// The numbers of the transactions that SQL selects, checked against the predicate's own answer.
  private func select(
    _ predicate: Predicate<DefaultHistoryTransaction>, _ location: SourceLocation = #_sourceLocation
  ) throws -> [Int64] {
    let found = try context.fetchHistory(HistoryDescriptor(predicate: predicate)).map(\.transactionIdentifier)
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.transactionIdentifier)
    #expect(found == expected, sourceLocation: location)
    return found
  }

  @Test func `transactions are selected by their properties`() throws {
    let (second, author, store) = (all[1].token, "app", all[0].storeIdentifier)
    #expect(try select(#Predicate { $0.token > second }) == [3, 4, 5])
    #expect(try select(#Predicate { $0.token >= second && $0.author == author }) == [2, 4])
    #expect(try select(#Predicate { second > $0.token }) == [1])
    #expect(try select(#Predicate { $0.token == second }) == [2])
    #expect(try select(#Predicate { $0.author == nil }) == [1, 5])
    #expect(try select(#Predicate { $0.author != author }) == [1, 3, 5])
    let authors = ["app", "sync"]
    #expect(try select(#Predicate { authors.contains($0.author ?? "") }) == [2, 3, 4])
    #expect(try select(#Predicate { $0.transactionIdentifier == 3 || $0.id == 5 }) == [3, 5])
    let time = all[2].timestamp
    #expect(try select(#Predicate { $0.timestamp <= time }).contains(3))
    #expect(try select(#Predicate { $0.storeIdentifier == store && $0.bundleIdentifier != "x" }).count == 5)
    #expect(try select(#Predicate { $0.storeIdentifier == "other" }) == [])
    let process = all[0].processIdentifier
    #expect(try select(#Predicate { $0.processIdentifier == process }).count == 5)
    let elsewhere = DefaultHistoryToken(["other": 1])
    #expect(try select(#Predicate { $0.token > elsewhere }) == [])
  }

  @Test func `transactions are selected by what they changed`() throws {
    let performer = try #require(try context.fetch(FetchDescriptor<Performer>(sortBy: [SortDescriptor(\.name)])).first)
    context.insert(Song("sixth"))
    try context.save()
    performer.name = "renamed"
    try context.save()
    context.delete(performer)
    try context.save()
    let numbers = { [context] (predicate: Predicate<DefaultHistoryTransaction>) in
      let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      let found = try context.fetchHistory(HistoryDescriptor(predicate: predicate)).map(\.transactionIdentifier)
      #expect(found == (try all.filter { try predicate.evaluate($0) }.map(\.transactionIdentifier)))
      return found
    }
    let (one, other) = (all[0].changes[0].changedPersistentIdentifier, all[1].changes[0].changedPersistentIdentifier)
    let name = "Song"
    #expect(
      try numbers(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == name } }) == [6])
    #expect(try numbers(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier == one } }) == [1, 7, 8])
    let both = [one, other]
    #expect(
      try numbers(#Predicate { $0.changes.contains { both.contains($0.changedPersistentIdentifier) } })
        == [1, 2, 7, 8])
    #expect(try numbers(#Predicate { $0.changes.count == 1 && $0.author == nil }).count == 5)
    let elsewhere = "elsewhere"
    #expect(
      try numbers(#Predicate { $0.changes.contains { $0.changedPersistentIdentifier.storeIdentifier == elsewhere } })
        == [])
    #expect(
      try numbers(#Predicate { $0.changes.allSatisfy { $0.changedPersistentIdentifier != other } })
        == [1, 3, 4, 5, 6, 7, 8])
  }

  @Test func `transactions are selected by several predicates`() throws {
    let (first, third) = (all[0].token, all[2].token)
    let (after, own) = (
      #Predicate<DefaultHistoryTransaction> { $0.token > first },
      #Predicate<DefaultHistoryTransaction> { $0.author == "app" }
    )
    #expect(try select(Predicate(all: [after, own])) == [2, 4])
    #expect(try select(Predicate(any: [after, own])) == [2, 3, 4, 5])
    try context.deleteHistory(HistoryDescriptor(predicate: #Predicate<DefaultHistoryTransaction> { $0.token < third }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(HistoryDescriptor(predicate: Predicate(all: [own, after])))
    }
  }

  @Test func `generic code over transactions builds the same condition`() throws {
    func after<Transaction: HistoryTransaction>(_ token: Transaction.TokenType) -> Predicate<Transaction>
    where Transaction.TokenType: Codable { #Predicate<Transaction> { $0.token > token && $0.author == nil } }
    #expect(try select(after(all[0].token)) == [5])
  }

  @Test func `transactions are fetched in the requested order`() throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.sortBy = [SortDescriptor(\.author, order: .reverse), SortDescriptor(\.token)]
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [3, 2, 4, 1, 5])
    descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [5, 4])
  }

  @Test func `a fetch after a token is refused where a later transaction was deleted`() throws {
    let (first, second, third) = (all[0].token, all[1].token, all[2].token)
    try context.deleteHistory(HistoryDescriptor(predicate: #Predicate<DefaultHistoryTransaction> { $0.token < third }))
    let after = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first })
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.fetchHistory(after) }
    let both = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.author == nil && first < $0.token })
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.fetchHistory(both) }
    let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > second })
    #expect(try context.fetchHistory(later).map(\.transactionIdentifier) == [3, 4, 5])
  }
}
