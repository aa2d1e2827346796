// SPDX-License-Identifier: MIT

package import Base
internal import FoundationEssentials
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Updates the serving generation from its token to the newest transaction of the store, once or in the steps of a
/// follower. The caller holds the update lock.
package final class Indexer {
  package struct Options {
    package var storePath: String
    package var directory: IndexDirectory
    /// The definition asked for; a generation of another one is rebuilt.
    package var definition: IndexDefinition?
    /// Whether index and store are compared if the token is expired or diverged; otherwise that is an error.
    package var reconciles = true
    /// Whether triggers of an attached database that vanished are put back.
    var renewsTriggers = false
    var limits = HistoryTail.Limits()
    /// What building a generation may take.
    package var building = IndexBuilder.Limits()
    /// The pause in microseconds before a pass during a burst of small saves, so that one commit has more of them.
    var burstPause: UInt32 = 20_000
    /// Receives sentences about unusual events, such as a rebuild.
    package var report: (String) -> Void = { _ in }
    package var progress: (Progress) -> Void = { _ in }
    /// How long a lock of the store is waited for.
    var busyMilliseconds: Int32 = 10_000
    /// The rest of a pause between comparisons of an attached database that is skipped, in seconds.
    var skippedPause = 1.0
    /// The time in seconds since 1970.
    var clock: () -> Double = { Date().timeIntervalSince1970 }
    /// Called after each commit with the state that became durable.
    package var committed: (IndexState) -> Void = { _ in }

    package init(storePath: String, directory: IndexDirectory) {
      self.storePath = storePath
      self.directory = directory
    }
  }

  var options: Options
  var store: PersistentStore?
  var generation: IndexDirectory.Generation?
  var writer: GenerationWriter? {
    didSet { if let oldValue, oldValue !== writer { closedEffects += oldValue.effects } }
  }
  /// What writers changed that are closed now.
  var closedEffects = WriteEffects()
  /// What a pass counted last in the open store and generation.
  var countedLeftOut: LeftOutRows?
  var mapper: DocumentMapper?
  var tail: HistoryTail?
  private let lock: FileLock?
  /// When the store was opened, and its version then.
  var sampled: (at: ContinuousClock.Instant, version: DataVersion)?
  var hasReportedRegistration = false
  var hasReportedCopies = false
  /// Whether rows are to be compared after a pause, and whether that was said.
  var waitsForComparison = false
  var hasReportedPause = false
  /// What was said last about triggers that vanished.
  private var reportedTriggers: String?

  /// - Parameter lock: The update lock. If its file was removed, no index is built.
  init(_ options: Options, lock: FileLock? = nil) {
    self.options = options
    self.lock = lock
  }

  /// The state as last committed.
  var state: IndexState? { writer?.state }

  /// Documents written and removed in the open generation since it was opened.
  var touched: Int { writer?.effects.documents ?? 0 }

  /// What was changed since the indexer was made, in all generations.
  var effects: WriteEffects {
    var sum = closedEffects
    if let writer { sum += writer.effects }
    return sum
  }

  /// Forgets everything that is open. After any error this comes before the next step.
  func discard() {
    (store, generation, writer, mapper, tail) = (nil, nil, nil, nil, nil)
  }

  /// Changes whenever another process has saved, or the store was opened anew.
  func storeVersion() throws -> DataVersion { try openStore().dataVersion() }

  /// Whether the store or the serving generation is another one than at the last step.
  func isOutdated() throws -> Bool {
    guard let store, !store.isDueForOpening else { return true }
    return try options.directory.serving() != generation
  }

  /// Works until all is indexed that was saved before the call, or a stop signal comes. What a writer saves meanwhile may
  /// be left for the next call, for it may never pause.
  func catchUp() throws {
    do {
      var batches = 0
      let store = try openStore()
      let newest = try store.withSnapshot {
        // Another program may have dropped what the views read.
        try store.refuseReplaced()
        return try store.newest()
      }
      while try step(afterBatches: batches) {
        batches += 1
        if StopSignal.isRaised { return }
        if let token = state?.token?.number, token > newest { return }
      }
    } catch let error as StoreError where error.code == .replaced {
      discard()
      options.report(error.message + "; continuing with the new one")
    } catch {
      discard()
      throw error
    }
  }

  /// One batch, or one change of generation; false when there was nothing to do.
  private func step(afterBatches batches: Int) throws -> Bool {
    let store = try openStore()
    guard try openGeneration(store), let writer, let mapper, let tail else { return true }
    var isRecounted = false
    let next: HistoryTail.Batch? = try store.withSnapshot(settled: true) {
      try store.refuseReplaced()
      let verdict = try writer.state.verdict(in: store)
      if try followSchema(verdict, store: store, mapper: mapper, writer: writer) { return HistoryTail.Batch() }
      switch verdict {
      case .valid:
        isRecounted = try countLeftOut(store, mapper, writer)
        if try account(store, writer) { isRecounted = true }
        return try writer.state.token.flatMap { try tail.next(after: $0, in: writer) }
      case .unexplained:
        // What differs when the log is indexed is not in the log.
        if let batch = try writer.state.token.flatMap({ try tail.next(after: $0, in: writer) }) { return batch }
        try compareUnexplained(store: store, mapper: mapper, writer: writer)
        self.tail = HistoryTail(store: store, mapper: mapper, limits: options.limits)
        return nil
      default:
        try reconcile(verdict, store: store, mapper: mapper, writer: writer)
        // The changes that the tail has read are stale now.
        self.tail = HistoryTail(store: store, mapper: mapper, limits: options.limits)
        // If a writer never pauses, the file has changed again: the next pass indexes that.
        return verdict == .mayHaveChanged ? nil : HistoryTail.Batch()
      }
    }
    if let misfit = store.misfitSentence {
      options.report(misfit + ": rebuilding beside the serving index")
      try rebuild(definition: nil)
      return true
    }
    guard let batch = next else {
      // The history does not record rows without a key.
      if isRecounted {
        try writer.commit(token: nil)
        options.committed(writer.state)
      }
      return false
    }
    if batch.count + batch.skippedUpdates > 0 || batch.token != nil {
      let rejected = writer.rejected.rows.count
      try writer.write(batch)
      try reportRejected(of: writer, from: rejected, in: store)
      options.committed(writer.state)
      if batches >= 3, batch.count < 100 { usleep(options.burstPause) }
    }
    return true
  }

  /// Notes for the next commit that all writes up to the present snapshot are accounted for. Call it inside that.
  ///
  /// - Returns: Whether searches need to know it now: they cannot follow a log that has begun again often.
  private func account(_ store: PersistentStore, _ writer: GenerationWriter) throws -> Bool {
    guard let mark = try store.writeMark() else { return false }
    let before = writer.state.accounted
    writer.updateState { $0.accounted = mark }
    waitsForComparison = false
    guard let commits = mark.commits else { return false }
    return before?.commits?.isInSameLog(as: commits) == false
  }

  /// Counts the rows without a document for the next commit. Call it inside a snapshot.
  ///
  /// - Returns: Whether the numbers have changed.
  private func countLeftOut(
    _ store: PersistentStore, _ mapper: DocumentMapper, _ writer: GenerationWriter
  ) throws -> Bool {
    let counted = try LeftOutRows(
      of: store, mapper, since: countedLeftOut, after: writer.state.token?.number ?? 0)
    countedLeftOut = counted
    let before = writer.state.leftOut
    writer.updateState { $0.leftOut = counted.withFailed(of: $0.leftOut) }
    return writer.state.leftOut != before
  }

  /// Restores the triggers of an attached database, if that is wanted and possible. Otherwise its rows are compared.
  func putBackTriggers(_ fault: String) throws -> Bool {
    func report(_ consequence: String) {
      if reportedTriggers != fault { options.report("\(fault)\(consequence)") }
      reportedTriggers = fault
    }
    guard options.renewsTriggers else {
      report(": rows are compared until the database is attached again")
      return false
    }
    do {
      try Attachment.renewTriggers(options.storePath, busyMilliseconds: options.busyMilliseconds)
    } catch let error as StoreError {
      report(" and cannot be put back: \(error); rows are compared")
      return false
    }
    options.report("\(fault): they were put back")
    reportedTriggers = nil
    return true
  }

  func checkLock() throws {
    guard let lock, !lock.isInPlace else { return }
    throw OperationError(
      .removed, "the index directory \(options.directory.path) was removed or replaced",
      recovery: .buildIndexAgain)
  }

  // MARK: A token that cannot be followed

  /// Reports a lost history, although the index is rebuilt for a changed model.
  func reportLostHistory(_ state: IndexState, _ store: PersistentStore) throws {
    let verdict = try store.withSnapshot { try state.verdict(in: store) }
    switch verdict {
    case .valid, .noToken, .mayHaveChanged, .unexplained, .changed, .modelGrown, .modelChanged: return
    case .expired, .diverged: break
    }
    let reason = state.sentence(of: verdict)
    guard options.reconciles else { throw Self.forbidden(reason) }
    options.report(reason)
  }

  static func forbidden(_ reason: String) -> OperationError {
    OperationError(
      .historyGone, reason,
      recovery: .reconcileIndex)
  }

  func reconcile(
    _ verdict: TokenVerdict, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws {
    let reason = writer.state.sentence(of: verdict)
    guard options.reconciles else { throw Self.forbidden(reason) }
    // Otherwise each pass would reconcile again.
    guard try !store.tracking.hasHistory || store.verdict(on: store.token()) == .valid else {
      throw StoreError(
        .corrupt, "the history of \(store.path) is damaged: its transactions do not end with the newest one",
        recovery: .restoreBackup)
    }
    // A history that is gone may be a sign of damage, and rows that cannot be found are taken for deleted.
    switch verdict {
    case .diverged(.beforeAttaching): break
    case .expired, .diverged: try store.refuseDamage()
    default: break
    }
    guard try !followDigests(verdict, store: store, mapper: mapper, writer: writer) else { return }
    try compareAll(reason, store: store, mapper: mapper, writer: writer)
  }
}
