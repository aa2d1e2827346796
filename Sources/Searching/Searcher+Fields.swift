// SPDX-License-Identifier: MIT

internal import Importing
internal import IndexDefinitions
internal import Indexing
package import PersistentStore
internal import QueryLanguage
package import SearchIndex
internal import Values

/// Reads the values of matching records.
extension Searcher {
  /// Every matching row, in no particular order, with the identity of its document and its values in some slots.
  package func matches(
    of query: Query, slots: [UInt32] = []
  ) throws -> [(row: RowIdentifier, identity: [UInt8], slots: [[UInt8]])] {
    final class Found { var documents: [(identity: [UInt8], slots: [[UInt8]])] = [] }
    let found = Found()
    try index.reader.eachMatch(query, slots: [DocumentLayout.Slot.identity] + slots) { values in
      found.documents.append((Array(values[0]), slots.indices.map { Array(values[$0 + 1]) }))
      return true
    }
    return found.documents.compactMap { document in
      row(identity: document.identity).map { ($0, document.identity, document.slots) }
    }
  }

  /// The row of a document; nil if the store has no such entity.
  package func row(identity: [UInt8]) -> RowIdentifier? {
    guard let (name, key) = DocumentLayout.parseIdentity(identity), let entity = store.layout.entity(named: name)
    else { return nil }
    return RowIdentifier(entity: entity.number, key: key)
  }

  /// The number of documents that a query finds; an estimate beyond `exactUpTo`.
  package func frequency(of query: Query, exactUpTo: Int = 10_000) throws -> Int {
    try index.reader.search(
      query, offset: 0, limit: 0, exactUpTo: exactUpTo, identitySlot: DocumentLayout.Slot.identity
    ).matches
  }

  package func lookupTerm(identity: [UInt8]) -> [UInt8] {
    DocumentLayout.parseIdentity(identity).map { index.definition.lookupTerm(entity: $0.entity, key: $0.key) }
      ?? []
  }

  /// - Parameter readsSlots: Whether the values may come from the slots of documents instead of rows.
  /// - Throws: `OperationError.usage` if there is no such field, or if a replica does not have its values.
  package func fieldReader(_ name: String, readsSlots: Bool = false) throws -> FieldReader {
    let known: [String]
    if case .keys(let field, let keys) = FieldName(name, in: index.fields),
      try !index.hasValues(of: field, keys: keys)
    {
      known = try index.keys(of: field)
    } else if let reader = FieldReader(name, rows: rows, mapper: try index.mapper(for: store.layout)) {
      if !readsSlots || reader.slot(in: index.fields) == nil { try refuseUnstored(reader) }
      return reader
    } else {
      known = Set(store.layout.entities.flatMap(\.entity.attributes).map(\.name) + index.fields.names + ["kind"])
        .sorted()
    }
    let nearest = NearestNames.of(name, among: known)
    throw OperationError(
      .usage, "no field is named '\(name)'",
      recovery: nearest.isEmpty ? .listFields : .nearestNames(nearest))
  }

  /// Counts the values of fields over all matches.
  package func facets(_ names: [String], of query: Query, _ snapshot: Snapshot) throws -> [Facet] {
    guard !names.isEmpty else { return [] }
    var known: Set<String> = []
    let readers = try names.map { try fieldReader($0, readsSlots: true) }.filter { known.insert($0.name).inserted }
    let counting = FacetCounting(fields: readers.count)
    try eachMatch(of: query, readers, snapshot, counting)
    return zip(readers, counting.counters).map { Facet(field: $0.name, scale: $0.scale, values: $1.values) }
  }

  package func snippetMaker(of query: Query) throws -> SnippetMaker {
    try SnippetMaker(query: query, index: index, rows: rows)
  }
}

/// Counts the values of facets.
private final class FacetCounting: MatchVisitor {
  private(set) var counters: [FacetCounter]

  var readsIdentities: Bool { false }

  init(fields: Int) { counters = [FacetCounter](repeating: FacetCounter(), count: fields) }

  func begin(_ identity: UnsafeRawBufferPointer) { for field in counters.indices { counters[field].beginRow() } }
  func add(_ value: FieldReader.FieldValue, field: Int) { counters[field].add(value.text) }
  func add(_ text: UnsafeRawBufferPointer, field: Int) { counters[field].add(text) }
  func end() {}
}
