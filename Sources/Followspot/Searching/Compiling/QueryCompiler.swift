// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// Compiles the query of a request for one view, in three passes. Each pass takes the result of the previous one:
///
/// 1. *Resolve* (`QueryResolver`): names become fields, values become numbers, dates and conditions, and words become
///    the terms that find them. `ParsedQuery` → `ResolvedQuery`. This pass finds all errors of a query, except for
///    exceeded bounds.
/// 2. *Correct* (`SpellingCorrector`): words that occur nowhere are replaced. `ResolvedQuery` → `ResolvedQuery` and
///    the corrections.
/// 3. *Lower* (`QueryLowering`): the resolved query becomes Xapian queries. Their cost is taken from a `QueryBudget`;
///    parts that exceed it are omitted with a note, or refused. `ResolvedQuery` → `QueryPlan`.
package struct QueryCompiler {
  private let request: SearchRequest
  private let view: SearchView
  /// The current time in seconds since 2001, for conditions such as `yesterday`.
  private let now = DatePeriod.now

  package init(_ request: SearchRequest, _ view: SearchView) { (self.request, self.view) = (request, view) }

  /// The plan of the query, with the kinds and the record of the request, and without the documents that the view hides.
  package func plan() throws -> QueryPlan {
    let parsed = try view.searched.parse(request)
    var plan = try plan(parsed)
    if view.hidden != .nothing { plan.excluded.append(view.hidden) }
    plan.excluded += extensions(besides: parsed).map { .term(DocumentLayout.extensionTerm($0)) }
    if !request.kinds.isEmpty { plan.required.append(try kinds()) }
    if let store = request.store, let group = view.group, let number = group.number(of: store) {
      plan.required.append(group.documents(of: number) ?? .everything)
    }
    if let record = request.record {
      plan.required.append(.term(view.definition.lookupTerm(entity: record.entityName, key: record.key)))
    }
    return plan
  }

  /// The plan of a part of the query alone.
  ///
  /// If no record has all of its words, the names of attributes among them mean the records that have these: `norway
  /// independence`.
  func plan(_ parsed: ParsedQuery) throws -> QueryPlan {
    let plan = try plan(parsed, takesHints: false)
    guard plan.plainWords > 1, plan.typed.contains(where: { !view.hintQueries(of: $0).isEmpty }),
      try view.firstHit(plan.all) == nil
    else { return plan }
    return try self.plan(parsed, takesHints: true)
  }

  private func plan(_ parsed: ParsedQuery, takesHints: Bool) throws -> QueryPlan {
    let resolved = try resolve(parsed, takesHints: takesHints)
    let corrector = SpellingCorrector(view: view)
    let unknown = try corrector.unknownWords(of: resolved)
    let (corrected, corrections) = request.mayApproximate ? try corrector.correct(resolved, unknown) : (resolved, [])
    var lowering = QueryLowering(
      view: view, now: now, budget: QueryBudget(query: request.query, mayApproximate: request.mayApproximate))
    var plan = try lowering.plan(corrected, typedAs: corrections)
    plan.notes = parsed.notes + lowering.budget.notes
    let stopWords = view.stopWords
    plan.unknownWords = unknown.filter { word in
      word.prefix.isEmpty && plan.keyed.isEmpty && !stopWords.contains(word.typed.lowercased())
        && !corrections.contains { $0.typed == word.typed }
    }.map(\.typed)
    if !corrections.isEmpty {
      let corrected = Correction.apply(corrections, to: request.query)
      plan.corrected = corrected
      plan.notes.append("corrected to: \(corrected)")
    }
    return plan
  }

  /// The query with its misspelt words corrected; nil if every word occurs, or if no word of the index is close.
  func correctedQuery() throws -> String? {
    let resolved = try resolve(view.searched.parse(request))
    let corrector = SpellingCorrector(view: view)
    let corrections = try corrector.correct(resolved, corrector.unknownWords(of: resolved)).corrections
    return corrections.isEmpty ? nil : Correction.apply(corrections, to: request.query)
  }

  private func resolve(_ parsed: ParsedQuery, takesHints: Bool = false) throws -> ResolvedQuery {
    try QueryBudget.checkSize(of: parsed, request.query)
    let resolver = QueryResolver(
      query: request.query, view: view, now: now, isStrict: request.isStrict, takesHints: takesHints,
      kinds: request.kinds)
    return try resolver.resolve(parsed)
  }

  /// The entities whose rows extend records that match whenever these rows do, so that the records stand for both. That is
  /// certain of words alone: records have all texts of what extends them, but not its kind, numbers, dates and history.
  private func extensions(besides parsed: ParsedQuery) -> [String] {
    let extending = view.definition.entities.filter { $0.value.extends != nil }
    guard !extending.isEmpty, request.kinds.isEmpty, request.record == nil, parsed.root.isOfTexts else { return [] }
    let words = parsed.root.words
    guard words.allSatisfy({ view.yearQueries(of: $0).isEmpty && view.hintQueries(of: $0).isEmpty }) else { return [] }
    let named = Set(words.flatMap { view.searched.kindWords.entities(named: view.folded($0)) })
    // The answer is about the values of these fields.
    let asked = request.sort.map(\.field) + request.facets + [request.section].compactMap(\.self)
    let kindsOfFields = asked.compactMap { view.fields[$0] }.map { Set($0.kinds.values.flatMap(\.self)) }
    return extending.keys.filter { name in !named.contains(name) && !kindsOfFields.contains { $0.contains(name) } }
      .sorted()
  }

  /// A query for the records of any of the kinds of the request.
  func kinds() throws -> Query {
    let known = view.definition.entities.keys.sorted()
    let terms = try request.kinds.map { kind in
      guard let name = known.first(where: { $0.lowercased() == kind.lowercased() }) else {
        throw OperationError(.usage, "no kind is named '\(kind)'", recovery: .knownNames(known))
      }
      return Query.term(DocumentLayout.entityTerm(name))
    }
    return terms.count == 1 ? terms[0] : .or(terms)
  }
}
