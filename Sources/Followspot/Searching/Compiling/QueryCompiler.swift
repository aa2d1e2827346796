internal import PersistentStore
internal import SearchIndex

/// Compiles a parsed query for one index, in passes. Each takes the value that the one before it returns:
///
/// 1. *Resolve* (`QueryResolver`): names become fields, values become numbers, dates and conditions, and words become
///    the terms that find them. `ParsedQuery` → `ResolvedQuery`. Everything that is wrong with a query is found here,
///    except for bounds.
/// 2. *Correct* (`SpellingCorrector`): words that occur nowhere are replaced. `ResolvedQuery` → `ResolvedQuery` and
///    the corrections.
/// 3. *Lower* (`QueryLowering`): the resolved query becomes queries of Xapian. What they cost is taken from a
///    `QueryBudget`; what exceeds it is left out and noted, or refused. `ResolvedQuery` → `QueryPlan`.
struct QueryCompiler {
  /// As typed.
  let query: String
  let index: OpenIndex
  let store: PersistentStore
  /// Whether words that occur nowhere are corrected, and what exceeds a bound is left out and noted. Otherwise what
  /// exceeds a bound is refused.
  let mayApproximate: Bool
  /// Seconds since 2001, for `yesterday` and the like.
  private let now = DatePeriod.now

  func plan(_ parsed: ParsedQuery) throws -> QueryPlan {
    let resolved = try resolve(parsed)
    let (corrected, corrections) = mayApproximate ? try correct(resolved) : (resolved, [])
    var lowering = QueryLowering(
      index: index, store: store, now: now, budget: QueryBudget(query: query, mayApproximate: mayApproximate))
    var plan = try lowering.plan(corrected, typedAs: corrections)
    plan.notes = parsed.notes + lowering.budget.notes
    if !corrections.isEmpty {
      let corrected = Correction.apply(corrections, to: query)
      plan.corrected = corrected
      plan.notes.append("corrected to: \(corrected)")
    }
    return plan
  }

  /// The query with its misspelt words corrected; nil where every word occurs or none is close.
  func correctedQuery(_ parsed: ParsedQuery) throws -> String? {
    let corrections = try correct(resolve(parsed)).corrections
    return corrections.isEmpty ? nil : Correction.apply(corrections, to: query)
  }

  private func resolve(_ parsed: ParsedQuery) throws -> ResolvedQuery {
    try QueryBudget.checkSize(of: parsed, query)
    return try QueryResolver(query: query, index: index, store: store, now: now).resolve(parsed)
  }

  private func correct(_ resolved: ResolvedQuery) throws -> (query: ResolvedQuery, corrections: [Correction]) {
    try SpellingCorrector(index: index).correct(resolved)
  }
}
