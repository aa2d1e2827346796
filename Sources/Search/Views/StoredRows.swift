// SPDX-License-Identifier: MIT

internal import Documents
internal import Importing
internal import SQLite
internal import SearchIndex
package import Store

/// The rows of a replica without its store: the values that the documents of the index store. Other values are NULL.
/// Not thread-safe.
package final class StoredRows {
  /// An empty store with the model of the real one.
  private let store: PersistentStore
  private let definition: IndexDefinition
  private let reader: IndexReader
  /// By entity number.
  private let plans: [Int: Plan]
  private let parser: JSONRecordParser
  private let shapes: ValueShapes
  private var known: [RowIdentifier: InputRecord?] = [:]

  /// Maximum number of documents that are kept.
  private static let mostKnown = 10_000

  /// The names under which values of one entity are stored.
  private struct Plan {
    /// By attribute.
    var own: [Int: String] = [:]
    var related: [(path: [String], attribute: Int, name: String)] = []
  }

  init(index: OpenIndex, store: PersistentStore) throws {
    self.store = store
    definition = index.definition
    reader = index.reader
    parser = try JSONRecordParser()
    shapes = try ValueShapes()
    plans = Dictionary(
      uniqueKeysWithValues: try index.mapper(for: store.layout).plans.map { ($0.entity.number, Self.plan($0)) })
  }

  private static func plan(_ document: DocumentPlan) -> Plan {
    var plan = Plan()
    for output in document.outputs where output.roles.contains(.stored) {
      plan.own[document.attributes[output.column]] = output.name
    }
    for related in document.related {
      for output in related.outputs where output.roles.contains(.stored) {
        plan.related.append((related.path.names, related.attributes[output.column], output.name))
      }
    }
    return plan
  }

  /// The indexes of the attributes that the documents of an entity store.
  func attributes(of entity: EntityLayout) -> Set<Int> { Set(plans[entity.number]?.own.keys.map(\.self) ?? []) }

  /// The names of all fields that some document may store, of related records as well.
  var names: Set<String> {
    plans.values.reduce(into: []) { $0.formUnion($1.own.values.map(\.self) + $1.related.map(\.name)) }
  }

  /// The stored fields of a row; nil if the index has no document of it.
  private func record(_ entity: EntityLayout, _ key: Int64) throws -> InputRecord? {
    let row = RowIdentifier(entity: entity.number, key: key)
    if let record = known[row] { return record }
    if known.count >= Self.mostKnown { known = [:] }
    let term = definition.lookupTerm(entity: entity.entity.name, key: key)
    let record = try reader.data(of: term).map(record)
    known[row] = .some(record)
    return record
  }

  private func record(_ data: [UInt8]) throws -> InputRecord {
    guard !data.isEmpty else { return InputRecord(fields: [], line: 1) }
    return try data.withUnsafeBytes { try parser.record($0, line: 1) }
  }

  /// Takes the data of a hit, which need not be read again.
  package func take(_ data: [UInt8], of row: RowIdentifier) throws {
    if known.count < Self.mostKnown { known[row] = .some(try record(data)) }
  }

  /// Calls `body` with a row; nil if there is none.
  func withRow<Result>(
    of entity: EntityLayout, key: Int64, attributes: [Int], _ body: (Row?) throws -> Result
  ) throws -> Result {
    guard let record = try record(entity, key) else { return try body(nil) }
    let names = plans[entity.number]?.own ?? [:]
    let values = attributes.map { attribute in
      names[attribute].flatMap(record.value).map { value($0, entity.entity.attributes[attribute]) } ?? .null
    }
    return try store.withRow(key: key, values: values, body)
  }

  /// Calls `body` with the stored values of related records. Each value counts as a record of its own.
  func eachRelated(
    along path: RelationshipPath, from key: Int64, attributes: [Int], limit: Int?, _ body: (RelatedRow) throws -> Void
  ) throws {
    guard let record = try record(path.start, key) else { return }
    var number: Int64 = 0
    for (column, attribute) in attributes.enumerated() {
      let names = path.names
      guard
        let name = plans[path.start.number]?.related.first(where: { $0.path == names && $0.attribute == attribute })?
          .name,
        let stored = record.value(name)
      else { continue }
      var found = [stored]
      if path.isToMany, case .json(let array) = stored { found = try parser.elements(array) }
      for one in found where number < limit ?? .max {
        number += 1
        var values = [Value](repeating: .null, count: attributes.count)
        values[column] = value(one, path.end.entity.attributes[attribute])
        try store.withRelated(along: path, key: number, values: values, body)
      }
    }
  }

  /// The value as a row of the store has it. A value that does not fit its attribute was written by other software.
  private func value(_ stored: FieldValue, _ attribute: AttributeDescription) -> Value {
    (try? shapes.fit(stored, attribute)) ?? (stored.text.map { .text($0) } ?? .null)
  }
}

extension FieldValue {
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
