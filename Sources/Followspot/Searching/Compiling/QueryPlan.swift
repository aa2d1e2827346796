// SPDX-License-Identifier: MIT

package import SearchIndex

/// A compiled query, in the parts that widening needs.
package struct QueryPlan {
  /// One query for each plain word. Stop words are omitted while another word remains.
  var words: [Query] = []
  /// Additional queries if any of the words is enough. They find pairs of letters in scripts without blanks, and each
  /// of the words that together have a synonym.
  var loose: [Query] = []
  /// Ranges of parts of the query that count as one word, because together they have a synonym.
  var merged: [Range<Int>] = []
  /// Stop words that are ignored, as typed.
  var ignoredWords: Set<String> = []
  /// The number of plain words as typed, stop words included.
  var plainWords = 0
  /// The plain words, as typed or corrected, in their order.
  var typed: [String] = []
  /// The plain words and the beginnings of words, such as `viny` of `jazz viny*`; empty if there are no beginnings.
  var unfinished: [Unfinished] = []
  /// The same as `typed`, with some replaced by synonyms.
  var readings: [[String]] = []
  /// The records that the plain words name by their keys. They match without the words.
  var keyed: [KeyedRecord] = []
  /// Queries that every hit matches.
  var required: [Query] = []
  /// Queries that no hit matches.
  var excluded: [Query] = []
  var isExplicit = false
  /// Boosts by numbers of the matches.
  var boosts: [Boost] = []
  /// The best score of the first stage without boosts; nil if there are no boosts.
  var bestUnboosted: Double?
  /// The query with its misspelt words corrected; nil if none was corrected.
  var corrected: String?
  var notes: [String] = []
  /// The words that occur nowhere and were not corrected, as typed.
  var unknownWords: [String] = []

  /// A word, or words, of which the last one may be a beginning.
  struct Unfinished {
    let text: String
    let isBeginning: Bool
  }

  /// Maximum number of unknown words that a note names.
  private static let mostNamed = 4

  /// The note that no record has some words; nil if there is none.
  ///
  /// - Parameter isNewest: Whether all records are searched; nil if that is not known.
  static func note(ofUnknown words: [String], isNewest: Bool?) -> String? {
    guard let first = words.first else { return nil }
    let subject = isNewest == nil ? "no indexed record has" : "no record has"
    guard words.count > 1 else { return "\(subject) the word '\(first)'" }
    let rest = words.count > mostNamed ? " and \(words.count - mostNamed) more" : ""
    return "\(subject) the words " + words.prefix(mostNamed).map { "'\($0)'" }.joined(separator: ", ") + rest
  }

  /// The notes on an answer: what it may lack, then those on the query, and the words that occur nowhere.
  func notes(with freshness: IndexFreshness) -> [String] {
    [freshness.note].compactMap(\.self) + notes
      + [Self.note(ofUnknown: unknownWords, isNewest: freshness.status.isNewest)].compactMap(\.self)
  }

  /// A query with fewer full matches than this is widened.
  private static let fewMatches = 5
  /// A query with more plain words than this is always widened.
  private static let fewWords = 4

  /// Whether any of the words may find more than all of them.
  private var isWidenable: Bool { !isExplicit && (words.count > 1 || loose.count > 1) }

  /// Whether records with any of the words follow the `matches` records with all of them. This depends only on the
  /// query, not on the requested page, so that all pages are parts of one list.
  func isWidened(_ request: SearchRequest, matches: Int) -> Bool {
    request.words == .widening && isWidenable && (matches < Self.fewMatches || plainWords > Self.fewWords)
  }

  /// All words.
  package var all: Query { complete(words) }
  /// Any of the words.
  var any: Query { complete(words.isEmpty ? [] : [.or(words + loose)]) }

  /// A boost by the number of a field.
  struct Boost {
    /// As an explanation names it.
    let name: String
    let slot: UInt32
    let kind: Query.Boost
    /// The maximum that it adds to a score.
    let weight: Double
  }

  /// A query for the records that are named by their keys; nil if there are none.
  var keyQuery: Query? { keyed.isEmpty ? nil : .or(keyed.map { .term($0.term) }) }

  private func withKeyed(_ words: [Query]) -> [Query] {
    guard let keyQuery else { return words }
    // The order of these records is that of the second stage.
    return [.or((words.isEmpty ? [] : [.and(words)]) + [.scaled(keyQuery, by: 0)])]
  }

  private func complete(_ words: [Query]) -> Query {
    let parts = withKeyed(words) + required
    var positive: Query =
      switch parts.count {
      case 0: plainWords > 0 ? .nothing : .everything
      case 1: parts[0]
      default: .and(parts)
      }
    for boost in boosts { positive = .boosted(positive, slot: boost.slot, boost.kind, by: boost.weight) }
    return excluded.isEmpty ? positive : .andNot(positive, excluded.count == 1 ? excluded[0] : .or(excluded))
  }
}
