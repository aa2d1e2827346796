// SPDX-License-Identifier: MIT

extension ModelContext {
  /// The transactions that the descriptor selects, sorted by `sortBy`; defaults to the order of saving in each store.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` where a transaction after the token at which the predicate
  ///   begins was deleted, `.invalidTransactionFetchRequest` where no store keeps a history of transactions of that type,
  ///   `.unsupportedPredicate` for a predicate without SQL.
  public func fetchHistory<Transaction: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<Transaction>
  ) throws -> [Transaction] {
    var found: [Transaction] = []
    var isServed = false
    var unrecorded: StoreSession?
    for (index, store) in container.stores.enumerated() {
      if case .rows(let session) = try access(index) {
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { continue }
        guard session.keepsHistory else {
          unrecorded = session
          continue
        }
        isServed = true
        try session.refuseOutdated()
        found += try HistoryReader(session: session).transactions(descriptor) as! [Transaction]
      } else if let store = store as? any HistoryProviding, let transactions = try Self.history(of: store, descriptor) {
        isServed = true
        found += transactions
      }
    }
    if !isServed { try unrecorded?.refuseUnrecorded() }
    try refuseUnserved(isServed, Transaction.self)
    guard container.stores.count > 1 else { return found }
    found = ObjectOrder(descriptor.sortBy).sorted(found)
    return descriptor.fetchLimit > 0 ? Array(found.prefix(Int(clamping: descriptor.fetchLimit))) : found
  }

  /// Deletes the transactions that the descriptor selects, even if a reader has not read them yet.
  ///
  /// A later fetch from a token after which a transaction was deleted throws `historyTokenExpired`.
  public func deleteHistory<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws {
    var isServed = false
    for (index, store) in container.stores.enumerated() {
      if case .rows(let session) = try access(index) {
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { continue }
        isServed = true
        try session.refuseReadOnly()
        try session.refuseOutdated(.saving)
        try HistoryReader(session: session).delete(descriptor)
      } else if let store = store as? any HistoryProviding, try Self.deleteHistory(of: store, descriptor) {
        isServed = true
      }
    }
    try refuseUnserved(isServed, Transaction.self)
  }

  private func refuseUnserved<Transaction>(_ isServed: Bool, _ type: Transaction.Type) throws {
    guard !isServed else { return }
    throw SwiftDataError(
      .invalidTransactionFetchRequest,
      "no store of the container keeps transactions of type \(type): ask for DefaultHistoryTransaction")
  }

  private static func history<Store: HistoryProviding, Transaction>(
    of store: Store, _ descriptor: HistoryDescriptor<Transaction>
  ) throws -> [Transaction]? {
    try (descriptor as? HistoryDescriptor<Store.HistoryType>).flatMap { try store.fetchHistory($0) as? [Transaction] }
  }

  private static func deleteHistory<Store: HistoryProviding, Transaction>(
    of store: Store, _ descriptor: HistoryDescriptor<Transaction>
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else { return false }
    try store.deleteHistory(descriptor)
    return true
  }
}
