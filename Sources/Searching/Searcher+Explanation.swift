// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
package import PersistentStore
internal import QueryLanguage
internal import SQLite
internal import SearchIndex

extension Searcher {
  /// Explains why a record matches a query, or why it does not.
  ///
  /// - Returns: nil if the store has no such record.
  /// - Throws: `QueryError`; `OperationError.usage` for an identifier of another store or an unknown entity.
  package func explain(_ identifier: RecordURI, _ request: SearchRequest) throws -> Explanation? {
    try withSnapshot(request) { snapshot in
      try refuseDeleted(request, "which are not explained")
      guard let entity = try store.entity(of: identifier),
        let values = try store.values(of: entity, key: identifier.key)
      else { return nil }
      let record = ExplainedRecord(
        entity: entity, key: identifier.key, values: values,
        only: .term(index.definition.lookupTerm(entity: entity.entity.name, key: identifier.key)),
        hidden: try hidden(snapshot))
      let nodes = try Self.topLevel(parse(request))
      var parts = try nodes.map { try part($0, of: record, request) }
      // A query with such a part cannot be planned.
      var plan = parts.contains { $0.isUnindexed } ? nil : try plan(request)
      plan?.excluded += record.hidden
      if var boosted = plan {
        try boost(&boosted, request)
        plan = boosted
      }
      var (verdict, score) = try plan.map { try self.verdict($0, record, request) } ?? (.no, 0)
      if let plan {
        parts = try join(
          parts, of: nodes, by: plan, isAnyEnough: verdict == .widened || request.words == .any, record, request)
        parts = try complete(parts, by: plan, record, request)
      }
      if let plan, verdict != .no {
        parts += try boostParts(plan, verdict, record, request)
        let bonus = try bonusParts(plan, verdict, record, request)
        score += bonus.reduce(0) { $0 + $1.score }
        parts += bonus
      }
      return Explanation(
        identifier: try store.identifier(of: RowIdentifier(entity: entity.number, key: identifier.key)),
        title: title(of: values, entity, key: record.key), verdict: verdict, score: score, parts: parts,
        reasons: try reasons(record, snapshot) + (plan?.allNotes ?? []) + (snapshot.note.map { [$0] } ?? []),
        index: snapshot.indexStatus)
    }
  }

  private func verdict(
    _ plan: QueryPlan, _ record: ExplainedRecord, _ request: SearchRequest
  ) throws -> (verdict: Explanation.Verdict, score: Double) {
    if let score = try find(request.words == .any ? plan.any : plan.all, record) { return (.matches, score) }
    guard plan.isWidened(request, matches: try frequency(plan.all, record)),
      let score = try find(plan.any, record)
    else { return (.no, 0) }
    return (.widened, score)
  }

  /// The record to explain.
  private struct ExplainedRecord {
    let entity: EntityLayout
    let key: Int64
    let values: [Value]
    /// Finds only the record's document.
    let only: Query
    let hidden: [Query]
  }

  private static func topLevel(_ parsed: ParsedQuery) -> [QueryNode] {
    if case .and(let operands) = parsed.root { return operands }
    return [parsed.root]
  }

  // MARK: Parts

  private func part(_ node: QueryNode, of record: ExplainedRecord, _ request: SearchRequest) throws -> Explanation.Part
  {
    let text = node.text
    if case .not(let inner) = node {
      let found = try compiled(inner, request.asWritten)
      return Explanation.Part(
        text: text, role: .excluded, isThere: try find(found, record) != nil, score: 0,
        frequency: try frequency(found, record), fields: [], note: nil)
    }
    let query: Query
    do {
      query = try compiled(node, request)
    } catch let error as QueryError {
      guard case .field(let name, _, _, _) = node, store.layout.hasAttribute(name) else { throw error }
      return Explanation.Part(
        text: text, role: .required, isThere: false, score: 0, frequency: 0, fields: [],
        note: "\(name) is an attribute, but not an indexed field", isUnindexed: true)
    }
    let score = try find(query, record)
    var isWord = false
    if case .word = node { isWord = true }
    return Explanation.Part(
      text: text, role: isWord ? .word : .required, isThere: score != nil, score: score ?? 0,
      frequency: try frequency(query, record),
      fields: try score.map { try fields(of: node, record, request, share: $0) } ?? [],
      note: query == .nothing ? "it contains no word" : nil)
  }

  /// Joins the parts that together have a synonym.
  private func join(
    _ parts: [Explanation.Part], of nodes: [QueryNode], by plan: QueryPlan, isAnyEnough: Bool,
    _ record: ExplainedRecord, _ request: SearchRequest
  ) throws -> [Explanation.Part] {
    try plan.joined.reversed().reduce(into: parts) { parts, range in
      let joined = try self.plan(ParsedQuery(root: .and(Array(nodes[range])), isExplicit: false), request)
      let query = isAnyEnough ? joined.any : joined.all
      let score = try find(query, record)
      let part = Explanation.Part(
        text: nodes[range].map(\.text).joined(separator: " "), role: .word, isThere: score != nil, score: score ?? 0,
        frequency: try frequency(query, record), fields: [], note: "counts as one word, with its synonyms")
      parts.replaceSubrange(range, with: [part])
    }
  }

  /// Marks the stop words that the whole query ignores, and adds the condition of `--kind`.
  private func complete(
    _ parts: [Explanation.Part], by plan: QueryPlan, _ record: ExplainedRecord, _ request: SearchRequest
  ) throws -> [Explanation.Part] {
    var parts = parts.map { part in
      guard part.role == .word, plan.ignoredWords.contains(part.text) else { return part }
      return Explanation.Part(
        text: part.text, role: .word, isThere: part.isThere, score: 0, frequency: part.frequency, fields: [],
        note: "a stop word, ignored because the query has other words", isIgnored: true)
    }
    if !request.kinds.isEmpty {
      let kinds = try kindsQuery(request.kinds)
      parts.append(
        Explanation.Part(
          text: request.kinds.map { "kind:\($0)" }.joined(separator: " OR "), role: .required,
          isThere: try find(kinds, record) != nil, score: 0, frequency: try frequency(kinds, record), fields: [],
          note: nil))
    }
    return parts
  }

  /// What each boost alone adds to the score.
  private func boostParts(
    _ plan: QueryPlan, _ verdict: Explanation.Verdict, _ record: ExplainedRecord, _ request: SearchRequest
  ) throws -> [Explanation.Part] {
    func score(_ boosts: [QueryPlan.Boost]) throws -> Double {
      var plan = plan
      plan.boosts = boosts
      return try find(verdict == .widened || request.words == .any ? plan.any : plan.all, record) ?? 0
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
  private func bonusParts(
    _ plan: QueryPlan, _ verdict: Explanation.Verdict, _ record: ExplainedRecord, _ request: SearchRequest
  ) throws -> [Explanation.Part] {
    let list: Query =
      switch verdict {
      case .widened: .andNot(plan.any, plan.all)
      default: request.words == .any ? plan.any : plan.all
      }
    let identity = DocumentLayout.identity(entity: record.entity.entity.name, key: record.key)
    guard let found = try Ranker(self, plan).bonus(of: identity, in: visible(list, record)) else { return [] }
    return found.bonus.parts.map { part in
      Explanation.Part(
        text: part.name, role: .preferred, isThere: true, score: part.share * found.scale, frequency: 0, fields: [],
        note: nil)
    }
  }

  private func compiled(_ node: QueryNode, _ request: SearchRequest) throws -> Query {
    try plan(ParsedQuery(root: node, isExplicit: false), request).all
  }

  /// The fields in which the record has a word or phrase, and their shares of its score.
  private func fields(
    of node: QueryNode, _ record: ExplainedRecord, _ request: SearchRequest, share score: Double
  ) throws -> [Explanation.FieldScore] {
    let (text, isQuoted): (String, Bool)
    switch node {
    case .word(let word): (text, isQuoted) = (word, false)
    case .phrase(let phrase): (text, isQuoted) = (phrase, true)
    case .prefix(let prefix, _): (text, isQuoted) = (prefix + "*", false)
    case .pattern(let pattern, _): (text, isQuoted) = (pattern, false)
    default: return []
    }
    let alone: [(name: String, score: Double)] = try index.fields.names.compactMap { name in
      guard index.fields[name]?.roles.contains(.text) == true else { return nil }
      let inField = QueryNode.field(name: name, value: text, isQuoted: isQuoted, offset: 0)
      return try find(compiled(inField, request), record).map { (name, $0) }
    }
    let sum = alone.reduce(0) { $0 + $1.score }
    return alone.map { .init(field: $0.name, score: sum > 0 ? score * $0.score / sum : 0) }
      + (try isQuoted ? [] : years(text, record))
  }

  /// The fields in which the record has the year that a word is. They add nothing to its score.
  private func years(_ text: String, _ record: ExplainedRecord) throws -> [Explanation.FieldScore] {
    try index.yearQueries(of: text).filter { try find($0.query, record) != nil }
      .map { .init(field: $0.field.name, score: 0) }
  }

  /// The score of the record; nil if the query does not find it.
  private func find(_ query: Query, _ record: ExplainedRecord) throws -> Double? {
    try index.reader.search(
      visible(.filter(query, by: record.only), record), offset: 0, limit: 1, exactUpTo: 1,
      identitySlot: DocumentLayout.Slot.identity
    ).hits.first?.score
  }

  private func frequency(_ query: Query, _ record: ExplainedRecord) throws -> Int {
    try frequency(of: visible(query, record))
  }

  private func visible(_ query: Query, _ record: ExplainedRecord) -> Query {
    record.hidden.isEmpty ? query : .andNot(query, .or(record.hidden))
  }

  // MARK: Reasons

  private func reasons(_ record: ExplainedRecord, _ snapshot: Snapshot) throws -> [String] {
    let name = record.entity.entity.name
    guard index.definition.entities[name] != nil else { return ["\(name) is not in the index definition"] }
    let failed = try FailedRows.all(in: index.alone).first { $0.entity == name && $0.key == record.key }
    let isThere = try find(.everything, record) != nil
    switch failed?.kind {
    case .rejected where !isThere: return ["rejected by the index: \(failed?.reason ?? "")"]
    case .truncated where isThere: return ["truncated in the index: \(failed?.reason ?? "")"]
    default: break
    }
    if isThere { return [] }
    if snapshot.indexStatus.lagTransactions > 0 {
      return ["not indexed yet: the index is at \(snapshot.indexStatus.token)"]
    }
    return ["not in the index: a repair adds it"]
  }
}
