// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

extension SearchGroup {
  /// Explains why a record matches a query in the whole group, or why it does not.
  package func explain(_ named: NamedRecord, _ request: SearchRequest) throws -> Explanation? {
    try withAnsweringParts(request) {
      try withViews(request) { views in
        guard let number = members.firstIndex(where: { $0.name == named.store }) else { return nil }
        let (ranking, _) = try ranking(request, views)
        guard let part = ranking.parts.first(where: { $0.members.contains(number) }) else { return nil }
        let view = try views.view(number)
        try DeletionPeriod.refuse(request, in: view, "which are not explained")
        let own = view.inGroup(like: part.view).hiding(try others(than: part))
        let documents = part.view.group?.documents(of: number) ?? .everything
        return try Explainer(named.record, request, own, documents: documents) { _ in
          // The other stores are ranked beside it.
          ranking.ranker
        }?.explanation()
      }
    }
  }
}
