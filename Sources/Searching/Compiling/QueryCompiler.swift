// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import PersistentStore
internal import QueryLanguage
internal import SearchIndex
package import SearchViews
internal import StoreModel

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

  /// The plan of the query, with the kinds and the record of the request.
  package func plan() throws -> QueryPlan {
    let parsed = try view.searched.parse(request)
    var plan = try plan(parsed)
    let extensions = extensions(besides: parsed).map { Query.term(DocumentLayout.extensionTerm($0)) }
    plan.excluded += extensions
    if !request.kinds.isEmpty { plan.required.append(try kinds()) }
    if let record = request.record {
      plan.required.append(.term(view.definition.lookupTerm(entity: record.entityName, key: record.key)))
    }
    // Records have the words of what extends them, but not its numbers and dates.
    if !extensions.isEmpty, try view.firstHit(plan.all) == nil { plan.excluded.removeLast(extensions.count) }
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

  /// The entities whose rows extend records that have the same words. A condition on the kind, on the history or on a field
  /// that the records do not have asks for the rows themselves.
  private func extensions(besides parsed: ParsedQuery) -> [String] {
    let extending = view.definition.entities.filter { $0.value.extends != nil }
    guard !extending.isEmpty, request.kinds.isEmpty, request.record == nil else { return [] }
    let asked = parsed.root.names + request.sort.map(\.field) + request.facets + [request.section].compactMap(\.self)
    var kindsOfFields: [Set<String>] = []
    for name in asked {
      guard case .field(let field) = FieldName(name, in: view.fields) else { return [] }
      let fields = [field] + view.fields.titles(ofRelated: name)
      kindsOfFields.append(Set(fields.flatMap { $0.kinds.values.flatMap(\.self) }))
    }
    let kindsOfWords = parsed.root.words.flatMap { view.searched.kindWords.entities(named: view.folded($0)) }
    return extending.keys.sorted().filter { name in
      let extended = view.store.layout.entity(named: name)?.entity.relationships.first {
        $0.name == extending[name]?.extends
      }
      guard let extended, !kindsOfWords.contains(name) else { return false }
      return kindsOfFields.allSatisfy { !$0.contains(name) || $0.contains(extended.destination) }
    }
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
