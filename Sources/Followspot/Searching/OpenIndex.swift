internal import IndexDefinitions
package import PersistentStore
internal import SQLite
package import SearchIndex

/// The serving generation, open for reading. It looks at the stub before each query.
package final class OpenIndex {
  private let directory: IndexDirectory
  private var opened: (generation: IndexDirectory.Generation, reader: IndexReader, state: IndexState)
  /// The index's own definition; where the store's model has grown since, with what it has gained, which the overlay
  /// alone has documents of.
  private(set) var definition: IndexDefinition
  package private(set) var fields: FieldTable
  private(set) var hasGrown = false
  /// Whether nothing was asked since it was opened.
  private var isFresh = true

  /// What was saved after the token, while it is being searched together with the index.
  private(set) var overlay: Overlay?
  /// What the overlay was made of: it holds until one of them changes. `newest` is a transaction, or the marks of a
  /// database without history.
  private var overlayKey: (revision: UInt64, newest: Int64)?
  private var revision: UInt64
  private var mapper: DocumentMapper?
  private var knownSynonyms: Synonyms?
  private var folder = TextFolder()

  package var generation: Int { opened.generation.number }
  /// The index and, where there is one, its overlay.
  package var reader: IndexReader { overlay?.reader ?? opened.reader }
  /// The index without its overlay.
  var alone: IndexReader { opened.reader }
  /// Xapian's own identity of the database.
  package var uuid: String { get throws { try opened.reader.uuid() } }
  package var state: IndexState { opened.state }

  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  package init(directory: IndexDirectory, layout: StoreLayout) throws {
    self.directory = directory
    opened = try Self.open(directory)
    revision = try opened.reader.revision()
    definition = opened.state.definition
    fields = FieldTable(definition: definition, model: layout.shape)
  }

  /// Moves to the newest revision of the generation that serves now.
  package func refresh(layout: StoreLayout) throws {
    if isFresh {
      isFresh = false
    } else if try directory.serving() == opened.generation {
      try opened.reader.reopen()
      let newest = try opened.reader.revision()
      guard newest != revision else { return }
      drop()
      opened.state = try IndexState.read(opened.reader)
      revision = newest
    } else {
      opened = try Self.open(directory)
      revision = try opened.reader.revision()
      define(opened.state.definition, layout)
      hasGrown = false
    }
  }

  /// Takes up what the store's model has gained since the index was built, or lets go of it where the index has it now.
  /// A definition that was given, rather than inferred, stays as it is.
  func adapt(to layout: StoreLayout, hasGrown: Bool) {
    let hasGrown = hasGrown && state.isStandardDefinition
    guard hasGrown != self.hasGrown else { return }
    define(hasGrown ? state.definition.grown(to: layout.shape) : state.definition, layout)
    self.hasGrown = hasGrown
  }

  /// Takes up another layout of the same database.
  func define(for layout: StoreLayout) { define(state.definition, layout) }

  private func define(_ definition: IndexDefinition, _ layout: StoreLayout) {
    drop()
    (mapper, knownSynonyms) = (nil, nil)
    self.definition = definition
    fields = FieldTable(definition: definition, extending: state.definition, model: layout.shape)
  }

  private func drop() { (overlay, overlayKey) = (nil, nil) }

  /// Searches the index alone from now on.
  func searchAlone() { drop() }

  /// Whether the definition names nothing that a model does not have.
  func fits(_ layout: StoreLayout) throws -> Bool {
    do {
      try state.definition.validate(against: layout.shape)
      return true
    } catch is DefinitionError {
      return false
    }
  }

  /// A text folded as documents' texts are.
  func folded(_ text: String) -> String { folder.fold(text) }

  /// The synonyms of the definition.
  func synonyms() throws -> Synonyms {
    if let knownSynonyms { return knownSynonyms }
    let made = try Synonyms(definition) { try reader.tokens(of: folded($0)) }
    knownSynonyms = made
    return made
  }

  /// How rows become documents of this index.
  func mapper(for layout: StoreLayout) throws -> DocumentMapper {
    if let mapper { return mapper }
    let made = try DocumentMapper(definition: definition, layout: layout, fields: fields)
    mapper = made
    return made
  }

  /// Lays over the index what differs from it in a database without history. Call it inside a snapshot of it.
  ///
  /// - Returns: nil where comparing all rows is not within the limits.
  func compare(with store: PersistentStore, limits: Overlay.Limits) throws -> Overlay? {
    let marks = try store.snapshotMarks()
    if let overlay = self.overlay, let overlayKey, let marks, overlayKey == (revision, marks) { return overlay }
    drop()
    let comparison = Comparison(store: store, mapper: try mapper(for: store.layout), progress: Progress())
    let digests = try RowDigests(generation: opened.generation.path, state: state, store: store)
    guard let rows = try comparison.differences(with: opened.reader, known: digests, within: limits) else { return nil }
    overlay = try Overlay(
      over: opened.reader, token: state.token?.number ?? 0, including: rows, store: store, mapper: comparison.mapper,
      limits: limits)
    overlayKey = marks.map { (revision, $0) }
    return overlay
  }

  /// Lays over the index what the store holds up to `newest`. Call it inside a snapshot of the store.
  ///
  /// - Returns: nil where that is not within the limits.
  func bringUpToDate(with store: PersistentStore, newest: Int64, limits: Overlay.Limits) throws -> Overlay? {
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

  /// The rows to which a new attribute gave its default value: no change in the history tells of them.
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

  /// The rows that changed after the token, and those whose documents hold text of them.
  func changed(in store: PersistentStore) throws -> Set<RowIdentifier> {
    let mapper = try mapper(for: store.layout)
    let rows = try store.changedRows(after: state.token?.number ?? 0)
    return try RelatedOwners(store: store, mapper: mapper).including(rows, in: opened.reader)
  }

  private static func open(
    _ directory: IndexDirectory
  ) throws -> (generation: IndexDirectory.Generation, reader: IndexReader, state: IndexState) {
    // A flip and the removal of an old generation may fall between the look at the stub and the opening.
    for _ in 0..<2 {
      guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
      if let found = try? open(serving) { return found }
    }
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    return try open(serving)
  }

  private static func open(
    _ serving: IndexDirectory.Generation
  ) throws -> (generation: IndexDirectory.Generation, reader: IndexReader, state: IndexState) {
    let reader = try IndexReader(path: serving.path)
    reader.pin()
    let state = try IndexState.read(reader)
    try reader.setStemmer(state.definition.language)
    return (serving, reader, state)
  }

  /// Whether a document has the term, those that an overlay replaces left out.
  func occurs(_ term: [UInt8]) throws -> Bool {
    guard try reader.frequency(of: term) > 0 else { return false }
    guard let hidden = overlay?.hidden, hidden != .nothing else { return true }
    let found = try reader.search(
      .andNot(.term(term), hidden), offset: 0, limit: 1, exactUpTo: 1, identitySlot: DocumentLayout.Slot.identity)
    return !found.hits.isEmpty
  }

  /// How many documents a query finds, those that an overlay replaces left out.
  func frequency(of query: Query) throws -> Int {
    let hidden = overlay?.hidden ?? .nothing
    return try reader.search(
      hidden == .nothing ? query : .andNot(query, hidden), offset: 0, limit: 0, exactUpTo: 10_000,
      identitySlot: DocumentLayout.Slot.identity
    ).matches
  }

  /// Documents in which it is looked whether a word stands there as it is.
  private static let mostLooked = 200

  /// Whether people wrote a word so, in one field or in any: not where it was only joined of the parts of compounds,
  /// such as `walle`, or cut from one.
  ///
  /// - Parameter prefix: That of the field's words; empty for all fields.
  func isWritten(_ word: [UInt8], prefix: [UInt8]) throws -> Bool {
    try (prefix.isEmpty ? fields.textPrefixes : [prefix]).contains {
      try reader.hasPositions($0 + word, most: Self.mostLooked)
    }
  }

  /// The prefixes of the fields that name records.
  var titlePrefixes: [[UInt8]] {
    Set(definition.entities.values.compactMap(\.title)).sorted().compactMap { fields[$0] }
      .filter { $0.roles.contains(.text) }.map { DocumentLayout.textPrefix($0.fieldPrefix) }
  }

  /// The names under which the strings inside a JSON field can be searched: `people.name`.
  func keys(of field: FieldTable.Field) throws -> [String] {
    var found: [String] = []
    var from = Array("XT\(field.fieldPrefix).".utf8)
    let beginning = from
    while found.count < 200, let term = try reader.term(atOrAfter: from), term.starts(with: beginning) {
      guard let colon = term.firstIndex(of: UInt8(ascii: ":")) else { break }
      found.append(field.name + "." + String(decoding: term[beginning.count..<colon], as: UTF8.self))
      from = Array(term[..<colon]) + [UInt8(ascii: ":") + 1]
    }
    return found
  }
}
