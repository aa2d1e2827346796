// SPDX-License-Identifier: MIT

internal import IndexDefinitions
internal import Indexing
internal import QueryLanguage
internal import SearchIndex

extension QueryLowering {
  /// A query for all terms that begin in one of these ways. If they exceed the budget, only the most frequent ones are
  /// searched.
  mutating func wildcard(_ text: String, _ starts: [[UInt8]], offset: Int) throws -> Query {
    let most = budget.expansionsLeft
    var counts: [Int] = []
    for start in starts {
      var count = 0
      try view.reader.eachTerm(prefix: start, from: start) { _ in
        count += 1
        return count <= most
      }
      counts.append(count)
    }
    let count = counts.reduce(0, +)
    let limit = try budget.spendExpansions(count, of: text + "*", offset: offset, recovery: .lengthenPrefix(to: nil))
    // Each field gets its share of the limit.
    let wildcards = zip(starts, counts).compactMap { start, own -> Query? in
      let share = limit < count ? own * limit / count : own
      return share > 0 ? .wildcard(prefix: start, limit: share) : nil
    }
    return wildcards.count > 1 ? .synonyms(wildcards) : wildcards.first ?? .nothing
  }

  /// A query for the words that match a pattern such as `lib*ssl` or `*ssl*`. All terms are read that begin with a prefix
  /// of a field and the text before the first `*`. If the matches exceed the budget, only the most frequent ones are
  /// searched; if reading does, only those that were found until then.
  mutating func pattern(_ text: String, _ prefixes: [[UInt8]], offset: Int) throws -> Query {
    let pattern = WordPattern(view.folded(text).lowercased())
    let isOver = budget.patternTimer()
    final class Found {
      var terms: [[UInt8]] = []
      var isWhole = true
    }
    let found = Found()
    for prefix in prefixes where found.isWhole {
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
    var terms = found.terms
    let limit = try budget.spendExpansions(terms.count, of: text, offset: offset, recovery: .lengthenPattern)
    if limit < terms.count {
      terms = try terms.map { ($0, try view.reader.frequency(of: $0)) }.sorted { $0.1 > $1.1 }.prefix(limit).map(\.0)
    }
    return terms.isEmpty ? .nothing : .synonyms(terms.map(Query.term))
  }
}
