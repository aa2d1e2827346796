// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex

/// Parses the query language:
///
/// words, `"phrase"`, `field:word`, `field:"phrase"`, `year:1995..2010`, `rating:>=8`, `is:flag`, `kind:Entity`,
/// `field:(a OR b)`, `"a field":word`, `prefix*`, `pre*inner`, `*inside*`, `a NEAR/5 b`, `AND OR NOT -x ( )`, `*` for
/// everything.
/// With the fields of an index, `year >= 1990` is a condition too.
package struct QueryParser {
  /// Maximum length of a query in bytes.
  static let longestQuery = 4_096
  /// Minimum number of letters before `*`, or between two of them.
  static let shortestPrefix = 3
  private static let deepestNesting = 50

  let query: String
  let characters: [Character]
  /// The names that make a comparison a condition; nil if comparisons are words.
  let fields: FieldTable?
  /// Whether ambiguous syntax is refused, as in queries that change records.
  let isStrict: Bool
  var at = 0
  var notes: [String] = []
  private var depth = 0
  var isExplicit = false
  /// Whether the parentheses of a field are open: `year:("1990".. OR 1985)`.
  var isInField = false

  private init(_ query: String, _ fields: FieldTable?, isStrict: Bool) {
    self.query = query
    self.fields = fields
    self.isStrict = isStrict
    characters = Array(query)
  }

  /// - Parameters:
  ///   - fields: The fields that `year >= 1990` may name; nil if comparisons are words.
  ///   - isStrict: Whether to refuse ambiguous syntax.
  /// - Throws: `QueryError` with the offset of the mistake.
  package static func parse(
    _ query: String, fields: FieldTable? = nil, isStrict: Bool = false
  ) throws -> ParsedQuery {
    try checkLength(query)
    var parser = QueryParser(query, fields, isStrict: isStrict)
    let root = try parser.parseOr()
    parser.skipSpace()
    if parser.at < parser.characters.count {
      throw parser.error("unmatched )", recovery: .remove(")"))
    }
    guard let root else {
      throw QueryError("the query is empty", query: query, offset: nil, recovery: .searchEverything)
    }
    return ParsedQuery(root: root, isExplicit: parser.isExplicit, notes: parser.notes)
  }

  /// Parses a text as words without operators.
  package static func literal(_ query: String) throws -> ParsedQuery {
    try checkLength(query)
    let words = query.split(whereSeparator: \.isWhitespace).map { QueryNode.word(String($0)) }
    guard !words.isEmpty else { throw QueryError("the query is empty", query: query, offset: nil) }
    return ParsedQuery(root: words.count == 1 ? words[0] : .and(words), isExplicit: false)
  }

  private static func checkLength(_ query: String) throws {
    guard query.utf8.count <= longestQuery else {
      throw QueryError(
        "the query has \(query.utf8.count) bytes; the maximum is \(longestQuery)", query: query, offset: nil,
        recovery: .searchFewer(.words))
    }
  }

  // MARK: Grammar

  private mutating func parseOr() throws -> QueryNode? {
    var operands: [QueryNode] = []
    guard let first = try parseAnd() else {
      if isKeyword("OR") { throw error("OR needs something before it", recovery: .quoteOperator("OR")) }
      return nil
    }
    operands.append(first)
    while true {
      if takeKeyword("OR") {
        guard let next = try parseAnd() else { throw error("OR needs something after it") }
        operands.append(next)
      } else if try takeBars() {
        if let next = try parseAnd() { operands.append(next) }
      } else {
        break
      }
    }
    if operands.count > 1 { isExplicit = true }
    return operands.count == 1 ? first : .or(operands)
  }

  private mutating func parseAnd() throws -> QueryNode? {
    var operands: [QueryNode] = []
    while true {
      skipSpace()
      if isKeyword("AND") {
        guard !operands.isEmpty else {
          throw error("AND needs something before it", recovery: .quoteOperator("AND"))
        }
        _ = takeKeyword("AND")
        isExplicit = true
        guard let next = try parseUnary() else { throw error("AND needs something after it") }
        operands.append(next)
      } else if let words = operands.last?.nearWords, let distance = takeNear() {
        skipSpace()
        guard let next = try parseUnary() else { throw error("NEAR needs a word after it") }
        guard case .word(let word) = next else {
          throw error("NEAR stands between single words", recovery: .examples(["toy NEAR/5 story"]))
        }
        operands[operands.count - 1] = .near(words + [word], distance: max(distance, operands.last?.nearDistance ?? 0))
      } else if let next = try parseUnary() {
        operands.append(next)
      } else {
        break
      }
    }
    return operands.count > 1 ? .and(operands) : operands.first
  }

  private mutating func parseUnary() throws -> QueryNode? {
    skipSpace()
    guard at < characters.count, characters[at] != ")", !isKeyword("OR"), !isBar(at) else { return nil }
    if takeKeyword("NOT") {
      guard let operand = try nested({ try $0.parseUnary() }) else { throw error("NOT needs something after it") }
      return .not(operand)
    }
    if characters[at] == "-", at + 1 < characters.count, !characters[at + 1].isWhitespace, characters[at + 1] != "-" {
      at += 1
      guard let operand = try nested({ try $0.parseUnary() }) else { throw error("- needs something after it") }
      return .not(operand)
    }
    if characters[at] == "!", at + 1 < characters.count, characters[at + 1].isLetter, !isInField {
      let start = at
      if isStrict { try note(takeBare(), at: start) }
      at += 1
      return .not(try parseWord())
    }
    if characters[at] == "(" { return try parseParentheses() }
    return try parseWord()
  }

  mutating func parseParentheses() throws -> QueryNode? {
    let opened = at
    at += 1
    isExplicit = true
    guard let inner = try nested({ try $0.parseOr() }) else {
      throw error("the parentheses are empty", at: opened, recovery: .remove("()"))
    }
    skipSpace()
    guard at < characters.count, characters[at] == ")" else {
      throw error("this parenthesis is not closed", at: opened, recovery: .add(")"))
    }
    at += 1
    return inner
  }

  mutating func nested(_ body: (inout QueryParser) throws -> QueryNode?) throws -> QueryNode? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepestNesting else {
      throw error("nested deeper than \(Self.deepestNesting) levels", recovery: .simplify)
    }
    return try body(&self)
  }

  // MARK: Characters

  var peek: Character? { at < characters.count ? characters[at] : nil }

  mutating func skipSpace() { while let next = peek, next.isWhitespace { at += 1 } }

  func isKeyword(_ word: String) -> Bool {
    var start = at
    while start < characters.count, characters[start].isWhitespace { start += 1 }
    let end = start + word.count
    guard end <= characters.count, String(characters[start..<end]) == word else { return false }
    return end == characters.count || characters[end].isWhitespace || characters[end] == "(" || characters[end] == ")"
  }

  private mutating func takeKeyword(_ word: String) -> Bool {
    guard isKeyword(word) else { return false }
    skipSpace()
    at += word.count
    return true
  }

  func error(_ message: String, at offset: Int? = nil, recovery: QueryError.Recovery? = nil) -> QueryError {
    QueryError(message, query: query, offset: offset ?? at, recovery: recovery)
  }
}
