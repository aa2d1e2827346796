// SPDX-License-Identifier: MIT

internal import Store

/// Selects the transactions that an observer reports.
struct TransactionFilter {
  /// Empty for all.
  let types: [ModelType]
  /// Empty for all.
  let authors: Set<String>

  /// - Returns: nil for a store that keeps no history.
  func search(of store: any DataStore, after token: (any HistoryToken)?) throws -> (any TransactionSearch)? {
    if let store = store as? any RowStore {
      let session = try store.session()
      guard session.keepsHistory else { return nil }
      return try RowTransactionSearch(session, after: token as? DefaultHistoryToken, self)
    }
    func provided<Store: HistoryProviding>(_ store: Store) throws -> any TransactionSearch {
      try ProvidedTransactionSearch(store, after: token, self)
    }
    return try (store as? any HistoryProviding).map { try provided($0) }
  }
}

/// Looks for new transactions of one store.
protocol TransactionSearch: AnyObject {
  /// - Returns: Whether there are selected transactions since the last call.
  func findNew() throws -> Bool
}

private final class RowTransactionSearch: TransactionSearch {
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

  func findNew() throws -> Bool {
    try session.withStore { store in
      try store.withSnapshot {
        let newest = try store.newest()
        guard newest > seen else { return false }
        let found = try store.countTransactions(after: seen, where: condition)
        // Transactions that were deleted unseen are reported: a fetch of them throws `historyTokenExpired`.
        let isGone = found.all < Int(newest - seen)
        seen = newest
        return found.matching > 0 || isGone
      }
    }
  }
}

/// The history of a custom store.
private final class ProvidedTransactionSearch<Store: HistoryProviding>: TransactionSearch {
  private let store: Store
  private let filter: TransactionFilter
  private var seen: Store.HistoryType.TokenType?

  init(_ store: Store, after token: (any HistoryToken)?, _ filter: TransactionFilter) throws {
    self.store = store
    self.filter = filter
    seen = try token as? Store.HistoryType.TokenType ?? store.fetchHistory(HistoryDescriptor()).map(\.token).max()
  }

  func findNew() throws -> Bool {
    let fresh = try store.fetchHistory(HistoryDescriptor()).filter { transaction in
      seen.map { transaction.token > $0 } ?? true
    }
    seen = fresh.map(\.token).max() ?? seen
    return fresh.contains(where: matches)
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
