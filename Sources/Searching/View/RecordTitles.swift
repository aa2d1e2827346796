// SPDX-License-Identifier: MIT

package import IndexDefinitions
internal import Indexing
package import PersistentStore
package import SQLite
package import SearchIndex

/// The titles of records: the text of the field that the definition names or, without one, the first text.
package struct RecordTitles {
  private let definition: IndexDefinition

  package init(_ definition: IndexDefinition) { self.definition = definition }

  /// The titles by the definition of the index or, without a readable index, by the default definition.
  package init(store: PersistentStore, directory: IndexDirectory) {
    definition =
      (try? OpenIndex(directory: directory, layout: store.layout).definition) ?? .standard(for: store.layout.shape)
  }

  /// The title of a record; empty if it has none.
  ///
  /// - Parameters:
  ///   - values: By attribute index.
  ///   - isDeleted: Whether the first preserved value replaces a title that is not preserved.
  package func title(of values: [Value], _ entity: EntityLayout, isDeleted: Bool = false) -> String {
    let candidates = [attribute(of: entity)].compactMap(\.self) + (isDeleted ? entity.tombstoneOrder : [])
    return candidates.lazy.map { ValueText.plain(values[$0], as: entity.entity.attributes[$0].type) }
      .first { !$0.isEmpty } ?? ""
  }

  /// The title of a deleted record.
  ///
  /// - Parameter tombstone: In the order of `EntityLayout.tombstoneOrder`.
  package func title(ofTombstone tombstone: [Value], _ entity: EntityLayout) -> String {
    var values = [Value](repeating: .null, count: entity.entity.attributes.count)
    for (attribute, value) in zip(entity.tombstoneOrder, tombstone) { values[attribute] = value }
    return title(of: values, entity, isDeleted: true)
  }

  /// The title of a row of the store; nil if there is no such row.
  package func title(of row: RowIdentifier, in store: PersistentStore) throws -> String? {
    guard let entity = store.layout.entity(number: row.entity) else { return nil }
    guard let attribute = attribute(of: entity) else { return try store.exists(entity, key: row.key) ? "" : nil }
    return try store.withRow(of: entity, key: row.key, attributes: [attribute]) { found in
      found.map { ValueText.plain($0.value(0), as: entity.entity.attributes[attribute].type) }
    }
  }

  private func attribute(of entity: EntityLayout) -> Int? {
    let definition = definition.entities[entity.entity.name]
    let field = definition?.title.flatMap { title in definition?.fields.first { $0.name == title } }
    return field.flatMap { entity.entity.index(of: $0.path) } ?? firstText(entity)
  }

  private func firstText(_ entity: EntityLayout) -> Int? {
    for case .attribute(let index) in entity.bitmapOrder where entity.entity.attributes[index].type == .string {
      return index
    }
    return nil
  }
}
