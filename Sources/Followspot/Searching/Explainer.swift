// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import SearchIndex
internal import Store

/// Explains why one record matches a query, or why it does not.
struct Explainer {
  private let request: SearchRequest
  private let view: SearchView
  private let entity: EntityLayout
  private let key: Int64
  private let values: [Value]
  /// Finds only the record's document.
  private let only: Query
  private let ranker: (QueryPlan) throws -> Ranker

  /// nil if the store has no such record.
  ///
  /// - Parameters:
  ///   - view: The documents of the store, or of its whole group; the rows are those of the store.
  ///   - documents: Finds the documents of the store in the view.
  ///   - ranker: Ranks the hits of a plan; nil for the ranker of one store.
  /// - Throws: `OperationError.usage` for an identifier of another store or an unknown entity.
  init?(
    _ identifier: RecordURI, _ request: SearchRequest, _ view: SearchView, documents: Query = .everything,
    ranker: ((QueryPlan) throws -> Ranker)? = nil
  ) throws {
    guard let entity = try view.rows.entity(of: identifier),
      let values = try view.rows.values(of: entity, key: identifier.key)
    else { return nil }
    (self.request, self.view, self.entity, self.values, key) = (request, view, entity, values, identifier.key)
    let term = Query.term(view.definition.lookupTerm(entity: entity.entity.name, key: key))
    only = documents == .everything ? term : .filter(term, by: documents)
    self.ranker = ranker ?? { try Ranker(view, $0) }
  }

  /// - Throws: `QueryError`.
  func explanation() throws -> Explanation {
    let nodes = try Self.topLevel(view.searched.parse(request))
    var parts = try nodes.map(part)
    var (verdict, score) = (Explanation.Verdict.no, 0.0)
    // A query with an unindexed part cannot be planned.
    let plan = parts.contains(where: \.isUnindexed) ? nil : try plan()
    if let plan {
      (verdict, score) = try self.verdict(plan)
      parts = try merge(parts, of: nodes, by: plan, isAnyEnough: verdict == .widened || request.words == .any)
      parts = try complete(parts, by: plan)
      if verdict != .no {
        parts += try boostParts(plan, verdict)
        let bonus = try bonusParts(plan, verdict)
        score += bonus.reduce(0) { $0 + $1.score }
        parts += bonus
      }
    }
    return Explanation(
      identifier: try view.store.identifier(of: RowIdentifier(entity: entity.number, key: key)),
      title: view.title(of: values, entity, key: key), verdict: verdict, score: score, parts: parts,
      reasons: try reasons() + hidden(by: plan)
        + (plan?.notes(with: view.freshness) ?? [view.freshness.note].compactMap(\.self)),
      index: view.freshness.status)
  }

  private func plan() throws -> QueryPlan {
    var plan = try QueryCompiler(request, view).plan()
    try QueryBoosts(request: request, view: view).add(to: &plan)
    return plan
  }

  private func verdict(_ plan: QueryPlan) throws -> (verdict: Explanation.Verdict, score: Double) {
    if let score = try find(request.words == .any ? plan.any : plan.all) { return (.matches, score) }
    guard plan.isWidened(request, matches: try frequency(plan.all)), let score = try find(plan.any) else {
      return (.no, 0)
    }
    return (.widened, score)
  }

  private static func topLevel(_ parsed: ParsedQuery) -> [QueryNode] {
    if case .and(let operands) = parsed.root { return operands }
    return [parsed.root]
  }

  // MARK: Parts

  private func part(_ node: QueryNode) throws -> Explanation.Part {
    let text = node.text
    if case .not(let inner) = node {
      let found = try compiled(inner, isAsWritten: true)
      return Explanation.Part(
        text: text, role: .excluded, isThere: try find(found) != nil, score: 0,
        frequency: try frequency(found), fields: [], note: nil)
    }
    let query: Query
    do {
      query = try compiled(node)
    } catch let error as QueryError {
      guard case .field(let name, _, _, _) = node, view.store.layout.hasAttribute(name) else { throw error }
      return Explanation.Part(
        text: text, role: .required, isThere: false, score: 0, frequency: 0, fields: [],
        note: "\(name) is an attribute, but not an indexed field", isUnindexed: true)
    }
    let score = try find(query)
    var isWord = false
    if case .word = node { isWord = true }
    return Explanation.Part(
      text: text, role: isWord ? .word : .required, isThere: score != nil, score: score ?? 0,
      frequency: try frequency(query),
      fields: try score.map { try fields(of: node, share: $0) } ?? [],
      note: query == .nothing ? "it contains no word" : nil)
  }

  /// Merges the parts that together have a synonym.
  private func merge(
    _ parts: [Explanation.Part], of nodes: [QueryNode], by plan: QueryPlan, isAnyEnough: Bool
  ) throws -> [Explanation.Part] {
    try plan.merged.reversed().reduce(into: parts) { parts, range in
      let merged = try self.plan(.and(Array(nodes[range])))
      let query = isAnyEnough ? merged.any : merged.all
      let score = try find(query)
      let part = Explanation.Part(
        text: nodes[range].map(\.text).joined(separator: " "), role: .word, isThere: score != nil, score: score ?? 0,
        frequency: try frequency(query), fields: [], note: "counts as one word, with its synonyms")
      parts.replaceSubrange(range, with: [part])
    }
  }

  /// Marks the stop words that the whole query ignores, and adds the condition of `--kind`.
  private func complete(_ parts: [Explanation.Part], by plan: QueryPlan) throws -> [Explanation.Part] {
    var parts = parts.map { part in
      guard part.role == .word, plan.ignoredWords.contains(part.text) else { return part }
      return Explanation.Part(
        text: part.text, role: .word, isThere: part.isThere, score: 0, frequency: part.frequency, fields: [],
        note: "a stop word, ignored because the query has other words", isIgnored: true)
    }
    if !request.kinds.isEmpty {
      let kinds = try QueryCompiler(request, view).kinds()
      parts.append(
        Explanation.Part(
          text: request.kinds.map { "kind:\($0)" }.joined(separator: " OR "), role: .required,
          isThere: try find(kinds) != nil, score: 0, frequency: try frequency(kinds), fields: [], note: nil))
    }
    return parts
  }

  /// What each boost alone adds to the score.
  private func boostParts(_ plan: QueryPlan, _ verdict: Explanation.Verdict) throws -> [Explanation.Part] {
    func score(_ boosts: [QueryPlan.Boost]) throws -> Double {
      var plan = plan
      plan.boosts = boosts
      return try find(verdict == .widened || request.words == .any ? plan.any : plan.all) ?? 0
    }
    guard !plan.boosts.isEmpty else { return [] }
    let without = try score([])
    return try plan.boosts.map { boost in
      Explanation.Part(
        text: boost.name, role: .preferred, isThere: true, score: try score([boost]) - without, frequency: 0,
        fields: [], note: nil)
    }
  }

  /// What the second stage of ranking adds to the score.
  private func bonusParts(_ plan: QueryPlan, _ verdict: Explanation.Verdict) throws -> [Explanation.Part] {
    let list: (QueryPlan) -> Query =
      switch verdict {
      case .widened: { .andNot($0.any, $0.all) }
      default: request.words == .any ? { $0.any } : { $0.all }
      }
    let identity = DocumentLayout.identity(entity: entity.entity.name, key: key)
    let number = try view.hits(of: only, limit: 1).hits.first.map { ($0.database, $0.number) }
    let isRecord = { (hit: Hits.Hit) in
      hit.identity == identity && number.map { $0 == (hit.database, hit.number) } ?? true
    }
    guard let found = try ranker(plan).bonus(of: isRecord, in: list) else { return [] }
    return found.bonus.parts.map { part in
      Explanation.Part(
        text: part.name, role: .preferred, isThere: true, score: part.share * found.scale, frequency: 0, fields: [],
        note: nil)
    }
  }

  /// The query of one part.
  ///
  /// - Parameter isAsWritten: Whether it is not corrected.
  private func compiled(_ node: QueryNode, isAsWritten: Bool = false) throws -> Query {
    try plan(node, isAsWritten: isAsWritten).all
  }

  private func plan(_ node: QueryNode, isAsWritten: Bool = false) throws -> QueryPlan {
    try QueryCompiler(isAsWritten ? request.asWritten : request, view)
      .plan(ParsedQuery(root: node, isExplicit: false))
  }

  /// The fields in which the record has a word or phrase, and their shares of its score.
  private func fields(of node: QueryNode, share score: Double) throws -> [Explanation.FieldScore] {
    let (text, isQuoted): (String, Bool)
    switch node {
    case .word(let word): (text, isQuoted) = (word, false)
    case .phrase(let phrase): (text, isQuoted) = (phrase, true)
    case .prefix(let prefix, _): (text, isQuoted) = (prefix + "*", false)
    case .pattern(let pattern, _): (text, isQuoted) = (pattern, false)
    default: return []
    }
    let alone: [(name: String, score: Double)] = try view.fields.names.compactMap { name in
      guard view.fields[name]?.roles.contains(.text) == true else { return nil }
      let inField = QueryNode.field(name: name, value: text, isQuoted: isQuoted, offset: 0)
      return try find(compiled(inField)).map { (name, $0) }
    }
    let sum = alone.reduce(0) { $0 + $1.score }
    return alone.map { .init(field: $0.name, score: sum > 0 ? score * $0.score / sum : 0) }
      + (try isQuoted ? [] : years(text))
  }

  /// The fields in which the record has the year that a word is. They add nothing to its score.
  private func years(_ text: String) throws -> [Explanation.FieldScore] {
    try view.yearQueries(of: text).filter { try find($0.query) != nil }
      .map { .init(field: $0.field.name, score: 0) }
  }

  /// The score of the record; nil if the query does not find it.
  private func find(_ query: Query) throws -> Double? {
    try view.hits(of: view.visible(.filter(query, by: only)), limit: 1).hits.first?.score
  }

  private func frequency(_ query: Query) throws -> Int { try view.frequency(of: query) }

  // MARK: Reasons

  private func reasons() throws -> [String] {
    let name = entity.entity.name
    guard view.definition.entities[name] != nil else { return ["\(name) is not in the index definition"] }
    let failed = try FailedRows.all(in: view.index.reader).first { $0.entity == name && $0.key == key }
    let isThere = try find(.everything) != nil
    switch failed?.kind {
    case .rejected where !isThere: return ["rejected by the index: \(failed?.reason ?? "")"]
    case .truncated where isThere: return ["truncated in the index: \(failed?.reason ?? "")"]
    default: break
    }
    if isThere { return try omitted() }
    let status = view.freshness.status
    guard let lag = status.lagTransactions else { return ["not in the index, which may not contain the newest rows"] }
    if lag > 0 { return ["not indexed yet: the index is at \(status.token)"] }
    return ["not in the index: a repair adds it"]
  }

  /// That a search shows the record that this one extends instead of it.
  private func hidden(by plan: QueryPlan?) throws -> [String] {
    let term = Query.term(DocumentLayout.extensionTerm(entity.entity.name))
    guard let plan, plan.excluded.contains(term), try find(term) != nil else { return [] }
    return ["the record that it extends is shown instead; kind:\(entity.entity.name) finds it"]
  }

  /// The fields that the document lacks because there would be too many texts.
  private func omitted() throws -> [String] {
    try (view.mapper.plan(ofEntity: entity.number)?.related ?? []).filter(\.isBounded).filter {
      try find(.term(DocumentLayout.omittedTerm($0.path))) != nil
    }.flatMap(\.outputs).map { "\($0.name) is not indexed for this record: \(DocumentMapper.tooManyTexts)" }
  }
}
