// SPDX-License-Identifier: MIT

import Testing

@testable import SwiftData

/// What a context tells of a store's history.
@Suite(.everyStore) struct HistoryTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Film.self)
    context = ModelContext(container)
  }

  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  /// Five saves: two inserts, an update, a delete, an insert; the authors A and B in turn.
  private func fill() throws -> [DefaultHistoryTransaction] {
    let up = Film("Up", year: 2009)
    let down = Film("Down", year: 1)
    func save(_ author: String?, _ change: () -> Void) throws {
      context.author = author
      change()
      try context.save()
    }
    try save("A") { context.insert(up) }
    try save("B") { context.insert(down) }
    try save("A") {
      up.year = 2010
      up.rating = .parental
    }
    try save("B") { context.delete(down) }
    try save(nil) { context.insert(Film("Side", year: 3)) }
    return try context.fetchHistory(Descriptor())
  }

  private func numbers(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [Int64] {
    try context.fetchHistory(descriptor).map(\.transactionIdentifier)
  }

  // MARK: Reading

  @Test func `a default store gives and deletes its own history`() throws {
    func provide<Store: HistoryProviding>(_ store: Store) throws -> [Store.HistoryType] {
      #expect(Store.historyType == DefaultHistoryTransaction.self)
      return try store.fetchHistory(HistoryDescriptor<Store.HistoryType>())
    }
    let expected = try fill()
    let store = try #require(container.stores.first as? DefaultStore)
    #expect(try provide(store) == expected)
    #expect(store.name == container.configurations.first?.name)
    let token: DefaultStore.TokenType = expected[2].token
    let later = Descriptor(predicate: #Predicate { $0.token > token })
    #expect(try store.fetchHistory(later).map(\.transactionIdentifier) == [4, 5])
    try store.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= token }))
    #expect(try numbers(Descriptor()) == [4, 5])
  }

  @Test func `an update contains the properties of a superclass`() throws {
    let context = ModelContext(try newContainer(Medium.self, Disc.self, Tape.self, Owner.self))
    let disc = Disc(name: "one", sides: 1)
    context.insert(disc)
    try context.save()
    disc.name = "two"
    try context.save()
    let changes = try context.fetchHistory(Descriptor()).last?.changes ?? []
    guard case .update(let update as DefaultHistoryUpdate<Disc>) = changes.first else {
      Issue.record("no update of a disc: \(changes)")
      return
    }
    #expect(update.containsAttribute(\.name) && !update.containsAttribute(\.sides))
  }

  @Test func `transactions are fetched in the order of their saves, with their changes`() throws {
    let history = try fill()
    #expect(history.map(\.author) == ["A", "B", "A", "B", nil])
    #expect(history.map(\.transactionIdentifier) == [1, 2, 3, 4, 5])
    #expect(history.map(\.id) == [1, 2, 3, 4, 5])
    #expect(zip(history, history.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp && $0.token < $1.token })
    #expect(Set(history.map(\.storeIdentifier)) == [container.storeIdentifier(forConfigurationNamed: "default")])
    guard case .update(let update as DefaultHistoryUpdate<Film>) = history[2].changes[0] else {
      Issue.record("no update of a film: \(history[2].changes)")
      return
    }
    #expect(update.updatedAttributes.contains(\.year))
    #expect(update.updatedAttributes.contains(\.rating))
    #expect(!update.updatedAttributes.contains(\.title))
    #expect(update.updatedAttributes.count == 2)
    #expect(update.containsAttribute(\.year) && update.containsAttribute(\.rating))
    #expect(!update.containsAttribute(\.title) && !update.containsAttribute(\.note))
    guard case .delete(let delete as DefaultHistoryDelete<Film>) = history[3].changes[0] else {
      Issue.record("no delete of a film: \(history[3].changes)")
      return
    }
    #expect(delete.tombstone[\.title] as? String == "Down")
    #expect(delete.tombstone[\.year] == nil)
    #expect(delete.tombstone.map { "\($0)" } == ["Down"])
  }

  @Test func `predicates on token, author and time select transactions`() throws {
    let history = try fill()
    let (second, fourth) = (history[1].token, history[3].token)
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > second })) == [3, 4, 5])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token <= second })) == [1, 2])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > second && $0.token < fourth })) == [3])
    let author = "A"
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > second && $0.author == author })) == [3])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.author == nil })) == [5])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.author != author })) == [2, 4, 5])
    let time = history[2].timestamp
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.timestamp >= time })) == [3, 4, 5])
    let number: Int64 = 4
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.transactionIdentifier == number })) == [4])
  }

  @Test func `a fetch limit returns the first transactions, and sort descriptors order them`() throws {
    _ = try fill()
    var descriptor = Descriptor()
    descriptor.fetchLimit = 2
    #expect(try numbers(descriptor) == [1, 2])
    descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
    #expect(try numbers(descriptor) == [5, 4])
  }

  // MARK: Tokens

  @Test func `a token that was coded as JSON still marks the same position`() throws {
    let history = try fill()
    let data = try JSONEncoder().encode(history[2].token)
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    #expect(token == history[2].token)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text == #"{"storeTokens":{"\#(history[2].storeIdentifier)":3}}"#)
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > token })) == [4, 5])
  }

  @Test func `a token at the end finds nothing until the next save`() throws {
    let token = try #require(try fill().last).token
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > token })) == [])
    context.insert(Film("More", year: 1))
    try context.save()
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > token })) == [6])
  }

  @Test func `a token after which a transaction was deleted has expired, and no other`() throws {
    let history = try fill()
    let (first, second, third, fourth) = (history[0].token, history[1].token, history[2].token, history[3].token)
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token == third }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > second }))
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { third <= $0.token && $0.author != nil }))
    }
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > third })) == [4, 5])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token >= fourth })) == [4, 5])
    #expect(try numbers(Descriptor(predicate: #Predicate { $0.token > first && $0.token < third })) == [2])
    var page = Descriptor(predicate: #Predicate { $0.token > first })
    page.fetchLimit = 1
    #expect(try numbers(page) == [2])
    page.fetchLimit = 2
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.fetchHistory(page) }
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= second }))
    #expect(try numbers(Descriptor()) == [4, 5])
    do {
      _ = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > second }))
    } catch SwiftDataError.historyTokenExpired {
    } catch {
      Issue.record("another error: \(error)")
    }
  }

  @Test func `deleting the history leaves the objects and the numbers`() throws {
    _ = try fill()
    try context.deleteHistory(Descriptor())
    #expect(try numbers(Descriptor()) == [])
    #expect(try context.fetchCount(FetchDescriptor<Film>()) == 2)
    context.insert(Film("More", year: 1))
    try context.save()
    #expect(try numbers(Descriptor()) == [6])
  }

  @Test func `a predicate that has no SQL is refused`() throws {
    _ = try fill()
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetchHistory(
        Descriptor(predicate: #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.isTemporary } }))
    }
  }

  // MARK: Several stores

  @Test func `transactions of several stores are fetched together, each with its own token`() throws {
    let container = try ModelContainer(
      for: Schema([Film.self, Note.self]),
      configurations: [
        newConfiguration("films", Schema([Film.self])), newConfiguration("notes", Schema([Note.self])),
      ])
    let context = ModelContext(container)
    context.insert(Film("Up", year: 2009))
    context.insert(Note("Seen", stars: 4))
    try context.save()
    context.insert(Note("Again", stars: 4))
    try context.save()
    let history = try context.fetchHistory(Descriptor())
    #expect(history.count == 3)
    let notes = try #require(container.storeIdentifier(forConfigurationNamed: "notes"))
    let token = try #require(history.first { $0.storeIdentifier == notes }).token
    let later = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
    #expect(later.map(\.storeIdentifier) == [notes])
    #expect(later.map(\.transactionIdentifier) == [2])
  }
}
