// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Searching

/// Ranks the hits of a group while its leads search all databases.
struct Ranker {
  let group: SearchGroup
  let parts: [GroupPart]
  let readers: GroupReaders
  private let partsByMember: [Int: Int]

  init(group: SearchGroup, parts: [GroupPart], readers: GroupReaders) {
    (self.group, self.parts, self.readers) = (group, parts, readers)
    partsByMember = Dictionary(
      uniqueKeysWithValues: parts.enumerated().flatMap { number, part in part.members.map { ($0, number) } })
  }

  /// The part that a store belongs to; nil if the store cannot answer the query.
  func part(of member: Int) -> GroupPart? { partsByMember[member].map { parts[$0] } }

  struct Page {
    let hits: [Hits.Hit]
    let estimated: Int
    let isWidened: Bool
    /// The query that found the hits.
    let query: (QueryPlan) -> Query
  }

  /// One page, as `Searcher.run` gives it for one store.
  func page(_ request: SearchRequest) throws -> Page {
    let documents = try parts[0].lead.index.reader.documentCount()
    let limit = request.limit ?? documents
    let exactUpTo = max(Searcher.exactUpTo, request.limit == nil ? documents : 0)
    if request.words == .any {
      let found = try ranked(\.any, request.offset, limit, exactUpTo)
      return Page(hits: found.hits, estimated: found.matches, isWidened: false, query: \.any)
    }
    let full = try ranked(\.all, request.offset, limit, exactUpTo)
    guard parts.contains(where: { $0.lead.isWidened($0.plan, request, matches: full.matches) }) else {
      return Page(hits: full.hits, estimated: full.matches, isWidened: false, query: \.all)
    }
    // The full matches come first, and then the records with any of the words.
    let rest: (QueryPlan) -> Query = { .andNot($0.any, $0.all) }
    let exact = try frequency(\.all, documents)
    let free = limit - full.hits.count
    guard free > 0 else {
      let others = try frequency(rest, Searcher.exactUpTo)
      return Page(hits: full.hits, estimated: exact + others, isWidened: others > 0, query: \.any)
    }
    let others = try ranked(rest, max(0, request.offset - exact), free, exactUpTo)
    return Page(
      hits: full.hits + others.hits, estimated: exact + others.matches, isWidened: others.matches > 0, query: \.any)
  }

  private func frequency(_ query: (QueryPlan) -> Query, _ exactUpTo: Int) throws -> Int {
    try parts.reduce(0) { try $0 + $1.lead.frequency(of: query($1.plan), exactUpTo: exactUpTo) }
  }

  /// The candidates in the order of both stages, then the others in the order of the first stage.
  private func ranked(
    _ query: (QueryPlan) -> Query, _ offset: Int, _ limit: Int, _ exactUpTo: Int
  ) throws -> (hits: [Hits.Hit], matches: Int) {
    func firstStage(_ offset: Int, _ limit: Int) throws -> (hits: [Hits.Hit], matches: Int) {
      let found = try parts.map { try $0.lead.firstStage(query($0.plan), 0, offset + limit, exactUpTo) }
      let hits = parts.count == 1 ? found[0].hits : found.flatMap(\.hits).sorted(by: Self.precedes)
      return (Array(hits.dropFirst(offset).prefix(limit)), found.reduce(0) { $0 + $1.matches })
    }
    guard parts.contains(where: { !$0.matches.isEmpty }) else { return try firstStage(offset, limit) }
    let best = try firstStage(0, Searcher.candidates)
    var known = Set(best.hits.map(\.place))
    let named =
      best.matches == best.hits.count
      ? []
      : try parts.flatMap { part in
        try part.lead.namesakeQueries(query(part.plan), part.plan).flatMap {
          try part.lead.firstStage($0, 0, Searcher.namesakes, exactUpTo).hits
        }
      }.filter { known.insert($0.place).inserted }
    let candidates = try secondStage(best.hits + named)
    let page = Array(candidates.dropFirst(offset).prefix(limit))
    let behind = max(0, offset - candidates.count)
    guard page.count < limit, best.matches > candidates.count else { return (page, best.matches) }
    let further = try firstStage(Searcher.candidates, behind + limit - page.count + named.count)
    let others = further.hits.filter { !known.contains($0.place) }.dropFirst(behind).prefix(limit - page.count)
    return (page + others, best.matches)
  }

  private func secondStage(_ hits: [Hits.Hit]) throws -> [Hits.Hit] {
    let unboosted = parts.compactMap(\.plan.bestUnboosted).max()
    let highest = unboosted ?? hits.lazy.map(\.score).max() ?? 0
    let scale = highest > 0 ? highest : 1
    let members = try hits.map(readers.member(of:))
    try open(Set(members))
    var readers: [Int: CandidateReader] = [:]
    return try zip(hits, members).map { hit, member in
      var hit = hit
      let searcher = try group.members[member].current()
      let reader = try readers[member] ?? searcher.candidateReader(part(of: member)?.matches ?? [])
      readers[member] = reader
      let row = searcher.row(identity: hit.identity)
      // The data of a hit on another machine have come with it.
      if let row, group.members[member].isRemote { try searcher.stored?.take(hit.data, of: row) }
      if let row, let bonus = try reader.bonus(of: row) {
        hit.score += scale * bonus.sum
      }
      return hit
    }.sorted(by: Self.precedes)
  }

  /// Opens the stores whose rows are read.
  private func open(_ stores: Set<Int>) throws {
    let stores = stores.sorted()
    _ = try Parallel.map(stores.count) { try group.members[stores[$0]].current() }
  }

  /// The best first. Equal scores are ordered by identity, then by store.
  private static func precedes(_ one: Hits.Hit, _ other: Hits.Hit) -> Bool {
    if one.score != other.score { return one.score > other.score }
    if one.identity != other.identity { return one.identity.lexicographicallyPrecedes(other.identity) }
    return (one.database, one.number) < (other.database, other.number)
  }
}

extension Hits.Hit {
  /// Identifies the document in the group.
  fileprivate var place: Place { Place(database: database, number: number) }

  fileprivate struct Place: Hashable {
    let database: Int
    let number: UInt32
  }
}
