// SPDX-License-Identifier: MIT

/// The numbers on which the order of hits depends, with their standard values. A file that the environment names may set
/// others, by the names of these properties: see `current()`.
struct RankingWeights: Codable, Equatable, Sendable {
  // MARK: The parts of a bonus, as shares of the best score of the first stage

  var coverage = 1.0
  /// Factor of the coverage if the title lacks words of the query.
  var incomplete = 0.3
  var adjacency = 0.75
  var titleStart = 0.25
  /// Factor of both if they hold only without stop words.
  var withoutStopWords = 0.5
  /// More than any difference of the first stage: a record with exactly this title comes first.
  var wholeTitle = 1.5
  /// The same if only the title has stop words, such as an article.
  var titleWithoutArticle = 0.5
  var wholeItem = 1.3
  /// An item ends with the query: people are known by their last names.
  var endOfItem = 0.9
  var partOfItem = 0.8
  /// A short text, such as a summary, has the words adjacent.
  var partOfText = 0.8
  /// A short text has the only word of the query.
  var wordInText = 0.3
  /// A short text or an item has all words, or other forms of them, in any order.
  var allInText = 0.3
  var wholeTitles = 1.0
  /// A summary has all words.
  var inSummary = 1.0
  var identifierWord = -0.2
  var similarity = -0.5
  /// More than what references to a key add.
  var key = 4.0
  /// Less than a title that begins with the number.
  var number = 0.5
  var code = 1.5
  /// More than what a title that has words of the query adds.
  var kind = 3.0
  var references = 0.05
  var mostReferences = 0.5
  var link = -0.5
  /// As much as a whole title of another record adds.
  var ownWords = 1.0
  var synonym = 0.8
  /// More than all other parts and the first stage together: records with the same accents come first.
  var accents = 6.0

  // MARK: What a bonus is made from

  /// The value of a match by another form of a word; a word as typed counts 1.
  var otherForm = 0.8
  /// The share of the words of two summaries from which they are alike.
  var alike = 0.5

  // MARK: The first stage

  /// The maximum of a boost by a number, as a share of the best score.
  var boost = 0.5
  /// The weight of a word that expansion adds, relative to a typed word.
  var expansion = 0.25
}
