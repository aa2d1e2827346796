// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import SearchIndex

/// Orders matches by the values of fields. One number or date of the index is ordered by Xapian; otherwise the values
/// of all matches are compared.
struct Sorter {
  /// The slot by which Xapian orders the matches; nil if it cannot.
  let order: (slot: UInt32, descends: Bool)?
  private let readers: [FieldReader]
  private let descends: [Bool]
  private let searcher: Searcher
  private let snapshot: Searcher.Snapshot

  /// - Parameter keys: At least one.
  init(_ keys: [SearchRequest.Sort], of searcher: Searcher, _ snapshot: Searcher.Snapshot) throws {
    self.searcher = searcher
    self.snapshot = snapshot
    readers = try keys.map { try searcher.fieldReader($0.field, readsSlots: true) }
    descends = keys.map(\.descends)
    // Another machine cannot order documents with equal values.
    if keys.count == 1, !searcher.isRemote, let field = searcher.index.fields[keys[0].field],
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
    try searcher.eachMatch(of: query, readers, snapshot, best)
    let page = best.sorted().dropFirst(offset).prefix(limit)
    let terms = page.map { Query.term(searcher.lookupTerm(identity: $0)) }
    guard !terms.isEmpty else { return Hits(hits: [], matches: best.count) }
    // The hits of the page are searched again to get their scores.
    let scored = try searcher.index.reader.search(
      .filter(query, by: .or(terms)), offset: 0, limit: terms.count, exactUpTo: terms.count,
      identitySlot: DocumentLayout.Slot.identity)
    let byIdentity = Dictionary(scored.hits.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    return Hits(hits: page.compactMap { byIdentity[$0] }, matches: best.count)
  }
}
