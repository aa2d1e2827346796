/// A query as it was typed, parsed.
package indirect enum QueryNode: Equatable, Sendable {
  /// Words without a field: one word as typed.
  case word(String)
  case phrase(String)
  /// Words in any order, each so many places from the next at most.
  case near([String], distance: Int)
  /// Words that begin so.
  case prefix(String, offset: Int)
  /// Words like this, `*` being any fieldPrefix: `lib*ssl`.
  case pattern(String, offset: Int)
  /// `field:value`; a quoted value is a phrase.
  case field(name: String, value: String, isQuoted: Bool, offset: Int)
  /// `field:low..high`, `field:>=low`; nil is an open end.
  case range(name: String, low: Bound?, high: Bound?, offset: Int)
  case everything
  case and([QueryNode])
  case or([QueryNode])
  case not(QueryNode)

  package struct Bound: Equatable, Sendable {
    package let text: String
    package let isInclusive: Bool
  }
}

extension QueryNode {
  /// What may stand before NEAR.
  var nearWords: [String]? {
    switch self {
    case .word(let word): [word]
    case .near(let words, _): words
    default: nil
    }
  }

  var nearDistance: Int {
    if case .near(_, let distance) = self { distance } else { 0 }
  }
}

/// A parsed query: plain words that may be widened, and everything else, which is required.
package struct ParsedQuery: Equatable, Sendable {
  package let root: QueryNode
  /// Whether AND, OR or parentheses were written; plain words are never widened then.
  package let isExplicit: Bool
  /// What is to be said about words that mean something else here than where they come from.
  package var notes: [String] = []
}
