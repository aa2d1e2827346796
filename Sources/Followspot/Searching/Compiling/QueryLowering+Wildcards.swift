internal import IndexDefinitions
internal import SearchIndex

extension QueryLowering {
  /// A query for all terms with the prefix `start`. If they exceed the budget, only the most frequent ones are
  /// searched.
  mutating func wildcard(_ text: String, _ start: [UInt8], offset: Int) throws -> Query {
    var count = 0
    let most = budget.expansionsLeft
    try index.reader.eachTerm(prefix: start, from: start) { _ in
      count += 1
      return count <= most
    }
    let limit = try budget.spendExpansions(count, of: text + "*", offset: offset, recovery: .lengthenPrefix(to: nil))
    return limit == 0 && count > 0 ? .nothing : .wildcard(prefix: start, limit: max(1, limit))
  }

  /// A query for the words that match a pattern such as `lib*ssl`. All terms with the prefix before the first `*` are
  /// read. If the matches exceed the budget, only the most frequent ones are searched.
  mutating func pattern(_ text: String, prefix: [UInt8], offset: Int) throws -> Query {
    final class Found { var terms: [[UInt8]] = [] }
    let found = Found()
    let parts = index.folded(text).lowercased().split(separator: "*", omittingEmptySubsequences: false).map {
      Array($0.utf8)
    }
    let start = prefix + (parts.first ?? [])
    try index.reader.eachTerm(prefix: start, from: start) { term in
      if Self.matches(UnsafeRawBufferPointer(rebasing: term[prefix.count...]), parts) {
        found.terms.append(Array(term))
      }
      return true
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
