// SPDX-License-Identifier: MIT

internal import SQLite
package import SearchIndex
internal import Store

/// What a query is answered from: the documents of an index at one revision, and the rows of the same moment.
///
/// A view is made once for a query and does not change. It is valid in the snapshot of the store in which it was made.
package struct SearchView {
  /// The index whose definition gives the query its meaning.
  let index: OpenIndex
  package let searched: SearchedFields
  /// The rows that an answer describes.
  var rows: RowSource
  /// The documents that are searched: those of the index, together with its overlay if there is one, or those of all
  /// indexes of a group.
  var reader: IndexReader
  /// Finds the documents that must not be hits: those that documents of an overlay replace; without one, those of rows
  /// that are known to be deleted. Each plan excludes them.
  var hidden = Query.nothing
  var hasOverlay = false
  /// The rows of the overlay, or those that changed after the token of the index; nil if they are not known.
  var changed: Set<RowIdentifier>? = []
  /// Whether the row of each hit is compared with its document, because the changed rows of a database without history
  /// exceed the limits, or comparing all rows does.
  var comparesHits = false
  /// Whether the key of a hit may be that of another row now.
  var hasOtherRows = false
  var freshness: IndexFreshness
  /// nil outside of a group.
  var group: GroupContext?

  /// The index alone.
  init(_ index: OpenIndex, _ rows: RowSource, _ freshness: IndexFreshness) {
    (self.index, self.rows, self.freshness) = (index, rows, freshness)
    (searched, reader) = (index.searched, index.reader)
  }

  /// The same view, whose answer says what it lacks.
  func lacking(_ what: String) -> SearchView {
    var view = self
    view.freshness.lacks(what)
    return view
  }

  /// The same view, whose answer has a remark for people.
  func noting(_ remark: String) -> SearchView {
    var view = self
    view.freshness.add(note: remark)
    return view
  }

  var store: PersistentStore { rows.store }
  package var fields: FieldTable { searched.fields }
  var definition: IndexDefinition { searched.definition }
  /// The words that a query ignores if it has others, folded and in lower case.
  var stopWords: Set<String> { searched.stopWords }
  /// The mapper from rows to documents.
  var mapper: DocumentMapper { get throws { try index.mapper(for: store.layout) } }
  var titles: RecordTitles { RecordTitles(definition) }

  /// The title of a record; empty if it has none.
  ///
  /// - Parameters:
  ///   - values: By attribute index.
  ///   - isDeleted: Whether the first preserved value replaces a title that is not preserved.
  func title(of values: [Value], _ entity: EntityLayout, key: Int64, isDeleted: Bool = false) -> String {
    titles.title(of: values, entity, key: key, in: rows, isDeleted: isDeleted)
  }

  // MARK: Documents

  /// Hides the documents of those of the changed rows that do not exist any more.
  mutating func hideDeleted() throws {
    let identities = try (changed ?? []).compactMap { row -> [UInt8]? in
      guard let entity = store.layout.entity(number: row.entity), try !store.exists(entity, key: row.key) else {
        return nil
      }
      return DocumentLayout.identity(entity: entity.entity.name, key: row.key)
    }
    guard !identities.isEmpty else { return }
    hidden = .valueSet(slot: DocumentLayout.Slot.identity, identities.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// Whether a document has the term. Hidden documents do not count.
  func occurs(_ term: [UInt8]) throws -> Bool {
    guard try reader.frequency(of: term) > 0 else { return false }
    return try hidden == .nothing || firstHit(.term(term)) != nil
  }

  /// A hit of a query. Hidden documents do not count.
  func firstHit(_ query: Query) throws -> Hits.Hit? {
    try hits(of: visible(query), limit: 1).hits.first
  }

  /// How many documents a query finds. Hidden documents do not count.
  func frequency(of query: Query) throws -> Int { try matchCount(of: visible(query)) }

  /// A query without the hidden documents.
  func visible(_ query: Query) -> Query { hidden == .nothing ? query : .andNot(query, hidden) }

  /// The number of documents that a query finds, hidden ones included; an estimate beyond `exactUpTo`.
  func matchCount(of query: Query, exactUpTo: Int = 10_000) throws -> Int {
    try hits(of: query, limit: 0, exactUpTo: exactUpTo).matches
  }

  /// One page of the hits of a query in the order of Xapian's weights, or by the number in a slot. Hits of equal relevance
  /// are ordered by their identities.
  package func hits(
    of query: Query, offset: Int = 0, limit: Int, exactUpTo: Int = 1, order: (slot: UInt32, descends: Bool)? = nil
  ) throws -> Hits {
    try reader.search(
      query, offset: offset, limit: limit, exactUpTo: exactUpTo, identitySlot: DocumentLayout.Slot.identity,
      order: order, readsData: false)
  }

  /// Every matching row, in no particular order, with the identity of its document and its values in some slots.
  func matches(
    of query: Query, slots: [UInt32] = []
  ) throws -> [(row: RowIdentifier, identity: [UInt8], slots: [[UInt8]])] {
    final class Found { var documents: [(identity: [UInt8], slots: [[UInt8]])] = [] }
    let found = Found()
    try reader.eachMatch(query, slots: [DocumentLayout.Slot.identity] + slots) { values in
      found.documents.append((Array(values[0]), slots.indices.map { Array(values[$0 + 1]) }))
      return true
    }
    return found.documents.compactMap { document in
      row(identity: document.identity).map { ($0, document.identity, document.slots) }
    }
  }

  /// The row of a document; nil if the store has no such entity.
  func row(identity: [UInt8]) -> RowIdentifier? {
    guard let (name, key) = DocumentLayout.parseIdentity(identity), let entity = store.layout.entity(named: name)
    else { return nil }
    return RowIdentifier(entity: entity.number, key: key)
  }

  func lookupTerm(identity: [UInt8]) -> [UInt8] {
    DocumentLayout.parseIdentity(identity).map { definition.lookupTerm(entity: $0.entity, key: $0.key) } ?? []
  }

  /// A query for documents by their numbers in the only database.
  func documents(numbered numbers: [UInt32]) throws -> Query {
    .documents(numbers.sorted().map { $0...$0 }, of: try reader.uuid())
  }

  /// A query for documents by their identities. It looks up each of them.
  func documents(of identities: some Sequence<[UInt8]>) -> Query {
    .or(identities.map { .term(lookupTerm(identity: $0)) })
  }

  // MARK: Keys of JSON

  /// The prefix of the words under keys of a JSON field; nil if neither the index nor another one of its group has such
  /// keys.
  func prefix(of field: FieldTable.Field, keys: String) throws -> [UInt8]? {
    guard let prefix = DocumentLayout.textPrefix(field.fieldPrefix, keys: keys) else { return nil }
    let others = DocumentLayout.JSONTerms(field.fieldPrefix, keys: keys).prefixesWithoutText
    if try ([prefix] + others).contains(where: { try reader.firstTerm(prefix: $0, from: $0) != nil }) { return prefix }
    return try group?.hasKeys?("\(field.name).\(keys)", false) == true ? prefix : nil
  }

  /// Whether the index, or another one of its group, has words under keys of a JSON field or below them.
  func hasValues(of field: FieldTable.Field, keys: String) throws -> Bool {
    let name = "\(field.name).\(keys)"
    return try searched.hasKeys(name, orBelow: true, in: reader) || group?.hasKeys?(name, true) == true
  }

  /// The names under which the values inside a JSON field can be searched: `people.name`.
  func keys(of field: FieldTable.Field) throws -> [String] {
    var found: Set<String> = []
    let colon = UInt8(ascii: ":")
    try eachKeys(behind: field.textPrefix + [UInt8(ascii: ".")], after: colon + 1) { rest in
      rest.firstIndex(of: colon).map { rest[..<$0] }
    } visit: {
      found.insert(String(decoding: $0, as: UTF8.self))
    }
    let start = DocumentLayout.JSONTerms.start(field.fieldPrefix)
    try eachKeys(behind: start, after: DocumentLayout.JSONTerms.afterMarks, DocumentLayout.JSONTerms.keys) {
      found.insert(DocumentLayout.JSONTerms.name(of: $0))
    }
    return found.subtracting([""]).sorted().map { field.name + "." + $0 }
  }

  /// Visits the keys in the terms with a prefix.
  ///
  /// - Parameters:
  ///   - next: The byte after all those that end keys.
  ///   - keys: The keys at the start of the rest of a term.
  private func eachKeys(
    behind prefix: [UInt8], after next: UInt8, _ keys: (ArraySlice<UInt8>) -> ArraySlice<UInt8>?,
    visit: (ArraySlice<UInt8>) -> Void
  ) throws {
    var from = prefix
    var left = 200
    while left > 0, let term = try reader.firstTerm(prefix: prefix, from: from), let found = keys(term[prefix.count...])
    {
      visit(found)
      from = prefix + found + [next]
      left -= 1
    }
  }
}
