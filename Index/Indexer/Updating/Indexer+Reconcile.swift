// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Finding and indexing the differences between index and store without the history.
extension Indexer {
  /// Indexes the changed rows of an ordinary database by their digests. Returns false if there are no digests.
  func followDigests(
    _ verdict: TokenVerdict, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws -> Bool {
    guard verdict.isOpen,
      let known = try RowDigests(generation: writer.path, state: writer.state, store: store)
    else { return false }
    let scan = try RowDigestScan(of: store, since: known, drafting: writer.path)
    let changed = scan.changes
    let (before, rejected) = (writer.effects, writer.rejected.rows.count)
    try write(changed, store: store, mapper: mapper, writer: writer)
    let leftOut = try LeftOutRows(of: store, mapper)
    try writer.updateState {
      $0.leftOut = leftOut
      try $0.noteComparison(in: store)
    }
    try writer.commit(token: store.token())
    if !changed.isEmpty || store.tracking == .attached { try scan.keep(writer.state) }
    if verdict == .unexplained { try noteUnexplained(since: before, writer) }
    try reportRejected(of: writer, from: rejected, in: store)
    options.committed(writer.state)
    return true
  }

  /// Indexes what a change of the schema did to the rows of an attached database, which the log does not record. The log
  /// continues after it.
  ///
  /// - Returns: Whether the schema has changed in a way that the log outlives.
  func followSchema(
    _ verdict: TokenVerdict, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws -> Bool {
    guard verdict == .valid || verdict.isOpen, var token = writer.state.token,
      token.modelDigest != store.modelDigest, let entities = try store.entitiesChangedUnlogged(since: token)
    else { return false }
    let rejected = writer.rejected.rows.count
    if !entities.isEmpty {
      let reason = writer.state.sentence(of: verdict)
      guard options.reconciles else { throw Self.forbidden(reason) }
      options.report("\(reason): comparing the rows of \(entities.map(\.entity.name).sorted().joined(separator: ", "))")
      let comparison = Comparison(store: store, mapper: mapper, progress: Progress(show: options.progress))
      let differences = try comparison.differences(of: entities, with: writer, check: StopSignal.check)
      try write(Set(differences), store: store, mapper: mapper, writer: writer)
    }
    token.modelDigest = store.modelDigest
    let highWaterMark = entities.isEmpty ? writer.state.highWaterMark : try store.token()
    try writer.commit(token: token, highWaterMark: highWaterMark)
    try reportRejected(of: writer, from: rejected, in: store)
    options.committed(writer.state)
    return true
  }

  /// Writes the documents of rows, and of those that contain text of them, as they are in the store now.
  private func write(
    _ changed: Set<RowIdentifier>, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws {
    let rows = try RelatedOwners(store: store, mapper: mapper).including(changed, in: writer)
    for row in rows.sorted() {
      guard let plan = mapper.plan(ofEntity: row.entity) else { continue }
      _ = try store.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { found in
        if let found {
          try writer.upsert(mapper.map(found, plan, from: store))
        } else {
          try writer.remove(entity: plan.entity.entity.name, key: row.key)
        }
      }
      if writer.isFull {
        try writer.commit(token: nil, highWaterMark: store.tracking.hasHistory ? store.token() : nil)
      }
    }
  }

  /// Reports rows of an attached database that had changed without triggers, and keeps their numbers for `status`.
  private func noteUnexplained(since before: WriteEffects, _ writer: GenerationWriter) throws {
    guard writer.effects.documents > before.documents else { return }
    let result = IndexState.Reconciliation(
      reason: TokenVerdict.unexplained.sentence(token: nil), from: before, to: writer.effects, at: DateText.now)
    options.report("\(result.reason); \(result.sentence)")
    writer.updateState { $0.lastReconcile = result }
  }

  /// Compares the rows of an attached database to which more was written than its log explains, unless the pause after a
  /// comparison that found nothing goes on. Call it where the whole log is indexed.
  func compareUnexplained(store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter) throws {
    let (now, started, before) = (options.clock(), ContinuousClock.now, effects.documents)
    waitsForComparison = writer.state.pause.rest(now) > options.skippedPause
    guard options.reconciles, !waitsForComparison else {
      if !hasReportedPause {
        options.report(TokenVerdict.unexplained.sentence(token: nil) + "; they are compared later")
      }
      hasReportedPause = true
      return
    }
    hasReportedPause = false
    try reconcile(.unexplained, store: store, mapper: mapper, writer: writer)
    writer.updateState {
      $0.pause.begin(
        found: effects.documents > before, took: (.now - started) / .seconds(1), now: options.clock())
    }
    try writer.commit(token: nil)
  }

  /// Whether rows were not compared because of a pause that is over now.
  var isComparisonDue: Bool { waitsForComparison && state?.pause.rest(options.clock()) == 0 }

  /// Compares all rows of the store with the open generation, and indexes the differences.
  func reconcile(_ reason: String) throws {
    guard let store, let mapper, let writer else { return }
    guard options.reconciles else { throw Self.forbidden(reason) }
    try store.withSnapshot { try compareAll(reason, store: store, mapper: mapper, writer: writer) }
  }

  func compareAll(
    _ reason: String, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws {
    options.report(reason + ": comparing index and store")
    let comparison = Comparison(store: store, mapper: mapper, progress: Progress(show: options.progress))
    let rejected = writer.rejected.rows.count
    let result = try comparison.reconcile(writer, reason: reason, now: DateText.now)
    options.report(result.sentence)
    try RowDigests.keep(of: store, generation: writer.path, state: writer.state)
    try reportRejected(of: writer, from: rejected, in: store)
    options.committed(writer.state)
  }

  func reportRejected(of writer: GenerationWriter, from first: Int, in store: PersistentStore) throws {
    for row in writer.rejected.rows[first...] { options.report(try row.sentence(in: store)) }
  }
}
