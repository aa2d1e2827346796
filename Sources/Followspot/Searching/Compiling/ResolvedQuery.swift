// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// A query with the meaning that its names, values and words have in one index.
struct ResolvedQuery {
  let root: ResolvedNode
  /// Whether AND, OR or parentheses were written; plain words are never widened then.
  let isExplicit: Bool
}

indirect enum ResolvedNode {
  case word(ResolvedWord)
  /// Adjacent words. The last one may be a beginning.
  case phrase(String, [[UInt8]], prefix: [UInt8], isBeginning: Bool)
  /// Words in any order, with at most `distance - 1` other words between them.
  case near([[UInt8]], distance: Int)
  /// Words that match a pattern in which `*` stands for any letters, behind one of these prefixes of fields.
  case pattern(String, prefixes: [[UInt8]], offset: Int)
  /// The parts of a pattern in a script without blanks.
  case parts([ResolvedNode], of: String, offset: Int)
  /// A condition that is a query already.
  case condition(Query, offset: Int)
  /// Records that transactions changed.
  case history(HistoryCondition, name: String, reach: HistoryReach, offset: Int)
  /// The meanings of `field:value`, such as a word and a number.
  case anyMeaning([ResolvedNode])
  case everything
  case and([ResolvedNode])
  case or([ResolvedNode])
  case not(ResolvedNode)

  /// The node with each of its words replaced, in the order of the query. Words below NOT are kept, because a word that
  /// occurs nowhere excludes nothing.
  func mapWords(_ replacement: (ResolvedWord) throws -> ResolvedWord) rethrows -> ResolvedNode {
    switch self {
    case .word(let word): .word(try replacement(word))
    case .anyMeaning(let nodes): .anyMeaning(try nodes.map { try $0.mapWords(replacement) })
    case .and(let nodes): .and(try nodes.map { try $0.mapWords(replacement) })
    case .or(let nodes): .or(try nodes.map { try $0.mapWords(replacement) })
    default: self
    }
  }
}

/// One word of a query.
struct ResolvedWord {
  let typed: String
  /// The prefix of the field's words; empty for all fields.
  let prefix: [UInt8]
  /// The languages whose stemmers apply; nil is the language of the index.
  let languages: [String?]
  /// The word as one token. nil if it is several tokens, or has inner capitals or digits: such words are not corrected.
  let token: [UInt8]?
  /// A remark if the word may have been meant differently.
  let note: String?
  /// Conditions under which a record matches without the word, if no field was named: it is of the kind or the year that
  /// the word names, or has the attribute.
  var conditions: [Query] = []
  /// The ways to find it; empty if it has no letters, digits or symbols.
  var variants: [WordVariant]

  /// Whether it is in the index in any form, or a condition holds for a record. Synonyms of several words are assumed to be
  /// in the index.
  func occurs(in view: SearchView) throws -> Bool {
    if let token, try view.occurs(word: token, prefix: prefix) { return true }
    return try variants.contains { variant in
      switch variant {
      case .term(let term): try view.occurs(term)
      case .phrase(let words), .subwords(let words):
        try token != nil || words.allSatisfy { try view.occurs(word: $0, prefix: prefix) }
      }
    } || conditions.contains { try view.frequency(of: $0) > 0 }
  }

  /// The pairs of letters of a word in a script without blanks, which find parts of it.
  func pairs(in view: SearchView) -> [Query] {
    guard prefix.isEmpty, case .phrase(let tokens)? = variants.first else { return [] }
    return zip(tokens, tokens.dropFirst()).filter { WordRule.isUnspaced($0) && WordRule.isUnspaced($1) }.map {
      view.query(ofWord: $0 + $1, prefix: [])
    }
  }
}
