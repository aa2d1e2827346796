// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import StoreModel

/// Selects the transactions that an observer counts.
struct TransactionFilter {
  /// Empty for all.
  let types: [ModelType]
  /// Empty for all.
  let authors: Set<String>

  /// - Returns: nil for a store that keeps no history.
  func counter(of store: any DataStore, after token: (any HistoryToken)?) throws -> (any TransactionCounter)? {
    if let store = store as? any RowStore {
      let session = try store.session()
      guard session.keepsHistory else { return nil }
      return try RowTransactionCounter(session, after: token as? DefaultHistoryToken, self)
    }
    func provided<Store: HistoryProviding>(_ store: Store) throws -> any TransactionCounter {
      try ProvidedTransactionCounter(store, after: token, self)
    }
    return try (store as? any HistoryProviding).map { try provided($0) }
  }
}

/// Counts the transactions of one store, each once.
protocol TransactionCounter: AnyObject {
  /// - Returns: The number of selected transactions since the last call.
  func countNew() throws -> Int
}

private final class RowTransactionCounter: TransactionCounter {
  private let session: StoreSession
  private let condition: HistoryCondition
  private var seen: Int64

  init(_ session: StoreSession, after token: DefaultHistoryToken?, _ filter: TransactionFilter) throws {
    self.session = session
    condition = Self.condition(filter, session)
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

  private static func condition(_ filter: TransactionFilter, _ session: StoreSession) -> HistoryCondition {
    let numbers = filter.types.flatMap { session.binding.family(of: $0).map(\.entity.number) }
    return HistoryCondition(authors: filter.authors, entities: filter.types.isEmpty ? nil : Set(numbers))
  }

  func countNew() throws -> Int {
    try session.withStore { store in
      try store.withSnapshot {
        let newest = try store.newest()
        guard newest > seen else { return 0 }
        let found = try store.countTransactions(after: seen, where: condition)
        // Transactions that were deleted unseen count: a fetch of them throws `historyTokenExpired`.
        let gone = Int(newest - seen) - found.all
        seen = newest
        return found.matching + gone
      }
    }
  }
}

/// The history of a custom store.
private final class ProvidedTransactionCounter<Store: HistoryProviding>: TransactionCounter {
  private let store: Store
  private let filter: TransactionFilter
  private var seen: Store.HistoryType.TokenType?

  init(_ store: Store, after token: (any HistoryToken)?, _ filter: TransactionFilter) throws {
    self.store = store
    self.filter = filter
    seen = try token as? Store.HistoryType.TokenType ?? store.fetchHistory(HistoryDescriptor()).map(\.token).max()
  }

  func countNew() throws -> Int {
    let fresh = try store.fetchHistory(HistoryDescriptor()).filter { transaction in
      seen.map { transaction.token > $0 } ?? true
    }
    seen = fresh.map(\.token).max() ?? seen
    return fresh.count(where: matches)
  }

  private func matches(_ transaction: Store.HistoryType) -> Bool {
    guard filter.authors.isEmpty || transaction.author.map(filter.authors.contains) ?? false else { return false }
    return filter.types.isEmpty
      || transaction.changes.contains { change in
        guard let type = ModelType.named(change.changedPersistentIdentifier.entityName) else { return false }
        return filter.types.contains { $0.includes(type) }
      }
  }
}
