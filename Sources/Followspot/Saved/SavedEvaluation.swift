// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// Evaluates a saved search in a view.
struct SavedEvaluation {
  let search: SavedSearch
  let view: SearchView

  /// What the result depends on besides the values of its records; empty if testing the records that changed is enough.
  ///
  /// - Throws: `QueryError` and `OperationError.usage` for a search that cannot be evaluated in this index.
  func dependences() throws -> Set<SavedSearch.Dependence> {
    let request = search.request
    try DeletionPeriod.refuse(request, in: view, "which a saved search does not watch")
    _ = try QueryCompiler(request, view).plan()
    var found = dependences(of: try view.searched.parse(request).root)
    if search.limit != nil { found.insert(.ranking) }
    let plans = try view.mapper.plans
    let read = Set(plans.flatMap { [$0.entity.number] + $0.related.flatMap { $0.path.hops.map(\.destination) } })
    if try view.store.unrecordedEntities().contains(where: { !read.isDisjoint(with: $0.lineage) }) {
      found.insert(.unrecordedTables)
    }
    return found
  }

  private func dependences(of node: QueryNode) -> Set<SavedSearch.Dependence> {
    func condition(_ name: String, _ dates: [String]) -> Set<SavedSearch.Dependence> {
      switch FieldName(name, in: view.fields) {
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

  /// Which rows match, as they are in the store now. The rest of the index does not matter, nor how old it is.
  func matches(among rows: Set<RowIdentifier>) throws -> Set<RowIdentifier> {
    var found: Set<RowIdentifier> = []
    let sorted = rows.sorted()
    for start in stride(from: 0, to: sorted.count, by: Self.rowsAtOnce) {
      let view = try view.with(Set(sorted[start..<min(start + Self.rowsAtOnce, sorted.count)]))
      var plan = try QueryCompiler(search.request, view).plan()
      plan.required.append(.term(DocumentLayout.overlayTerm))
      found.formUnion(try view.matches(of: plan.all).map(\.row))
    }
    return found
  }

  /// Rows whose documents are held in memory at once.
  private static let rowsAtOnce = 2_000

  /// All rows that match, or the best ones if the search has a limit.
  func matches() throws -> Set<RowIdentifier> {
    let request = search.request
    guard request.limit != nil else { return Set(try HitHistory(view: view).exactMatches(of: request)) }
    let plan = try QueryCompiler(request, view).plan()
    return Set(try Ranker.page(of: plan, request, in: view).hits.compactMap { view.row(identity: $0.identity) })
  }
}

extension SavedSearch {
  /// As `SavedEvaluation.dependences`.
  package func dependences(in searcher: Searcher) throws -> Set<Dependence> {
    try searcher.withTokenView { view, _ in try SavedEvaluation(search: self, view: view).dependences() }
  }
}
