// SPDX-License-Identifier: MIT

/// The history of the default store, as that of any other store.
extension DefaultStore: HistoryProviding {
  /// The type of the store's history tokens.
  public typealias TokenType = DefaultHistoryToken
  /// The type of the store's transactions.
  public typealias HistoryType = DefaultHistoryTransaction

  /// The type of the store's transactions.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// The transactions that the descriptor selects, as `ModelContext.fetchHistory(_:)`.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try context(EditingState(id: UUID())).fetchHistory(descriptor)
  }

  /// Deletes the transactions that the descriptor selects, as `ModelContext.deleteHistory(_:)`.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try context(EditingState(id: UUID())).deleteHistory(descriptor)
  }
}
