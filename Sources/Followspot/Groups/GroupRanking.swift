// SPDX-License-Identifier: MIT

internal import SearchIndex

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

  /// The same parts, in which some documents are not hits.
  func excluding(_ documents: Query) -> GroupRanking {
    GroupRanking(views, parts, ranked.map { $0.excluding(documents) }, readers)
  }

  /// Finds the documents of a store; nil if they cannot be told from those of others.
  func documents(of member: Int) -> Query? { parts[0].view.group?.documents(of: member) }

  /// Remarks about the query.
  ///
  /// - Parameter isNewest: Whether all records are searched; nil if that is not known.
  func notes(isNewest: Bool?) -> [String] {
    var known: Set<String> = []
    let notes = plans.flatMap(\.notes).filter { known.insert($0).inserted }
    // Another store may have a word that one has not.
    let unknown = plans[0].unknownWords.filter { word in plans.allSatisfy { $0.unknownWords.contains(word) } }
    return notes + [QueryPlan.note(ofUnknown: unknown, isNewest: isNewest)].compactMap(\.self)
  }

  var ranker: Ranker { Ranker(ranked, bonuses: bonuses) }

  func page(_ request: SearchRequest) throws -> Ranker.Page { try ranker.page(request) }

  func bonuses(of hits: [Hits.Hit]) throws -> [RankingBonus?] {
    let members = try hits.map(readers.member(of:))
    try open(Set(members))
    var bonuses = [RankingBonus?](repeating: nil, count: hits.count)
    for (member, indices) in Dictionary(grouping: hits.indices, by: { members[$0] }) {
      let view = try views.view(member)
      let rows = indices.map { view.row(identity: hits[$0].identity) }
      // The content of a hit on another machine has come with it.
      if views.members[member].isRemote {
        for case (let index, let row?) in zip(indices, rows) {
          try view.rows.stored?.take(hits[index].content, of: row)
        }
      }
      let reader = try CandidateReader(view, partsByMember[member].map { ranked[$0] })
      for (index, bonus) in zip(indices, try reader.bonuses(of: rows)) { bonuses[index] = bonus }
    }
    return bonuses
  }

  /// Opens the stores whose rows are read.
  private func open(_ stores: Set<Int>) throws {
    let stores = stores.sorted()
    _ = try Parallel.map(stores.count) { try views.view(stores[$0]) }
  }
}
