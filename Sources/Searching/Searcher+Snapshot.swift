// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Indexing
package import PersistentStore
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

extension Searcher {
  /// The state of store and index that an answer describes.
  package struct Snapshot {
    package var indexStatus: IndexStatus
    /// Whether everything that the store holds as of `indexStatus.answersAt` can be found.
    package var isWhole = true
    /// A remark for people.
    package var note: String?
    /// The rows of an overlay, or those that changed after the token; nil if they are not known.
    var changed: Set<RowIdentifier>? = []
    /// Whether the row of each hit is compared with its document, because the changed rows of a database without history
    /// exceed the limits, or comparing all rows does.
    var comparesHits = false

    package init(
      indexStatus: IndexStatus, isWhole: Bool = true, note: String? = nil, changed: Set<RowIdentifier>? = [],
      comparesHits: Bool = false
    ) {
      self.indexStatus = indexStatus
      self.isWhole = isWhole
      self.note = note
      self.changed = changed
      self.comparesHits = comparesHits
    }

    /// Whether the answer is at most `most` seconds behind. 0 means that no transaction is missing, regardless of its
    /// timestamp.
    package func isWithin(_ most: Double) -> Bool {
      guard indexStatus.isOfThisStore, isWhole else { return false }
      let isNewest = indexStatus.answersAt >= indexStatus.token + indexStatus.lagTransactions
      return isNewest || (most > 0 && indexStatus.lagSeconds <= most)
    }
  }

  /// Maximum number of restarts of a search because the index changed meanwhile.
  package static let mostAttempts = 200

  /// Runs `body` with the index at one revision and the store at one transaction, neither older than the call.
  package func withSnapshot<Answer>(_ request: SearchRequest, _ body: (Snapshot) throws -> Answer) throws -> Answer {
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(request.patience)
    var overtaken = 0
    while true {
      do {
        try refresh()
        let answer: Answer? = try store.withSnapshot {
          try store.refuseReplaced()
          let snapshot = try complete(snapshot(request), request)
          // Another process may have updated the index meanwhile, and purged the transactions. So this is tried again
          // once.
          if !snapshot.indexStatus.isOfThisStore, overtaken == 0 { throw Self.overtaken }
          guard snapshot.indexStatus.answersAt >= request.atLeast ?? .min else { return nil }
          return try body(snapshot)
        }
        if let answer { return answer }
        guard clock.now < deadline else {
          throw OperationError(
            .stale, "transaction \(request.atLeast ?? 0) does not exist yet",
            recovery: .showStatus)
        }
        usleep(5_000)
      } catch let error as IndexError {
        guard error.code == .changed, overtaken < Self.mostAttempts else { throw error }
        overtaken += 1
        usleep(UInt32(min(overtaken, 10)) * 500)
      }
    }
  }

  package static var overtaken: IndexError {
    IndexError(.changed, "the index changes faster than it can be searched", recovery: .retry)
  }

  private func snapshot(_ request: SearchRequest) throws -> Snapshot {
    if let storeless { return try checked(storelessSnapshot(storeless, request), request) }
    let token = index.state.token?.number ?? 0
    let newest = try store.newest()
    let pending = max(0, newest &- token)
    var snapshot = Snapshot(
      indexStatus: IndexStatus(
        uuid: try index.uuid, generation: index.generation, token: token, lagTransactions: pending, lagSeconds: 0,
        complete: try index.completeness(pending: pending), answersAt: token))
    let verdict = try index.state.verdict(in: store)
    index.adapt(to: store.layout, hasGrown: verdict == .modelGrown)
    if let deleted = try deletedSnapshot(request, snapshot.indexStatus) { return deleted }
    switch verdict {
    case .valid, .modelGrown: break
    case .mayHaveChanged, .changed: return try checked(compared(snapshot, request), request)
    case .modelChanged where try !store.tracking.hasHistory && index.fits(store.layout):
      // New tables and columns are not in the definition. Everything that it names is compared.
      snapshot.note =
        index.state.sentence(of: verdict) + "; new tables and columns are found after the index is updated"
      return try checked(compared(snapshot, request), request)
    case .modelChanged where try index.fits(store.layout):
      // The history does not record which values the migration changed or lost.
      snapshot.isWhole = false
      snapshot.note = index.state.sentence(of: verdict) + "; some records may be missed until the index is updated"
    case .modelChanged, .noToken, .expired, .diverged:
      index.searchAlone()
      snapshot.indexStatus.isOfThisStore = false
      snapshot.indexStatus.complete.pending = nil
      // Its transaction numbers belong to another history.
      snapshot.indexStatus.answersAt = request.atLeast == nil ? token : .min
      snapshot.changed = nil
      snapshot.note = index.state.sentence(of: verdict) + "; the index has to be updated"
      return try checked(snapshot, request)
    }
    guard newest > token else {
      index.searchAlone()
      return snapshot.isWhole ? snapshot : try checked(snapshot, request)
    }
    let now = Date().timeIntervalSince1970
    snapshot.indexStatus.lagSeconds = try store.ageOfFirstTransaction(after: token, now: now) ?? 0
    if !request.isIndexOnly,
      let overlay = try index.bringUpToDate(with: store, newest: newest, limits: request.overlayLimits)
    {
      snapshot.indexStatus.answersAt = newest
      snapshot.changed = overlay.rows
      if !overlay.isWhole {
        snapshot.isWhole = false
        snapshot.note = "the default values of new attributes are missing until the index is updated"
      }
      return snapshot.isWhole ? snapshot : try checked(snapshot, request)
    }
    index.searchAlone()
    snapshot.changed = try index.changed(in: store)
    let stamp = try store.futureStamp(now: now)
    let lag = "\(snapshot.indexStatus.lagTransactions) transactions behind"
    snapshot.note = [snapshot.note, lag, stamp?.sentence].compactMap(\.self).joined(separator: "; ")
    return try checked(snapshot, request)
  }

  /// The snapshot of a database without history that may have changed since it was indexed. Its rows are compared now,
  /// unless that exceeds the limits of an overlay.
  private func compared(_ snapshot: Snapshot, _ request: SearchRequest) throws -> Snapshot {
    var snapshot = snapshot
    var verdict = TokenVerdict.mayHaveChanged
    if !request.isIndexOnly {
      switch try index.compare(with: store, limits: request.overlayLimits) {
      case .overlay(let overlay):
        snapshot.changed = overlay.rows
        snapshot.indexStatus.complete.pending = Int64(overlay.rows.count)
        return snapshot
      case .changed: verdict = .changed
      case .mayHaveChanged: break
      }
    }
    index.searchAlone()
    snapshot.isWhole = false
    snapshot.changed = nil
    snapshot.comparesHits = true
    snapshot.indexStatus.complete.pending = nil
    snapshot.note = index.state.sentence(of: verdict) + "; the index has to be updated"
    return snapshot
  }

  /// Adds a note if a value of the overlay could not be read and was omitted.
  private func complete(_ snapshot: Snapshot, _ request: SearchRequest) throws -> Snapshot {
    guard let misfit = store.misfitSentence else { return snapshot }
    var snapshot = snapshot
    snapshot.isWhole = false
    snapshot.note = [snapshot.note, misfit + "; the index has to be updated"].compactMap(\.self).joined(separator: "; ")
    return try checked(snapshot, request)
  }

  /// Refuses an answer that is older than requested.
  package func checked(_ snapshot: Snapshot, _ request: SearchRequest) throws -> Snapshot {
    guard let most = request.mostLag, !snapshot.isWithin(most) else { return snapshot }
    throw OperationError(
      .stale, "the index is too old for this answer: \(snapshot.note ?? "")",
      recovery: .updateOrWait)
  }
}
