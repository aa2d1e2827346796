/// What to search for, and how much of it.
package struct SearchRequest: Sendable {
  package enum Words: Sendable {
    /// All words, widened to any where that finds too little.
    case widening
    case all
    case any
  }

  package var query: String
  package var words = Words.widening
  /// Takes the text as words only.
  package var isLiteral = false
  package var kinds: [String] = []
  package var offset = 0
  /// Hits at most; nil for all.
  package var limit: Int? = 20
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
}
