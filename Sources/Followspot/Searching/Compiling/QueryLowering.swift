// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// The third pass of `QueryCompiler`: converts a resolved query to Xapian queries, within a budget.
struct QueryLowering {
  let view: SearchView
  /// Seconds since 2001.
  let now: Double
  var budget: QueryBudget

  /// A plain word of a query, or several adjacent words that together have a synonym.
  private struct PlainWord {
    /// As typed.
    let text: String
    let query: Query
    /// The indices of its parts in the query.
    let range: Range<Int>
  }

  // MARK: Plan

  mutating func plan(_ resolved: ResolvedQuery, typedAs corrections: [Correction]) throws -> QueryPlan {
    var plan = QueryPlan()
    plan.isExplicit = resolved.isExplicit
    guard !resolved.isExplicit else {
      plan.required = [try lower(resolved.root)]
      return plan
    }
    let nodes: [ResolvedNode] = if case .and(let operands) = resolved.root { operands } else { [resolved.root] }
    var words: [PlainWord] = []
    var years: Set<String> = []
    var known: [String: Query?] = [:]
    for (position, node) in nodes.enumerated() {
      switch node {
      case .word(let word):
        plan.plainWords += 1
        plan.typed.append(word.typed)
        plan.unfinished.append(.init(text: word.typed, isBeginning: false))
        if !word.conditions.isEmpty { years.insert(word.typed) }
        if known[word.typed] == nil {
          known[word.typed] = .some(try lower(word))
          plan.loose += word.pairs(in: view)
        }
        // A repeated word counts as often as it is typed.
        if case let query?? = known[word.typed] {
          words.append(PlainWord(text: word.typed, query: query, range: position..<(position + 1)))
        }
      case .everything: break
      case .not(let inner): plan.excluded.append(try excluded(inner))
      default:
        plan.required.append(try lower(node))
        if case .phrase(let text, _, prefix: [], isBeginning: true) = node {
          plan.unfinished.append(.init(text: text, isBeginning: true))
        }
      }
    }
    if !plan.unfinished.contains(where: \.isBeginning) { plan.unfinished = [] }
    words = try mergedBySynonyms(words, &plan)
    plan.merged = words.map(\.range).filter { $0.count > 1 }
    if plan.typed.isEmpty { plan.typed = Self.onlyPhrase(nodes) }
    plan.typed = plan.typed.map { word in corrections.first { $0.typed == word }?.replacement ?? word }
    if plan.plainWords > 0 || nodes.count == 1 { plan.keyed = try records(named: plan.typed, years: years) }
    plan.readings = try view.synonyms().readings(of: plan.typed, in: view)
    let stopWords = view.stopWords
    let contentWords = words.filter { !stopWords.contains(view.folded($0.text).lowercased()) }
    // In `the who tracks`, the stop words are a name, because the other word names a kind.
    let isName = contentWords.allSatisfy { !view.searched.kindWords.entities(named: view.folded($0.text)).isEmpty }
    plan.words = (isName ? words : contentWords).map(\.query)
    // A phrase alone is not required of the record that it names.
    if plan.plainWords == 0, !plan.keyed.isEmpty { (plan.words, plan.required) = (plan.required, []) }
    if !isName { plan.ignoredWords = Set(words.map(\.text)).subtracting(contentWords.map(\.text)) }
    if plan.words.count > QueryBudget.mostWords {
      try budget.leaveOut(
        "the query has \(plan.words.count) words, more than \(QueryBudget.mostWords)",
        searched: "the rarest \(QueryBudget.mostWords) are searched", offset: nil, recovery: .searchFewer(.words))
      plan.words = try rarest(plan.words)
    }
    return plan
  }
  /// The text of the only phrase of a query; empty if there is none, or more than one.
  private static func onlyPhrase(_ nodes: [ResolvedNode]) -> [String] {
    let phrases = nodes.compactMap { if case .phrase(let text, _, _, isBeginning: false) = $0 { text } else { nil } }
    return phrases.count == 1 ? phrases : []
  }

  /// Merges adjacent words that together have a synonym, such as `science fiction`. A record matches if it has all of
  /// these words or one of the synonyms, and they count as one word. If any word of the query is enough, each of the
  /// words also matches records that have only some of them.
  private mutating func mergedBySynonyms(_ words: [PlainWord], _ plan: inout QueryPlan) throws -> [PlainWord] {
    let longest = try view.synonyms().longest
    guard longest > 1 else { return words }
    let languages = FieldTable.sorted(view.fields.languages)
    var merged: [PlainWord] = []
    var at = 0
    while at < words.count {
      var count =
        (1...min(longest, words.count - at)).last {
          words[at + $0 - 1].range.lowerBound == words[at].range.lowerBound + $0 - 1
        } ?? 1
      var others: [String] = []
      while count > 1 {
        others = try view.synonyms(ofWords: words[at..<(at + count)].map(\.text)[...])
        if !others.isEmpty { break }
        count -= 1
      }
      let run = words[at..<(at + count)]
      at += count
      guard !others.isEmpty else {
        merged += run
        continue
      }
      let replacements = try others.flatMap { try view.variants(ofSynonym: $0, [], languages) }
        .map { try lower($0, prefix: []) }
      let whole = Query.synonyms([.and(run.map(\.query))] + replacements.compactMap(\.self))
      plan.loose += run.map { .andNot($0.query, whole) }
      let first = run[run.startIndex].range.lowerBound
      merged.append(
        PlainWord(text: run.map(\.text).joined(separator: " "), query: whole, range: first..<(first + run.count)))
    }
    return merged
  }

  private func rarest(_ words: [Query]) throws -> [Query] {
    let counted = try words.enumerated().map { position, query in (try frequency(of: query), position, query) }
    // Words that occur nowhere find nothing: they are dropped first.
    return counted.map { ($0.0 == 0 ? Int.max : $0.0, $0.1, $0.2) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .prefix(QueryBudget.mostWords).sorted { $0.1 < $1.1 }.map(\.2)
  }

  /// An upper bound of the number of documents that have a word of a query.
  private func frequency(of query: Query) throws -> Int {
    switch query {
    case .term(let term): try view.reader.frequency(of: term)
    case .places(let places): try Self.frequency(of: places, in: view)
    case .and(let words), .filter(.and(let words), _): try words.map(frequency).min() ?? 0
    case .or(let others), .synonyms(let others): try others.reduce(0) { try $0 + frequency(of: $1) }
    case .scaled(let query, _): try frequency(of: query)
    default: 0
    }
  }

  // MARK: Nodes

  /// The query of a part below NOT. Nothing may be omitted there, because that would add hits.
  private mutating func excluded(_ node: ResolvedNode) throws -> Query {
    let mayApproximate = budget.mayApproximate
    budget.mayApproximate = false
    defer { budget.mayApproximate = mayApproximate }
    return try lower(node)
  }

  private mutating func lower(_ node: ResolvedNode) throws -> Query {
    switch node {
    case .word(let word): return try lower(word) ?? .nothing
    case .phrase(_, let words, let prefix, let isBeginning):
      return try phrase(words, prefix: prefix, isBeginning: isBeginning)
    case .near(let words, let distance): return try near(words, distance)
    case .pattern(let text, let prefixes, let offset): return try pattern(text, prefixes, offset: offset)
    case .parts(let parts, let text, let offset):
      try budget.leaveOut(
        "the order of the parts of \(text) is not compared in a script without blanks",
        searched: "texts with all of them are found", offset: offset,
        recovery: .examples([text.split(separator: "*").joined(separator: " ")]))
      return .and(try parts.map { try lower($0) })
    case .condition(let query, let offset):
      if case .range = query { try budget.spendRange(offset: offset) }
      return query
    case .history(let condition, let name, let reach, let offset):
      return try history(condition, name, reach, offset: offset)
    case .anyMeaning(let nodes):
      let found = try nodes.compactMap { node in
        if case .word(let word) = node { try lower(word) } else { try lower(node) }
      }
      return found.count > 1 ? .or(found) : found.first ?? .nothing
    case .everything: return .everything
    case .not(let inner): return .andNot(.everything, try excluded(inner))
    case .or(let operands): return .or(try operands.map { try lower($0) })
    case .and(let operands):
      var positive: [Query] = []
      var excluded: [Query] = []
      for operand in operands {
        if case .not(let inner) = operand {
          excluded.append(try self.excluded(inner))
        } else {
          positive.append(try lower(operand))
        }
      }
      let base: Query = positive.isEmpty ? .everything : positive.count == 1 ? positive[0] : .and(positive)
      return excluded.isEmpty ? base : .andNot(base, .or(excluded))
    }
  }
}
