// SPDX-License-Identifier: MIT

internal import SQLite
internal import SearchIndex
internal import Store

/// The rows of a replica without its store: the values that the documents of the index have, in their data or in the slots
/// of fields. Other values are NULL. Not thread-safe.
package final class StoredRows {
  /// An empty store with the model of the real one.
  private let store: PersistentStore
  private let definition: IndexDefinition
  private let reader: IndexReader
  /// By entity number.
  private let places: [Int: StoredPlaces]
  private let parser: JSONRecordParser
  private let shapes: ValueShapes
  private var known: [RowIdentifier: StoredDocument?] = [:]
  /// The terms of exceptions that some document has; nil as long as they were not read.
  private var exceptions: Set<[UInt8]>?

  /// Maximum number of documents that are kept.
  private static let mostKnown = 10_000

  private final class StoredDocument {
    let row: RowIdentifier
    let record: InputRecord
    let content: DocumentContent
    /// Whether it has the terms that were looked up.
    var hasTerm: [[UInt8]: Bool] = [:]

    init(_ row: RowIdentifier, _ record: InputRecord, _ content: DocumentContent) {
      (self.row, self.record, self.content) = (row, record, content)
    }
  }

  init(index: OpenIndex, store: PersistentStore) throws {
    self.store = store
    definition = index.definition
    reader = index.reader
    parser = try JSONRecordParser()
    shapes = try ValueShapes()
    let plans = try index.mapper(for: store.layout).plans
    places = Dictionary(
      uniqueKeysWithValues: plans.map {
        ($0.entity.number, StoredPlaces($0, index.definition.entities[$0.entity.entity.name]))
      })
  }

  /// The names of all fields that some document may have, of related records as well.
  var names: Set<String> { places.values.reduce(into: []) { $0.formUnion($1.names) } }

  /// Whether the records of some entity have titles.
  var hasTitles: Bool { places.values.contains(where: \.hasTitles) }

  // MARK: What documents have

  /// Whether documents have an attribute, of a related record if there is a path. Some of them may lack it.
  func has(_ attribute: Int, of entity: EntityLayout, along path: RelationshipPath?) -> Bool {
    places[entity.number]?.place(of: attribute, along: path) != nil
  }

  /// Whether the document of a row has an attribute, of a related record if there is a path.
  func has(_ attribute: Int, of entity: EntityLayout, along path: RelationshipPath?, key: Int64) throws -> Bool {
    guard let place = places[entity.number]?.place(of: attribute, along: path),
      let document = try document(entity, key)
    else { return false }
    return try holds(document, entity, place)
  }

  /// The attributes that the document of a row has.
  func attributes(of entity: EntityLayout, key: Int64) throws -> Set<Int> {
    guard let document = try document(entity, key) else { return [] }
    let own = try (places[entity.number]?.own ?? [:]).filter { try holds(document, entity, $0.value) }
    return Set(own.keys)
  }

  /// Whether a document has the whole value at its place.
  private func holds(_ document: StoredDocument, _ entity: EntityLayout, _ place: StoredPlaces.Place) throws -> Bool {
    let known = try knownExceptions()
    let possible = place.exceptions.filter(known.contains)
    // A slot has all texts or none.
    if case .texts(let slot) = place.content, !document.content.value(slot: slot).isEmpty { return true }
    return try !possible.contains { term in
      if let known = document.hasTerm[term] { return known }
      let lookup = definition.lookupTerm(entity: entity.entity.name, key: document.row.key)
      let found = try reader.search(
        .and([.term(lookup), .term(term)]), offset: 0, limit: 0, exactUpTo: 1,
        identitySlot: DocumentLayout.Slot.identity)
      document.hasTerm[term] = found.matches > 0
      return found.matches > 0
    }
  }

  private func knownExceptions() throws -> Set<[UInt8]> {
    if let exceptions { return exceptions }
    final class Found { var terms: Set<[UInt8]> = [] }
    let found = Found()
    for prefix in [TermPrefix.rowOnly.bytes, TermPrefix.omitted.bytes] {
      try reader.eachTerm(prefix: prefix, from: prefix) {
        found.terms.insert(Array($0))
        return true
      }
    }
    exceptions = found.terms
    return found.terms
  }

  // MARK: Documents

  /// The document of a row; nil if the index has none.
  private func document(_ entity: EntityLayout, _ key: Int64) throws -> StoredDocument? {
    let row = RowIdentifier(entity: entity.number, key: key)
    if let document = known[row] { return document }
    if known.count >= Self.mostKnown { known = [:] }
    let term = definition.lookupTerm(entity: entity.entity.name, key: key)
    let found: StoredDocument? = try reader.content(of: term).map { try document($0, of: row) }
    known[row] = .some(found)
    return found
  }

  private func document(_ content: DocumentContent, of row: RowIdentifier) throws -> StoredDocument {
    let record =
      content.data.isEmpty
      ? InputRecord(fields: [], line: 1) : try content.data.withUnsafeBytes { try parser.record($0, line: 1) }
    return StoredDocument(row, record, content)
  }

  /// Takes the content of a hit, which need not be read again.
  func take(_ content: DocumentContent, of row: RowIdentifier) throws {
    if known.count < Self.mostKnown { known[row] = .some(try document(content, of: row)) }
  }

  // MARK: Rows

  /// Calls `body` with a row; nil if there is none.
  func withRow<Result>(
    of entity: EntityLayout, key: Int64, attributes: [Int], _ body: (Row?) throws -> Result
  ) throws -> Result {
    guard let document = try document(entity, key) else { return try body(nil) }
    let values = try attributes.map { attribute in
      try self.values(of: attribute, entity, along: nil, document).first ?? .null
    }
    return try store.withRow(key: key, values: values, body)
  }

  /// Calls `body` with the values of related records. Each value counts as a record of its own.
  func eachRelated(
    along path: RelationshipPath, from key: Int64, attributes: [Int], limit: Int?, _ body: (RelatedRow) throws -> Void
  ) throws {
    guard let document = try document(path.start, key) else { return }
    var number: Int64 = 0
    for (column, attribute) in attributes.enumerated() {
      for value in try values(of: attribute, path.start, along: path, document) where number < limit ?? .max {
        number += 1
        var values = [Value](repeating: .null, count: attributes.count)
        values[column] = value
        try store.withRelated(along: path, key: number, values: values, body)
      }
    }
  }

  /// The values of an attribute: one of the row itself, those of all related records if there is a path.
  private func values(
    of attribute: Int, _ entity: EntityLayout, along path: RelationshipPath?, _ document: StoredDocument
  ) throws -> [Value] {
    guard let place = places[entity.number]?.place(of: attribute, along: path),
      try holds(document, entity, place)
    else { return [] }
    let description = (path?.end ?? entity).entity.attributes[attribute]
    switch place.content {
    case .data(let name):
      guard let stored = document.record.value(name) else { return [] }
      if path?.isToMany == true, case .json(let array) = stored {
        return try parser.elements(array).map { value($0, description) }
      }
      return [value(stored, description)]
    case .texts(let slot):
      let texts = document.content.value(slot: slot).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      guard description.type == .strings else { return texts.map(Value.text) }
      var list = JSONWriter()
      list.array { list in for text in texts { list.string(text) } }
      return texts.isEmpty ? [] : [.blob(list.bytes)]
    case .number(let slot):
      let bytes = Array(document.content.value(slot: slot))
      guard !bytes.isEmpty else { return [] }
      return [SortableNumber.integer(of: bytes).map(Value.integer) ?? .real(SortableNumber.double(of: bytes))]
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
