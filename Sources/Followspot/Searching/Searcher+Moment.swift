internal import FoundationEssentials
internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

extension Searcher {
  /// Store and index at one moment, as an answer sees them.
  struct View {
    var indexStatus: IndexStatus
    /// Whether all that the store holds as of `indexStatus.answersAt` can be found.
    var isWhole = true
    /// What is to be said about it.
    var note: String?
    /// The rows of an overlay, or those that changed after the token; nil where that is not known.
    var changed: Set<RowIdentifier>? = []

    /// Whether it is not more than so many seconds behind; of 0, whether no transaction is missing at all, whatever its
    /// stamp says.
    func isWithin(_ most: Double) -> Bool {
      guard indexStatus.isOfThisStore, isWhole else { return false }
      let isNewest = indexStatus.answersAt >= indexStatus.token + indexStatus.lagTransactions
      return isNewest || (most > 0 && indexStatus.lagSeconds <= most)
    }
  }

  /// How often an answer is begun anew because commits overtook it.
  private static let mostAttempts = 200

  /// Runs `body` while the index stays at one revision and the store at one transaction, none of them older than at
  /// the time of the call.
  func atOneMoment<Answer>(_ request: SearchRequest, _ body: (View) throws -> Answer) throws -> Answer {
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(request.patience)
    var overtaken = 0
    while true {
      do {
        try refresh()
        let answer: Answer? = try store.withSnapshot {
          try store.refuseReplaced()
          let view = try complete(view(request), request)
          // A purge may have taken what the index has read since it was opened.
          if !view.indexStatus.isOfThisStore, overtaken == 0 { throw Self.overtaken }
          guard view.indexStatus.answersAt >= request.atLeast ?? .min else { return nil }
          return try body(view)
        }
        if let answer { return answer }
        guard clock.now < deadline else {
          throw FollowspotError(
            .stale, "transaction \(request.atLeast ?? 0) is not there yet",
            hint: "followspot status shows the newest one")
        }
        usleep(5_000)
      } catch let error as IndexError {
        guard error.code == .changed, overtaken < Self.mostAttempts else { throw error }
        overtaken += 1
        usleep(UInt32(min(overtaken, 10)) * 500)
      }
    }
  }

  private static var overtaken: IndexError {
    IndexError(.changed, "the index changes faster than it can be searched", hint: "try again")
  }

  private func view(_ request: SearchRequest) throws -> View {
    let token = index.state.token?.number ?? 0
    let newest = try store.newest()
    var view = View(
      indexStatus: IndexStatus(
        uuid: try index.uuid, generation: index.generation, token: token,
        lagTransactions: max(0, newest &- token), lagSeconds: 0, answersAt: token))
    let verdict = try index.state.verdict(in: store)
    index.adapt(to: store.layout, hasGrown: verdict == .modelGrown)
    switch verdict {
    case .valid, .modelGrown: break
    case .changed: return try checked(compared(view, request), request)
    case .modelChanged where try !store.tracking.hasHistory && index.fits(store.layout):
      // New tables and columns are not in the definition; all that it names is compared.
      view.note = index.state.sentence(of: verdict) + "; new tables and columns are found after followspot index"
      return try checked(compared(view, request), request)
    case .modelChanged where try index.fits(store.layout):
      // The history does not tell which values the migration changed or lost.
      view.isWhole = false
      view.note = index.state.sentence(of: verdict) + "; some records may be missed: run followspot index"
    case .modelChanged, .noToken, .expired, .diverged:
      index.searchAlone()
      view.indexStatus.isOfThisStore = false
      // Its numbers are of another history.
      view.indexStatus.answersAt = request.atLeast == nil ? token : .min
      view.changed = nil
      view.note = index.state.sentence(of: verdict) + "; run followspot index"
      return try checked(view, request)
    }
    guard newest > token else {
      index.searchAlone()
      return view.isWhole ? view : try checked(view, request)
    }
    let now = Date().timeIntervalSince1970
    view.indexStatus.lagSeconds = try store.ageOfFirstTransaction(after: token, now: now) ?? 0
    if !request.isIndexOnly,
      let overlay = try index.bringUpToDate(with: store, newest: newest, limits: request.overlayLimits)
    {
      view.indexStatus.answersAt = newest
      view.changed = overlay.rows
      if !overlay.isWhole {
        view.isWhole = false
        view.note = "the index does not have the default values of new attributes yet; run followspot index"
      }
      return view.isWhole ? view : try checked(view, request)
    }
    index.searchAlone()
    view.changed = try index.changed(in: store)
    let stamp = try store.futureStamp(now: now)
    let lag = "\(view.indexStatus.lagTransactions) transactions behind"
    view.note = [view.note, lag, stamp?.sentence].compactMap(\.self).joined(separator: "; ")
    return try checked(view, request)
  }

  /// The view of a database without history that has changed since the index was written: its rows are compared now,
  /// where that takes no longer than an overlay may.
  private func compared(_ view: View, _ request: SearchRequest) throws -> View {
    var view = view
    if !request.isIndexOnly, let overlay = try index.compare(with: store, limits: request.overlayLimits) {
      view.changed = overlay.rows
      return view
    }
    index.searchAlone()
    view.isWhole = false
    view.changed = nil
    view.note = "the database has changed since it was indexed; run followspot index"
    return view
  }

  /// Says where a value of the overlay could not be read: its record is there without it.
  private func complete(_ view: View, _ request: SearchRequest) throws -> View {
    guard let misfit = store.misfitSentence else { return view }
    var view = view
    view.isWhole = false
    view.note = [view.note, misfit + "; run followspot index"].compactMap(\.self).joined(separator: "; ")
    return try checked(view, request)
  }

  /// Refuses an answer that is older than was asked for.
  private func checked(_ view: View, _ request: SearchRequest) throws -> View {
    guard let most = request.mostLag, !view.isWithin(most) else { return view }
    throw FollowspotError(
      .stale, "the index is too old for this answer: \(view.note ?? "")",
      hint: "followspot index updates it; followspot wait waits for a follower")
  }
}
