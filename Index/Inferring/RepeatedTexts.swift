// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import Store

/// Finds the tables whose rows only repeat texts of others: a log that keeps the titles of pages, or a full-text index that
/// a program keeps in tables of its own. What they repeat comes first in searches.
struct RepeatedTexts {
  /// The number of rows that are compared, the fewest that say something, and the percentage of them that repeat a text.
  private static let (sample, fewestRows, leastRepeated) = (100, 20, 95)
  /// Shorter texts are in others by chance.
  private static let shortestText = 3
  /// Maximum number of text attributes of a record that are compared.
  private static let mostAttributes = 16

  private let store: PersistentStore
  private let shape: ModelShape
  private let definition: IndexDefinition

  /// The entities whose rows do.
  ///
  /// - Parameter definition: Its titles are what rows may repeat.
  static func entities(in store: PersistentStore, _ definition: IndexDefinition) throws -> Set<String> {
    guard !store.isOwn else { return [] }
    let texts = RepeatedTexts(store: store, shape: store.layout.shape, definition: definition)
    return Set(try store.layout.entities.filter(texts.areRepeated).map(\.entity.name))
  }

  private func areRepeated(in entity: EntityLayout) throws -> Bool {
    try StopSignal.check()
    guard let shape = shape[entity.entity.name], !shape.isJoin else { return false }
    if shape.relationships.isEmpty { return try isCopiedByKey(entity, shape) }
    // What others refer to is a record of its own.
    guard !shape.relationships.contains(where: \.isToMany), let attribute = repeatedAttribute(of: entity, shape) else {
      return false
    }
    let paths = paths(from: entity, shape)
    guard !paths.isEmpty else { return false }
    let rows = try texts(of: attribute, entity)
    return try rows.count >= Self.fewestRows && paths.contains { try repeats(rows, along: $0) }
  }

  /// The only title of the rows, or their only text.
  private func repeatedAttribute(of entity: EntityLayout, _ shape: EntityShape) -> Int? {
    let own = definition.entities[entity.entity.name]?.title ?? []
    let texts = shape.ownAttributes.filter { $0.kind == .text }.map(\.name)
    let names = own.isEmpty ? texts : own
    return names.count == 1 ? entity.entity.index(of: names[0]) : nil
  }

  /// The ways to the records that a row refers to, and to those that these refer to.
  private func paths(from entity: EntityLayout, _ shape: EntityShape) -> [RelationshipPath] {
    let names = shape.references.filter(\.isForeignKey).flatMap { first in
      [[first.name]]
        + (self.shape[first.destination]?.references ?? []).filter(\.isForeignKey).map { [first.name, $0.name] }
    }
    return names.compactMap { RelationshipPath($0, from: entity, in: store.layout) }
      .filter { $0.end.entity.name != entity.entity.name }
  }

  private typealias Text = (key: Int64, text: String)

  /// The texts of some rows in lower case.
  private func texts(of attribute: Int, _ entity: EntityLayout) throws -> [Text] {
    var rows: [Text] = []
    try store.eachRow(
      of: entity, attributes: [attribute], sample: Self.sample, total: try store.count(of: entity)
    ) { row in
      if rows.count < Self.sample, !row.isNull(0), !row.bytes(0).isEmpty {
        rows.append((row.key, String(decoding: row.bytes(0), as: UTF8.self).lowercased()))
      }
    }
    return rows
  }

  private func repeats(_ rows: [Text], along path: RelationshipPath) throws -> Bool {
    let attributes = path.end.entity.attributes
    let texts = Array(attributes.indices.filter { attributes[$0].type == .string }.prefix(Self.mostAttributes))
    guard !texts.isEmpty else { return false }
    var repeated = 0
    for (position, row) in rows.enumerated() {
      var isRepeated = false
      try store.eachRelated(along: path, from: row.key, attributes: texts, limit: 1) { way in
        guard let end = way.end, row.text.count >= Self.shortestText else { return }
        isRepeated = texts.indices.contains { column in
          !end.isNull(column) && String(decoding: end.bytes(column), as: UTF8.self).lowercased().contains(row.text)
        }
      }
      if isRepeated { repeated += 1 }
      // The others cannot make up for those that do not.
      if (position + 1 - repeated) * 100 > (100 - Self.leastRepeated) * rows.count { return false }
    }
    return true
  }

  /// Whether the rows are those of a table with more columns, by the same keys, as those of a full-text index are.
  private func isCopiedByKey(_ entity: EntityLayout, _ shape: EntityShape) throws -> Bool {
    let names = shape.attributes.map(\.name)
    guard !names.isEmpty, shape.attributes.allSatisfy({ $0.kind == .text }) else { return false }
    let others = store.layout.entities.filter { other in
      other.number != entity.number && other.entity.attributes.count > names.count
        && names.allSatisfy { other.entity.index(of: $0) != nil }
    }
    guard !others.isEmpty else { return false }
    let attributes = names.compactMap { entity.entity.index(of: $0) }
    var rows: [(key: Int64, values: [Value])] = []
    try store.eachRow(
      of: entity, attributes: attributes, sample: Self.sample, total: try store.count(of: entity)
    ) { row in
      if rows.count < Self.sample { rows.append((row.key, attributes.indices.map(row.value))) }
    }
    // Rows without texts are equal by chance.
    rows.removeAll { $0.values.contains { $0.isNull || $0 == .text("") } }
    guard rows.count >= Self.fewestRows else { return false }
    return try others.contains { other in
      let columns = names.compactMap { other.entity.index(of: $0) }
      return try rows.allSatisfy { row in
        try store.values(of: other, key: row.key).map { values in columns.map { values[$0] } } == row.values
      }
    }
  }
}
