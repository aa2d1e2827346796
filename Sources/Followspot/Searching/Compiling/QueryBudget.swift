internal import SearchIndex

/// What a query may still cost, and the notes about what was left out because it cost more.
struct QueryBudget {
  /// Terms of a query. Of more plain words, the rarest are kept.
  static let mostWords = 64
  /// Documents in which the positions of words are compared for all phrases but the first.
  private static let mostComparisons = 200_000
  /// Words of all phrases together.
  static let mostPhraseWords = 64
  /// Comparisons of values, which are slow.
  private static let mostRanges = 16
  /// Records that a query may name through the history.
  private static let mostRows = 200_000
  /// Words that all wildcards of a query may stand for together.
  private static let mostExpansions = 10_000

  let query: String
  /// Whether what exceeds a bound is left out and noted; it is refused otherwise. It is always refused below NOT, where
  /// less means more hits.
  var mayApproximate: Bool
  private(set) var notes: [String] = []
  private(set) var rowsLeft = mostRows
  private(set) var expansionsLeft = mostExpansions
  /// nil before the first phrase.
  private var comparisonsLeft: Int?
  private var phraseWordsLeft = mostPhraseWords
  private var rangesLeft = mostRanges

  init(query: String, mayApproximate: Bool) {
    self.query = query
    self.mayApproximate = mayApproximate
  }

  mutating func note(_ note: String) { if !notes.contains(note) { notes.append(note) } }

  /// Notes that a part of the query is left out because it exceeds a bound.
  ///
  /// - Throws: `QueryError` where only an exact answer will do.
  mutating func leaveOut(_ reason: String, searched: String, offset: Int?, recovery: QueryError.Recovery) throws {
    guard mayApproximate else { throw QueryError(reason, query: query, offset: offset, recovery: recovery) }
    note("\(reason): \(searched)")
  }

  // MARK: Bounds

  /// - Throws: `QueryError` where the query has too many terms.
  static func checkSize(of parsed: ParsedQuery, _ query: String) throws {
    let leaves = count(parsed.root)
    guard leaves.others + (parsed.isExplicit ? leaves.words : 0) <= mostWords else {
      throw QueryError(
        "the query has more than \(mostWords) terms", query: query, offset: nil, recovery: .searchFewer(.terms))
    }
  }

  private static func count(_ node: QueryNode) -> (words: Int, others: Int) {
    switch node {
    case .word: (1, 0)
    case .near(let words, _): (0, words.count)
    case .prefix, .pattern, .field, .phrase, .range, .everything: (0, 1)
    case .not(let inner): count(inner)
    case .and(let operands), .or(let operands):
      operands.map(count).reduce((0, 0)) { ($0.0 + $1.words, $0.1 + $1.others) }
    }
  }

  mutating func spendRange(offset: Int) throws {
    rangesLeft -= 1
    guard rangesLeft >= 0 else {
      throw QueryError(
        "the query compares more than \(Self.mostRanges) ranges", query: query, offset: offset,
        recovery: .searchFewer(.ranges))
    }
  }

  /// Takes records that a condition on the history names.
  mutating func spendRows(_ count: Int, of name: String, offset: Int, newest: () throws -> Int64) throws {
    guard count <= rowsLeft else {
      throw QueryError(
        "\(name) matches more than \(Self.mostRows) records", query: query, offset: offset,
        recovery: .narrow(["changed:1d..", "tx:>\(try newest())"]))
    }
    rowsLeft -= count
  }

  /// Takes words that a wildcard stands for.
  ///
  /// - Returns: How many may be searched; fewer than `count` where the most frequent ones have to do.
  mutating func spendExpansions(_ count: Int, of text: String, offset: Int, recovery: QueryError.Recovery) throws -> Int
  {
    guard count > expansionsLeft else {
      expansionsLeft -= count
      return count
    }
    try leaveOut(
      "\(text) and the wildcards before it match more than \(Self.mostExpansions) words",
      searched: "only the most frequent ones are searched", offset: offset, recovery: recovery)
    defer { expansionsLeft = 0 }
    return expansionsLeft
  }

  /// Takes the words of a phrase, and what it costs to compare their positions. The first phrase is always compared.
  ///
  /// - Parameter cost: Documents in which positions are compared.
  /// - Returns: false where that exceeds the budget.
  mutating func spendPhrase(words: Int, cost: () throws -> Int) throws -> Bool {
    guard words <= phraseWordsLeft else { return false }
    let cost = try cost()
    if let left = comparisonsLeft, cost > left { return false }
    comparisonsLeft = max(0, (comparisonsLeft ?? Self.mostComparisons) - cost)
    phraseWordsLeft -= words
    return true
  }
}
