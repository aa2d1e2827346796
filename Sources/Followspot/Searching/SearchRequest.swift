/// What to search for, and how much of it.
package struct SearchRequest: Sendable {
  package enum Words: Sendable {
    /// All words, widened to any where that finds too little.
    case widening
    case all
    case any
  }

  /// By the values of a field: numbers and dates by their size, other values without regard to case and diacritics.
  /// What has no value comes last.
  package struct Sort: Equatable, Sendable {
    package var field: String
    package var descends = false

    /// Keys with commas between them, the most important one first; nil for anything else.
    package static func keys(_ text: String) -> [Sort]? {
      let keys = text.split(separator: ",", omittingEmptySubsequences: false).map { Sort(String($0)) }
      return keys.contains { $0 == nil } ? nil : keys.compactMap(\.self)
    }

    /// `FIELD`, `FIELD:asc` or `FIELD:desc`; nil for anything else.
    package init?(_ text: String) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard let first = parts.first, !first.isEmpty, parts.count <= 2 else { return nil }
      guard parts.count == 1 || parts[1] == "asc" || parts[1] == "desc" else { return nil }
      field = String(first)
      descends = parts.count == 2 && parts[1] == "desc"
    }
  }

  /// How much more relevant a record is for being new. The newest match gains half of what the best one scores, and a
  /// match that is `half` older half of that.
  package struct Recency: Sendable {
    package var field: String
    /// As typed: a number, a quantity in the field's unit or, for dates, `30d` or `1y`; nil for a year of dates, 10 of
    /// numbers.
    package var half: String?

    /// `FIELD` or `FIELD:HALF`; nil for anything else.
    package init?(_ text: String) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
      field = parts[0]
      half = parts.count == 2 ? parts[1] : nil
    }
  }

  package var query: String
  package var words = Words.widening
  /// Whether the words that tell the best hits from others are searched too.
  package var expands = false
  /// Takes the text as words only.
  package var isLiteral = false
  /// Whether words that occur nowhere are corrected, and what exceeds the bounds of a query is left out of it and
  /// noted. Without it such a query is refused: what counts or changes records must not guess.
  package var mayApproximate = true
  /// Whether what may be meant in two ways is refused: where the hits are changed or deleted, nothing is guessed.
  package var isStrict = false
  package var kinds: [String] = []
  package var offset = 0
  /// Hits at most; nil for all.
  package var limit: Int? = 20
  /// The order of hits, by the first key, then by the next ones among equals; empty for relevance.
  package var sort: [Sort] = []
  package var recency: Recency?
  /// Fields whose numbers make a record more relevant, by their logarithms: popularity, sales, votes. The highest number
  /// among the matches gains half of what the best match scores. The definition may name others.
  package var boosts: [String] = []
  /// Fields whose values are counted over all matches.
  package var facets: [String] = []
  /// The field by whose values hits are put into sections; `kind` for the entity.
  package var section: String?
  /// Fields of the index that hits come with, beside their attributes: those of related rows.
  package var fields: [String] = []
  /// Whether hits come with the place that matches.
  package var wantsSnippets = false
  /// Whether the title is shown beside the snippet, which then does not repeat it.
  package var showsTitles = false
  /// Answers as of the index's token, rather than of the store's newest transaction.
  package var isIndexOnly = false
  /// How much is brought up to date in memory for one answer.
  package var overlayLimits = Overlay.Limits()
  /// Seconds that an answer may be behind; `FollowspotError.stale` beyond.
  package var mostLag: Double?
  /// The transaction that an answer has to show; it is waited for, and `FollowspotError.stale` after `patience`.
  package var atLeast: Int64?
  /// In milliseconds.
  package var patience = 10_000

  package init(query: String) { self.query = query }

  /// The same without any guess at what was meant.
  var asWritten: SearchRequest {
    var request = self
    request.mayApproximate = false
    return request
  }
}
