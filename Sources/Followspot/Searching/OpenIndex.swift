internal import IndexDefinitions
package import PersistentStore
package import SearchIndex

/// The serving generation, open for reading. It looks at the stub before each query.
package final class OpenIndex {
  private let directory: IndexDirectory
  private var opened: (generation: IndexDirectory.Generation, reader: IndexReader, state: IndexState)
  package private(set) var fields: FieldTable
  /// Whether nothing was asked since it was opened.
  private var isFresh = true

  /// What was saved after the token, while it is being searched together with the index.
  private(set) var overlay: Overlay?
  /// What the overlay was made of: it holds until one of them changes.
  private var overlayKey: (revision: UInt64, newest: Int64)?
  private var revision: UInt64
  private var mapper: DocumentMapper?

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
    fields = FieldTable(definition: opened.state.definition, model: layout.shape)
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
      drop()
      mapper = nil
      opened = try Self.open(directory)
      revision = try opened.reader.revision()
      fields = FieldTable(definition: opened.state.definition, model: layout.shape)
    }
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

  /// How rows become documents of this index.
  func mapper(for layout: StoreLayout) throws -> DocumentMapper {
    if let mapper { return mapper }
    let made = try DocumentMapper(definition: state.definition, layout: layout)
    mapper = made
    return made
  }

  /// Lays over the index what the store holds up to `newest`. Call it inside a snapshot of the store.
  ///
  /// - Returns: Whether that is within the limits.
  func bringUpToDate(with store: PersistentStore, newest: Int64, limits: Overlay.Limits) throws -> Bool {
    if let overlayKey, overlay != nil, overlayKey == (revision, newest) { return true }
    drop()
    let mapper = try mapper(for: store.layout)
    let token = state.token?.number ?? 0
    overlay = try Overlay(over: opened.reader, token: token, store: store, mapper: mapper, limits: limits)
    overlayKey = (revision, newest)
    return overlay != nil
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

  /// The names under which the strings inside a JSON field can be searched: `people.name`.
  func keys(of field: FieldTable.Field) throws -> [String] {
    var found: [String] = []
    var from = Array("XT\(field.letters).".utf8)
    let beginning = from
    while found.count < 200, let term = try reader.term(atOrAfter: from), term.starts(with: beginning) {
      guard let colon = term.firstIndex(of: UInt8(ascii: ":")) else { break }
      found.append(field.name + "." + String(decoding: term[beginning.count..<colon], as: UTF8.self))
      from = Array(term[..<colon]) + [UInt8(ascii: ":") + 1]
    }
    return found
  }
}
