// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// What ranks the hits of a search on one snapshot: the index of a store, or those of a group.
struct HitRanking {
  let members: [MemberStore]
  let view: (_ member: Int) throws -> SearchView
  /// The compiled query for a member.
  let plan: (_ member: Int) -> QueryPlan?
  let page: (SearchRequest) throws -> Ranker.Page
  /// The index of the member that a hit is from.
  let member: (Hits.Hit) throws -> Int
  let notes: [String]

  /// - Throws: `QueryError`, also for a query that finds deleted records.
  init(_ request: SearchRequest, _ view: SearchView) throws {
    try DeletionPeriod.refuse(request, in: view, Self.refusal)
    let plan = try Ranker.plan(request, in: view)
    members = [MemberStore(name: nil, store: view.store)]
    (self.view, self.plan, member) = ({ _ in view }, { _ in plan }, { _ in 0 })
    page = { try Ranker.page(of: plan, $0, in: view) }
    notes = plan.notes(with: view.freshness)
  }

  /// - Throws: As the other one.
  init(_ request: SearchRequest, _ views: GroupViews, of group: SearchGroup, _ members: [MemberStore]) throws {
    let (ranking, notes) = try group.ranking(request, views)
    for part in ranking.parts { try DeletionPeriod.refuse(request, in: part.view, Self.refusal) }
    (self.members, self.notes) = (members, notes)
    (view, plan, page, member) = (views.view, ranking.plan(of:), ranking.page, ranking.readers.member(of:))
  }

  private static let refusal = "which have no rows"
}
