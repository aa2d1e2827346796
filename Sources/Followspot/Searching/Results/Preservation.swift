// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// The columns of an ordinary database whose values its history should preserve, so that deleted rows can be searched.
package struct Preservation: Equatable, Sendable {
  /// The tables that a person chose to attach; empty if all are attached.
  package let tables: [String]
  /// The columns, with those that are preserved already.
  package let columns: [String]

  /// - Parameter entities: The entities of deleted rows.
  /// - Returns: nil if the history preserves values of each of these entities, or if they have no text.
  init?(of entities: [EntityLayout], in store: PersistentStore, _ definition: IndexDefinition) {
    let missing = entities.filter(\.tombstoneOrder.isEmpty).flatMap { $0.columnsToPreserve(definition) }
    guard store.tracking == .attached, !missing.isEmpty else { return nil }
    let preserved = store.layout.entities.flatMap { entity in
      entity.tombstoneOrder.map { entity.entity.attributes[$0].name }
    }
    tables = Database.of(store)?.chosenTables ?? []
    columns = Set(missing + preserved).sorted()
  }

  /// The titles of all kinds of records of a database without a history.
  static func titles(in store: PersistentStore, _ definition: IndexDefinition) -> [String] {
    Set(store.layout.entities.flatMap { $0.columnsToPreserve(definition) }).sorted()
  }
}

extension EntityLayout {
  /// The title, or the first text of an entity without a title; empty if it has neither.
  fileprivate func columnsToPreserve(_ definition: IndexDefinition) -> [String] {
    guard let known = definition.entities[entity.name] else { return [] }
    let texts = known.fields.filter { $0.roles.contains(.text) && entity.index(of: $0.path) != nil }
    let titles = texts.filter { known.title.contains($0.name) }
    return (titles.isEmpty ? Array(texts.prefix(1)) : titles).map(\.path)
  }
}
