// SPDX-License-Identifier: MIT

/// A search as a value: what to find, and what the answer contains.
///
/// `SearchQuery("robots")` is a query with the defaults of all properties.
public struct SearchQuery: Hashable, Codable, Sendable, ExpressibleByStringLiteral {
  /// Which of the words an object needs.
  public enum Words: String, Codable, Sendable {
    /// All words. If few objects have them, objects with any of the words follow.
    case widening
    /// All words.
    case all
    /// Any of the words.
    case any
  }

  /// An order by the values of a field: numbers and dates by size, other values without regard to case and diacritics.
  /// Objects without a value come last.
  public struct SortKey: Hashable, Codable, Sendable {
    /// The name of an attribute or a field of the index.
    public var field: String
    /// Whether the highest value comes first.
    public var descends: Bool

    /// - Parameters:
    ///   - field: The name of an attribute or a field of the index.
    ///   - descends: Whether the highest value comes first.
    public init(_ field: String, descends: Bool = false) { (self.field, self.descends) = (field, descends) }
  }

  /// A boost for new objects. The newest match gains half of the best score; the boost halves every `half`.
  public struct Recency: Hashable, Codable, Sendable {
    /// The name of a date or a number of the index.
    public var field: String
    /// Of a date a time such as `30d`, `6mo` or `1y`, of a number a number; nil for one year (dates) or 10 (numbers).
    public var half: String?

    /// - Parameters:
    ///   - field: The name of a date or a number of the index.
    ///   - half: Of a date a time such as `30d`, of a number a number; nil for one year or 10.
    public init(_ field: String, half: String? = nil) { (self.field, self.half) = (field, half) }
  }

  // MARK: What is found

  /// In the query language of `followspot search`: words, `"a phrase"`, `title:word`, `year:1995..2010`, `is:favorite`,
  /// `kind:Movie`, `toy*`, `deleted:2d`, `AND OR NOT ( )`, `*` for everything.
  public var text: String
  /// Whether `text` is words without operators: for what a user typed into a search field.
  public var isLiteral = false
  /// Names of the entities to search; empty = all.
  public var kinds: [String] = []
  /// Which of the words an object needs.
  public var words = Words.widening
  /// Whether words that occur nowhere are corrected, and parts that exceed the bounds of a query are omitted with a note.
  /// Otherwise the words are searched as they are, and such parts are an error.
  public var isCorrected = true
  /// Whether words that are typical of the best hits are searched too. It cannot be combined with `Words.all`.
  public var isExpanded = false

  // MARK: Order and page

  /// The keys of the order, the most important one first; empty for relevance.
  public var sort: [SortKey] = []
  /// Fields whose numbers raise the score by their logarithms, such as votes. The highest number among the matches gains
  /// half of the best score. It cannot be combined with `sort`.
  public var boosts: [String] = []
  /// A boost for new objects; nil for none. It cannot be combined with `sort`.
  public var recency: Recency?
  /// Number of hits to skip.
  public var offset = 0
  /// Maximum number of hits; nil = all.
  public var limit: Int? = 20

  // MARK: What the answer contains

  /// Fields whose values are counted over all matches, as `SearchAnswer.facets`.
  public var facets: [String] = []
  /// The field that groups hits into `SearchAnswer.sections`; `kind` for the entity, nil for no sections.
  public var section: String?
  /// Further fields of each hit besides its attributes, such as `studio.name`, as `SearchHit.texts`.
  public var fields: [String] = []
  /// Whether hits have the passage that matches, as `SearchHit.snippet`.
  public var wantsSnippets = false
  /// Whether a snippet is never the title itself, because the title is shown beside it.
  public var snippetsOmitTitle = false

  // MARK: How new the answer is

  /// Whether to search the index alone, without changes that are not indexed yet.
  public var isIndexOnly = false
  /// Maximum age of the answer; an older one is an error with the code `.stale`. `.zero` means that no transaction is
  /// missing, nil that any age is accepted.
  public var maximumLag: Duration?
  /// The transaction that the answer must include; nil for none. The search waits for it.
  public var atLeast: Int64?
  /// Time to wait for `atLeast`; then the error has the code `.stale`.
  public var patience = Duration.seconds(10)
  /// The time after which the call ends with an error with the code `.timeout`; nil for no limit. The work is stopped as soon
  /// as it notices. Results that are followed have none.
  public var deadline: Duration?

  /// - Parameters:
  ///   - text: In the query language of `followspot search`.
  ///   - isLiteral: Whether `text` is words without operators.
  ///   - kinds: Names of the entities to search; empty = all.
  ///   - offset: Number of hits to skip.
  ///   - limit: Maximum number of hits; nil = all.
  public init(
    _ text: String, isLiteral: Bool = false, kinds: [String] = [], offset: Int = 0, limit: Int? = 20
  ) {
    self.text = text
    self.isLiteral = isLiteral
    self.kinds = kinds
    self.offset = offset
    self.limit = limit
  }

  /// A query that is written in the program. A text from elsewhere, such as a search field, needs `init(_:isLiteral:)`.
  public init(stringLiteral text: String) { self.init(text) }
}
