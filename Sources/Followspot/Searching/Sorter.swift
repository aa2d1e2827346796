internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

/// Orders matches by the values of a field. Numbers and dates of the index are ordered by Xapian; other values are read
/// from the live rows.
struct Sorter {
  /// The slot by which Xapian orders; nil where it cannot.
  let order: (slot: UInt32, descends: Bool)?
  private let descends: Bool
  private let reader: FieldReader
  private let searcher: Searcher

  init(_ sort: SearchRequest.Sort, of searcher: Searcher) throws {
    self.searcher = searcher
    descends = sort.descends
    reader = try searcher.fieldReader(sort.field)
    if let field = searcher.index.fields[sort.field], !field.roles.isDisjoint(with: [.number, .date]),
      field.roles.isDisjoint(with: [.text, .facet])
    {
      order = (field.slot, sort.descends)
    } else {
      order = nil
    }
  }

  private struct Key {
    let identity: [UInt8]
    let number: Double?
    let text: String
    let isEmpty: Bool

    func precedes(_ other: Key, _ descends: Bool) -> Bool {
      if isEmpty != other.isEmpty { return other.isEmpty }
      if let number, let theirs = other.number, number != theirs { return (number < theirs) != descends }
      if (number == nil) != (other.number == nil) { return number != nil }
      if text != other.text { return (text < other.text) != descends }
      return identity.lexicographicallyPrecedes(other.identity)
    }
  }

  /// One page in order; nil where Xapian does it.
  func page(_ query: Query, offset: Int, limit: Int) throws -> Hits? {
    guard order == nil else { return nil }
    var folder = TextFolder()
    let keys = try searcher.matches(of: query).map { row, identity in
      let value = try reader.values(of: row).first { !$0.isEmpty }
      return Key(
        identity: identity, number: value?.number,
        text: value.map { $0.number == nil ? folder.fold($0.text).lowercased() : "" } ?? "", isEmpty: value == nil)
    }
    let page = keys.sorted { $0.precedes($1, descends) }.dropFirst(offset).prefix(limit)
    let terms = page.map { Query.term(searcher.lookupTerm(identity: $0.identity)) }
    guard !terms.isEmpty else { return Hits(hits: [], matches: keys.count) }
    // The page once more, for the scores.
    let scored = try searcher.index.reader.search(
      .filter(query, by: .or(terms)), offset: 0, limit: terms.count, exactUpTo: terms.count,
      identitySlot: DocumentLayout.Slot.identity)
    let byIdentity = Dictionary(scored.hits.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    return Hits(hits: page.compactMap { byIdentity[$0.identity] }, matches: keys.count)
  }
}
