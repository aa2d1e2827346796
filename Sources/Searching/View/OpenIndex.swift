// SPDX-License-Identifier: MIT

package import IndexDefinitions
package import Indexing
package import PersistentStore
internal import QueryLanguage
internal import SQLite
package import SearchIndex

/// The serving generation, open for reading. It reads the stub before each query.
package final class OpenIndex {
  private let location: IndexLocation
  private var opened: IndexLocation.Opened
  /// The definition of the index. If the store's model has grown since, it includes the new fields, which only
  /// documents of the overlay have.
  package var definition: IndexDefinition { searched.definition }
  package var fields: FieldTable { searched.fields }
  /// The words that a query ignores if it has others, folded and in lower case.
  package var stopWords: Set<String> { searched.stopWords }
  package private(set) var searched: SearchedFields
  private(set) var hasGrown = false
  /// Whether no query has run since it was opened.
  private var isFresh = true

  /// The changes after the token that are searched together with the index.
  private(set) var overlay: Overlay?
  /// What the overlay was made from. It is valid until one of them changes. `newest` is a transaction, or the marks of
  /// a database without history.
  private var overlayKey: (revision: UInt64, newest: Int64)?
  private var revision: UInt64
  private var mapper: DocumentMapper?
  /// The joined index that is read instead of the index of the store; nil if that is read.
  private let joined: JoinedIndex?
  private var knownSynonyms: Synonyms?
  /// Whether another index of the group has words under keys of a JSON field, such as `people.name`, or also below them;
  /// nil outside of a group.
  package var hasKeysElsewhere: ((_ name: String, _ orBelow: Bool) throws -> Bool)?
  private var folder = TextFolder()

  /// 0 for an index of another machine.
  package var generation: Int { opened.generation?.number ?? 0 }
  /// The index, together with its overlay if there is one, or the indexes of a group.
  package var reader: IndexReader { group?.reader ?? overlay?.reader ?? opened.reader }
  /// The indexes that are searched together with this one, and the documents of them that must not be hits.
  private var group: (reader: IndexReader, hidden: Query)?
  /// The documents that must not be hits, because documents of an overlay replace them.
  package var hidden: Query { group?.hidden ?? overlay?.hidden ?? .nothing }
  /// The index without its overlay.
  package var alone: IndexReader { opened.reader }
  /// Xapian's own identity of the database.
  package var uuid: String { get throws { try opened.reader.uuid() } }
  package var state: IndexState { opened.state }
  /// How much of the store it contains.
  ///
  /// - Parameter pending: As `Completeness.pending`.
  package func completeness(pending: Int64?) throws -> Completeness {
    Completeness(documents: try opened.reader.documentCount(), leftOut: state.leftOut, pending: pending)
  }

  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  package convenience init(directory: IndexDirectory, layout: StoreLayout) throws {
    try self.init(.directory(directory)) { _ in layout }
  }

  /// - Parameter layout: The layout of the store by the state of the index.
  convenience init(_ location: IndexLocation, layout: (IndexState) throws -> StoreLayout) throws {
    let opened = try location.open()
    try self.init(
      location, opened, SearchedFields(definition: opened.state.definition, model: try layout(opened.state).shape))
  }

  private init(_ location: IndexLocation, _ opened: IndexLocation.Opened, _ searched: SearchedFields) throws {
    (self.location, self.opened, self.searched, joined) = (location, opened, searched, nil)
    revision = try opened.reader.revision()
  }

  /// Opens the index of a store. Indexes with the same fields share them.
  ///
  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  package convenience init(directory: IndexDirectory, of store: PersistentStore) throws {
    let location = IndexLocation.directory(directory)
    let opened = try location.open()
    try self.init(location, opened, SearchedFields.shared(by: opened.state, of: store))
  }

  /// Opens the index of a store that is not open; nil if no index with the same fields, of a store with the same model, was
  /// opened in this process.
  ///
  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  package convenience init?(directory: IndexDirectory) throws {
    let location = IndexLocation.directory(directory)
    let opened = try location.open()
    guard let fields = SearchedFields.known(for: opened.state) else { return nil }
    try self.init(location, opened, fields)
  }

  /// The index of a store whose documents are in a joined index. It has the fields of the store, and its token; it reads
  /// the documents of all stores.
  package init(_ joined: JoinedIndex, as member: JoinedMember, in directory: IndexDirectory, _ searched: SearchedFields)
  {
    location = .directory(directory)
    opened = IndexLocation.Opened(generation: nil, reader: joined.reader, state: joined.state)
    opened.state.token = member.token
    (self.searched, self.joined) = (searched, joined)
    revision = 0
  }

  /// Moves to the newest revision of the generation that serves now.
  package func refresh(layout: StoreLayout) throws {
    if isFresh {
      isFresh = false
    } else if let generation = opened.generation, try location.isServing(generation) {
      try opened.reader.reopen()
      let newest = try opened.reader.revision()
      guard newest != revision else { return }
      drop()
      opened.state = try IndexState.read(opened.reader)
      revision = newest
    } else {
      opened = try location.open()
      revision = try opened.reader.revision()
      define(opened.state.definition, layout)
      hasGrown = false
    }
  }

  /// Adds what the store's model has gained since the index was built, or drops it once the index has it. A definition
  /// that was given, rather than inferred, is not changed.
  package func adapt(to layout: StoreLayout, hasGrown: Bool) {
    let hasGrown = hasGrown && state.isStandardDefinition
    guard hasGrown != self.hasGrown else { return }
    define(hasGrown ? state.definition.grown(to: layout.shape) : state.definition, layout)
    self.hasGrown = hasGrown
  }

  /// Adopts another layout of the same database.
  package func define(for layout: StoreLayout) { define(state.definition, layout) }

  private func define(_ definition: IndexDefinition, _ layout: StoreLayout) {
    drop()
    (mapper, knownSynonyms) = (nil, nil)
    searched = SearchedFields(definition: definition, extending: state.definition, model: layout.shape)
  }

  private func drop() { (overlay, overlayKey) = (nil, nil) }

  /// Drops the overlay: only the index is searched from now on.
  func searchAlone() { drop() }

  /// Runs `body` while the index is searched together with other documents, instead of an overlay.
  package func joined<Result>(with documents: [Document], _ body: () throws -> Result) throws -> Result {
    let kept = overlay
    defer { overlay = kept }
    overlay = try Overlay(of: documents, over: opened.reader, stemmer: definition.language)
    return try body()
  }

  /// Runs `body` while several indexes are searched instead of this one. Their fields have the same prefixes.
  ///
  /// - Parameter hidden: The documents that must not be hits.
  package func together<Result>(
    with reader: IndexReader, hidden: Query, _ body: () throws -> Result
  ) rethrows -> Result {
    group = (reader, hidden)
    defer { group = nil }
    return try body()
  }

  /// Runs `body` while this index is searched without those of the group.
  package func withoutGroup<Result>(_ body: () throws -> Result) rethrows -> Result {
    let kept = group
    group = nil
    defer { group = kept }
    return try body()
  }

  /// Searches deleted records instead of the index, until the next snapshot.
  func searchDeleted(_ deletions: [StoredDeletion], in store: PersistentStore) throws {
    drop()
    overlay = try Overlay(
      over: opened.reader, deleted: deletions, store: store, mapper: try mapper(for: store.layout))
  }

  /// Whether the model has everything that the definition names.
  package func fits(_ layout: StoreLayout) throws -> Bool {
    do {
      try state.definition.validate(against: layout.shape)
      return true
    } catch is DefinitionError {
      return false
    }
  }

  /// Folds a text in the same way as the texts of documents.
  package func folded(_ text: String) -> String { folder.fold(text) }

  /// The term of a whole value of a facet, or of the beginning of one.
  func facetTerm(_ field: FieldTable.Field, _ value: String) -> [UInt8] {
    DocumentLayout.facetTerm(field.fieldPrefix, folder.sortKey(of: value))
  }

  /// The synonyms of the definition.
  func synonyms() throws -> Synonyms {
    if let knownSynonyms { return knownSynonyms }
    let made = try Synonyms(definition) { try reader.tokens(of: folded($0)) }
    knownSynonyms = made
    return made
  }

  /// The mapper from rows to documents of this index.
  package func mapper(for layout: StoreLayout) throws -> DocumentMapper {
    if let mapper { return mapper }
    func make() throws -> DocumentMapper { try DocumentMapper(definition: definition, layout: layout, fields: fields) }
    let made = try joined?.mapper(make) ?? make()
    mapper = made
    return made
  }

  /// The result of comparing the rows of a database without history with the index.
  enum ComparedRows {
    /// The changed rows, possibly none.
    case overlay(Overlay)
    case changed, mayHaveChanged
  }

  /// Makes an overlay of the rows of a database without history that differ from the index. Call it in a snapshot.
  ///
  /// - Returns: `.changed` if the changed rows exceed the limits, `.mayHaveChanged` if comparing all rows exceeds them.
  func compare(with store: PersistentStore, limits: ChangeLimits) throws -> ComparedRows {
    let marks = try store.snapshotMarks()
    if let overlay = self.overlay, let overlayKey, let marks, overlayKey == (revision, marks) {
      return .overlay(overlay)
    }
    drop()
    let comparison = Comparison(store: store, mapper: try mapper(for: store.layout), progress: Progress())
    let rows: Set<RowIdentifier>
    switch try comparison.differences(with: opened.reader, state, within: limits) {
    case .rows(let found): rows = found
    case .tooMany: return .changed
    case .unknown: return .mayHaveChanged
    }
    let made = try Overlay(
      over: opened.reader, token: state.token?.number ?? 0, including: rows, store: store, mapper: comparison.mapper,
      limits: limits)
    guard let made else { return .changed }
    (overlay, overlayKey) = (made, marks.map { (revision, $0) })
    return .overlay(made)
  }

  /// Makes an overlay of the changes up to `newest`. Call it in a snapshot of the store.
  ///
  /// - Returns: nil if that exceeds the limits.
  func bringUpToDate(with store: PersistentStore, newest: Int64, limits: ChangeLimits) throws -> Overlay? {
    if let overlay = self.overlay, let overlayKey, overlayKey == (revision, newest) { return overlay }
    drop()
    let mapper = try mapper(for: store.layout)
    let gained = try rowsWithDefaults(in: store, mapper, limit: limits.changes + 1)
    func made(including rows: Set<RowIdentifier>) throws -> Overlay? {
      try Overlay(
        over: opened.reader, token: state.token?.number ?? 0, including: rows, store: store, mapper: mapper,
        limits: limits)
    }
    var overlay = try made(including: gained)
    if overlay == nil, !gained.isEmpty {
      overlay = try made(including: [])
      overlay?.isWhole = false
    }
    (self.overlay, overlayKey) = (overlay, (revision, newest))
    return overlay
  }

  /// Runs `body` with an overlay of some rows, as they are in the store now, and of no others. Call it in a snapshot of
  /// the store.
  package func withOverlay<Result>(
    of rows: Set<RowIdentifier>, in store: PersistentStore, _ body: () throws -> Result
  ) throws -> Result {
    drop()
    defer { drop() }
    overlay = try Overlay(over: opened.reader, rows: rows, store: store, mapper: try mapper(for: store.layout))
    return try body()
  }

  /// The rows to which a new attribute gave its default value. The history does not record that change.
  private func rowsWithDefaults(
    in store: PersistentStore, _ mapper: DocumentMapper, limit: Int
  ) throws -> Set<RowIdentifier> {
    guard hasGrown else { return [] }
    var rows: Set<RowIdentifier> = []
    for plan in mapper.plans {
      let entity = plan.entity
      guard let known = state.definition.entities[entity.entity.name] else { continue }
      let paths = Set(known.fields.map(\.path))
      let gained = plan.attributes.filter { !paths.contains(entity.entity.attributes[$0].name) }
      let filled = gained.filter { (entity.entity.attributes[$0].defaultValue ?? .null) != .null }
      for key in try store.keys(of: entity, withValueIn: filled, limit: limit) {
        rows.insert(RowIdentifier(entity: entity.number, key: key))
      }
    }
    return rows
  }

  /// The rows that changed after the token, and those whose documents contain text of them.
  package func changed(in store: PersistentStore) throws -> Set<RowIdentifier> {
    let mapper = try mapper(for: store.layout)
    let rows = try store.changedRows(after: state.token?.number ?? 0)
    return try RelatedOwners(store: store, mapper: mapper).including(rows, in: opened.reader)
  }

  /// Whether a document has the term. Documents that an overlay replaces do not count.
  package func occurs(_ term: [UInt8]) throws -> Bool {
    guard try reader.frequency(of: term) > 0 else { return false }
    guard hidden != .nothing else { return true }
    let found = try reader.search(
      .andNot(.term(term), hidden), offset: 0, limit: 1, exactUpTo: 1, identitySlot: DocumentLayout.Slot.identity)
    return !found.hits.isEmpty
  }

  /// How many documents a query finds. Documents that an overlay replaces do not count.
  package func frequency(of query: Query) throws -> Int {
    return try reader.search(
      hidden == .nothing ? query : .andNot(query, hidden), offset: 0, limit: 0, exactUpTo: 10_000,
      identitySlot: DocumentLayout.Slot.identity
    ).matches
  }

  /// The names of the fields that name records.
  package var titles: [String] { Set(definition.entities.values.flatMap(\.title)).sorted() }

  /// The prefixes of the fields that name records.
  var titlePrefixes: [[UInt8]] {
    titles.compactMap { fields[$0] }
      .filter { $0.roles.contains(.text) }.map(\.textPrefix)
  }

  /// The prefix of the words under keys of a JSON field; nil if neither the index nor another one of its group has such
  /// keys.
  func prefix(of field: FieldTable.Field, keys: String) throws -> [UInt8]? {
    guard let prefix = DocumentLayout.textPrefix(field.fieldPrefix, keys: keys) else { return nil }
    let others = DocumentLayout.JSONTerms(field.fieldPrefix, keys: keys).prefixesWithoutText
    if try ([prefix] + others).contains(where: { try reader.firstTerm(prefix: $0, from: $0) != nil }) { return prefix }
    return try hasKeysElsewhere?("\(field.name).\(keys)", false) == true ? prefix : nil
  }

  /// Whether the index, or another one of its group, has words under keys of a JSON field or below them.
  func hasValues(of field: FieldTable.Field, keys: String) throws -> Bool {
    let name = "\(field.name).\(keys)"
    return try hasOwnKeys(name, orBelow: true) || hasKeysElsewhere?(name, true) == true
  }

  /// Whether this index has words under the keys of a JSON field.
  ///
  /// - Parameter orBelow: Whether words count that are under further keys below these.
  package func hasOwnKeys(_ name: String, orBelow: Bool) throws -> Bool {
    guard case .keys(let field, let keys) = FieldName(name, in: fields, isOrder: true) else { return false }
    let own = DocumentLayout.textPrefix(field.fieldPrefix, keys: keys)
    let typed = DocumentLayout.JSONTerms(field.fieldPrefix, keys: keys)
    let below =
      orBelow ? [DocumentLayout.textPrefix(field.fieldPrefix, belowKeys: keys), typed.startBelow] : []
    let reader = overlay?.reader ?? opened.reader
    return try ([own].compactMap(\.self) + typed.prefixesWithoutText + below).contains {
      try reader.firstTerm(prefix: $0, from: $0) != nil
    }
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
