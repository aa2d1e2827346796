// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// The first pass of `QueryCompiler`: gives the names, values and words of a query their meaning in one index.
struct QueryResolver {
  let query: String
  let view: SearchView
  /// Seconds since 2001.
  let now: Double
  /// Whether ambiguous syntax is refused.
  var isStrict = false
  /// The kinds of the records that the part of the query can find.
  var kinds: Set<String>
  /// Whether a word may name the kind of a record instead of a word in it.
  private var mayNameKinds = false
  /// Whether the name of an attribute means the records that have it even if it is a word of other records.
  private let takesHints: Bool

  /// - Parameter names: The kinds of the request; empty for all.
  init(
    query: String, view: SearchView, now: Double, isStrict: Bool = false, takesHints: Bool = false,
    kinds names: [String] = []
  ) {
    (self.query, self.view, self.now, self.isStrict) = (query, view, now, isStrict)
    self.takesHints = takesHints
    kinds = Set(view.definition.entities.keys)
    if !names.isEmpty { kinds = names.reduce(into: []) { $0.formUnion(kinds(named: $1) ?? kinds) } }
  }

  func resolve(_ parsed: ParsedQuery) throws -> ResolvedQuery {
    var resolver = self
    // A query that changes records must write `kind:`, and one with operators asks for what it says.
    resolver.mayNameKinds = !parsed.isExplicit && !isStrict
    return ResolvedQuery(root: try resolver.resolve(parsed.root), isExplicit: parsed.isExplicit)
  }

  private func resolve(_ node: QueryNode) throws -> ResolvedNode {
    switch node {
    case .word(let text): .word(try word(text))
    case .phrase(let text): try phrase(text, fieldPrefix: [], offset: nil)
    case .near(let words, let distance): .near(try words.flatMap(tokens), distance: distance)
    case .prefix(let text, let offset): try prefix(text, text[...], fieldPrefix: [], offset: offset)
    case .pattern(let text, let offset):
      try pattern(text, prefixes: view.prefixesByTitle, fieldPrefix: [], offset: offset)
    case .everything: .everything
    case .not(let inner): .not(try withoutKinds.resolve(inner))
    case .or(let operands): .or(try operands.map(resolve))
    case .and(let operands): .and(try operands.map(limited(to: node).resolve))
    case .field(let name, let value, let isQuoted, let offset):
      try field(name, value, isQuoted: isQuoted, offset: offset)
    case .range(let name, let low, let high, let offset): try range(name, low, high, offset: offset)
    }
  }

  private var withoutKinds: QueryResolver {
    var resolver = self
    resolver.mayNameKinds = false
    return resolver
  }

  // MARK: Words

  func tokens(_ text: String) throws -> [[UInt8]] { try view.reader.tokens(of: view.folded(text)).map(\.raw) }

  /// - Parameters:
  ///   - field: The field that has the word; nil for any.
  ///   - note: A remark that the word may have been meant differently.
  func word(
    _ text: String, prefix: [UInt8] = [], in field: FieldTable.Field? = nil, note: String? = nil
  ) throws -> ResolvedWord {
    let languages = FieldTable.sorted(field?.languages ?? view.fields.languages)
    let tokens = try tokens(text)
    let isPlain = tokens.count == 1 && WordForms(of: view.folded(text)).subwords.isEmpty
    var word = ResolvedWord(
      typed: text, prefix: prefix, languages: languages, token: isPlain ? tokens[0] : nil,
      note: note ?? lostValueNote(text), variants: try view.variants(of: text, prefix: prefix, languages: languages))
    // A query that changes records must name the field of a year.
    guard field == nil, prefix.isEmpty, !isStrict else { return word }
    word.conditions = view.yearQueries(of: text).map(\.query)
    guard mayNameKinds else { return word }
    word.conditions += view.kindQueries(of: text)
    let hints = view.hintQueries(of: text)
    if !hints.isEmpty, try takesHints || !word.occurs(in: view) { word.conditions += hints }
    return word
  }

  /// A note that a field has no value, for example because a shell redirected `>2024` of `year:>2024` to a file.
  private func lostValueNote(_ text: String) -> String? {
    guard text.hasSuffix(":"), case let name = String(text.dropLast()),
      FieldName(name, in: view.fields) != nil
    else { return nil }
    return
      "\(text) has no value and is searched as a word; write \(text)VALUE without a blank, and in a shell, quote text "
      + "with > < ( ) or *"
  }

  /// Adjacent words. With a `*` behind it, the last one is a beginning: `"rita bla*"`.
  func phrase(_ text: String, fieldPrefix: [UInt8], offset: Int?) throws -> ResolvedNode {
    let last = text.split(whereSeparator: \.isWhitespace).last ?? ""
    let start = last.dropLast()
    guard last.hasSuffix("*"), !start.contains("*"), start.contains(where: { $0.isLetter || $0.isNumber }) else {
      return .phrase(text, try tokens(text), prefix: fieldPrefix, isBeginning: false)
    }
    return try prefix(text, start, fieldPrefix: fieldPrefix, offset: offset)
  }

  /// The words of a text, adjacent. The last one is a beginning.
  ///
  /// - Parameter word: The last word of the text as typed. It may be a compound.
  func prefix(_ text: String, _ word: Substring, fieldPrefix: [UInt8], offset: Int?) throws -> ResolvedNode {
    let words = try tokens(text)
    guard words.isEmpty || QueryParser.isLong(word) else {
      throw error("\(word)* is too short", at: offset, recovery: .lengthenPrefix(to: QueryParser.shortestPrefix))
    }
    return phrase(text, words, fieldPrefix: fieldPrefix, goesOn: true)
  }

  /// - Parameter goesOn: Whether other letters may follow. In a script without blanks, they may follow any letter.
  private func phrase(_ text: String, _ words: [[UInt8]], fieldPrefix: [UInt8], goesOn: Bool) -> ResolvedNode {
    let isBeginning = goesOn && words.last.map { !WordRule.isUnspaced($0) } ?? false
    return .phrase(text, words, prefix: fieldPrefix, isBeginning: isBeginning)
  }

  /// Words that match a pattern. Letters of a script without blanks are adjacent words, which stand anywhere in a text.
  func pattern(_ text: String, prefixes: [[UInt8]], fieldPrefix: [UInt8], offset: Int) throws -> ResolvedNode {
    guard text.unicodeScalars.contains(where: WordRule.isUnspaced) else {
      return .pattern(text, prefixes: prefixes, offset: offset)
    }
    let pieces = text.split(separator: "*", omittingEmptySubsequences: false)
    let parts: [ResolvedNode] = try pieces.enumerated().filter { !$0.element.isEmpty }.map { index, piece in
      let (isOpen, goesOn) = (index > 0, index < pieces.count - 1)
      guard !piece.unicodeScalars.contains(where: WordRule.isUnspaced) else {
        return phrase(String(piece), try tokens(String(piece)), fieldPrefix: fieldPrefix, goesOn: goesOn)
      }
      return .pattern((isOpen ? "*" : "") + piece + (goesOn ? "*" : ""), prefixes: prefixes, offset: offset)
    }
    return parts.count == 1 ? parts[0] : .parts(parts, of: text, offset: offset)
  }

  func error(_ message: String, at offset: Int?, recovery: QueryError.Recovery? = nil) -> QueryError {
    QueryError(message, query: query, offset: offset, recovery: recovery)
  }
}
