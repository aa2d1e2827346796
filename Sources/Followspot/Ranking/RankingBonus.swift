/// What the second stage of ranking adds to a record, each part as a share of the score of the first stage's best hit.
struct RankingBonus: Equatable {
  /// The title's words that the query names, where the title has all words of the query; less where it has some.
  var coverage = 0.0
  /// The query's words stand side by side in the title.
  var adjacency = 0.0
  /// The title begins with them.
  var beginning = 0.0
  /// An item, such as a name, is the query or has its words side by side; a short text has them.
  var item = 0.0
  /// The title is the query.
  var wholeTitle = 0.0

  /// The same where the words are synonyms of those that were typed.
  var ofSynonym: RankingBonus {
    var less = self
    for part in [\RankingBonus.coverage, \.adjacency, \.beginning, \.item, \.wholeTitle] {
      less[keyPath: part] *= Weight.synonym
    }
    return less
  }

  var sum: Double { coverage + adjacency + beginning + item + wholeTitle }

  /// The parts that are not 0, with what they say of the record.
  var parts: [(name: String, share: Double)] {
    [
      ("the whole title", wholeTitle), ("words in the title", coverage), ("adjacent words in the title", adjacency),
      ("start of the title", beginning), ("item or short text", item),
    ].filter { $0.1 > 0 }
  }

  private enum Weight {
    static let coverage = 1.0
    /// Of the coverage, where the title lacks words of the query.
    static let incomplete = 0.3
    static let adjacency = 0.75
    static let beginning = 0.25
    /// Of both, where only the words beside stop words do.
    static let withoutStopWords = 0.5
    /// More than the first stage can differ by: the record that is named exactly so comes first.
    static let wholeTitle = 1.5
    /// The same where only the title has stop words, such as an article.
    static let titleWithoutArticle = 0.5
    static let wholeItem = 1.3
    /// People are known by their last names.
    static let endOfItem = 0.9
    static let partOfItem = 0.8
    /// A short text, such as a summary, has the words side by side.
    static let partOfText = 0.8
    /// It has the only word of the query.
    static let wordInText = 0.3
    /// A short text or an item has all words, or other forms of them, in any order.
    static let allInText = 0.3
    static let synonym = 0.8
  }

  /// - Parameters:
  ///   - title: All its words.
  ///   - items: Texts that are one value each, such as the people of a cast.
  ///   - texts: Other short texts.
  init(_ match: QueryMatch, title: RankingText, items: [RankingText], texts: [RankingText]) throws {
    let words = title.without(match.stopWords)
    let covered = try match.coverage(of: words)
    coverage =
      covered.share * Weight.coverage * (covered.isComplete ? match.shareOfStopWords(in: title) : Weight.incomplete)
    // That one word stands beside itself says nothing.
    if let first = title.firstWord(of: match.whole) {
      if match.whole.count > 1 { adjacency = Weight.adjacency }
      // An article before it does not count.
      if (0..<first).allSatisfy({ match.stopWords.contains(title[$0]) }) { beginning = Weight.beginning }
    } else if let first = words.firstWord(of: match.words) {
      if match.words.count > 1 { adjacency = Weight.adjacency * Weight.withoutStopWords }
      if first == 0 { beginning = Weight.beginning * Weight.withoutStopWords }
    }
    if title.isSame(as: match.whole) {
      wholeTitle = Weight.wholeTitle
    } else if words.isSame(as: match.words), match.whole.count == match.words.count {
      wholeTitle = Weight.titleWithoutArticle
    }
    for text in items {
      if text.isSame(as: match.whole) {
        item = Weight.wholeItem
      } else if text.ends(with: match.whole) {
        item = max(item, Weight.endOfItem)
      } else if text.firstWord(of: match.whole) != nil {
        item = max(item, Weight.partOfItem)
      }
    }
    let inText = match.words.count > 1 ? Weight.partOfText : Weight.wordInText
    for text in texts where item < inText && text.firstWord(of: match.whole) != nil { item = inText }
    guard match.words.count > 1 else { return }
    for text in items + texts where item < Weight.allInText {
      if try match.coverage(of: text.without(match.stopWords)).isComplete { item = Weight.allInText }
    }
  }
}
