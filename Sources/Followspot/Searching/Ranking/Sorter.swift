// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Orders matches by the values of fields. One number or date of the index is ordered by Xapian; otherwise the values
/// of all matches are compared.
struct Sorter {
  /// The slot by which Xapian orders the matches; nil if it cannot.
  let order: (slot: UInt32, descends: Bool)?
  private let values: MatchReader
  private let descends: [Bool]
  private let view: SearchView

  /// - Parameter request: With at least one sort key.
  init(_ request: SearchRequest, _ view: SearchView) throws {
    self.view = view
    let keys = request.sort
    let readers = try keys.map { try FieldReader.of($0.field, in: view, readsSlots: true) }
    values = MatchReader(readers, view, readsSlots: request.readsSlots)
    descends = keys.map(\.descends)
    // Another machine cannot order documents with equal values.
    if keys.count == 1, !view.index.location.isRemote, let field = view.fields[keys[0].field],
      !field.roles.isDisjoint(with: [.number, .date]), field.roles.isDisjoint(with: [.text, .facet])
    {
      order = (field.slot, keys[0].descends)
    } else {
      order = nil
    }
  }

  /// One page of the ordered matches; nil if Xapian orders them.
  func page(_ query: Query, offset: Int, limit: Int) throws -> Hits? {
    guard order == nil else { return nil }
    let best = BestMatches(most: min(offset, .max / 4) + min(limit, .max / 4), descends: descends)
    try values.eachMatch(of: query, best)
    let page = best.sorted().dropFirst(offset).prefix(limit)
    guard !page.isEmpty else { return Hits(hits: [], matches: best.count) }
    // The hits of the page are searched again to get their scores.
    let scored = try view.hits(
      of: .filter(query, by: view.documents(of: page)), limit: page.count, exactUpTo: page.count)
    let byIdentity = Dictionary(scored.hits.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    return Hits(hits: page.compactMap { byIdentity[$0] }, matches: best.count)
  }
}
