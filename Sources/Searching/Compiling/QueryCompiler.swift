// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import PersistentStore
internal import QueryLanguage
internal import SearchIndex

/// Compiles a parsed query for one index, in three passes. Each pass takes the result of the previous one:
///
/// 1. *Resolve* (`QueryResolver`): names become fields, values become numbers, dates and conditions, and words become
///    the terms that find them. `ParsedQuery` → `ResolvedQuery`. This pass finds all errors of a query, except for
///    exceeded bounds.
/// 2. *Correct* (`SpellingCorrector`): words that occur nowhere are replaced. `ResolvedQuery` → `ResolvedQuery` and
///    the corrections.
/// 3. *Lower* (`QueryLowering`): the resolved query becomes Xapian queries. Their cost is taken from a `QueryBudget`;
///    parts that exceed it are omitted with a note, or refused. `ResolvedQuery` → `QueryPlan`.
struct QueryCompiler {
  /// As typed.
  let query: String
  let index: OpenIndex
  let store: PersistentStore
  /// Whether words that occur nowhere are corrected, and parts that exceed a bound are omitted with a note. Otherwise
  /// words are not corrected, and such parts are refused.
  let mayApproximate: Bool
  /// Whether ambiguous syntax is refused.
  let isStrict: Bool
  /// The current time in seconds since 2001, for conditions such as `yesterday`.
  private let now = DatePeriod.now

  func plan(_ parsed: ParsedQuery) throws -> QueryPlan {
    let resolved = try resolve(parsed)
    let corrector = SpellingCorrector(index: index)
    let unknown = try corrector.unknownWords(of: resolved)
    let (corrected, corrections) = mayApproximate ? try corrector.correct(resolved, unknown) : (resolved, [])
    var lowering = QueryLowering(
      index: index, store: store, now: now, budget: QueryBudget(query: query, mayApproximate: mayApproximate))
    var plan = try lowering.plan(corrected, typedAs: corrections)
    plan.notes = parsed.notes + lowering.budget.notes
    let stopWords = index.stopWords
    plan.unknownWords = unknown.filter { word in
      word.prefix.isEmpty && !stopWords.contains(word.typed.lowercased())
        && !corrections.contains { $0.typed == word.typed }
    }.map(\.typed)
    if !corrections.isEmpty {
      let corrected = Correction.apply(corrections, to: query)
      plan.corrected = corrected
      plan.notes.append("corrected to: \(corrected)")
    }
    return plan
  }

  /// The query with its misspelt words corrected; nil if every word occurs, or if no word of the index is close.
  func correctedQuery(_ parsed: ParsedQuery) throws -> String? {
    let resolved = try resolve(parsed)
    let corrector = SpellingCorrector(index: index)
    let corrections = try corrector.correct(resolved, corrector.unknownWords(of: resolved)).corrections
    return corrections.isEmpty ? nil : Correction.apply(corrections, to: query)
  }

  private func resolve(_ parsed: ParsedQuery) throws -> ResolvedQuery {
    try QueryBudget.checkSize(of: parsed, query)
    return try QueryResolver(query: query, index: index, store: store, now: now, isStrict: isStrict).resolve(parsed)
  }
}
