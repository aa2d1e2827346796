// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import StoreModel
internal import Values

/// Finding and indexing the differences between index and store without the history.
extension Indexer {
  /// Indexes the changed rows of a database without history by their digests. Returns false if there are no digests.
  func followDigests(
    _ verdict: TokenVerdict, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws -> Bool {
    guard verdict == .mayHaveChanged,
      let known = try RowDigests(generation: writer.path, state: writer.state, store: store)
    else { return false }
    let scan = try RowDigestScan(of: store, since: known, drafting: writer.path)
    let changed = scan.changes
    try write(changed, store: store, mapper: mapper, writer: writer)
    let rejected = writer.rejected.rows.count
    let leftOut = try LeftOutRows(of: store, mapper)
    writer.updateState { $0.leftOut = leftOut }
    try writer.commit(token: store.token())
    if !changed.isEmpty { try scan.keep(writer.state) }
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
    guard [.valid, .mayHaveChanged].contains(verdict), var token = writer.state.token,
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

  /// Compares all rows of the store with the open generation, and indexes the differences.
  package func reconcile(_ reason: String) throws {
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
    options.report("reconciled: \(result.added) added, \(result.updated) updated, \(result.removed) removed")
    try RowDigests.keep(of: store, generation: writer.path, state: writer.state)
    try reportRejected(of: writer, from: rejected, in: store)
    options.committed(writer.state)
  }

  func reportRejected(of writer: GenerationWriter, from first: Int, in store: PersistentStore) throws {
    for row in writer.rejected.rows[first...] { options.report(try row.sentence(in: store)) }
  }
}
