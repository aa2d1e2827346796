// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Writes records as objects of one entity.
struct RecordWriter {
  private let store: PersistentStore
  private let entity: EntityLayout
  /// Index of the key attribute; nil if every record is inserted.
  private let key: Int?
  private let shapes: ValueShapes
  private let options: Importer.Options
  private let tell: (Importer.Message) -> Void

  init(
    _ store: PersistentStore, _ entity: EntityLayout, _ key: Int?, _ shapes: ValueShapes, _ options: Importer.Options,
    _ tell: @escaping (Importer.Message) -> Void
  ) {
    self.store = store
    self.entity = entity
    self.key = key
    self.shapes = shapes
    self.options = options
    self.tell = tell
  }

  /// - Throws: `BadLine` for a record that cannot be imported.
  func write(_ record: InputRecord, to save: Save, _ outcome: inout Importer.Outcome) throws {
    let attributes = entity.entity.attributes
    var values = [Value?](repeating: nil, count: attributes.count)
    var related: [Int: [RowIdentifier]] = [:]
    do {
      for (name, value) in record.fields {
        if let relationship = entity.entity.relationship(named: name) {
          let objects = RelatedObjects(store, shapes)
          related[relationship] = try objects.rows(value, entity.relationships[relationship])
          continue
        }
        guard let index = entity.entity.index(of: name) else {
          throw BadLine(line: record.line, reason: "\(entity.entity.name) has no attribute '\(name)'")
        }
        values[index] = try self.value(value, attributes[index], line: record.line)
      }
      if let key {
        guard let value = values[key], !value.isNull else {
          throw BadLine.withoutKey(attributes[key].name, line: record.line)
        }
        if let row = try store.row(of: entity, where: key, equals: value) {
          let isChanged = try update(row, values, related, save)
          if isChanged { outcome.updated += 1 } else { outcome.skipped += 1 }
          return
        }
      }
      try save.insert(entity, values, related: related)
      outcome.inserted += 1
    } catch let error as StoreError where error.code == .invalidValue || error.code == .duplicate {
      throw BadLine(line: record.line, reason: error.message, recovery: recovery(error))
    }
  }

  private func update(
    _ row: RowIdentifier, _ values: [Value?], _ related: [Int: [RowIdentifier]], _ save: Save
  ) throws -> Bool {
    guard let own = store.layout.entity(number: row.entity) else { return false }
    let changes = values.enumerated().compactMap { index, value in value.map { (attribute: index, value: $0) } }
    var isChanged = try save.update(own, key: row.key, changes)
    for (relationship, targets) in related.sorted(by: { $0.key < $1.key }) {
      isChanged = try save.setTargets(own, key: row.key, relationship, targets) || isChanged
    }
    return isChanged
  }

  private func value(_ value: FieldValue, _ attribute: AttributeDescription, line: Int) throws -> Value {
    do {
      return try shapes.fit(imported: value, attribute)
    } catch let error as StoreError where error.code == .invalidValue && options.isLenient && attribute.isOptional {
      tell(.line(BadLine(line: line, reason: error.message + "; it is left empty")))
      return .null
    }
  }

  private func recovery(_ error: StoreError) -> BadLine.Recovery? {
    if error.code == .duplicate, options.key == nil, let names = error.subject?.properties, names.count == 1 {
      return .updateByKey(names[0])
    }
    return error.recovery == .giveValue ? .giveValue : nil
  }
}
