// SPDX-License-Identifier: MIT

internal import Base
package import Search
internal import SearchIndex

extension SearchGroup {
  /// Explains why a record matches a query in the whole group, or why it does not.
  package func explain(_ named: NamedRecord, _ request: SearchRequest) throws -> Explanation? {
    try withAnsweringParts(request) {
      try withViews(request) { views in
        guard let number = members.firstIndex(where: { $0.name == named.store }) else { return nil }
        let readers = try GroupReaders(views, joined: joined)
        let parts = try parts(views, readers, isPerStore: usesHistory(request))
        guard let part = parts.first(where: { $0.members.contains(number) }) else { return nil }
        let view = try views.view(number)
        try DeletionPeriod.refuse(request, in: view, "which are not explained")
        let documents = part.view.group?.documents(of: number) ?? .everything
        return try Explainer(named.record, request, view.inGroup(like: part.view), documents: documents) { plan in
          // The other stores are ranked beside it.
          let ranked = try Ranker.Part(part.view, plan)
          return Ranker([ranked], bonuses: GroupRanking(views, [part], [ranked], readers).bonuses)
        }?.explanation()
      }
    }
  }
}
