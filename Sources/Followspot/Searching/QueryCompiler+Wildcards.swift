internal import IndexDefinitions
internal import SearchIndex

extension QueryCompiler {
  mutating func beginning(_ text: String, prefix: [UInt8], place: Int) throws -> Query {
    let tokens = try index.reader.tokens(of: folder.fold(text))
    guard let last = tokens.last else { return .nothing }
    guard text.count >= QueryParser.shortestBeginning else {
      throw QueryError(
        "\(text)* is too short", query: query, place: place,
        hint: "give at least \(QueryParser.shortestBeginning) letters before *")
    }
    let wildcard = try expanded(text, prefix + last.raw, place: place)
    let before = tokens.dropLast().map { Query.term(prefix + $0.raw) }
    return before.isEmpty ? wildcard : .and(before + [wildcard])
  }

  /// Any term that begins with `start`; beyond what a query may expand, the most frequent ones.
  mutating func expanded(_ text: String, _ start: [UInt8], place: Int) throws -> Query {
    var count = 0
    let most = expansionsLeft
    try index.reader.eachTerm(prefix: start, from: start) { _ in
      count += 1
      return count <= most
    }
    guard count > most else {
      expansionsLeft -= count
      return .wildcard(beginning: start, limit: max(1, count))
    }
    try leaveOut(
      "\(text)* and the wildcards before it stand for more than \(Self.mostExpansions) words",
      searched: "the most frequent ones are searched", place: place, hint: "give more letters before *")
    expansionsLeft = 0
    return most == 0 ? .nothing : .wildcard(beginning: start, limit: most)
  }

  /// Words like `lib*ssl`, of which the part before the first `*` is walked; beyond what a query may expand, the most
  /// frequent ones.
  mutating func pattern(_ text: String, prefix: [UInt8], place: Int) throws -> Query {
    final class Found { var terms: [[UInt8]] = [] }
    let found = Found()
    let parts = folder.fold(text).lowercased().split(separator: "*", omittingEmptySubsequences: false).map {
      Array($0.utf8)
    }
    let start = prefix + (parts.first ?? [])
    try index.reader.eachTerm(prefix: start, from: start) { term in
      if Self.matches(UnsafeRawBufferPointer(rebasing: term[prefix.count...]), parts) {
        found.terms.append(Array(term))
      }
      return true
    }
    guard found.terms.count > expansionsLeft else {
      expansionsLeft -= found.terms.count
      return found.terms.isEmpty ? .nothing : .synonyms(found.terms.map(Query.term))
    }
    try leaveOut(
      "\(text) and the wildcards before it stand for more than \(Self.mostExpansions) words",
      searched: "the most frequent ones are searched", place: place, hint: "give more letters")
    let counted = try found.terms.map { ($0, try index.reader.frequency(of: $0)) }.sorted { $0.1 > $1.1 }
    let kept = counted.prefix(expansionsLeft).map { Query.term($0.0) }
    expansionsLeft = 0
    return kept.isEmpty ? .nothing : .synonyms(kept)
  }

  /// Whether a word is made of these parts in their order, with anything between them.
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
