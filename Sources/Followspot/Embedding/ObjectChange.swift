// SPDX-License-Identifier: MIT

public import FoundationEssentials
internal import Store

/// A change of an object that a query or an identifier selects.
public struct ObjectChange: Sendable {
  /// What happened to the object: `.insert`, `.update` or `.delete`.
  public let kind: RecordChange.Kind
  /// The object's identifier, as `SearchHit.id`.
  public let id: String
  /// The name of the object's entity.
  public let entityName: String
  /// The present title, or the preserved one of a deleted object; empty if there is none.
  public let title: String
  /// The names of the updated properties; empty if they are not known.
  public let updated: [String]
  /// The preserved attributes of a deleted object, by name.
  public let preserved: [String: AttributeValue]
}

/// The transactions that changed some objects.
public struct ChangeLog: Sendable {
  /// A transaction with those of its changes that concern the objects.
  public struct Transaction: Sendable {
    /// The name of the store in its group; nil if one store was asked.
    public let store: String?
    /// The number of the transaction.
    public let number: Int64
    /// When it was saved, by the clock of the process that saved.
    public let date: Date
    /// The author; nil if it has none.
    public let author: String?
    /// The changes, in their order.
    public let changes: [ObjectChange]
  }

  /// How far the log of a store goes.
  public struct Store: Hashable, Sendable {
    /// The name of the store in its group; nil if one store was asked.
    public let name: String?
    /// The newest transaction.
    public let token: Int64
    /// The first ranges of transactions that are not in the history any more.
    public let missing: [ClosedRange<Int64>]
  }

  /// The transactions, oldest first unless the newest were asked for first. Those of several stores are in the order of their
  /// times.
  public let transactions: [Transaction]
  /// The number of selected objects.
  public let objects: Int
  /// The only store, or those of the group that keep a history.
  public let stores: [Store]
  /// The stores of the group that do not answer, with the reasons, by name.
  public let missingStores: [String: String]
  /// The newest transaction of the only store.
  public var token: Int64 { stores.first?.token ?? 0 }
  /// `missing` of the only store.
  public var missing: [ClosedRange<Int64>] { stores.first?.missing ?? [] }
}

/// What the transactions of a range did to some objects, as a whole.
public struct ChangeSummary: Sendable {
  /// What happened to one object.
  public struct Change: Sendable {
    /// The name of the store in its group; nil if one store was asked.
    public let store: String?
    /// An object that was inserted and then updated is an insert.
    public let change: ObjectChange
    /// The transaction that inserted the object, or the last one of the range that changed or deleted it.
    public let transaction: Int64
    /// The author of that transaction; nil if it has none.
    public let author: String?
    /// The number of transactions of the range that changed the object.
    public let transactions: Int
  }

  /// The transactions of a store that were compared.
  public struct Range: Hashable, Sendable {
    /// The name of the store in its group; nil if one store was asked.
    public let store: String?
    /// The range begins after this transaction.
    public let from: Int64
    /// The last transaction of the range.
    public let to: Int64
  }

  /// Of the only store, or of those of the group that keep a history.
  public let ranges: [Range]
  /// Inserts, then updates, then deletes; each by store, transaction and identifier.
  public let changes: [Change]
  /// The stores of the group that do not answer, with the reasons, by name.
  public let missingStores: [String: String]
  /// `from` of the only store.
  public var from: Int64 { ranges.first?.from ?? 0 }
  /// `to` of the only store.
  public var to: Int64 { ranges.first?.to ?? 0 }
}

extension ObjectChange {
  init(_ change: HitChange) {
    kind = RecordChange.Kind(change.kind)
    (id, entityName) = (change.identifier.uri, change.identifier.entityName)
    (title, updated) = (change.title, change.updated)
    preserved = change.entity.preservedFields(change.tombstone)
  }
}

extension RecordChange.Kind {
  init(_ kind: ChangeKind) {
    self =
      switch kind {
      case .insert: .insert
      case .update: .update
      case .delete: .delete
      }
  }
}
