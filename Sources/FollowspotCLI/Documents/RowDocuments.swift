// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import SearchIndex
internal import Store

/// A value of a row, written by the type of its attribute.
struct StoredValue: JSONValue {
  let value: Value
  let type: AttributeType

  init(_ value: Value, as type: AttributeType) { (self.value, self.type) = (value, type) }

  func write(to json: inout JSONWriter) { json.value(value, as: type) }
}

extension JSONFragment {
  /// The attributes of a row.
  ///
  /// - Parameter attributes: The indexes of some attributes; nil for all.
  static func row(
    _ values: [SQLite.Value], of entity: EntityLayout, only attributes: [Int]? = nil
  ) -> JSONFragment {
    JSONFragment { json in json.object { $0.members(values, of: entity, only: attributes) } }
  }
}

extension JSONObject {
  /// The attributes of a row.
  init(_ values: [SQLite.Value], of entity: EntityLayout) {
    self.init(
      members: zip(entity.entity.attributes, values).map { ($0.name, StoredValue($1, as: $0.type)) })
  }

  /// The values that the history keeps of a deleted record.
  init(tombstone values: [SQLite.Value], of entity: EntityLayout) {
    self.init(
      members: zip(entity.tombstoneOrder, values).map { index, value in
        let attribute = entity.entity.attributes[index]
        return (attribute.name, StoredValue(value, as: attribute.type))
      })
  }

  /// The related records by relationship.
  init(relatedTo key: Int64, of entity: EntityLayout, in store: PersistentStore) throws {
    self.init(
      members: try entity.relationships.map { relationship in
        let uris = try store.targets(of: relationship, from: key).map { try store.identifier(of: $0).uri }
        return (relationship.name, relationship.description.isToMany ? uris : uris.first)
      })
  }

  /// When, by whom and in which transaction a record was deleted.
  init(_ deletion: StoredDeletion) {
    self = [
      "timestamp": DateText.formatTime(secondsSince1970: deletion.secondsSince1970), "author": deletion.author,
      "transaction": deletion.transaction,
    ]
  }
}

extension EntityLayout {
  /// The attributes whose values the history preserves on deletion, in the order of the model.
  var preserved: [Int] { tombstoneOrder.sorted() }
}
