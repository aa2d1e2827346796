// SPDX-License-Identifier: MIT

internal import ForeignStores
internal import FoundationEssentials
internal import IndexDefinitions
internal import Indexing
package import PersistentStore
package import QueryLanguage
internal import SQLite
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Answers queries from an index and its store. Not thread-safe.
package final class Searcher {
  package private(set) var store: PersistentStore { didSet { findKeys() } }
  package let index: OpenIndex
  /// Whether facets and sort orders may read the values of matches from the index. Otherwise they read rows.
  package var readsSlots = true
  /// The values in the index, if it answers without the store; nil otherwise.
  package private(set) var stored: StoredRows?
  /// The replica, or the index of another machine, that answers without the store; nil if the store is read.
  let storeless: IndexLocation?
  /// The readings with which the database was opened last.
  private var triedReadings: KnownReadings?

  /// - Throws: Errors of the store; `IndexError.missing`, `.corrupt`, `.foreign`.
  package convenience init(storePath: String, directory: IndexDirectory) throws {
    try self.init(store: StoreFile.open(storePath, readings: directory.readings), directory: directory)
  }

  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  package convenience init(store: PersistentStore, directory: IndexDirectory) throws {
    self.init(store: store, index: try OpenIndex(directory: directory, of: store))
  }

  /// - Parameter index: The open index of the store.
  package init(store: PersistentStore, index: OpenIndex) {
    (self.store, self.index) = (store, index)
    storeless = nil
    findKeys()
  }

  /// Has the store find keys that are not integers in documents.
  private func findKeys() {
    // Only an index of an ordinary database has readings.
    if storeless != nil, index.state.readings != nil {
      store.naming = ReplicaNames(namedByNumber: index.state.namedByNumber)
    }
    store.findKeys { [weak index] entity, key in
      guard let index else { return nil }
      let term = index.definition.lookupTerm(entity: entity, key: key)
      // A document that cannot be read is no obstacle: the store then reads its keys itself.
      return try? index.alone.value(of: term, slot: DocumentLayout.Slot.key)
    }
  }

  /// Answers from the fields that a replica stores, without the store.
  ///
  /// - Throws: `IndexError.missing`, `.corrupt`.
  package convenience init(replica directory: IndexDirectory) throws {
    try self.init(storeless: .directory(directory))
  }

  /// Answers from the fields that an index stores, without the store.
  init(storeless location: IndexLocation) throws {
    storeless = location
    index = try OpenIndex(location) { try Self.emptyStore(for: $0, location).layout }
    store = try Self.emptyStore(for: index.state, location)
    findKeys()
    stored = try StoredRows(index: index, store: store)
  }

  /// A store in memory with the model of the store that was indexed.
  private static func emptyStore(for state: IndexState, _ location: IndexLocation) throws -> PersistentStore {
    guard let model = state.model else {
      throw IndexError(
        .corrupt, "the index \(location) does not contain the model of its store", recovery: .rebuildIndex)
    }
    return try .createInMemory(model: model, uuid: state.token?.storeUUID)
  }

  /// Moves to the newest revision of the index. If it was built with other readings of a database's columns, the
  /// database is opened again with them.
  package func refresh() throws {
    try index.refresh(layout: store.layout)
    if let storeless {
      if index.state.model != store.model || index.state.token?.storeUUID ?? store.uuid != store.uuid {
        store = try Self.emptyStore(for: index.state, storeless)
        index.define(for: store.layout)
      }
      findKeys()
      stored = try StoredRows(index: index, store: store)
      return
    }
    guard let readings = index.state.readings, readings != Database.of(store)?.readings, readings != triedReadings
    else { return }
    triedReadings = readings
    let opened = try StoreFile.open(store.path, readings: .known { readings })
    // New columns are not among the readings of the index.
    guard opened.modelDigest != store.modelDigest else { return }
    store = opened
    index.define(for: opened.layout)
    findKeys()
  }

  package var entities: [EntityLayout] { store.layout.entities }

  /// The record that a text names, which may not exist; nil if the text is not an identifier.
  package func record(named text: String) throws -> RecordURI? { try store.record(named: text) }

  /// The identifier of a record, if there is one.
  package var exampleIdentifier: String { store.exampleIdentifier }

  /// Whether the index has a field of that name.
  package func hasField(_ name: String) -> Bool { index.fields[name] != nil }

  /// Whether the file at the store's path was replaced since it was opened.
  package var isOutdated: Bool { store.isReplaced }

  /// The version of the store's data, which rises when another process saves.
  package func version() throws -> Int64 { try store.dataVersion() }

  /// Waits until another process has saved since a version, or for a second at most.
  package func wait(_ waiter: ChangeWaiter, since version: Int64) throws { try waiter.wait(for: store, since: version) }

  /// Whether another process has saved since a version, or replaced the store.
  package func hasChanged(since version: Int64) throws -> Bool {
    try isOutdated || store.dataVersion() != version
  }

  /// Searches, and joins each hit with its current row. The answer reflects the store's newest transaction, unless the
  /// index is too far behind.
  ///
  /// - Throws: `QueryError`; `OperationError.stale`; errors of store and index, such as `StoreError.replaced` if the
  ///   store was migrated meanwhile.
  package func search(_ request: SearchRequest) throws -> SearchResult {
    try withSnapshot(request) { snapshot in
      var plan = try plan(request)
      plan.excluded += try hidden(snapshot)
      if request.expands { try expand(&plan) }
      try boost(&plan, request)
      var result = SearchResult(index: snapshot.indexStatus)
      result.corrected = plan.corrected
      result.notes = plan.allNotes + (snapshot.note.map { [$0] } ?? [])
      let page = try page(plan, request, snapshot)
      result.estimated = page.estimated
      result.isWidened = page.isWidened
      if page.estimated == 0, let note = preservedNote() { result.notes.append(note) }
      result.preservation = preservation
      if page.estimated == 0 { result.nearest = try nearest(to: request, corrected: plan.corrected, snapshot) }
      let details = try HitDetails(self, request, snapshot, query: page.query(plan))
      result.hits = try page.hits.compactMap(details.hit)
      result.facets = try facets(request.facets, of: page.query(plan), snapshot)
      return result
    }
  }

  /// The exact number of matches, and how many of them have each value of a field. The query is neither widened nor
  /// corrected.
  ///
  /// - Parameter field: The field whose values are counted; nil = none.
  package func count(_ request: SearchRequest, by field: String? = nil) throws -> CountResult {
    try withSnapshot(request.asWritten) { snapshot in
      var plan = try plan(request.asWritten)
      if index.overlay != nil { plan.excluded += try hidden(snapshot) }
      let query = request.words == .any ? plan.any : plan.all
      let found = try frequency(of: query, exactUpTo: try index.reader.documentCount())
      return CountResult(
        count: found, facet: try field.map { try facets([$0], of: query, snapshot)[0] },
        nearest: found == 0 ? try nearest(to: request.asWritten, snapshot) : nil,
        notes: plan.allNotes + (snapshot.note.map { [$0] } ?? []), preservation: preservation,
        index: snapshot.indexStatus)
    }
  }

  // MARK: Query

  package func parse(_ request: SearchRequest) throws -> ParsedQuery { try index.searched.parse(request) }

  package func plan(_ request: SearchRequest) throws -> QueryPlan {
    var plan = try plan(parse(request), request)
    if !request.kinds.isEmpty { plan.required.append(try kindsQuery(request.kinds)) }
    if let record = request.record {
      plan.required.append(.term(index.definition.lookupTerm(entity: record.entityName, key: record.key)))
    }
    return plan
  }

  /// The plan of a query or a part of one, without the request's kinds.
  func plan(_ parsed: ParsedQuery, _ request: SearchRequest) throws -> QueryPlan {
    try compiler(request).plan(parsed)
  }

  /// The query of a request with its misspelt words corrected; nil if there is nothing to correct.
  func correctedQuery(_ request: SearchRequest) throws -> String? {
    try compiler(request).correctedQuery(parse(request))
  }

  private func compiler(_ request: SearchRequest) -> QueryCompiler {
    QueryCompiler(
      query: request.query, index: index, store: store, mayApproximate: request.mayApproximate,
      isStrict: request.isStrict)
  }

  /// A query for the records of any of the kinds.
  func kindsQuery(_ kinds: [String]) throws -> Query {
    let terms = try kinds.map { try kindTerm($0) }
    return terms.count == 1 ? terms[0] : .or(terms)
  }

  private func kindTerm(_ kind: String) throws -> Query {
    let known = index.definition.entities.keys.sorted()
    guard let name = known.first(where: { $0.lowercased() == kind.lowercased() }) else {
      throw OperationError(.usage, "no kind is named '\(kind)'", recovery: .knownNames(known))
    }
    return .term(DocumentLayout.entityTerm(name))
  }
}
