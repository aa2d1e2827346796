// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// The views of one store and its index, and of a group.
extension SearchView {
  /// The index alone, as of its token. Call it in a snapshot of the store, as the other functions here.
  static func atToken(_ index: OpenIndex, _ store: PersistentStore) throws -> SearchView {
    let lag = try store.newest() &- (index.state.token?.number ?? 0)
    return SearchView(index, RowSource(store), try IndexFreshness(of: index, lag: max(0, lag)))
  }

  /// The index together with the changes after its token, if a request wants them and they are within its limits.
  ///
  /// - Parameter verdict: On the token of the index.
  func current(_ verdict: TokenVerdict, _ request: SearchRequest) throws -> SearchView {
    var view = self
    let state = index.state
    switch verdict {
    case .valid, .modelGrown: break
    case .mayHaveChanged, .changed: return try compared(request)
    case .unexplained: return try unexplained(request)
    case .modelChanged where try store.isOrdinaryDatabase && index.fits(store.layout):
      // New tables and columns are not in the definition. Everything that it names is compared.
      view.freshness.note =
        state.sentence(of: verdict) + "; new tables and columns are found after the index is updated"
      return try view.compared(request)
    case .modelChanged where try index.fits(store.layout):
      // The history does not record which values the migration changed or lost.
      view.freshness.lacks(state.sentence(of: verdict) + "; some records may be missed until the index is updated")
    case .modelChanged, .noToken, .expired, .diverged:
      view.freshness.status.isOfThisStore = false
      view.freshness.isUnknown(state.sentence(of: verdict) + "; the index has to be updated")
      // Its transaction numbers belong to another history.
      if request.atLeast != nil { view.freshness.status.answersAt = .min }
      view.changed = nil
      return view
    }
    return try view.followed(request)
  }

  /// The view with the changes in the history after the token, if a request wants them and they are within its limits.
  ///
  /// - Parameter compared: An overlay of all rows that differ; nil if the history tells which.
  private func followed(_ request: SearchRequest, with compared: Overlay? = nil) throws -> SearchView {
    var view = self
    let token = freshness.status.token
    guard let lag = freshness.status.lagTransactions, lag > 0 || compared != nil else { return view }
    let now = Date().timeIntervalSince1970
    view.freshness.status.lagSeconds = try store.ageOfFirstTransaction(after: token, now: now) ?? 0
    if !request.isIndexOnly,
      let overlay = try compared ?? index.overlay(of: store, newest: token + lag, limits: request.overlayLimits)
    {
      view = view.with(overlay)
      view.freshness.status.answersAt = token + lag
      if !overlay.isWhole {
        view.freshness.lacks("the default values of new attributes are missing until the index is updated")
      }
      return view
    }
    view.changed = try index.changed(in: store)
    try view.hideDeleted()
    view.freshness.add(note: IndexFreshness.behind(lag))
    if let stamp = try store.futureStamp(now: now) { view.freshness.add(note: stamp.sentence) }
    return view
  }

  /// The view of an attached database to which more was written than its log explains. Its rows are compared now, unless
  /// that exceeds the limits of an overlay.
  private func unexplained(_ request: SearchRequest) throws -> SearchView {
    if !request.isIndexOnly, case .overlay(let overlay) = try index.compare(with: store, limits: request.overlayLimits)
    {
      return try followed(request, with: overlay)
    }
    var view = try followed(request)
    view.comparesHits = true
    view.freshness.isUnknown(index.state.sentence(of: .unexplained) + "; the index has to be updated")
    return view
  }

  /// The view of a database that may have changed since it was indexed, without a history that tells it. Its rows are
  /// compared now, unless that exceeds the limits of an overlay.
  private func compared(_ request: SearchRequest) throws -> SearchView {
    var verdict = TokenVerdict.mayHaveChanged
    if !request.isIndexOnly {
      switch try index.compare(with: store, limits: request.overlayLimits) {
      case .overlay(let overlay):
        var view = with(overlay)
        view.freshness.status.answersAt = freshness.status.token + (freshness.status.lagTransactions ?? 0)
        view.freshness.status.complete.pending = Int64(overlay.rows.count)
        return view
      case .changed: verdict = .changed
      case .mayHaveChanged: break
      }
    }
    var view = self
    view.changed = store.tracking.hasHistory ? try index.changed(in: store) : nil
    try view.hideDeleted()
    (view.comparesHits, view.hasOtherRows) = (true, store.tracking.hasHistory)
    view.freshness.isUnknown(index.state.sentence(of: verdict) + "; the index has to be updated")
    return view
  }

  /// Deleted records instead of the index, with the values that the history preserves.
  func deleted(_ deletions: [StoredDeletion], note: String?) throws -> SearchView {
    var view = with(try Overlay(over: index.reader, deleted: deletions, store: store, mapper: mapper))
    view.rows = RowSource(store, deletions: Dictionary(uniqueKeysWithValues: deletions.map { ($0.row, $0) }))
    view.freshness.status.answersAt = freshness.status.token + (freshness.status.lagTransactions ?? 0)
    view.freshness.note = note
    return view
  }

  /// The index together with other documents, instead of an overlay.
  func with(_ documents: [Document]) throws -> SearchView {
    with(try Overlay(of: documents, over: index.reader, stemmer: definition.language))
  }

  /// The index together with an overlay of some rows, as they are in the store now, and of no others.
  func with(_ rows: Set<RowIdentifier>) throws -> SearchView {
    try Overlay(over: index.reader, rows: rows, store: store, mapper: mapper).map(with) ?? self
  }

  private func with(_ overlay: Overlay) -> SearchView {
    var view = self
    (view.reader, view.hidden, view.changed, view.hasOverlay) = (overlay.reader, overlay.replaced, overlay.rows, true)
    return view
  }

  // MARK: Groups

  /// The same rows, with the documents of all indexes of a group. Their fields have the same prefixes.
  ///
  /// - Parameter hidden: Finds the documents that must not be hits.
  func inGroup(_ reader: IndexReader, hidden: Query) -> SearchView {
    var view = self
    (view.reader, view.hidden, view.hasOverlay) = (reader, hidden, true)
    return view
  }

  /// The same view without some documents.
  func hiding(_ documents: Query) -> SearchView {
    var view = self
    view.hidden = hidden == .nothing ? documents : documents == .nothing ? hidden : .or([hidden, documents])
    return view
  }

  /// The rows of this view, with the documents of a view of the whole group.
  func inGroup(like other: SearchView) -> SearchView {
    inGroup(other.reader, hidden: other.hidden).with(group: other.group)
  }

  /// The same view as a part of a group.
  func with(group: GroupContext?) -> SearchView {
    var view = self
    view.group = group
    return view
  }

  // MARK: Without the store

  /// An index that answers with the values that its documents have.
  static func storeless(
    _ index: OpenIndex, _ stored: StoredRows, _ store: PersistentStore, _ request: SearchRequest
  ) throws -> SearchView {
    let rows = RowSource(store, stored: stored)
    switch index.location {
    case .directory(let directory): return SearchView(index, rows, try replica(index, stored, directory, request))
    case .remote: return SearchView(index, rows, try remote(index, stored))
    }
  }

  /// The state of a replica whose store is on another machine: later changes of that store are not known.
  private static func remote(_ index: OpenIndex, _ stored: StoredRows) throws -> IndexFreshness {
    var freshness = try IndexFreshness(of: index, lag: nil)
    freshness.lacks("answered by a remote index at token \(freshness.status.token)")
    if !stored.hasTitles { freshness.add(note: "it stores no titles") }
    return freshness
  }

  /// The state of a replica, with what it has heard of the store.
  private static func replica(
    _ index: OpenIndex, _ stored: StoredRows, _ directory: IndexDirectory, _ request: SearchRequest
  ) throws -> IndexFreshness {
    let token = index.state.token?.number ?? 0
    let state = ReplicaState(in: directory)
    let silence = state?.silence(now: Date().timeIntervalSince1970)
    let lag = state?.newest.map { max(0, $0 - token) }
    var freshness = try IndexFreshness(of: index, lag: lag)
    freshness.status.lagSeconds = silence
    // What the store has saved since the server answered last is not known.
    freshness.isWhole = lag == 0 && (silence ?? .infinity) <= request.mostLag ?? 0
    let behind = lag.flatMap { $0 > 0 ? ", " + IndexFreshness.behind($0) : nil } ?? ""
    freshness.note = "answered by a replica at token \(token)" + behind
    if let silence, silence >= 5 { freshness.add(note: "its source answered last \(Int(silence)) s ago") }
    if !stored.hasTitles { freshness.add(note: "it stores no titles") }
    return freshness
  }
}
