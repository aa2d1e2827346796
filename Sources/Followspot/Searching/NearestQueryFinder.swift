// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// Looks for the closest query that finds something. It may search all kinds, write one part of the query differently,
/// leave one part out, or take one part alone.
struct NearestQueryFinder {
  /// Maximum number of queries that are tried, and of parts in all of them: each part is looked up in each query.
  private static let most = (tries: 30, parts: 600)

  /// A search to try.
  private struct Candidate {
    var request: SearchRequest
    var leavesOut: [NearestQuery.Omission] = []
  }

  private let request: SearchRequest
  private let view: SearchView

  /// - Parameters:
  ///   - request: Its query finds nothing.
  ///   - corrected: The query with its words corrected; nil if none was.
  init(_ request: SearchRequest, corrected: String? = nil, _ view: SearchView) throws {
    var request = request
    request.query = corrected ?? request.query
    request.isStrict = false
    request.limit = 0
    (self.request, self.view) = (request, view)
  }

  /// nil if no such query finds anything, or if the query is about deleted records.
  func nearest() throws -> NearestQuery? {
    guard view.rows.deletions == nil else { return nil }
    let (parts, isExplicit) = try parts()
    var left = max(2, min(Self.most.tries, Self.most.parts / parts.count))
    for candidates in try alternatives(parts, isExplicit: isExplicit) {
      var best: NearestQuery?
      for candidate in candidates where left > 0 {
        left -= 1
        let request = candidate.request
        let count = try count(request)
        guard count > best?.count ?? 0 else { continue }
        best = NearestQuery(
          query: request.query, kinds: request.kinds, words: request.words, isLiteral: request.isLiteral,
          leavesOut: candidate.leavesOut, count: count)
      }
      if let best { return best }
    }
    return nil
  }

  /// The number of records that a search finds; 0 if the query is invalid.
  private func count(_ request: SearchRequest) throws -> Int {
    do {
      let plan = try plan(request)
      if request.words == .any { return try view.matchCount(of: plan.any) }
      let full = try view.matchCount(of: plan.all)
      return plan.isWidened(request, matches: full) ? try view.matchCount(of: plan.any) : full
    } catch is QueryError {
      return 0
    }
  }

  private func plan(_ request: SearchRequest) throws -> QueryPlan {
    let plan = try QueryCompiler(request, view).plan()
    return plan
  }

  /// The operands of the query, and whether AND was written between them.
  private func parts() throws -> ([QueryNode], isExplicit: Bool) {
    let parsed = try view.searched.parse(request)
    if case .and(let operands) = parsed.root, !operands.isEmpty { return (operands, parsed.isExplicit) }
    return ([parsed.root], parsed.isExplicit)
  }

  /// The queries to try, in groups, the closest group first. Of each group, the query that finds most is taken.
  private func alternatives(_ parts: [QueryNode], isExplicit: Bool) throws -> [[Candidate]] {
    var groups: [[Candidate]] = []
    func add(_ candidates: [SearchRequest], without parts: [NearestQuery.Omission] = []) {
      groups.append(candidates.map { Candidate(request: $0, leavesOut: parts) })
    }
    if !request.mayApproximate, let query = try QueryCompiler(request, view).correctedQuery() { add([written(query)]) }
    if request.isLiteral {
      var meant = request
      meant.isLiteral = false
      add([meant], without: [.literal])
    }
    if !request.kinds.isEmpty {
      var anyKind = request
      anyKind.kinds = []
      add([anyKind], without: request.kinds.map(NearestQuery.Omission.kind))
    }
    func query(replacing position: Int, by nodes: [QueryNode]) -> SearchRequest {
      var nodes = parts[..<position] + nodes + parts[(position + 1)...]
      if isExplicit, nodes.count > 1 { nodes = [.and(Array(nodes))] }
      return written(nodes.map(\.text).joined(separator: " "))
    }
    for (position, part) in parts.enumerated() {
      for words in try divided(part) { add([query(replacing: position, by: words)]) }
      for group in relaxed(part) { add(group.map { query(replacing: position, by: $0) }) }
    }
    if parts.count == 1 {
      add(try neighbours(of: parts[0]).map { query(replacing: 0, by: [$0]) })
    }
    if parts.count > 1 {
      groups.append(
        parts.indices.map { .init(request: query(replacing: $0, by: []), leavesOut: [.part(parts[$0].text)]) })
    }
    if parts.count > 2 {
      groups.append(
        parts.indices.filter { if case .not = parts[$0] { false } else { true } }.map { kept in
          .init(
            request: written(parts[kept].text),
            leavesOut: parts.indices.filter { $0 != kept }.map { .part(parts[$0].text) })
        })
    }
    return groups
  }

  /// Conditions on the same field for the existing values that are closest to a number or a date, one below it and one
  /// above it.
  private func neighbours(of part: QueryNode) throws -> [QueryNode] {
    let (name, low, high): (String, String?, String?)
    switch part {
    case .field(let field, let value, _, _): (name, low, high) = (field, value, value)
    case .range(let field, let from, let to, _): (name, low, high) = (field, from?.text, to?.text)
    default: return []
    }
    guard case .field(let field)? = FieldName(name, in: view.fields, isOrder: true), field.hasOrder, !field.isMixed
    else {
      return []
    }
    let plan = try plan(written("has:\(field.name)"))
    let isDate = field.roles.contains(.date)
    func bound(_ text: String?) -> NumberRange.Bound? {
      guard let text else { return nil }
      let number =
        isDate
        ? DatePeriod(text, now: DatePeriod.now).map { SortableNumber($0.start) }
        : NumberText.sortable(text, in: field.unit)
      return number.map { NumberRange.Bound($0) }
    }
    func closest(_ range: NumberRange, descends: Bool) throws -> QueryNode? {
      let hit = try view.hits(
        of: .filter(plan.all, by: .range(slot: field.slot, range)), limit: 1, order: (field.slot, descends)
      ).hits.first
      guard let hit, !hit.value.isEmpty else { return nil }
      let number = SortableNumber.double(of: hit.value)
      guard number.isFinite else { return nil }
      let text =
        isDate
        ? DateText.format(secondsSince2001: number) : Int64(exactly: number).map { "\($0)" } ?? "\(number)"
      return .field(name: field.name, value: text, isQuoted: false, offset: 0)
    }
    return try [
      bound(low).flatMap { try closest(NumberRange(from: nil, to: $0), descends: true) },
      bound(high).flatMap { try closest(NumberRange(from: $0, to: nil), descends: false) },
    ].compactMap(\.self)
  }

  private func written(_ query: String) -> SearchRequest {
    var written = request
    written.query = query
    written.mayApproximate = false
    return written
  }

  /// The words of a compound such as `star-warz` on their own: corrected, then as typed.
  private func divided(_ part: QueryNode) throws -> [[QueryNode]] {
    guard case .word(let text) = part else { return [] }
    let words = text.split { !$0.isLetter && !$0.isNumber }
    guard words.count > 1, !words.contains(where: { ["AND", "OR", "NOT", "NEAR"].contains($0) }) else { return [] }
    let typed = words.joined(separator: " ")
    return [try QueryCompiler(written(typed), view).correctedQuery(), typed].compactMap { query in
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
      let isAuthor = HistoryField(name, in: view.fields) == .author
      guard view.fields[name]?.isSearchedByWord ?? isAuthor else { return [] }
      let others = view.fields.names.filter {
        $0.lowercased() != name.lowercased() && view.fields[$0]?.isSearchedByWord == true
      }
      let anywhere: QueryNode =
        if isQuoted {
          .phrase(value)
        } else if QueryParser.isPattern(value) {
          .pattern(value, offset: 0)
        } else if value.hasSuffix("*") {
          .prefix(String(value.dropLast()), offset: 0)
        } else {
          .word(value)
        }
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

extension FieldTable.Field {
  fileprivate var isSearchedByWord: Bool { roles.contains(.text) || roles.contains(.facet) }
}
