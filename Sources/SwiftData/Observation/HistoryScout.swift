// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

/// Selects the transactions that an observer counts.
struct HistoryInterest {
  /// Empty for all.
  let types: [ModelType]
  /// Empty for all.
  let authors: Set<String>
}

/// Counts the transactions of one store, each once.
protocol HistoryScout: AnyObject {
  /// - Returns: How many of the transactions since the last call count.
  func advance() throws -> Int
}

/// - Returns: nil for a store that keeps no history.
func makeScout(
  of store: any DataStore, after token: (any HistoryToken)?, _ interest: HistoryInterest
) throws -> (any HistoryScout)? {
  if let store = store as? any RowStore {
    let session = try store.session()
    guard session.keepsHistory else { return nil }
    return try RowHistoryScout(session, after: token as? DefaultHistoryToken, interest)
  }
  func scout<Store: HistoryProviding>(_ store: Store) throws -> any HistoryScout {
    try ProvidedHistoryScout(store, after: token, interest)
  }
  return try (store as? any HistoryProviding).map { try scout($0) }
}

private final class RowHistoryScout: HistoryScout {
  private let session: StoreSession
  private let condition: HistoryCondition
  private var seen: Int64

  init(_ session: StoreSession, after token: DefaultHistoryToken?, _ interest: HistoryInterest) throws {
    self.session = session
    condition = Self.condition(interest, session)
    let newest = session.seen
    guard let number = token?.number(of: session.identifier) else {
      seen = newest
      return
    }
    // A store that was restored may be older than the token: what it saves from now on counts.
    seen = min(number, newest)
    let found = try session.withStore { try $0.countTransactions(after: number, where: .all).all }
    guard number >= newest || found == Int(newest - number) else {
      throw SwiftDataError(
        .historyTokenExpired,
        "history after token \(number) was deleted: read the objects anew, and begin at the newest token")
    }
  }

  private static func condition(_ interest: HistoryInterest, _ session: StoreSession) -> HistoryCondition {
    let numbers = interest.types.flatMap { session.binding.family(of: $0).map(\.entity.number) }
    return HistoryCondition(authors: interest.authors, entities: interest.types.isEmpty ? nil : Set(numbers))
  }

  func advance() throws -> Int {
    try session.withStore { store in
      try store.withSnapshot {
        let newest = try store.newest()
        guard newest > seen else { return 0 }
        let found = try store.countTransactions(after: seen, where: condition)
        // Transactions that were deleted unseen count: whoever fetches them is told that they are gone.
        let gone = Int(newest - seen) - found.all
        seen = newest
        return found.matching + gone
      }
    }
  }
}

/// The history of a custom store.
private final class ProvidedHistoryScout<Store: HistoryProviding>: HistoryScout {
  private let store: Store
  private let interest: HistoryInterest
  private var seen: Store.HistoryType.TokenType?

  init(_ store: Store, after token: (any HistoryToken)?, _ interest: HistoryInterest) throws {
    self.store = store
    self.interest = interest
    seen = try token as? Store.HistoryType.TokenType ?? store.fetchHistory(HistoryDescriptor()).map(\.token).max()
  }

  func advance() throws -> Int {
    let fresh = try store.fetchHistory(HistoryDescriptor()).filter { transaction in
      seen.map { transaction.token > $0 } ?? true
    }
    seen = fresh.map(\.token).max() ?? seen
    return fresh.count(where: matches)
  }

  private func matches(_ transaction: Store.HistoryType) -> Bool {
    guard interest.authors.isEmpty || transaction.author.map(interest.authors.contains) ?? false else { return false }
    return interest.types.isEmpty
      || transaction.changes.contains { change in
        guard let type = ModelType.named(change.changedPersistentIdentifier.entityName) else { return false }
        return interest.types.contains { $0.includes(type) }
      }
  }
}
