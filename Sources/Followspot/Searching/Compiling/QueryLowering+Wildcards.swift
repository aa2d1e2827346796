internal import IndexDefinitions
internal import SearchIndex

extension QueryLowering {
  /// A query for all terms that begin in one of these ways. If they exceed the budget, only the most frequent ones are
  /// searched.
  mutating func wildcard(_ text: String, _ starts: [[UInt8]], offset: Int) throws -> Query {
    let most = budget.expansionsLeft
    var counts: [Int] = []
    for start in starts {
      var count = 0
      try index.reader.eachTerm(prefix: start, from: start) { _ in
        count += 1
        return count <= most
      }
      counts.append(count)
    }
    let count = counts.reduce(0, +)
    let limit = try budget.spendExpansions(count, of: text + "*", offset: offset, recovery: .lengthenPrefix(to: nil))
    // Each field gets its share of the limit.
    let wildcards = zip(starts, counts).compactMap { start, own -> Query? in
      let share = limit < count ? own * limit / count : own
      return share > 0 ? .wildcard(prefix: start, limit: share) : nil
    }
    return wildcards.count > 1 ? .synonyms(wildcards) : wildcards.first ?? .nothing
  }

  /// A query for the words that match a pattern such as `lib*ssl`. All terms with the prefix before the first `*` are
  /// read. If the matches exceed the budget, only the most frequent ones are searched.
  mutating func pattern(_ text: String, prefix: [UInt8], offset: Int) throws -> Query {
    final class Found { var terms: [[UInt8]] = [] }
    let found = Found()
    let parts = index.folded(text).lowercased().split(separator: "*", omittingEmptySubsequences: false).map {
      Array($0.utf8)
    }
    for prefix in index.prefixes(prefix) {
      try index.eachWord(startingWith: parts.first ?? [], prefix: prefix) { word in
        if Self.matches(word, parts) { found.terms.append(prefix + Array(word)) }
      }
    }
    var terms = found.terms
    let limit = try budget.spendExpansions(terms.count, of: text, offset: offset, recovery: .lengthenPattern)
    if limit < terms.count {
      terms = try terms.map { ($0, try index.reader.frequency(of: $0)) }.sorted { $0.1 > $1.1 }.prefix(limit).map(\.0)
    }
    return terms.isEmpty ? .nothing : .synonyms(terms.map(Query.term))
  }

  /// Whether a word consists of these parts in their order, with any letters between them.
  private static func matches(_ word: UnsafeRawBufferPointer, _ parts: [[UInt8]]) -> Bool {
    guard let last = parts.last, word.starts(with: parts[0]) else { return false }
    var rest = word.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let at = rest.indices.first(where: { rest[$0...].starts(with: part) }) else { return false }
      rest = rest[(at + part.count)...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}
