// SPDX-License-Identifier: MIT

package import SQLite
package import Store

/// The content of a store by names, without numbers of entities, columns or bitmaps.
package struct StoreGraph: Equatable {
  package struct Change: Equatable {
    package var transaction: Int64
    package var kind: ChangeKind
    package var entity: String
    package var key: Int64
    /// Of updates; nil where the bitmap tells none.
    package var properties: Set<String>?
    /// Of deletes, preserved attributes that hold a value.
    package var tombstone: [String: String] = [:]
  }

  /// Properties by `Entity/p1`: the value of an attribute, the objects of a relationship.
  package var objects: [String: [String: [String]]] = [:]
  package var changes: [Change] = []
  /// Number, stamp and author.
  package var transactions: [String] = []

  package init(_ store: PersistentStore) throws {
    for row in try store.allRows() {
      guard let entity = store.layout.entity(number: row.entity) else { continue }
      var properties: [String: [String]] = [:]
      for (attribute, value) in zip(entity.entity.attributes, try store.values(of: entity, key: row.key) ?? []) {
        properties[attribute.name] = [Self.text(value)]
      }
      for relationship in entity.relationships {
        let targets = try store.targets(of: relationship, from: row.key).map { try store.identifier(of: $0).short }
        properties[relationship.name] = relationship.description.isOrdered ? targets : targets.sorted()
      }
      objects[try store.identifier(of: row).short] = properties
    }
    try store.transactions { transaction in
      transactions.append("\(transaction.number) \(transaction.timestamp.bitPattern) \(transaction.author ?? "-")")
      for change in transaction.changes {
        guard let entity = store.layout.entity(number: change.row.entity) else { continue }
        var told = Change(
          transaction: transaction.number, kind: change.kind, entity: entity.entity.name, key: change.row.key)
        if let names = change.bitmap.flatMap({ entity.names(of: $0) }), !names.isEmpty { told.properties = Set(names) }
        for (attribute, value) in zip(entity.tombstoneOrder, change.tombstone) where !value.isNull {
          told.tombstone[entity.entity.attributes[attribute].name] = Self.text(value)
        }
        changes.append(told)
      }
    }
  }

  /// A number has the same text whether it is stored as an integer or not.
  package static func text(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): Int64(exactly: number).map { String($0) } ?? String(number)
    case .text(let text): "'\(text)'"
    case .blob(let bytes): "x'" + bytes.map { String($0, radix: 16) }.joined(separator: " ") + "'"
    }
  }

  /// Relationships that differ from their inverses.
  package static func contradictions(in store: PersistentStore) throws -> [String] {
    let graph = try StoreGraph(store)
    var found: [String] = []
    for (identifier, properties) in graph.objects {
      guard let name = RecordURI(identifier)?.entityName, let entity = store.layout.entity(named: name)
      else { continue }
      for relationship in entity.relationships {
        guard let inverse = relationship.description.inverse else { continue }
        for target in properties[relationship.name] ?? []
        where graph.objects[target]?[inverse]?.contains(identifier) != true {
          found.append("\(identifier).\(relationship.name) has \(target), whose \(inverse) knows nothing of it")
        }
      }
    }
    return found.sorted()
  }
}
