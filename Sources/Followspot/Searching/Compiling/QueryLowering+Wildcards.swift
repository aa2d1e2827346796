// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

extension QueryLowering {
  /// A query for the words that match a pattern such as `lib*ssl` or `*ssl*`. All terms are read that begin with a prefix
  /// of a field and the text before the first `*`. If reading exceeds the budget, only those that were found until then
  /// are searched.
  mutating func pattern(_ text: String, _ prefixes: [[UInt8]], offset: Int) throws -> Query {
    let pattern = WordPattern(view.folded(text).lowercased())
    let isOver = budget.patternTimer()
    final class Found {
      var terms: [[UInt8]] = []
      var isWhole = true
    }
    let found = Found()
    let places = prefixes.flatMap { DocumentLayout.isFacet($0) ? [$0] : JoinedWords.prefixes($0) }
    for prefix in places where found.isWhole {
      try view.eachWord(startingWith: pattern.start, behind: prefix) { word in
        guard !isOver() else {
          found.isWhole = false
          return false
        }
        if pattern.matches(word) { found.terms.append(prefix + Array(word)) }
        return true
      }
    }
    if !found.isWhole {
      let start = String(QueryParser.longestPart(of: text)) + "*"
      try budget.leaveOut(
        "comparing \(text) with the words of the index takes more than \(QueryBudget.patternMilliseconds) ms",
        searched: "only those that were found until then are searched", offset: offset,
        recovery: .narrow((prefixes.count > 1 ? view.titleFields.prefix(1) : []).map { "\($0):\(text)" } + [start]))
    }
    return found.terms.isEmpty ? .nothing : .synonyms(found.terms.map(Query.term))
  }
}
