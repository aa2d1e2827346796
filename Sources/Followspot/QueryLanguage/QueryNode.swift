// SPDX-License-Identifier: MIT

/// The syntax tree of a query.
package indirect enum QueryNode: Equatable, Sendable {
  /// One word without a field, as typed.
  case word(String)
  case phrase(String)
  /// Words in any order, with at most `distance - 1` other words between them.
  case near([String], distance: Int)
  /// Words that start with a text.
  case prefix(String, offset: Int)
  /// Words that match a pattern in which `*` stands for any letters: `lib*ssl`, `*ssl*`.
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
    let text: String
    let isInclusive: Bool
  }
}

extension QueryNode {
  /// The words of an operand of NEAR; nil if it cannot be one.
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

  /// The words without a field, as typed.
  var words: [String] {
    switch self {
    case .word(let word): [word]
    case .and(let operands), .or(let operands): operands.flatMap(\.words)
    case .not(let operand): operand.words
    default: []
    }
  }

  /// Whether it has words, phrases and beginnings alone, none of which is excluded.
  var isOfTexts: Bool {
    switch self {
    case .word, .phrase, .near, .prefix, .pattern, .everything: true
    case .and(let operands), .or(let operands): operands.allSatisfy(\.isOfTexts)
    case .field, .range, .not: false
    }
  }

  /// The names before colons.
  var names: [String] {
    switch self {
    case .field(let name, _, _, _), .range(let name, _, _, _): [name]
    case .and(let operands), .or(let operands): operands.flatMap(\.names)
    case .not(let operand): operand.names
    default: []
    }
  }
}

/// A parsed query: plain words that may be widened, and everything else, which is required.
package struct ParsedQuery: Equatable, Sendable {
  package let root: QueryNode
  /// Whether AND, OR or parentheses were written; plain words are never widened then.
  package let isExplicit: Bool
  /// Remarks about syntax of other query languages that has no meaning here.
  var notes: [String] = []

  package init(root: QueryNode, isExplicit: Bool, notes: [String] = []) {
    self.root = root
    self.isExplicit = isExplicit
    self.notes = notes
  }
}
