// SPDX-License-Identifier: MIT

internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// What the second stage of ranking adds to the score of a record. Each part is a share of the best score of the first
/// stage.
struct RankingBonus {
  /// The share of the title's words that the query names; less if the title lacks words of the query.
  var coverage = 0.0
  /// The query's words are adjacent in the title.
  var adjacency = 0.0
  /// The title starts with the query's words.
  var titleStart = 0.0
  /// An item, such as a name, equals the query or has its words adjacent; or a short text has them.
  var item = 0.0
  /// The title equals the query.
  var wholeTitle = 0.0
  /// The words of the query in the summary of a record whose title is an identifier.
  var summary = 0.0
  /// Below 0 for each word of such a title.
  var identifier = 0.0
  /// Below 0 for a record whose summary is much like that of a better hit.
  private(set) var similarity = 0.0
  /// nil unless the title is an identifier.
  private(set) var summaryText: RankingText?
  /// The share of the query's words that are whole titles: its own, or of what it belongs to.
  var wholeTitles = 0.0
  /// Its own key or code is the query.
  private(set) var key = 0.0
  /// The share of the name of its kind that the query names.
  private(set) var kind = 0.0
  /// Other records refer to it.
  private(set) var references = 0.0
  /// Below 0 for a row that only joins others.
  private(set) var link = 0.0
  /// The record has a word of the query in a text of its own, or the query names its kind.
  private(set) var ownWords = 0.0
  /// The record does not have words with other accents than were typed.
  private(set) var accents = 0.0

  /// Whether the title equals the query as typed.
  private(set) var isWholeTitle = false
  private let weights: RankingWeights

  /// The same bonus for synonyms of the typed words.
  var ofSynonym: RankingBonus {
    var less = self
    for part in [\RankingBonus.coverage, \.adjacency, \.titleStart, \.item, \.wholeTitle, \.wholeTitles, \.summary] {
      less[keyPath: part] *= weights.synonym
    }
    less.isWholeTitle = false
    return less
  }

  var sum: Double {
    coverage + adjacency + titleStart + item + wholeTitle + wholeTitles + summary + identifier + similarity + key + kind
      + references + link + ownWords + accents
  }

  /// - Parameter share: The share of the words with accents that the record does not have with other ones alone.
  mutating func addAccents(share: Double) { accents = share * weights.accents }

  /// - Parameter isClear: Whether the key is more than a number, or the query names the kind too.
  mutating func addKey(isClear: Bool) { key = max(key, isClear ? weights.key : weights.number) }

  /// Adds that a code of the record is the query.
  mutating func addCode(_ code: DocumentPlan.Code) { key = max(key, code == .own ? weights.key : weights.code) }

  /// - Parameter share: The share of the name of its kind that the query names.
  mutating func addKind(share: Double) { kind = share * weights.kind }

  /// - Parameters:
  ///   - references: The number of records with the title of this one.
  ///   - isLink: Whether it is a row that only joins others.
  mutating func addRelations(references count: Int, isLink: Bool) {
    references = min(weights.mostReferences, log(1 + Double(count)) * weights.references)
    link = isLink ? weights.link : 0
  }

  /// Adds that the record is not found by the titles of what it belongs to alone.
  mutating func addOwnWords() { ownWords = weights.ownWords }

  /// The parts that are not 0, each with its name in explanations.
  var parts: [(name: String, share: Double)] {
    [
      ("the whole title", wholeTitle), ("words in the title", coverage), ("adjacent words in the title", adjacency),
      ("start of the title", titleStart), ("item or short text", item),
      ("whole titles", wholeTitles),
      ("words in the summary", summary), ("words of the identifier", identifier),
      ("like a better hit", similarity),
      ("the own key", key), ("the kind", kind), ("records that refer to it", references),
      ("a row that joins others", link), ("words of its own or of its kind", ownWords),
      ("the same accents", accents),
    ].filter { $0.1 != 0 }
  }

  /// Lowers the bonus, because a better hit has much the same summary.
  mutating func addSimilarity() { similarity = weights.similarity }

  /// Counts the words of the summary in place of those of the identifier, which were not chosen for reading.
  private mutating func addSummary(_ match: QueryMatch, _ text: RankingText, identifier: RankingText) throws {
    (coverage, adjacency, titleStart) = (0, 0, 0)
    let words = text.without(match.stopWords)
    let covered = try match.coverage(of: words)
    summary = Double(covered.isFound.count(where: \.self)) / Double(max(1, covered.isFound.count)) * weights.inSummary
    if covered.isComplete { summary += covered.share * weights.coverage }
    if words.firstWord(of: match.words) == 0 { summary += weights.titleStart }
    self.identifier = Double(identifier.count) * weights.identifierWord
    summaryText = text
  }

  /// Adds a share for the words of the query in the titles of related records.
  ///
  /// - Parameter covered: What the own title covers. Complete after the call if both have all words.
  private mutating func addContext(
    _ match: QueryMatch, _ covered: inout QueryMatch.Coverage, _ context: [RankingText]
  ) throws {
    func union(_ one: [Bool], _ other: [Bool]) -> [Bool] { zip(one, other).map { $0 || $1 } }
    var whole = covered.isFound.map { $0 && covered.share == 1 }
    for title in context {
      let other = try match.coverage(of: title.without(match.stopWords))
      if other.share == 1 { whole = union(whole, other.isFound) }
      // A record is not found by context alone as if it were its own title.
      if covered.share > 0 { covered.isFound = union(covered.isFound, other.isFound) }
    }
    wholeTitles = Double(whole.count(where: \.self)) / Double(max(1, whole.count)) * weights.wholeTitles
  }

  /// - Parameters:
  ///   - title: All its words.
  ///   - summary: A short text that says what the record is, if its title is an identifier; otherwise nil.
  ///   - items: Texts that are one value each, such as the people of a cast.
  ///   - texts: Other short texts.
  ///   - context: The titles of what it belongs to; nil if no records have such titles.
  init(
    _ match: QueryMatch, title: RankingText, summary: RankingText? = nil, items: [RankingText], texts: [RankingText],
    context: [RankingText]?
  ) throws {
    weights = match.weights
    let (title, summary) = (match.shortened(title), summary.map(match.shortened))
    let words = title.without(match.stopWords)
    var covered = try match.coverage(of: words)
    if let context { try addContext(match, &covered, context.map(match.shortened)) }
    coverage =
      covered.share * weights.coverage * (covered.isComplete ? match.shareOfStopWords(in: title) : weights.incomplete)
    // A single word cannot be adjacent to another, so it gets no bonus for adjacency.
    if let first = title.firstWord(of: match.whole) {
      if match.whole.count > 1 { adjacency = weights.adjacency }
      // An article before it does not count.
      if (0..<first).allSatisfy({ match.stopWords.contains(title[$0]) }) { titleStart = weights.titleStart }
    } else if let first = words.firstWord(of: match.words) {
      if match.words.count > 1 { adjacency = weights.adjacency * weights.withoutStopWords }
      if first == 0 { titleStart = weights.titleStart * weights.withoutStopWords }
    }
    if title.isSame(as: match.whole) {
      (wholeTitle, isWholeTitle) = (weights.wholeTitle, true)
    } else if words.isSame(as: match.words), match.whole.count == match.words.count {
      wholeTitle = weights.titleWithoutArticle
    }
    // An equal item says no more than the title does.
    let (items, texts) = isWholeTitle ? ([], []) : (items.map(match.shortened), texts.map(match.shortened))
    for text in items {
      if text.isSame(as: match.whole) {
        item = weights.wholeItem
      } else if text.ends(with: match.whole) {
        item = max(item, weights.endOfItem)
      } else if text.firstWord(of: match.whole) != nil {
        item = max(item, weights.partOfItem)
      }
    }
    let inText = match.words.count > 1 ? weights.partOfText : weights.wordInText
    for text in texts where item < inText && text.firstWord(of: match.whole) != nil { item = inText }
    if let summary { try addSummary(match, summary, identifier: title) }
    guard match.words.count > 1 else { return }
    for text in items + texts where item < weights.allInText {
      if try match.coverage(of: text.without(match.stopWords)).isComplete { item = weights.allInText }
    }
  }
}
