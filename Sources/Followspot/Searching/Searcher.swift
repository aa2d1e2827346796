// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
package import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Answers queries from an index and its store, each in a view of both. Not thread-safe.
package final class Searcher {
  package private(set) var store: PersistentStore { didSet { findKeys() } }
  package let index: OpenIndex
  /// The values in the index, if it answers without the store; nil if the store is read.
  private var stored: StoredRows?
  /// The readings with which the database was opened last.
  private var triedReadings: KnownReadings?

  /// - Throws: Errors of the store; `IndexError.missing`, `.corrupt`, `.foreign`.
  package convenience init(storePath: String, directory: IndexDirectory) throws {
    try self.init(store: StoreFile.open(storePath, readings: directory.readings), directory: directory)
  }

  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  convenience init(store: PersistentStore, directory: IndexDirectory) throws {
    self.init(store: store, index: try OpenIndex(directory: directory, of: store))
  }

  /// - Parameter index: The open index of the store.
  init(store: PersistentStore, index: OpenIndex) {
    (self.store, self.index) = (store, index)
    findKeys()
  }

  /// Has the store find keys that are not integers in documents.
  private func findKeys() {
    // Only an index of an ordinary database has readings.
    if stored != nil, index.state.readings != nil {
      store.naming = ReplicaNames(namedByNumber: index.state.namedByNumber)
    }
    store.findKeys { [weak index] entity, key in
      guard let index else { return nil }
      let term = index.definition.lookupTerm(entity: entity, key: key)
      // A document that cannot be read is no obstacle: the store then reads its keys itself.
      return try? index.reader.value(of: term, slot: DocumentLayout.Slot.key)
    }
  }

  /// Answers from what a replica, or the index of another machine, stores of the records, without the store.
  ///
  /// - Throws: `IndexError.missing`, `.corrupt`, `.unreachable`; `OperationError.usage` if another machine serves
  ///   something else.
  package init(copy location: IndexLocation) throws {
    index = try OpenIndex(location) { try Self.emptyStore(for: $0, location).layout }
    store = try Self.emptyStore(for: index.state, location)
    stored = try StoredRows(index: index, store: store)
    findKeys()
  }

  /// A store in memory with the model of the store that was indexed.
  private static func emptyStore(for state: IndexState, _ location: IndexLocation) throws -> PersistentStore {
    try .createInMemory(model: location.model(of: state), uuid: state.token?.storeUUID)
  }

  /// Moves to the newest revision of the index. If it was built with other readings of a database's columns, the
  /// database is opened again with them.
  func refresh() throws {
    try index.refresh(layout: store.layout)
    if stored != nil {
      if index.state.model != store.model || index.state.token?.storeUUID ?? store.uuid != store.uuid {
        store = try Self.emptyStore(for: index.state, index.location)
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

  /// The names of the fields that the index can show; nil if the store is read.
  package var storedFields: Set<String>? { stored?.names }

  /// Whether values of a field or an attribute can be shown. Without the store, only some can.
  package func mayShow(_ name: String) -> Bool {
    guard let names = stored?.names else { return true }
    let fields = [index.fields[name]].compactMap(\.self) + index.fields.titles(ofRelated: name)
    return names.contains(name) || fields.contains { names.contains($0.name) }
  }

  /// The host and the port of the index; nil if it is on this machine.
  var remoteName: String? { if case .remote(let remote) = index.location { remote.name } else { nil } }

  /// The record that a text names, which may not exist; nil if the text is not an identifier.
  package func record(named text: String) throws -> RecordURI? {
    try copiedRecord(named: text) ?? store.record(named: text)
  }

  /// The record of a copy of an ordinary database that a text names by its kind and a key that is not its number; nil if
  /// there is none.
  private func copiedRecord(named text: String) throws -> RecordURI? {
    guard stored != nil, let names = store.naming as? ReplicaNames, let slash = text.firstIndex(of: "/"),
      let name = store.layout.entity(matching: String(text[..<slash]))?.entity.name, !names.namedByNumber.contains(name)
    else { return nil }
    let key = text[text.index(after: slash)...]
    let query = Query.filter(
      .valueSet(slot: DocumentLayout.Slot.key, names.keys(named: key).sorted { $0.lexicographicallyPrecedes($1) }),
      by: .term(DocumentLayout.entityTerm(name)))
    let view = SearchView(index, RowSource(store, stored: stored), try IndexFreshness(of: index, lag: nil))
    return try view.firstHit(query).flatMap { view.row(identity: $0.identity) }.map(store.identifier(of:))
  }

  /// Whether a record with that identifier could be of this store.
  func mayHave(_ record: RecordURI) throws -> Bool {
    (record.storeUUID == nil || record.storeUUID == store.uuid)
      && store.layout.entity(matching: record.entityName) != nil
  }

  /// Whether the store has a record, or the index of a copy its document.
  func has(_ record: RecordURI) throws -> Bool {
    let rows = RowSource(store, stored: stored)
    guard let entity = try rows.entity(of: record) else { return false }
    return try rows.withRow(of: entity, key: record.key, attributes: []) { $0 != nil }
  }

  /// The identifier of a record, if there is one.
  package var exampleIdentifier: String { store.exampleIdentifier }

  /// Whether the index has a field of that name.
  package func hasField(_ name: String) -> Bool { index.fields[name] != nil }

  /// Whether the file at the store's path was replaced since it was opened.
  package var isOutdated: Bool { store.isReplaced }

  /// The version of the store's data, which changes when another process saves.
  package func version() throws -> DataVersion { try store.dataVersion() }

  /// Whether another process has saved since a version, or replaced the store.
  package func hasChanged(since version: DataVersion?) throws -> Bool {
    try isOutdated || store.dataVersion() != version
  }

  // MARK: Views

  /// Maximum number of restarts of a search because the index changed meanwhile.
  static let mostAttempts = 200

  static var overtaken: IndexError {
    IndexError(.changed, "the index changes faster than it can be searched", recovery: .retry)
  }

  /// Runs `body` with a view of the index at one revision and the store at one transaction, neither older than the call.
  ///
  /// - Parameter group: The other stores of the group; nil outside of a group.
  package func withView<Answer>(
    _ request: SearchRequest, group: GroupContext? = nil, _ body: (SearchView) throws -> Answer
  ) throws -> Answer {
    let deadline = ContinuousClock.now + .milliseconds(request.patience)
    while true {
      let answer: Answer? = try inSnapshot { overtaken in
        let view = try view(request, group)
        // Another process may have updated the index meanwhile, and purged the transactions. So this is tried again
        // once.
        if !view.freshness.status.isOfThisStore, overtaken == 0 { throw Self.overtaken }
        guard view.freshness.status.answersAt >= request.atLeast ?? .min else { return nil }
        return try body(view)
      }
      if let answer { return answer }
      guard ContinuousClock.now < deadline else {
        throw OperationError(
          .stale, "transaction \(request.atLeast ?? 0) does not exist yet",
          recovery: .showStatus)
      }
      try StopSignal.check()
      usleep(5_000)
    }
  }

  /// Runs `body` with the index alone, and the verdict on its token. Changes that are not indexed are not searched.
  func withTokenView<Result>(_ body: (SearchView, TokenVerdict) throws -> Result) throws -> Result {
    try inSnapshot { _ in
      let (view, verdict) = try atToken()
      return try body(view, verdict)
    }
  }

  /// Runs `body` in a snapshot of the store that begins after the revision of the index is opened, and again if the index
  /// changes meanwhile.
  ///
  /// - Parameter body: Is given how often the index has changed.
  private func inSnapshot<Result>(_ body: (_ overtaken: Int) throws -> Result) throws -> Result {
    var overtaken = 0
    while true {
      do {
        try refresh()
        return try store.withSnapshot {
          try store.refuseReplaced()
          return try body(overtaken)
        }
      } catch let error as IndexError where error.code == .changed && overtaken < Self.mostAttempts {
        overtaken += 1
        usleep(UInt32(min(overtaken, 10)) * 500)
      }
    }
  }

  private func view(_ request: SearchRequest, _ group: GroupContext?) throws -> SearchView {
    let made = try stored.map { try SearchView.storeless(index, $0, store, request) } ?? viewOfStore(request)
    var view = made.with(group: group)
    try view.freshness.check(request)
    // A value of the overlay could not be read and was omitted.
    if let misfit = store.misfitSentence {
      view = view.lacking(misfit + "; the index has to be updated")
      try view.freshness.check(request)
    }
    if let remains = Database.of(store)?.remains { view = view.noting(remains) }
    guard let unread = store.unreadSentence else { return view }
    guard store.hasUnreadRecords(in: view.definition) else { return view.noting(unread) }
    view = view.lacking(unread)
    try view.freshness.check(request)
    return view
  }

  private func viewOfStore(_ request: SearchRequest) throws -> SearchView {
    let (view, verdict) = try atToken()
    return try DeletedRecords.view(for: request, view) ?? view.current(verdict, request)
  }

  private func atToken() throws -> (view: SearchView, verdict: TokenVerdict) {
    let verdict = try index.state.verdict(in: store)
    index.adapt(to: store.layout, hasGrown: verdict == .modelGrown)
    return (try .atToken(index, store), verdict)
  }

  // MARK: Answers

  /// Searches, and joins each hit with its current row. The answer reflects the store's newest transaction, unless the
  /// index is too far behind.
  ///
  /// - Throws: `QueryError`; `OperationError.stale`; errors of store and index, such as `StoreError.replaced` if the
  ///   store was migrated meanwhile.
  package func search(_ request: SearchRequest) throws -> SearchResult {
    try withView(request) { try Self.answer(request, in: $0) }
  }

  /// The answer to a request in a view.
  static func answer(_ request: SearchRequest, in view: SearchView) throws -> SearchResult {
    let plan = try Ranker.plan(request, in: view)
    let (page, folded) =
      try Folding(plan, request, in: view)?.page(request) ?? (Ranker.page(of: plan, request, in: view), [])
    let deleted = DeletedRecords(of: view)
    var result = SearchResult(index: view.freshness.status)
    result.corrected = plan.corrected
    result.notes = plan.notes(with: view.freshness)
    result.estimated = page.estimated
    result.isWidened = page.isWidened
    result.folded = folded
    if page.estimated == 0 {
      if let note = deleted.note { result.notes.append(note) }
      result.nearest = try NearestQueryFinder(request, corrected: plan.corrected, view).nearest()
    }
    result.preservation = deleted.preservation
    let details = try HitDetails(view, request, query: page.query(plan))
    result.hits = try page.hits.compactMap(details.hit)
    result.estimated -= page.hits.count - result.hits.count
    result.facets = try FacetCounting.facets(request, of: page.query(plan), in: view)
    return result
  }

  /// The exact number of matches, and how many of them have each value of a field. The query is neither widened nor
  /// corrected.
  ///
  /// - Parameter field: The field whose values are counted; nil = none.
  package func count(_ request: SearchRequest, by field: String? = nil) throws -> CountResult {
    try withView(request.asWritten) { try Self.count(request, by: field, in: $0) }
  }

  /// The count of a request in a view.
  static func count(_ request: SearchRequest, by field: String?, in view: SearchView) throws -> CountResult {
    var request = request.asWritten
    request.facets = field.map { [$0] } ?? []
    let plan = try QueryCompiler(request, view).plan()
    let query = request.words == .any ? plan.any : plan.all
    let found = try view.matchCount(of: query, exactUpTo: try view.reader.documentCount())
    return CountResult(
      count: found, facet: try FacetCounting.facets(request, of: query, in: view).first,
      nearest: found == 0 ? try NearestQueryFinder(request, view).nearest() : nil,
      notes: plan.notes(with: view.freshness),
      preservation: DeletedRecords(of: view).preservation, index: view.freshness.status)
  }

  /// Explains why a record matches a query, or why it does not.
  ///
  /// - Returns: nil if the store has no such record.
  /// - Throws: `QueryError`; `OperationError.usage` for an identifier of another store or an unknown entity.
  package func explain(_ identifier: RecordURI, _ request: SearchRequest) throws -> Explanation? {
    try withView(request) { view in
      try DeletionPeriod.refuse(request, in: view, "which are not explained")
      return try Explainer(identifier, request, view)?.explanation()
    }
  }

  /// Whole titles and whole facet values that start with a query, then completions of its last word, the most frequent
  /// first. If there are none, a correction of that word. Changes that are not indexed yet are covered.
  ///
  /// - Parameter request: Its `limit` is the maximum number of suggestions.
  package func suggestions(for request: SearchRequest) throws -> (suggestions: [Suggestion], notes: [String]) {
    try withView(request) { view in
      (try Suggester(view: view).suggestions(for: request), view.freshness.note.map { [$0] } ?? [])
    }
  }

  /// Whether a query finds deleted records instead of present ones.
  package func findsDeleted(_ request: SearchRequest) throws -> Bool {
    let view = SearchView(index, RowSource(store), try IndexFreshness(of: index, lag: nil))
    return try DeletionPeriod.of(request, in: view) != nil
  }
}
