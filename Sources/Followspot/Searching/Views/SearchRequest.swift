// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
package import Store

/// The parameters of a search.
package struct SearchRequest: Sendable {
  package enum Words: Sendable {
    /// All words; if few records have them, records with any of the words follow.
    case widening
    case all
    case any
  }

  /// An order by the values of a field: numbers and dates by size, other values without regard to case and diacritics.
  /// Records without a value come last.
  package struct Sort: Equatable, Sendable {
    var field: String
    var descends = false

    init(field: String, descends: Bool) { (self.field, self.descends) = (field, descends) }

    /// Keys with commas between them, the most important one first; nil for anything else.
    package static func keys(_ text: String) -> [Sort]? {
      let keys = TypedName.split(text, at: ",", behind: "-").map { Sort($0) }
      return keys.contains { $0 == nil } ? nil : keys.compactMap(\.self)
    }

    /// `FIELD`, `FIELD:asc`, `FIELD:desc` or `-FIELD`, which is the same; nil for anything else.
    init?(_ typed: String) {
      var parts = TypedName.split(typed, at: ":", behind: "-")
      if parts.count == 1, typed.hasPrefix("-") { parts = [String(typed.dropFirst()), "desc"] }
      guard !parts[0].isEmpty, parts.count == 1 || parts.count == 2 && ["asc", "desc"].contains(parts[1]) else {
        return nil
      }
      field = TypedName.read(parts[0])
      descends = parts.last == "desc" && parts.count == 2
    }
  }

  /// A boost for new records. The newest match gains half of the best score; the boost halves every `half`.
  package struct RecencyBoost: Sendable {
    var field: String
    /// As typed: a number, a quantity in the field's unit or, for dates, `30d` or `1y`; nil for one year (dates) or 10
    /// (numbers).
    var half: String?

    init(field: String, half: String?) { (self.field, self.half) = (field, half) }

    /// `FIELD` or `FIELD:HALF`; nil for anything else.
    package init?(_ text: String) {
      let parts = TypedName.split(text, at: ":")
      guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
      field = TypedName.read(parts[0])
      half = parts.count == 2 ? parts[1] : nil
    }
  }

  package var query: String
  package var words = Words.widening
  /// Whether words that are typical of the best hits are searched too.
  package var expands = false
  /// Whether the query is parsed as words without operators.
  package var isLiteral = false
  /// Whether words that occur nowhere are corrected, and parts that exceed the bounds of a query are omitted with a
  /// note. Otherwise such a query is refused, because a count or a change of records must not depend on a guess.
  package var mayApproximate = true
  /// Whether ambiguous syntax is refused, because the hits are changed or deleted.
  package var isStrict = false
  package var kinds: [String] = []
  /// The only record that may be found; nil for all.
  package var record: RecordURI?
  /// The name of the only store of the group that is searched; nil for all.
  package var store: String?
  package var offset = 0
  /// Maximum number of hits; nil for all.
  package var limit: Int? = 20
  /// The keys of the order, the most important one first; empty for relevance.
  package var sort: [Sort] = []
  package var recency: RecencyBoost?
  /// Fields whose numbers raise the score by their logarithms, such as votes. The highest number among the matches
  /// gains half of the best score. The definition may name more fields.
  package var boosts: [String] = []
  /// Fields whose values are counted over all matches.
  package var facets: [String] = []
  /// The field that groups hits into sections; `kind` for the entity.
  package var section: String?
  /// Further fields of each hit besides its attributes, such as those of related rows.
  package var fields: [String] = []
  /// Whether hits come with the passage that matches.
  package var wantsSnippets = false
  /// Whether the title is shown beside the snippet, which then does not repeat it.
  package var showsTitles = false
  /// Whether most records are hidden that match only by the titles of what they belong to.
  package var folds = false
  /// Whether to answer as of the index's token, without changes that are not indexed yet.
  package var isIndexOnly = false
  /// The bounds of the overlay of one answer.
  package var overlayLimits = ChangeLimits()
  /// Whether facets and sort orders may read the values of matches from the index. Otherwise they read rows.
  var readsSlots = true
  /// Maximum age of an answer in seconds; `OperationError.stale` beyond it.
  package var mostLag: Double?
  /// The transaction that an answer must include. The search waits for it; `OperationError.stale` after `patience`.
  package var atLeast: Int64?
  /// Time to wait for `atLeast`, in milliseconds.
  var patience = 10_000

  package init(query: String) { self.query = query }

  /// The same request without corrections and omissions.
  var asWritten: SearchRequest {
    var request = self
    request.mayApproximate = false
    return request
  }
}
