internal import IndexDefinitions
internal import SearchIndex

/// A query that finds something, offered in place of one that finds nothing.
package struct NearestQuery: Equatable, Sendable {
  package let query: String
  package let kinds: [String]
  package let words: SearchRequest.Words
  package let isLiteral: Bool
  /// Number of records that it finds.
  package let count: Int
}

extension Searcher {
  /// Maximum number of queries that are tried.
  private static let mostTries = 30

  /// The closest query that finds something. It may search all kinds, write one part of the query differently, leave
  /// one part out, or take one part alone.
  ///
  /// - Parameter corrected: The query with its words corrected; nil if none was.
  /// - Returns: nil if no such query finds anything, or if the query is about deleted records.
  func nearest(to request: SearchRequest, corrected: String? = nil, _ snapshot: Snapshot) throws -> NearestQuery? {
    guard index.overlay?.deletions == nil else { return nil }
    var request = request
    request.query = corrected ?? request.query
    request.isStrict = false
    request.limit = 0
    var left = Self.mostTries
    let hidden = try hidden(snapshot)
    func best(of candidates: [SearchRequest]) throws -> NearestQuery? {
      var best: NearestQuery?
      for candidate in candidates where left > 0 {
        left -= 1
        let count = try count(candidate, hidden)
        guard count > best?.count ?? 0 else { continue }
        best = NearestQuery(
          query: candidate.query, kinds: candidate.kinds, words: candidate.words, isLiteral: candidate.isLiteral,
          count: count)
      }
      return best
    }
    for candidates in try alternatives(to: request) {
      if let found = try best(of: candidates) { return found }
    }
    return nil
  }

  /// The number of records that a search finds; 0 if the query is invalid.
  private func count(_ request: SearchRequest, _ hidden: [Query]) throws -> Int {
    do {
      var plan = try plan(request)
      plan.excluded += hidden
      if request.words == .any { return try frequency(of: plan.any) }
      let full = try frequency(of: plan.all)
      return isWidened(plan, request, matches: full) ? try frequency(of: plan.any) : full
    } catch is QueryError {
      return 0
    }
  }

  /// The queries to try, in groups, the closest group first. Of each group, the query that finds most is taken.
  private func alternatives(to request: SearchRequest) throws -> [[SearchRequest]] {
    var groups: [[SearchRequest]] = []
    if !request.mayApproximate, let query = try correctedQuery(request) { groups.append([written(query, request)]) }
    if request.isLiteral {
      var meant = request
      meant.isLiteral = false
      groups.append([meant])
    }
    if !request.kinds.isEmpty {
      var anyKind = request
      anyKind.kinds = []
      groups.append([anyKind])
    }
    let parsed = try parse(request)
    let parts: [QueryNode] = if case .and(let operands) = parsed.root { operands } else { [parsed.root] }
    func query(replacing position: Int, by nodes: [QueryNode]) -> SearchRequest {
      var nodes = parts[..<position] + nodes + parts[(position + 1)...]
      if parsed.isExplicit, nodes.count > 1 { nodes = [.and(Array(nodes))] }
      return written(nodes.map(\.text).joined(separator: " "), request)
    }
    for (position, part) in parts.enumerated() {
      for words in try divided(part, request) { groups.append([query(replacing: position, by: words)]) }
      for group in relaxed(part) { groups.append(group.map { query(replacing: position, by: $0) }) }
    }
    if parts.count > 1 { groups.append(parts.indices.map { query(replacing: $0, by: []) }) }
    if parts.count > 2 {
      groups.append(parts.filter { if case .not = $0 { false } else { true } }.map { written($0.text, request) })
    }
    if parts.count == 1, let name = parts[0].fieldName, index.fields[name] != nil {
      groups.append([written("has:\(name)", request)])
    }
    return groups
  }

  private func written(_ query: String, _ request: SearchRequest) -> SearchRequest {
    var written = request
    written.query = query
    written.mayApproximate = false
    return written
  }

  /// The words of a compound such as `star-warz` on their own: corrected, then as typed.
  private func divided(_ part: QueryNode, _ request: SearchRequest) throws -> [[QueryNode]] {
    guard case .word(let text) = part else { return [] }
    let words = text.split { !$0.isLetter && !$0.isNumber }
    guard words.count > 1, !words.contains(where: { ["AND", "OR", "NOT", "NEAR"].contains($0) }) else { return [] }
    let typed = words.joined(separator: " ")
    return [try correctedQuery(written(typed, request)), typed].compactMap { query in
      query?.split(separator: " ").map { .word(String($0)) }
    }
  }

  /// Other ways to write one part of a query, in groups of equal distance.
  private func relaxed(_ part: QueryNode) -> [[[QueryNode]]] {
    switch part {
    case .word(let text): return Self.prefixes(text).map { [[$0]] }
    case .phrase(let text):
      let words = text.split(whereSeparator: \.isWhitespace).map { QueryNode.word(String($0)) }
      return words.count > 1 ? [[words]] : Self.prefixes(text).map { [[$0]] }
    case .near(let words, _): return [[words.map(QueryNode.word)]]
    case .prefix(let text, _): return Self.shorter(text).map { [[$0]] }
    case .pattern(let text, _):
      let start = String(text.prefix { $0 != "*" })
      return [
        [[start.isEmpty ? .pattern("*\(QueryParser.longestPart(of: text))*", offset: 0) : .prefix(start, offset: 0)]]
      ]
    case .field(let name, var value, let isQuoted, let offset):
      if value.dropLast().contains("*"), !QueryParser.isPattern(value) { value.removeAll { $0 == "*" } }
      // `author` of the history may be meant as the author of a book.
      let isAuthor = HistoryField(name, in: index.fields) == .author
      guard index.fields[name]?.isSearchedByWord ?? isAuthor else { return [] }
      let others = index.fields.names.filter {
        $0.lowercased() != name.lowercased() && index.fields[$0]?.isSearchedByWord == true
      }
      let anywhere: QueryNode =
        isQuoted
        ? .phrase(value)
        : QueryParser.isPattern(value)
          ? .pattern(value, offset: 0)
          : value.hasSuffix("*") ? .prefix(String(value.dropLast()), offset: 0) : .word(value)
      var groups = [
        others.prefix(10).map { [QueryNode.field(name: $0, value: value, isQuoted: isQuoted, offset: offset)] }
      ]
      groups.append([[anywhere]])
      if !isQuoted {
        groups += Self.prefixes(value).map { [[.field(name: name, value: $0.text, isQuoted: false, offset: offset)]] }
      }
      return groups
    case .range, .everything, .not, .and, .or: return []
    }
  }

  /// A word as a prefix.
  private static func prefixes(_ word: String) -> [QueryNode] {
    guard word.count >= QueryParser.shortestPrefix, word.allSatisfy({ $0.isLetter || $0.isNumber }) else {
      return []
    }
    return [.prefix(word, offset: 0)]
  }

  /// A prefix with fewer letters: at least half of them.
  private static func shorter(_ text: String) -> [QueryNode] {
    let least = max(QueryParser.shortestPrefix, text.count / 2)
    guard least < text.count else { return [] }
    return (least..<text.count).reversed().map { .prefix(String(text.prefix($0)), offset: 0) }
  }
}

extension QueryNode {
  /// The field of a condition.
  fileprivate var fieldName: String? {
    switch self {
    case .field(let name, _, _, _), .range(let name, _, _, _): name
    default: nil
    }
  }
}

extension FieldTable.Field {
  fileprivate var isSearchedByWord: Bool { roles.contains(.text) || roles.contains(.facet) }
}
