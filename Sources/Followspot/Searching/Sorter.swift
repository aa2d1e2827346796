internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

/// Orders matches by the values of fields. One number or date of the index is ordered by Xapian; otherwise the values
/// are read from the live rows.
struct Sorter {
  /// The slot by which Xapian orders the matches; nil if it cannot.
  let order: (slot: UInt32, descends: Bool)?
  private let keys: [(reader: FieldReader, descends: Bool)]
  private let searcher: Searcher

  /// - Parameter keys: At least one.
  init(_ keys: [SearchRequest.Sort], of searcher: Searcher) throws {
    self.searcher = searcher
    self.keys = try keys.map { (try searcher.fieldReader($0.field), $0.descends) }
    if keys.count == 1, let field = searcher.index.fields[keys[0].field],
      !field.roles.isDisjoint(with: [.number, .date]), field.roles.isDisjoint(with: [.text, .facet])
    {
      order = (field.slot, keys[0].descends)
    } else {
      order = nil
    }
  }

  /// The sort key of a row for one field.
  private struct Key {
    let number: Double?
    let text: String
    let isEmpty: Bool

    /// nil if both are equal.
    func precedes(_ other: Key, _ descends: Bool) -> Bool? {
      if isEmpty != other.isEmpty { return other.isEmpty }
      if let number, let theirs = other.number, number != theirs { return (number < theirs) != descends }
      if (number == nil) != (other.number == nil) { return number != nil }
      return text == other.text ? nil : (text < other.text) != descends
    }
  }

  private struct Match {
    let identity: [UInt8]
    let keys: [Key]
  }

  private func precedes(_ one: Match, _ other: Match) -> Bool {
    for position in keys.indices {
      if let answer = one.keys[position].precedes(other.keys[position], keys[position].descends) { return answer }
    }
    return one.identity.lexicographicallyPrecedes(other.identity)
  }

  /// One page of the ordered matches; nil if Xapian orders them.
  func page(_ query: Query, offset: Int, limit: Int) throws -> Hits? {
    guard order == nil else { return nil }
    var folder = TextFolder()
    let matches = try searcher.matches(of: query).map { row, identity in
      let found = try keys.map { key in
        let value = try key.reader.values(of: row).first { !$0.isEmpty }
        return Key(
          number: value?.number, text: value.map { $0.number == nil ? folder.fold($0.text).lowercased() : "" } ?? "",
          isEmpty: value == nil)
      }
      return Match(identity: identity, keys: found)
    }
    let page = matches.sorted(by: precedes).dropFirst(offset).prefix(limit)
    let terms = page.map { Query.term(searcher.lookupTerm(identity: $0.identity)) }
    guard !terms.isEmpty else { return Hits(hits: [], matches: matches.count) }
    // The hits of the page are searched again to get their scores.
    let scored = try searcher.index.reader.search(
      .filter(query, by: .or(terms)), offset: 0, limit: terms.count, exactUpTo: terms.count,
      identitySlot: DocumentLayout.Slot.identity)
    let byIdentity = Dictionary(scored.hits.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    return Hits(hits: page.compactMap { byIdentity[$0.identity] }, matches: matches.count)
  }
}
