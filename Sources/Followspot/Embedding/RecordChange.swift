// SPDX-License-Identifier: MIT

public import FoundationEssentials
internal import SQLite
internal import Store

/// One change of one object in the feed of a store, with the present state of the object.
public struct RecordChange: Sendable {
  /// What happened to the object.
  public enum Kind: String, Sendable {
    /// The object existed when the feed began.
    case existing
    /// The object was inserted.
    case insert
    /// The object was updated.
    case update
    /// The object was deleted.
    case delete
  }

  /// What happened to the object.
  public let kind: Kind
  /// The object's identifier, as `SearchHit.id`.
  public let id: String
  /// The name of the object's entity.
  public let entityName: String
  /// Where a reader continues that has handled this change; nil for objects that existed when the feed began, except the
  /// last of them.
  public let position: ChangePosition?
  /// The number of the transaction that made the change.
  public let transaction: Int64
  /// The author of the transaction; nil if it has none, or for an object that existed.
  public let author: String?
  /// When the transaction was saved, by the clock of the process that saved; nil for an object that existed.
  public let date: Date?
  /// The names of the updated properties; empty if they are not known.
  public let updated: [String]
  /// The present attributes that have a value, by name; nil if the object does not exist any more.
  public let fields: [String: AttributeValue]?
  /// The preserved attributes of a deleted object, by name.
  public let preserved: [String: AttributeValue]
}

/// How far a reader of the changes of a store has read. It can be stored as text.
public struct ChangePosition: Hashable, Codable, RawRepresentable, Sendable, CustomStringConvertible {
  /// The position as text, as `followspot feed` prints it.
  public let rawValue: String

  var position: FeedPosition { FeedPosition(rawValue) ?? FeedPosition(transaction: 0) }

  /// - Parameter rawValue: What `rawValue` gave, or the number of a transaction. nil is returned for other text.
  public init?(rawValue: String) {
    guard let position = FeedPosition(rawValue) else { return nil }
    self.init(position)
  }

  /// The position after all changes of a transaction; 0 is that before the first one.
  public init(after transaction: Int64) { self.init(FeedPosition(transaction: max(0, transaction))) }

  init(_ position: FeedPosition) { rawValue = position.description }

  /// The text.
  public var description: String { rawValue }
}

extension RecordChange {
  init(_ event: FeedEvent) {
    kind =
      switch event.change {
      case nil: .existing
      case .insert?: .insert
      case .update?: .update
      case .delete?: .delete
      }
    (id, entityName) = (event.identifier.uri, event.identifier.entityName)
    position = event.position.map(ChangePosition.init)
    (transaction, author, updated) = (event.transaction, event.author, event.updated)
    date = event.secondsSince1970.map { Date(timeIntervalSince1970: $0) }
    fields = event.values.map(event.entity.fields)
    preserved = event.entity.preservedFields(event.tombstone)
  }
}

extension EntityLayout {
  /// The preserved attributes that have a value, by name.
  ///
  /// - Parameter tombstone: By `tombstoneOrder`.
  func preservedFields(_ tombstone: [Value]) -> [String: AttributeValue] {
    let known = zip(tombstoneOrder, tombstone).compactMap { index, value in
      AttributeValue(value, as: entity.attributes[index].type).map { (entity.attributes[index].name, $0) }
    }
    return Dictionary(uniqueKeysWithValues: known)
  }
}
