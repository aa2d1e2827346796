// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Hides records from a page that match only by the titles of what they belong to, beyond the first few of their kind.
///
/// The loans of a book are found by its title. A page with all of them would show little else.
struct Folding {
  /// The number of records of a kind that are shown.
  private static let shown = 3

  private let view: SearchView
  private let plan: QueryPlan
  private let own: OwnWords

  /// nil if nothing is folded: the query has an order or a kind, or no records have titles of others.
  init?(_ plan: QueryPlan, _ request: SearchRequest, in view: SearchView) {
    guard request.folds, request.limit != nil, request.sort.isEmpty, request.kinds.isEmpty,
      !plan.required.contains(where: \.hasKind), let own = OwnWords(plan, in: view)
    else { return nil }
    (self.view, self.plan, self.own) = (view, plan, own)
  }

  /// The page without the folded records, and how many of each kind match in all.
  func page(_ request: SearchRequest) throws -> (page: Ranker.Page, folded: [FoldedHits]) {
    // Which kinds are folded depends on all pages up to this one.
    var request = request
    let offset = request.offset
    (request.offset, request.limit) = (0, request.limit.map { offset + $0 })
    let whole = try Ranker.page(of: plan, request, in: view)
    if !whole.isWidened, request.words == .widening { request.words = .all }
    var (folded, hits): ([String: Query], [Hits.Hit]) = ([:], whole.hits)
    var shorter = plan
    while true {
      let found = try foldable(hits).filter { folded[$0.key] == nil }
      guard !found.isEmpty else { break }
      for (kind, hits) in found {
        let others = Query.andNot(.term(DocumentLayout.entityTerm(kind)), own.query)
        folded[kind] = others
        let shown = view.documents(of: hits.prefix(Self.shown).map(\.identity))
        shorter.excluded.append(.andNot(others, shown))
      }
      hits = try Ranker.page(of: shorter, request, in: view).hits
    }
    let page = Ranker.Page(
      hits: Array(hits.dropFirst(offset)), estimated: whole.estimated, isWidened: whole.isWidened, query: whole.query)
    let counted = try folded.sorted { $0.key < $1.key }.map { kind, query in
      let count = try view.matchCount(of: .filter(whole.query(plan), by: query), exactUpTo: Ranker.exactUpTo)
      return FoldedHits(.kind(kind), records: count - Self.shown)
    }
    return (page, counted)
  }

  /// The kinds with too many hits that match only by what they belong to, with these hits. None if no hit matches by
  /// itself: there is nothing to which they could belong.
  private func foldable(_ hits: [Hits.Hit]) throws -> [String: [Hits.Hit]] {
    guard hits.count > Self.shown else { return [:] }
    let matching = try own.matching(view.documents(of: hits.map(\.identity)), in: view)
    guard !matching.isEmpty else { return [:] }
    let others = hits.filter { !matching.contains($0.identity) }
    let kinds = Dictionary(grouping: others) { DocumentLayout.parseIdentity($0.identity)?.entity ?? "" }
    return kinds.filter { kind, hits in hits.count > Self.shown && !isNamed(kind) }
  }

  /// Whether the query names a kind.
  private func isNamed(_ kind: String) -> Bool {
    view.searched.kindWords.match(plan.typed.map { view.folded($0).lowercased() }, kind).share > 0
  }
}

extension Query {
  /// Whether it asks for a kind.
  fileprivate var hasKind: Bool { terms.contains { $0.term.starts(with: DocumentLayout.entityTerm("")) } }
}
