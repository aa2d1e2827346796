// SPDX-License-Identifier: MIT

/// One save.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of `token`.
  associatedtype TokenType: Comparable & Hashable & Identifiable & Sendable
  /// The type of `transactionIdentifier`.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// When the transaction was saved.
  var timestamp: Date { get }
  /// In the order in which they were written.
  var changes: [HistoryChange] { get }
  /// A history fetch after this token begins with the next transaction.
  var token: TokenType { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// The author that the context had; nil for none.
  var author: String? { get }
}

/// What one save did to one object. Cast the payload to `DefaultHistoryInsert<Model>` and so on.
public enum HistoryChange: Sendable {
  /// An object was inserted.
  case insert(any HistoryInsert)
  /// An object was updated.
  case update(any HistoryUpdate)
  /// An object was deleted.
  case delete(any HistoryDelete)

  /// The object that was inserted, updated or deleted.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// The insert of one object.
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of `transactionIdentifier`.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// The type of `changeIdentifier`.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable

  /// Identifies the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The inserted object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The update of one object.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of `transactionIdentifier`.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// The type of `changeIdentifier`.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  /// The type of a key path in `updatedAttributes`.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// Identifies the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The updated object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that were written, relationships included.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// The delete of one object.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of `transactionIdentifier`.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// The type of `changeIdentifier`.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable

  /// Identifies the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The deleted object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values of the attributes that are preserved on deletion.
  var tombstone: HistoryTombstone<Model> { get }
}

/// A position in a store's history.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of `tokenValue`.
  associatedtype TokenType: Codable & Hashable & Sendable

  /// The token's content; nil for a token without one.
  var tokenValue: TokenType? { get }
  /// The identifier of the store; empty for a type of token that does not name one.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// Empty: types of tokens that were written for the releases before 2026 do not name a store.
  public var storeIdentifier: String { "" }
}

/// A store that keeps a history.
public protocol HistoryProviding {
  /// The type of the store's transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions.
  static var historyType: HistoryType.Type { get }
  /// The transactions that the descriptor selects.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Deletes the transactions that the descriptor selects.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

/// Selects the transactions to fetch or delete.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// Selects transactions; nil for all.
  public var predicate: Predicate<TransactionType>?
  /// The maximum number of transactions (0 = all).
  public var fetchLimit: UInt64 = 0
  /// Empty for the order in which they were saved.
  public var sortBy: [SortDescriptor<TransactionType>] = []

  /// Selects transactions by a predicate, in the order in which they were saved.
  public init(predicate: Predicate<TransactionType>? = nil) { self.predicate = predicate }

  /// Selects transactions by a predicate, and sorts them.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
