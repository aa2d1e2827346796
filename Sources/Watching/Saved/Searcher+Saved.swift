// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import QueryLanguage
internal import SearchIndex
internal import Searching

#if canImport(Glibc)
  internal import Glibc
#endif

/// Evaluates saved searches.
extension Searcher {
  /// What the result of a saved search depends on besides the values of its records; empty if testing the records that
  /// changed is enough.
  ///
  /// - Throws: `QueryError` and `OperationError.usage` for a search that cannot be evaluated in this index.
  package func dependences(of search: SavedSearch) throws -> Set<SavedSearch.Dependence> {
    try withStore { _ in try dependencesNow(of: search) }
  }

  /// The same, inside a snapshot.
  func dependencesNow(of search: SavedSearch) throws -> Set<SavedSearch.Dependence> {
    let request = search.request
    try refuseDeleted(request, "which a saved search does not watch")
    _ = try plan(request)
    var found = dependences(of: try parse(request).root)
    if search.limit != nil { found.insert(.ranking) }
    let mapper = try index.mapper(for: store.layout)
    let read = Set(mapper.plans.flatMap { [$0.entity.number] + $0.related.flatMap { $0.path.hops.map(\.destination) } })
    if try store.unrecordedEntities().contains(where: { !read.isDisjoint(with: $0.lineage) }) {
      found.insert(.unrecordedTables)
    }
    return found
  }

  private func dependences(of node: QueryNode) -> Set<SavedSearch.Dependence> {
    func condition(_ name: String, _ dates: [String]) -> Set<SavedSearch.Dependence> {
      switch FieldName(name, in: index.fields) {
      case .history: return [.history]
      case .field(let field) where field.roles.contains(.date):
        let now = DatePeriod.now
        return dates.contains { DatePeriod($0) == nil && DatePeriod($0, now: now) != nil } ? [.clock] : []
      default: return []
      }
    }
    switch node {
    case .field(let name, let value, _, _): return condition(name, [value])
    case .range(let name, let low, let high, _): return condition(name, [low, high].compactMap { $0?.text })
    case .not(let inner): return dependences(of: inner)
    case .and(let nodes), .or(let nodes): return nodes.reduce([]) { $0.union(dependences(of: $1)) }
    case .word, .phrase, .near, .prefix, .pattern, .everything: return []
    }
  }

  /// Runs `body` in a snapshot of the store, with the definition of the index and the verdict on its token. Changes that
  /// are not indexed are not searched.
  func withStore<Result>(_ body: (TokenVerdict) throws -> Result) throws -> Result {
    for attempt in 1... {
      do {
        try refresh()
        return try store.withSnapshot {
          try store.refuseReplaced()
          let verdict = try index.state.verdict(in: store)
          index.adapt(to: store.layout, hasGrown: verdict == .modelGrown)
          return try body(verdict)
        }
      } catch let error as IndexError where error.code == .changed && attempt < 200 {
        usleep(UInt32(min(attempt, 10)) * 500)
      }
    }
    preconditionFailure("the loop returns or throws")
  }

  /// Which rows match, as they are in the store now. The rest of the index does not matter, nor how old it is. Call it
  /// in `withStore`.
  func matches(_ request: SearchRequest, among rows: Set<RowIdentifier>) throws -> Set<RowIdentifier> {
    var found: Set<RowIdentifier> = []
    let sorted = rows.sorted()
    for start in stride(from: 0, to: sorted.count, by: Self.rowsAtOnce) {
      let some = Set(sorted[start..<min(start + Self.rowsAtOnce, sorted.count)])
      try index.withOverlay(of: some, in: store) {
        var plan = try plan(request)
        plan.required.append(.term(DocumentLayout.overlayTerm))
        found.formUnion(try matches(of: plan.all).map(\.row))
      }
    }
    return found
  }

  /// Rows whose documents are held in memory at once.
  private static let rowsAtOnce = 2_000

  /// All rows that match, or the best ones if the search has a limit. Call it in `withSnapshot`.
  func matches(_ request: SearchRequest, _ snapshot: Snapshot) throws -> Set<RowIdentifier> {
    var plan = try plan(request)
    plan.excluded += try hidden(snapshot)
    guard request.limit != nil else { return Set(try matches(of: plan.all).map(\.row)) }
    return Set(try page(plan, request, snapshot).hits.compactMap { row(identity: $0.identity) })
  }
}
