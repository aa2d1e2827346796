// SPDX-License-Identifier: MIT

internal import Base

/// The remaining budget of a query, and notes about the parts that were omitted because they exceed it.
struct QueryBudget {
  /// Maximum number of terms. If a query has more plain words, the rarest are kept.
  static let mostWords = 64
  /// Maximum number of words of a key.
  static let mostKeyWords = 6
  /// Maximum number of documents in which word positions are compared. The first phrase may exceed it.
  private static let mostComparisons = 200_000
  /// Maximum number of words of all phrases together.
  static let mostPhraseWords = 64
  /// Maximum number of comparisons of values, which are slow.
  private static let mostRanges = 16
  /// Maximum number of records that conditions on the history may match.
  private static let mostRows = 200_000
  /// Maximum time for which words are compared with all patterns of a query together, in milliseconds.
  static let patternMilliseconds = 250
  /// Number of words between two looks at the clock.
  private static let wordsBetweenLooks = 256

  let query: String
  /// Whether parts that exceed a bound are omitted with a note; otherwise they are refused. Below NOT they are always
  /// refused, because omitting them would add hits.
  var mayApproximate: Bool
  private(set) var notes: [String] = []
  private(set) var rowsLeft = mostRows
  /// nil before the first phrase.
  private var comparisonsLeft: Int?
  private var phraseWordsLeft = mostPhraseWords
  private var rangesLeft = mostRanges
  private let patternTime: Duration
  /// nil before the first pattern.
  private var patternEnd: ContinuousClock.Instant?

  init(query: String, mayApproximate: Bool, patternTime: Duration = .milliseconds(patternMilliseconds)) {
    self.query = query
    self.mayApproximate = mayApproximate
    self.patternTime = patternTime
  }

  mutating func note(_ note: String) { if !notes.contains(note) { notes.append(note) } }

  /// Notes that a part of the query is omitted because it exceeds a bound.
  ///
  /// - Throws: `QueryError` if nothing may be omitted.
  mutating func leaveOut(_ reason: String, searched: String, offset: Int?, recovery: QueryError.Recovery) throws {
    guard mayApproximate else { throw QueryError(reason, query: query, offset: offset, recovery: recovery) }
    note("\(reason): \(searched)")
  }

  // MARK: Bounds

  /// - Throws: `QueryError` if the query has too many terms.
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

  /// Spends the records that a condition on the history matches.
  mutating func spendRows(_ count: Int, of name: String, offset: Int, newest: () throws -> Int64) throws {
    guard count <= rowsLeft else {
      throw QueryError(
        "\(name) matches more than \(Self.mostRows) records", query: query, offset: offset,
        recovery: .narrow(["changed:1d..", "tx:>\(try newest())"]))
    }
    rowsLeft -= count
  }

  /// Starts the time for comparing words with patterns, if this is the first one.
  ///
  /// - Returns: A function to call for each word. It returns true when the time is over.
  mutating func patternTimer() -> () -> Bool {
    let end = patternEnd ?? .now + patternTime
    patternEnd = end
    var words = 0
    return {
      defer { words += 1 }
      return words.isMultiple(of: Self.wordsBetweenLooks) && ContinuousClock.now >= end
    }
  }

  /// Spends the words of a phrase, and the cost of comparing their positions. The first phrase may cost any amount.
  ///
  /// - Parameter cost: The number of documents in which positions are compared.
  /// - Returns: false if the phrase exceeds the budget.
  mutating func spendPhrase(words: Int, cost: () throws -> Int) throws -> Bool {
    guard words <= phraseWordsLeft else { return false }
    let cost = try cost()
    if let left = comparisonsLeft, cost > left { return false }
    comparisonsLeft = max(0, (comparisonsLeft ?? Self.mostComparisons) - cost)
    phraseWordsLeft -= words
    return true
  }
}
