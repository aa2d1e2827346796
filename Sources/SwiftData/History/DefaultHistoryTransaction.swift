// SPDX-License-Identifier: MIT

/// One save of a default store.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// Transactions of a store are numbered.
  public typealias TransactionIdentifier = Int64
  /// The type of `token`.
  public typealias TokenType = DefaultHistoryToken
  /// The type of `id`.
  public typealias ID = Int64

  /// When the transaction was saved.
  public let timestamp: Date
  /// The inserts, updates and deletes, in the order in which they were written.
  public let changes: [HistoryChange]
  /// A history fetch after this token begins with the next transaction.
  public let token: DefaultHistoryToken
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The UUID of the store.
  public let storeIdentifier: String
  /// The bundle of the program that saved; empty where none is recorded.
  public let bundleIdentifier: String
  /// The name of the process that saved; empty where none is recorded.
  public let processIdentifier: String
  /// The author that the context had; nil for none.
  public let author: String?

  /// The number of the transaction.
  public var id: Int64 { transactionIdentifier }

  /// Transactions are equal when store, number and time are equal.
  public static func == (left: DefaultHistoryTransaction, right: DefaultHistoryTransaction) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
      && left.timestamp == right.timestamp
  }

  /// Hashes the store and the number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}

/// A change of a default store, which its number and its object identify.
private protocol NumberedChange {
  var changeIdentifier: Int64 { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

extension NumberedChange {
  fileprivate var key: ChangeKey { ChangeKey(number: changeIdentifier, object: changedPersistentIdentifier) }
}

private struct ChangeKey: Hashable {
  let number: Int64
  let object: PersistentIdentifier
}

/// The insert of one object into a default store.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, NumberedChange {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of the transaction.
  public let transactionIdentifier: Int64
  /// The inserted object.
  public let changedPersistentIdentifier: PersistentIdentifier

  /// Changes are equal when number and object are equal.
  public static func == (left: DefaultHistoryInsert, right: DefaultHistoryInsert) -> Bool { left.key == right.key }

  /// Hashes the number and the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The update of one object in a default store.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, NumberedChange, @unchecked Sendable {
  // Unchecked: key paths of properties are immutable.

  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of the transaction.
  public let transactionIdentifier: Int64
  /// The updated object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that were written, relationships included.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

  /// Whether a property was written; also one that a superclass declares.
  public func containsAttribute(_ attribute: PartialKeyPath<Model>) -> Bool {
    let type = ModelType.of(Model.self)
    guard let index = type.index(of: attribute) else { return false }
    return updatedAttributes.contains { type.index(of: $0) == index }
  }

  /// Changes are equal when number and object are equal.
  public static func == (left: DefaultHistoryUpdate, right: DefaultHistoryUpdate) -> Bool { left.key == right.key }

  /// Hashes the number and the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The delete of one object from a default store.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, NumberedChange {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of the transaction.
  public let transactionIdentifier: Int64
  /// The deleted object.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values of the attributes that are preserved on deletion.
  public let tombstone: HistoryTombstone<Model>

  /// Changes are equal when number and object are equal.
  public static func == (left: DefaultHistoryDelete, right: DefaultHistoryDelete) -> Bool { left.key == right.key }

  /// Hashes the number and the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
