internal import SearchIndex

/// A query in the parts that widening needs.
struct QueryPlan {
  /// One a plain word that carries something; stop words are left out while another word remains.
  var words: [Query] = []
  /// Parts of words in scripts without blanks, and single words of those that have synonyms together, where any of the
  /// words is enough.
  var loose: [Query] = []
  /// The parts of the query, by their numbers, that count as one word: they have synonyms together.
  var joined: [Range<Int>] = []
  /// Stop words beside words that carry something, as typed.
  var ignoredWords: Set<String> = []
  /// As typed, before stop words were dropped.
  var plainWords = 0
  /// The words and phrases that hits are to have in any field, as typed or corrected, in their order.
  var typed: [String] = []
  /// The same with synonyms in the place of some.
  var readings: [[String]] = []
  /// What every hit has.
  var required: [Query] = []
  /// What no hit has.
  var excluded: [Query] = []
  var isExplicit = false
  /// What makes a match more relevant by its numbers.
  var boosts: [Boost] = []
  /// The best score of the first stage without its boosts; nil where there are none.
  var bestUnboosted: Double?
  /// The query with its misspelt words corrected; nil where none was.
  var corrected: String?
  var notes: [String] = []

  /// Whether finding any of the words may find more than finding all.
  var isWidenable: Bool { !isExplicit && (words.count > 1 || loose.count > 1) }

  /// All words.
  var all: Query { complete(words) }
  /// Any of the words.
  var any: Query { complete(words.isEmpty ? [] : [.or(words + loose)]) }

  /// More relevance for a number of a field.
  struct Boost {
    /// As an explanation names it.
    let name: String
    let slot: UInt32
    let kind: Query.Boost
    /// What it adds to a score at most.
    let weight: Double
  }

  private func complete(_ words: [Query]) -> Query {
    let parts = words + required
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
