internal import FoundationEssentials
package import IndexDefinitions
package import PersistentStore
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Brings the serving generation from its token to the store's newest transaction: the work of one pass, and of every
/// step of a follower. The caller holds the tailer's lock.
package final class Indexer {
  package struct Options {
    package var storePath: String
    package var directory: IndexDirectory
    /// The definition asked for; a generation of another one is rebuilt.
    package var definition: IndexDefinition?
    /// Whether an expired or diverged token is healed; otherwise it is an error.
    package var heals = true
    /// Whether triggers of an attached database that vanished are put back.
    package var renewsTriggers = false
    package var limits = HistoryTail.Limits()
    /// What building a generation may take.
    package var building = IndexBuilder.Limits()
    /// Inside a burst of small saves a pause of so many microseconds lets more of them into one commit.
    package var burstPause: UInt32 = 20_000
    /// Told what happened beside the ordinary, one sentence at a time.
    package var report: (String) -> Void = { _ in }
    package var progress: (Progress) -> Void = { _ in }
    /// How long a lock of the store is waited for.
    package var busyMilliseconds: Int32 = 10_000
    /// Called after each commit with the state that became durable.
    package var committed: (IndexState) -> Void = { _ in }

    package init(storePath: String, directory: IndexDirectory) {
      self.storePath = storePath
      self.directory = directory
    }
  }

  private(set) var options: Options
  private(set) var store: PersistentStore?
  private(set) var generation: IndexDirectory.Generation?
  private var writer: GenerationWriter?
  private(set) var mapper: DocumentMapper?
  private var tail: HistoryTail?
  private let lock: FileLock?
  private var openings: Int64 = 0
  /// When the store was opened, and its version then.
  private var sampled: (at: ContinuousClock.Instant, version: Int64)?
  private var hasReportedRegistration = false
  /// What was said last about triggers that vanished.
  private var reportedTriggers: String?

  /// - Parameter lock: The tailer's lock; nothing is built once it is no longer in its place.
  package init(_ options: Options, lock: FileLock? = nil) {
    self.options = options
    self.lock = lock
  }

  /// The state as last committed.
  package var state: IndexState? { writer?.state }

  /// Documents written and removed in the open generation since it was opened.
  package var touched: Int { writer?.touched ?? 0 }

  /// Forgets everything that is open. After any error this comes before the next step.
  package func discard() {
    (store, generation, writer, mapper, tail) = (nil, nil, nil, nil, nil)
  }

  /// Changes whenever another process has saved, or the store was opened anew.
  package func storeVersion() throws -> [Int64] {
    let version = try openStore().dataVersion()
    return [openings, version]
  }

  /// Whether the store or the serving generation is another one than at the last step.
  package func isOutdated() throws -> Bool {
    guard let store, !store.isReplaced else { return true }
    return try options.directory.serving() != generation
  }

  /// Works until all is indexed that was saved before the call, or a stop signal comes. What a writer saves meanwhile may
  /// be left for the next call, for it may never pause.
  package func catchUp() throws {
    do {
      var batches = 0
      let newest = try openStore().newest()
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
    let next: HistoryTail.Batch? = try store.withSnapshot(settled: true) {
      try store.refuseReplaced()
      switch try writer.state.verdict(in: store) {
      case .valid: return try writer.state.token.flatMap { try tail.next(after: $0, in: writer) }
      case let verdict:
        try heal(verdict, store: store, mapper: mapper, writer: writer)
        // What an earlier batch left over is out of date.
        self.tail = HistoryTail(store: store, mapper: mapper, limits: options.limits)
        // Where a writer never pauses, the file has changed again by now: that is for the next pass.
        return verdict == .changed ? nil : HistoryTail.Batch()
      }
    }
    if let misfit = store.misfitSentence {
      options.report(misfit + ": rebuilding beside the serving index")
      try rebuild(definition: nil)
      return true
    }
    guard let batch = next else { return false }
    if batch.count + batch.skippedUpdates > 0 || batch.token != nil {
      let refused = writer.refusals.count
      try writer.write(batch)
      reportRefusals(of: writer, from: refused)
      options.committed(writer.state)
      if batches >= 3, batch.count < 100 { usleep(options.burstPause) }
    }
    return true
  }

  // MARK: Opening

  private func openStore() throws -> PersistentStore {
    if let store, !store.isReplaced, try !isSampleOld(store) { return store }
    let isSecond = store?.isReplaced == true
    discard()
    func open() throws -> PersistentStore {
      try PersistentStore.open(
        options.storePath, busyMilliseconds: options.busyMilliseconds, readings: readings())
    }
    var opened = try open()
    if let fault = opened.lostTriggers, try putBackTriggers(fault) { opened = try open() }
    if isSecond { options.report("the file \(options.storePath) was replaced; continuing with the new one") }
    store = opened
    openings += 1
    sampled = (.now, try opened.dataVersion())
    return opened
  }

  /// The readings of the index; columns that had no value then are sampled, and those of a definition asked for count.
  private func readings() throws -> ReadingChoice {
    let asked = try options.definition.map { try ColumnReadings(names: $0.columns) }
    let directory = options.directory
    return .known {
      guard case .known(let kept) = directory.readings, var known = kept() else {
        return asked.map { KnownReadings(given: $0) }
      }
      if let asked { known.setGiven(asked) }
      for (entity, columns) in known.assumed {
        for column in columns { known.inferred[entity]?[column] = nil }
      }
      known.assumed = [:]
      return known
    }
  }

  /// Puts triggers of an attached database back, where that is wanted and possible. Otherwise its rows are compared.
  private func putBackTriggers(_ fault: String) throws -> Bool {
    func report(_ consequence: String) {
      if reportedTriggers != fault { options.report("\(fault)\(consequence)") }
      reportedTriggers = fault
    }
    guard options.renewsTriggers else {
      report(": rows are compared until the database is attached again")
      return false
    }
    do {
      try PersistentStore.renewTriggers(options.storePath, busyMilliseconds: options.busyMilliseconds)
    } catch let error as StoreError {
      report(" and cannot be put back: \(error); rows are compared")
      return false
    }
    options.report("\(fault): they were put back")
    reportedTriggers = nil
    return true
  }

  /// Whether columns that had no value may have got some, or triggers are to be put back.
  private func isSampleOld(_ store: PersistentStore) throws -> Bool {
    guard let sampled else { return false }
    let age = ContinuousClock.now - sampled.at
    // Triggers that could not be put back are tried again.
    if options.renewsTriggers, store.lostTriggers != nil { return age > .seconds(10) }
    guard store.readings?.assumed.isEmpty == false, age > .seconds(1) else { return false }
    return try store.dataVersion() != sampled.version
  }

  /// Opens the serving generation if it is another one than before; false where one had to be built first.
  private func openGeneration(_ store: PersistentStore) throws -> Bool {
    let serving = try options.directory.serving()
    if let serving, serving == generation, writer != nil { return true }
    (writer, tail, mapper) = (nil, nil, nil)
    guard let serving else {
      try checkLock()
      try rebuild(definition: options.definition)
      return false
    }
    if let format = try IndexState.otherFormat(path: serving.path) {
      options.report("the index has format \(format), of another version of followspot: rebuilding beside it")
      try rebuild(definition: options.definition)
      return false
    }
    let made = try GenerationWriter(path: serving.path)
    let wanted = try wantedDefinition(made.state, store)
    if try wanted.digest() != made.state.definition.digest() {
      try reportLostHistory(made.state, store)
      options.report("the index definition has changed: rebuilding beside the serving index")
      try rebuild(definition: options.definition, infers: made.state.isStandardDefinition)
      return false
    }
    // A definition asked for is there now; what later generations bring is followed.
    options.definition = nil
    let mapper = try DocumentMapper(definition: made.state.definition, layout: store.layout)
    self.mapper = mapper
    tail = HistoryTail(store: store, mapper: mapper, limits: options.limits)
    writer = made
    generation = serving
    register(store, token: made.state.token)
    return true
  }

  /// A purge of the history then waits for this index. Where it cannot be noted, an index that was left behind is
  /// compared with the store instead.
  private func register(_ store: PersistentStore, token: HistoryToken?) {
    // Nothing is left beside a store of other software, unless it was attached.
    guard store.hasConsumers else { return }
    do {
      try Consumers(storePath: options.storePath).register(options.directory, store: store, token: token?.number)
    } catch {
      guard !hasReportedRegistration else { return }
      hasReportedRegistration = true
      options.report("the index cannot be registered, and a purge of the history does not wait for it: \(error)")
    }
  }

  private func wantedDefinition(_ state: IndexState, _ store: PersistentStore) throws -> IndexDefinition {
    if let asked = options.definition {
      try asked.validateColumns(in: store)
      try asked.validate(against: store.layout.shape)
      return try asked.takingLengths(from: state.definition).keepingOwnColumns(beside: state.readings)
    }
    let model = store.layout.shape
    guard !state.isStandardDefinition else {
      guard state.definition.isInferred(from: model) else { return .standard(for: model) }
      return state.definition
    }
    return state.definition.fitted(to: model, report: options.report) ?? .standard(for: model)
  }

  func rebuild(definition: IndexDefinition?, infers: Bool = false) throws {
    let rebuild = Rebuild(
      storePath: options.storePath, directory: options.directory, definition: definition, infers: infers,
      limits: options.building, progress: options.progress, report: options.report,
      busyMilliseconds: options.busyMilliseconds)
    _ = try rebuild.run()
    // Its columns may be read in another way now.
    if store?.isOrdinaryDatabase == true { discard() }
  }

  private func checkLock() throws {
    guard let lock, !lock.isInPlace else { return }
    throw FollowspotError(
      .removed, "the index directory \(options.directory.path) was removed or replaced",
      recovery: .buildIndexAgain)
  }

  // MARK: Healing

  /// A store of another model brings another definition: what became of the history is said all the same.
  private func reportLostHistory(_ state: IndexState, _ store: PersistentStore) throws {
    let verdict = try store.withSnapshot { try state.verdict(in: store) }
    switch verdict {
    case .valid, .noToken, .changed, .modelGrown, .modelChanged: return
    case .expired, .diverged: break
    }
    let reason = state.sentence(of: verdict)
    guard options.heals else { throw Self.forbidden(reason) }
    options.report(reason)
  }

  private static func forbidden(_ reason: String) -> FollowspotError {
    FollowspotError(
      .historyGone, reason,
      recovery: .reconcileIndex)
  }

  private func heal(
    _ verdict: TokenVerdict, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws {
    let reason = writer.state.sentence(of: verdict)
    guard options.heals else { throw Self.forbidden(reason) }
    // Otherwise the next pass would have to reconcile again, and so on.
    guard try !store.tracking.hasHistory || store.verdict(on: store.token()) == .valid else {
      throw StoreError(
        .corrupt, "the history of \(store.path) is damaged: its transactions do not end with the newest one",
        recovery: .restoreBackup)
    }
    guard try !followDigests(verdict, store: store, mapper: mapper, writer: writer) else { return }
    try compareAll(reason, store: store, mapper: mapper, writer: writer)
  }

  /// Finds what has changed in a database without history by the digests of its rows; false where there are none.
  private func followDigests(
    _ verdict: TokenVerdict, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws -> Bool {
    guard verdict == .changed, let known = try RowDigests(generation: writer.path, state: writer.state, store: store)
    else { return false }
    let now = try RowDigests(of: store)
    let changed = now.changes(since: known)
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
      if writer.isFull { try writer.commit(token: nil) }
    }
    let refused = writer.refusals.count
    try writer.commit(token: store.token())
    if !changed.isEmpty { try now.write(generation: writer.path, state: writer.state) }
    reportRefusals(of: writer, from: refused)
    options.committed(writer.state)
    return true
  }

  /// Compares all rows of the store with the open generation by their digests, and touches what differs.
  func reconcile(_ reason: String) throws {
    guard let store, let mapper, let writer else { return }
    guard options.heals else { throw Self.forbidden(reason) }
    try store.withSnapshot { try compareAll(reason, store: store, mapper: mapper, writer: writer) }
  }

  private func compareAll(
    _ reason: String, store: PersistentStore, mapper: DocumentMapper, writer: GenerationWriter
  ) throws {
    options.report(reason + ": comparing index and store")
    let comparison = Comparison(store: store, mapper: mapper, progress: Progress(show: options.progress))
    let refused = writer.refusals.count
    let result = try comparison.reconcile(writer, reason: reason, now: DateText.now)
    options.report("reconciled: \(result.added) added, \(result.updated) updated, \(result.removed) removed")
    try RowDigests.keep(of: store, generation: writer.path, state: writer.state)
    reportRefusals(of: writer, from: refused)
    options.committed(writer.state)
  }

  private func reportRefusals(of writer: GenerationWriter, from first: Int) {
    for row in writer.refusals[first...] { options.report(row.sentence) }
  }
}

extension TokenVerdict {
  /// What was found, as a sentence without its full stop.
  package func sentence(token: HistoryToken?) -> String {
    let number = token.map { String($0.number) } ?? "-"
    switch self {
    case .noToken: return "the index has no token"
    case .valid: return "the history continues after transaction \(number)"
    case .expired(let missing) where missing.isEmpty: return "the token \(number) has expired"
    case .expired(let missing):
      return "the token \(number) has expired: transactions \(missing.text) are not in the history"
    case .diverged(.otherStore(let uuid)): return "the store is another one: the index followed \(uuid)"
    case .diverged(.newerThanStore(let newest)):
      return "the store is older than the index: its newest transaction is \(newest), the token is \(number)"
    case .diverged(.otherHistory):
      return "the history has diverged: transaction \(number) of the store is not the one that was indexed"
    case .changed: return "the database has changed"
    case .modelGrown: return "the store's model has grown"
    case .modelChanged: return "the store's model has changed"
    }
  }
}

extension [ClosedRange<Int64>] {
  /// `3, 5-9`
  package var text: String {
    map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ", ")
  }
}
