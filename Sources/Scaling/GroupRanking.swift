// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Searching

/// The parts of a group that answer a query, each of which searches all databases.
struct GroupRanking {
  let parts: [GroupPart]
  let readers: GroupReaders
  private let views: GroupViews
  private let partsByMember: [Int: Int]
  private let ranked: [Ranker.Part]

  /// - Parameter ranked: The compiled queries of the parts.
  init(_ views: GroupViews, _ parts: [GroupPart], _ ranked: [Ranker.Part], _ readers: GroupReaders) {
    (self.views, self.parts, self.ranked, self.readers) = (views, parts, ranked, readers)
    partsByMember = Dictionary(
      uniqueKeysWithValues: parts.enumerated().flatMap { number, part in part.members.map { ($0, number) } })
  }

  var plans: [QueryPlan] { ranked.map(\.plan) }

  /// The compiled query for a store; nil if the store cannot answer the query.
  func plan(of member: Int) -> QueryPlan? { partsByMember[member].map { ranked[$0].plan } }

  func page(_ request: SearchRequest) throws -> Ranker.Page {
    try Ranker(ranked, bonuses: bonuses).page(request)
  }

  private func bonuses(of hits: [Hits.Hit]) throws -> [RankingBonus?] {
    let members = try hits.map(readers.member(of:))
    try open(Set(members))
    var readers: [Int: CandidateReader] = [:]
    return try zip(hits, members).map { hit, member in
      let view = try views.view(member)
      let reader = try readers[member] ?? CandidateReader(view, partsByMember[member].map { ranked[$0] })
      readers[member] = reader
      guard let row = view.row(identity: hit.identity) else { return nil }
      // The data of a hit on another machine have come with it.
      if views.members[member].isRemote { try view.rows.stored?.take(hit.data, of: row) }
      return try reader.bonus(of: row)
    }
  }

  /// Opens the stores whose rows are read.
  private func open(_ stores: Set<Int>) throws {
    let stores = stores.sorted()
    _ = try Parallel.map(stores.count) { try views.view(stores[$0]) }
  }
}
