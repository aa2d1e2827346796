// SPDX-License-Identifier: MIT

package import SQLite
package import SearchIndex
package import Store

/// The titles of records: the text of the field that the definition names or, without one, the first text.
package struct RecordTitles {
  private let definition: IndexDefinition

  init(_ definition: IndexDefinition) { self.definition = definition }

  /// The titles by the definition of the index or, without a readable index, by the default definition.
  package init(store: PersistentStore, directory: IndexDirectory) {
    definition =
      (try? OpenIndex(directory: directory, layout: store.layout).definition) ?? .standard(for: store.layout.shape)
  }

  /// The title of a record; empty if it has none, or if a replica does not have the whole title.
  ///
  /// - Parameters:
  ///   - values: By attribute index.
  ///   - rows: Where related records are read; nil for none of them.
  ///   - isDeleted: Whether the first preserved value replaces a title that is not preserved.
  package func title(
    of values: [Value], _ entity: EntityLayout, key: Int64 = 0, in rows: RowSource? = nil, isDeleted: Bool = false
  ) -> String {
    let attributes = attributes(of: entity)
    // A part of it, or another text, would be another title.
    let isWhole = attributes.allSatisfy { (try? rows?.has($0, of: entity, key: key) ?? true) == true }
    guard isWhole else { return "" }
    let title = text(of: attributes, in: values, entity)
    guard title.isEmpty else { return title }
    if isDeleted {
      return entity.tombstoneOrder.lazy.map { text(of: [$0], in: values, entity) }.first { !$0.isEmpty } ?? ""
    }
    return rows.flatMap { try? composed(values, entity, key, $0) } ?? firstText(of: values, entity)
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
    return try store.values(of: entity, key: row.key).map {
      title(of: $0, entity, key: row.key, in: RowSource(store))
    }
  }

  /// The titles of what a record belongs to, and its date, such as `Invoice 98 · Luís Gonçalves · 2010-03-11`; nil if the
  /// definition names none. What only joins records is named by these alone. It is empty if a replica does not have a part.
  private func composed(_ values: [Value], _ entity: EntityLayout, _ key: Int64, _ rows: RowSource) throws -> String? {
    guard let definition = definition.entities[entity.entity.name] else { return nil }
    var parts: [(path: [String], text: String)] = []
    for name in definition.titledBy.isEmpty ? definition.title : definition.titledBy {
      guard let field = definition.fields.first(where: { $0.name == name }) else { continue }
      guard let (path, text) = try part(field.path, values, entity, key, rows) else { return "" }
      guard !text.isEmpty else { continue }
      // What it consists of names it alone.
      if field.holds == .parts { return text }
      if let last = parts.last, last.path == path, !path.isEmpty {
        parts[parts.count - 1].text += " " + text
      } else {
        parts.append((path, text))
      }
    }
    guard !parts.isEmpty else { return nil }
    let row = RowIdentifier(entity: entity.number, key: key)
    let references = entity.entity.relationships.count { !$0.isToMany }
    let keyText = try rows.store.identifier(of: row).keyText
    // A replica of a database may lack the key that names the record.
    if references < 2, keyText == nil, rows.stored != nil, rows.store.naming != nil { return "" }
    let name = references < 2 ? ["\(entity.entity.name) \(keyText ?? String(key))"] : []
    return (name + parts.map(\.text)).joined(separator: " · ")
  }

  /// Maximum number of related rows among which a text is looked for.
  private static let mostNaming = 100

  /// The relationships that the path of a field follows, and the first text at its end; nil if a replica does not have it.
  private func part(
    _ path: String, _ values: [Value], _ entity: EntityLayout, _ key: Int64, _ rows: RowSource
  ) throws -> (path: [String], text: String)? {
    if let attribute = entity.entity.index(of: path) {
      guard try rows.has(attribute, of: entity, key: key) else { return nil }
      let text = text(of: [attribute], in: values, entity)
      return ([], entity.entity.attributes[attribute].type == .date ? String(text.prefix { $0 != "T" }) : text)
    }
    var (hops, rest, end): ([String], Substring, EntityDescription) = ([], path[...], entity.entity)
    while let hop = end.relationships.first(where: { rest.hasPrefix($0.name + ".") }),
      let next = rows.store.layout.entity(named: hop.destination)
    {
      hops.append(hop.name)
      (rest, end) = (rest.dropFirst(hop.name.count + 1), next.entity)
    }
    guard let related = RelationshipPath(hops, from: entity, in: rows.store.layout),
      let attribute = related.end.entity.index(of: String(rest))
    else { return ([], "") }
    guard try rows.has(attribute, of: entity, along: related, key: key) else { return nil }
    var first = ""
    try rows.eachRelated(along: related, from: key, attributes: [attribute], limit: Self.mostNaming) { found in
      guard first.isEmpty, let end = found.end else { return }
      first = ValueText.plain(end.value(0), as: related.end.entity.attributes[attribute].type)
    }
    return (hops, first)
  }

  private func text(of attributes: [Int], in values: [Value], _ entity: EntityLayout) -> String {
    attributes.map { ValueText.plain(values[$0], as: entity.entity.attributes[$0].type) }.filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  /// The attributes whose texts are the title.
  private func attributes(of entity: EntityLayout) -> [Int] {
    let definition = definition.entities[entity.entity.name]
    let paths = (definition?.title ?? []).compactMap { title in definition?.fields.first { $0.name == title }?.path }
    return paths.compactMap { entity.entity.index(of: $0) }
  }

  private func firstText(of values: [Value], _ entity: EntityLayout) -> String {
    for case .attribute(let index) in entity.bitmapOrder where entity.entity.attributes[index].type == .string {
      return text(of: [index], in: values, entity)
    }
    return ""
  }
}
