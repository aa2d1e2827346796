// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
internal import Store

/// Follows the result of one saved search. Not thread-safe; only one process can watch a search.
///
/// A step finds the events since the last one and stores them together with the new members and token. `deliver` gives
/// them away, and forgets them afterwards. After a crash between the two, the same events are delivered first.
package final class SavedWatch {
  package enum Progress: Equatable, Sendable {
    /// Everything that the store holds is evaluated.
    case current
    /// More transactions follow.
    case more
    /// The index is too far behind, for the reason given.
    case waiting(String)
  }

  package let search: SavedSearch
  private let directory: IndexDirectory
  private let searcher: () throws -> Searcher
  private let lock: FileLock
  private let state: SavedState
  private let report: (String) -> Void
  /// Whether the members of the first result are delivered as events.
  private let showsInitial: Bool
  /// What the search depends on, and the digest for which that is known.
  private var known: (digest: String, dependences: Set<SavedSearch.Dependence>)?
  private var registered: Int64?

  /// Records after which a step ends, at the end of a transaction.
  private static let recordsOfStep = 2_000
  /// Time after which a step ends, so that it does not hold a snapshot of the store for long.
  private static let longestStep = Duration.milliseconds(300)

  /// - Parameters:
  ///   - searcher: Returns the searcher of the store and the index as they are now.
  ///   - report: Is given sentences for people.
  /// - Throws: `OperationError.locked` if another process watches this search.
  package init(
    _ search: SavedSearch, in directory: IndexDirectory, showsInitial: Bool = false,
    report: @escaping (String) -> Void = { _ in }, searcher: @escaping () throws -> Searcher
  ) throws {
    self.search = search
    self.directory = directory
    self.searcher = searcher
    self.showsInitial = showsInitial
    self.report = report
    lock = try FileLock(.saved(search.name), in: directory, verb: "watching")
    state = try SavedState(search.name, in: directory)
    lock.note(state: "watching")
  }

  /// The transaction as of which the result is known; nil before the first evaluation.
  package var token: Int64? { state.token?.number }
  /// The number of records in the result.
  package func count() throws -> Int { try state.count() }
  package var dependences: Set<SavedSearch.Dependence> { known?.dependences ?? [] }
  /// Whether the result can change without a save.
  package var movesByItself: Bool { !dependences.isDisjoint(with: [.clock, .unrecordedTables]) }

  // MARK: Delivering

  /// Gives `body` the events that were found and not delivered yet, in the order of their numbers, then calls `finish`.
  /// If both return, the events are delivered.
  ///
  /// - Returns: The number of events.
  @discardableResult
  package func deliver(_ body: (SavedEvent) throws -> Void, finish: () throws -> Void) throws -> Int {
    var count = 0
    let last = try state.eachEvent { event in
      count += 1
      try body(event)
    }
    guard let last else { return 0 }
    try finish()
    try state.removeEvents(through: last)
    return count
  }

  /// The first events that were found and not delivered yet, in the order of their numbers.
  ///
  /// - Parameter limit: Maximum number of events.
  func pending(limit: Int) throws -> [SavedEvent] { try state.events(limit: limit) }

  /// Notes that the events up to a number were delivered.
  func forget(through number: Int64) throws { try state.removeEvents(through: number) }

  /// Notes in the store's consumers how far the history was read, so that a purge keeps the rest.
  package func register() throws {
    guard let token, token != registered else { return }
    try state.save()
    let store = try searcher().store
    guard store.hasConsumers else { return }
    let consumers = Consumers(storePath: store.path)
    if consumers.isWritable {
      do {
        try consumers.set(SavedSearch.consumerName(search.name, in: directory, ofStore: store.path), token: token)
      } catch let error as OperationError where [.usage, .locked].contains(error.code) {
        // The history after the token is gone, or another process writes the record. The next step notices, and this is
        // tried again after it.
        return
      }
    } else if registered == nil {
      report("a purge of the history does not wait for '\(search.name)': \(consumers.directory) cannot be written")
    }
    registered = token
  }

  // MARK: Evaluating

  /// Finds the events since the last step.
  ///
  /// - Parameter isDue: Whether a search that can change without a save is evaluated.
  /// - Throws: `QueryError` and `OperationError.usage` if the search cannot be evaluated any more.
  package func step(isDue: Bool = true) throws -> Progress {
    guard lock.isInPlace else {
      throw OperationError(.removed, "the index directory of the saved search '\(search.name)' was removed")
    }
    let searcher = try searcher()
    return try testChanges(searcher, isDue: isDue) ?? evaluate(searcher)
  }

  /// Tests the records that changed, and those related to them.
  ///
  /// - Returns: nil if the search has to be evaluated anew.
  private func testChanges(_ searcher: Searcher, isDue: Bool) throws -> Progress? {
    try searcher.withTokenView { view, indexVerdict in
      let store = view.store
      guard store.tracking.hasHistory else {
        // A database without a history is compared as a whole.
        known = (try digest(view), try SavedEvaluation(search: search, view: view).dependences())
        return nil
      }
      guard [.valid, .unexplained, .modelGrown].contains(indexVerdict) else {
        return .waiting(view.index.state.sentence(of: indexVerdict))
      }
      let digest = try digest(view)
      let evaluation = SavedEvaluation(search: search, view: view)
      if known?.digest != digest { known = (digest, try evaluation.dependences()) }
      // What the history does not explain is found by comparing the rows.
      guard indexVerdict != .unexplained, let token = state.token, state.digest == digest else { return nil }
      let verdict = try store.verdict(on: token)
      guard verdict == .valid else {
        report("the saved search '\(search.name)' is evaluated anew: \(Self.sentence(verdict, token.number))")
        return nil
      }
      let newest = try store.newest()
      guard newest > token.number else { return movesByItself && isDue ? nil : .current }
      guard dependences.isEmpty else { return nil }
      let limits = ChangeSet.Limits(records: Self.recordsOfStep, deadline: .now + Self.longestStep)
      let changed = try ChangeSet(in: store, after: token.number, limits: limits)
      guard let last = changed.last else { return .current }
      let mapper = try view.mapper
      let related = RelatedOwners(store: store, mapper: mapper)
      if changed.records.contains(where: { related.mayLoseOwners($0.key, $0.value) }) { return nil }
      let owners = try related.owners(
        of: changed.records.map { ($0.key, $0.value.properties) }, in: view.index.reader)
      let tested = owners.union(changed.records.keys).filter { mapper.plan(ofEntity: $0.entity) != nil }
      let matches = try evaluation.matches(among: tested)
      let reached = try store.token(of: last)
      let comparison = SavedComparison(state: state, view: view, token: reached, changed: changed)
      try state.change(to: reached, digest: digest) { try comparison.compare(tested, matches: matches) }
      return last < newest ? .more : .current
    }
  }

  /// Evaluates the search in all records.
  private func evaluate(_ searcher: Searcher) throws -> Progress {
    var request = search.request
    request.overlayLimits.changes = 20_000
    request.overlayLimits.milliseconds = 5_000
    return try searcher.withView(request) { view in
      let (store, freshness) = (view.store, view.freshness)
      guard freshness.status.isOfThisStore, freshness.isWhole, try freshness.status.answersAt == store.newest() else {
        return .waiting(freshness.note ?? "the index is behind")
      }
      let digest = try digest(view)
      let matches = try SavedEvaluation(search: search, view: view).matches()
      var changed: ChangeSet?
      if let token = state.token, state.digest == digest, try store.verdict(on: token) == .valid {
        changed = try ChangeSet(in: store, after: token.number)
      }
      let members = try state.members()
      let layout = store.layout
      let before = Set(
        members.compactMap { member in
          layout.entity(named: member.entityName).map { RowIdentifier(entity: $0.number, key: member.key) }
        })
      let gone = before.count == members.count ? [] : members.filter { layout.entity(named: $0.entityName) == nil }
      let touched = before.intersection(matches).filter { row in changed.map { $0.records[row] != nil } ?? true }
      let token = try store.token()
      let comparison = SavedComparison(
        state: state, view: view, token: token, changed: changed,
        isSilent: state.token == nil && !showsInitial)
      try state.change(to: token, digest: digest) {
        try comparison.compare(before.symmetricDifference(matches).union(touched), gone: gone, matches: matches)
      }
      return .current
    }
  }

  /// The digest of the search and of the definition that gives it its meaning.
  private func digest(_ view: SearchView) throws -> String {
    let parts = [search.query, search.kinds.joined(separator: "\u{0}"), search.limit.map(String.init) ?? ""]
    return ContentDigest(
      of: Array((parts + [try view.definition.digest()]).joined(separator: "\u{1}").utf8)
    ).hexadecimal
  }

  private static func sentence(_ verdict: TokenVerdict, _ number: Int64) -> String {
    switch verdict {
    case .expired: "changes after transaction \(number) are not in the history any more"
    case .diverged: "the history has diverged after the store was restored, replaced or attached"
    default: "the store's model has changed"
    }
  }
}
