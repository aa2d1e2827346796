// SPDX-License-Identifier: MIT

internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Ranked answers of a group.
extension SearchGroup {
  /// One answer over all stores.
  func ranked(_ request: SearchRequest) throws -> SearchResult {
    try withViews(request) { views in
      let (ranking, notes) = try ranking(request, views)
      return try answer(ranking, request, views, notes)
    }
  }

  /// The number of matches in all stores, and the values of the request's facets.
  func counted(_ request: SearchRequest) throws -> CountResult {
    try withViews(request) { views in
      let (ranking, notes) = try ranking(request, views)
      let query: (QueryPlan) -> Query = request.words == .any ? \.any : \.all
      let count = try zip(ranking.parts, ranking.plans).reduce(0) { sum, one in
        let documents = try one.0.view.reader.documentCount()
        return try sum + one.0.view.matchCount(of: query(one.1), exactUpTo: documents)
      }
      let page = Ranker.Page(hits: [], estimated: count, isWidened: false, query: query)
      let (facets, missing) = try facets(of: request, ranking, page, views)
      let nearest = count == 0 ? try NearestQueryFinder(request, ranking.parts[0].view).nearest() : nil
      let stores = statuses(views)
      return CountResult(
        count: count, facet: facets.first, nearest: nearest, notes: notes + missing,
        index: stores[0].index, stores: stores, missing: self.missing)
    }
  }

  private func statuses(_ views: GroupViews) -> [StoreStatus] {
    zip(members, views.freshness).map { StoreStatus(name: $0.name, index: $1.status) }
  }

  /// The parts that answer a request, with remarks about the others, the views and the query.
  ///
  /// - Throws: The first error if no part answers.
  func ranking(_ request: SearchRequest, _ views: GroupViews) throws -> (GroupRanking, notes: [String]) {
    let all = try GroupReaders(views, joined: joined)
    var failures = Failures()
    let parts = try parts(views, all, isPerStore: usesHistory(request))
    var answering: [(part: GroupPart, ranked: Ranker.Part)] = []
    for part in parts {
      do { answering.append((part, try ranked(part, request))) } catch {
        try failures.note(error, of: part.members.map { members[$0].name })
      }
    }
    if answering.isEmpty { try failures.throwFirst() }
    let ranking = GroupRanking(views, answering.map(\.part), answering.map(\.ranked), all)
    return (ranking, failures.notes + views.notes + ranking.notes(isNewest: views.isNewest))
  }

  private func ranked(_ part: GroupPart, _ request: SearchRequest) throws -> Ranker.Part {
    let others = try others(than: part)
    return try Ranker.Part(
      part.view, Ranker.plan(request, in: part.view, excluding: others == .nothing ? [] : [others]))
  }

  /// Finds the documents of the stores that are not in a part.
  func others(than part: GroupPart) throws -> Query {
    let others = Set(members.indices).subtracting(part.members).sorted().map { members[$0] }
    guard !others.isEmpty else { return .nothing }
    let uuids = try Set(others.map { try $0.searchedUUID }).sorted()
    return .databases(uuids, withRemote: others.contains(where: \.isRemote))
  }

  private func answer(
    _ ranking: GroupRanking, _ request: SearchRequest, _ views: GroupViews, _ notes: [String]
  ) throws -> SearchResult {
    let stores = statuses(views)
    var result = SearchResult(index: stores[0].index)
    result.stores = stores
    result.corrected = ranking.plans.lazy.compactMap(\.corrected).first
    result.notes = notes
    let folding = StoreFolding(ranking, request, members.map(\.name))
    let (page, folded) = try folding?.page(request) ?? (ranking.page(request), [])
    result.folded = folded
    (result.estimated, result.isWidened) = (page.estimated, page.isWidened)
    if page.estimated == 0 {
      result.nearest = try NearestQueryFinder(
        request, corrected: ranking.plans[0].corrected, ranking.parts[0].view
      ).nearest()
    }
    var details: [Int: HitDetails] = [:]
    let keys = self.keys(views)
    result.hits = try page.hits.compactMap { hit in
      let number = try ranking.readers.member(of: hit)
      let shown =
        try details[number]
        ?? HitDetails(
          views.view(number).with(group: keys.context(of: number)), request,
          query: ranking.plan(of: number).map(page.query), omitsUnknown: true)
      details[number] = shown
      var joined = try shown.hit(hit)
      joined?.store = members[number].name
      return joined
    }
    result.estimated -= page.hits.count - result.hits.count
    let (facets, notes) = try facets(of: request, ranking, page, views)
    result.facets = facets
    result.notes += notes
    return result
  }

  /// The facets of all stores that have the field. A note names the others.
  ///
  /// - Throws: The first error if no store has a field.
  private func facets(
    of request: SearchRequest, _ ranking: GroupRanking, _ page: Ranker.Page, _ views: GroupViews
  ) throws -> ([Facet], notes: [String]) {
    var known = KnownFacets(request.facets)
    var facets: [Facet] = []
    let keys = self.keys(views)
    for number in members.indices where !request.facets.isEmpty {
      guard let plan = ranking.plan(of: number) else { continue }
      let view = try views.viewAlone(number).with(group: keys.context(of: number))
      var own = request
      own.facets = try known.names(in: view, members[number].name)
      facets += try FacetCounting.facets(own, of: view.visible(page.query(plan)), in: view)
    }
    return (Facet.merged(facets, in: request.facets), try known.notes())
  }

  /// An index changed faster than the group could read it.
  private struct Overtaken: Error { let error: IndexError }

  /// Runs `body` with every store at one transaction.
  ///
  /// If an index changes too much while `body` reads it, all of them are opened again. A single `withView` would open
  /// only its own index again.
  func withViews<Answer>(_ request: SearchRequest, _ body: (GroupViews) throws -> Answer) throws -> Answer {
    var resting: [IndexFreshness?] = []
    func begin(after begun: [GroupViews.State]) throws -> Answer {
      var begun = begun
      while begun.count < members.count, let freshness = resting[begun.count] { begun.append(.resting(freshness)) }
      guard begun.count < members.count else {
        do {
          let answer = try body(GroupViews(members: members, states: begun))
          if members.contains(where: \.isOvertaken) { throw Searcher.overtaken }
          return answer
        } catch let error as IndexError where error.code == .changed {
          throw Overtaken(error: error)
        } catch {
          throw members.contains(where: \.isOvertaken) ? Overtaken(error: Searcher.overtaken) : error
        }
      }
      return try members[begun.count].searcher().withView(request) { try begin(after: begun + [.opened($0)]) }
    }
    var overtaken = 0
    while true {
      defer { for member in members { member.release() } }
      resting = try rest(request)
      do { return try begin(after: []) } catch let change as Overtaken {
        overtaken += 1
        guard overtaken < Searcher.mostAttempts else { throw change.error }
        // Nobody writes a joined index: if it seems to change, it is damaged.
        if overtaken == Self.mostJoinedAttempts { leaveJoined() }
        usleep(UInt32(min(overtaken, 10)) * 500)
      } catch let error as IndexError
        where [.corrupt, .unreadable, .other].contains(error.code) && members.contains(where: \.isJoined)
      {
        // If the fault is in the index of a store, it is found again.
        leaveJoined()
      }
    }
  }

  /// How often a search is repeated with a joined index.
  private static let mostJoinedAttempts = 5

  private func leaveJoined() {
    guard members.contains(where: \.isJoined) else { return }
    joined = nil
    joinedDirectory?.clear()
  }

  /// Checks each store. nil for those that have to be opened.
  private func rest(_ request: SearchRequest) throws -> [IndexFreshness?] {
    guard readsAtRest else { return members.map { _ in nil } }
    // Reading a file to which this process has a connection would drop its locks.
    let opened = Set(members.compactMap(\.openedFile))
    func rest(joins: Bool) throws -> [IndexFreshness?] {
      try Parallel.map(members.count) { members[$0].rest(request, opened: opened, joins: joins) }
    }
    guard let joined, !usesHistory(request) else { return try rest(joins: false) }
    let resting = try rest(joins: true)
    // Several databases share the numbers of documents in turn. A database may have an overlay.
    let databases = 1 + 2 * members.count { !$0.isJoined }
    guard Int(joined.last) * databases > Int(UInt32.max) else { return resting }
    for member in members { member.release() }
    return try rest(joins: false)
  }
}
