// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
package import SearchIndex
internal import Store

/// The serving generation, open for reading. It reads the stub before each query.
package final class OpenIndex {
  let location: IndexLocation
  private var opened: IndexLocation.Opened
  /// The definition of the index. If the store's model has grown since, it includes the new fields, which only
  /// documents of the overlay have.
  var definition: IndexDefinition { searched.definition }
  var fields: FieldTable { searched.fields }
  private(set) var searched: SearchedFields
  private(set) var hasGrown = false
  /// Whether no query has run since it was opened.
  private var isFresh = true

  /// The overlay that was made last, with what it was made from. It is valid until one of them changes. `newest` is a
  /// transaction, or the marks of a database without history.
  private var cache: (revision: UInt64, newest: Int64, overlay: Overlay)?
  private var revision: UInt64
  private var mapper: DocumentMapper?
  /// The joined index that is read instead of the index of the store; nil if that is read.
  private let joined: JoinedIndex?

  /// 0 for an index of another machine.
  var generation: Int { opened.generation?.number ?? 0 }
  var reader: IndexReader { opened.reader }
  /// Xapian's own identity of the database.
  var uuid: String { get throws { try opened.reader.uuid() } }
  package var state: IndexState { opened.state }
  /// How much of the store it contains.
  ///
  /// - Parameter pending: As `Completeness.pending`.
  func completeness(pending: Int64?) throws -> Completeness {
    Completeness(documents: try opened.reader.documentCount(), leftOut: state.leftOut, pending: pending)
  }

  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  convenience init(directory: IndexDirectory, layout: StoreLayout) throws {
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
  convenience init(directory: IndexDirectory, of store: PersistentStore) throws {
    let location = IndexLocation.directory(directory)
    let opened = try location.open()
    try self.init(location, opened, SearchedFields.shared(by: opened.state, of: store))
  }

  /// Opens the index of a store that is not open; nil if no index with the same fields, of a store with the same model, was
  /// opened in this process.
  ///
  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  convenience init?(directory: IndexDirectory) throws {
    let location = IndexLocation.directory(directory)
    let opened = try location.open()
    guard let fields = SearchedFields.known(for: opened.state) else { return nil }
    try self.init(location, opened, fields)
  }

  /// The index of a store whose documents are in a joined index. It has the fields of the store, and its token; it reads
  /// the documents of all stores.
  init(
    _ joined: JoinedIndex, as member: JoinedMember, in directory: IndexDirectory, _ searched: SearchedFields
  ) {
    location = .directory(directory)
    opened = IndexLocation.Opened(generation: nil, reader: joined.reader, state: joined.state)
    opened.state.token = member.token
    (self.searched, self.joined) = (searched, joined)
    revision = 0
  }

  /// Moves to the newest revision of the generation that serves now.
  func refresh(layout: StoreLayout) throws {
    if isFresh {
      isFresh = false
    } else if let generation = opened.generation, try location.isServing(generation) {
      try opened.reader.reopen()
      let newest = try opened.reader.revision()
      guard newest != revision else { return }
      cache = nil
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
  func adapt(to layout: StoreLayout, hasGrown: Bool) {
    let hasGrown = hasGrown && state.isStandardDefinition
    guard hasGrown != self.hasGrown else { return }
    define(hasGrown ? state.definition.grown(to: layout.shape) : state.definition, layout)
    self.hasGrown = hasGrown
  }

  /// Adopts another layout of the same database.
  func define(for layout: StoreLayout) { define(state.definition, layout) }

  private func define(_ definition: IndexDefinition, _ layout: StoreLayout) {
    (cache, mapper) = (nil, nil)
    searched = SearchedFields(definition: definition, extending: state.definition, model: layout.shape)
  }

  /// Whether the model has everything that the definition names.
  func fits(_ layout: StoreLayout) throws -> Bool {
    do {
      try state.definition.validate(against: layout.shape)
      return true
    } catch is DefinitionError {
      return false
    }
  }

  /// The mapper from rows to documents of this index.
  func mapper(for layout: StoreLayout) throws -> DocumentMapper {
    if let mapper { return mapper }
    func make() throws -> DocumentMapper { try DocumentMapper(definition: definition, layout: layout, fields: fields) }
    let made = try joined?.mapper(make) ?? make()
    mapper = made
    return made
  }

  // MARK: Overlays

  /// The result of comparing the rows of an ordinary database with the index.
  enum ComparedRows {
    /// The changed rows, possibly none.
    case overlay(Overlay)
    case changed, mayHaveChanged
  }

  /// Makes an overlay of the rows of an ordinary database that differ from the index. Call it in a snapshot.
  ///
  /// - Returns: `.changed` if the changed rows exceed the limits, `.mayHaveChanged` if comparing all rows exceeds them.
  func compare(with store: PersistentStore, limits: ChangeLimits) throws -> ComparedRows {
    let marks = try store.snapshotMarks()
    if let cache, let marks, (cache.revision, cache.newest) == (revision, marks) { return .overlay(cache.overlay) }
    let comparison = Comparison(store: store, mapper: try mapper(for: store.layout), progress: Progress())
    let rows: Set<RowIdentifier>
    switch try comparison.differences(with: reader, state, within: limits) {
    case .rows(let found): rows = found
    case .tooMany: return .changed
    case .unknown: return .mayHaveChanged
    }
    guard let made = try overlay(of: store, comparison.mapper, including: rows, limits) else { return .changed }
    cache = marks.map { (revision, $0, made) }
    return .overlay(made)
  }

  /// An overlay of the changes up to `newest`. Call it in a snapshot of the store.
  ///
  /// - Returns: nil if that exceeds the limits.
  func overlay(of store: PersistentStore, newest: Int64, limits: ChangeLimits) throws -> Overlay? {
    if let cache, (cache.revision, cache.newest) == (revision, newest) { return cache.overlay }
    let mapper = try mapper(for: store.layout)
    let gained = try rowsWithDefaults(in: store, mapper, limit: limits.changes + 1)
    var made = try overlay(of: store, mapper, including: gained, limits)
    if made == nil, !gained.isEmpty {
      made = try overlay(of: store, mapper, including: [], limits)
      made?.isWhole = false
    }
    cache = made.map { (revision, newest, $0) }
    return made
  }

  private func overlay(
    of store: PersistentStore, _ mapper: DocumentMapper, including rows: Set<RowIdentifier>, _ limits: ChangeLimits
  ) throws -> Overlay? {
    try Overlay(
      over: reader, token: state.token?.number ?? 0, including: rows, store: store, mapper: mapper, limits: limits)
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
  func changed(in store: PersistentStore) throws -> Set<RowIdentifier> {
    let mapper = try mapper(for: store.layout)
    let rows = try store.changedRows(after: state.token?.number ?? 0)
    return try RelatedOwners(store: store, mapper: mapper).including(rows, in: reader)
  }
}
