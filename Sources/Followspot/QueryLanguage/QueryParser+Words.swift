// SPDX-License-Identifier: MIT

internal import Base

extension QueryParser {
  /// The default distance of NEAR.
  private static let usualDistance = 10
  private static let longestDistance = 100

  /// Reads `NEAR` or `NEAR/5` with an operand after it, and returns the distance; otherwise they are words.
  mutating func takeNear() -> Int? {
    let start = at
    skipSpace()
    var word = ""
    while let next = peek, !next.isWhitespace, word.count < 9 {
      word.append(next)
      at += 1
    }
    let parts = word.split(separator: "/", omittingEmptySubsequences: false)
    let distance = parts.count == 1 ? Self.usualDistance : Int(parts.last ?? "") ?? 0
    let end = at
    skipSpace()
    guard parts.first == "NEAR", parts.count <= 2, (1...Self.longestDistance).contains(distance), peek != nil,
      peek != ")", end < at
    else {
      at = start
      return nil
    }
    return distance
  }

  // MARK: Words

  /// Parses a word, a phrase, a prefix, a pattern, `*` or a condition on a field.
  mutating func parseWord() throws -> QueryNode {
    let start = at
    if let comparison = try parseComparison() { return comparison }
    at = start
    if let field = try parseField() { return field }
    at = start
    let (text, isQuoted) =
      try isInField ? takeValue() : peek == "\"" ? (takeQuoted(), true) : (takeBare(), false)
    if isQuoted { return .phrase(text) }
    if text == "*" { return .everything }
    if text.hasSuffix("*"), !text.dropLast().contains("*") { return .prefix(String(text.dropLast()), offset: start) }
    if Self.isPattern(text) { return .pattern(text, offset: start) }
    if let words = alternatives(text) {
      try refuseBars(at: start)
      isExplicit = true
      return .or(words.map(QueryNode.word))
    }
    if let name = nameWithoutMarks(text) {
      try note(
        "'\(name)' is a field only in quotation marks, as in \(TypedName.written(name)):VALUE", of: text, at: start)
    } else {
      try note(text, at: start)
    }
    return .word(text)
  }

  /// The field before the colon of a word, if its name needs quotation marks.
  private func nameWithoutMarks(_ text: String) -> String? {
    guard let colon = text.firstIndex(of: ":"), case let name = String(text[..<colon]), !TypedName.isBare(name),
      fields?.knows(name) == true
    else { return nil }
    return name
  }

  /// The words of `apache|nginx` and `apache||nginx`; nil for anything else.
  private func alternatives(_ text: String) -> [String]? {
    let words = text.split(separator: "|").map(String.init)
    let areWords = words.allSatisfy { $0.contains { $0.isLetter || $0.isNumber } && !$0.contains("*") }
    return words.count > 1 && areWords ? words : nil
  }

  /// Whether a `|` behind an operand and beside a blank starts at an index: `a | b`, `a |b` and `a|| b` mean `a OR b`.
  func isBar(_ index: Int) -> Bool {
    guard index < characters.count, characters[index] == "|",
      let before = characters[..<index].last(where: { !$0.isWhitespace }), before != "("
    else { return false }
    let next = characters[index...].first { $0 != "|" }
    return characters[index - 1].isWhitespace || next.map { $0.isWhitespace || $0 == ")" } ?? true
  }

  /// Reads `|` and `||` beside blanks. Without a word on the other side, they mean nothing.
  mutating func takeBars() throws -> Bool {
    skipSpace()
    guard isBar(at) else { return false }
    try refuseBars(at: at)
    while let next = peek, next == "|" || next.isWhitespace { at += 1 }
    return true
  }

  private func refuseBars(at offset: Int) throws {
    guard isStrict else { return }
    throw error(
      "'|' can mean OR or be a sign of a text; nothing was changed", at: offset, recovery: .examples(["one OR two"]))
  }

  /// Parses `name:value` or `"a name":value`; nil if no field starts here. `x: y` and `x:` are words.
  private mutating func parseField() throws -> QueryNode? {
    let start = at
    guard let name = try takeFieldName(), peek == ":" else { return nil }
    at += 1
    guard let next = peek, !next.isWhitespace, next != ")" else { return nil }
    let valueOffset = at
    if next == "(" {
      isInField = true
      defer { isInField = false }
      guard let group = try parseParentheses().flatMap({ Self.group($0, of: name, offset: start) }) else {
        throw error(
          "the parentheses of a field can contain only words, phrases and ranges", at: start,
          recovery: .examples(["\(name):(one OR \"two words\")"]))
      }
      return group
    }
    var (text, isQuoted) = try takeValue()
    if !isQuoted, Self.signs.contains(text) {
      skipSpace()
      text += try takeBare(isValue: true)
    }
    return try condition(name, text, isQuoted: isQuoted, offset: start, valueOffset: valueOffset)
  }

  /// Reads the value of a condition. In quotation marks it is a phrase, unless it is a bound of a range.
  mutating func takeValue() throws -> (text: String, isQuoted: Bool) {
    guard peek == "\"" else { return (try takeBare(isValue: true), false) }
    let start = at
    let text = try takeQuoted()
    guard characters[at...].starts(with: "..") else { return (text, true) }
    at = start
    return (try takeBare(isValue: true), false)
  }

  /// A field with a value or with a range of values.
  mutating func condition(
    _ name: String, _ text: String, isQuoted: Bool, offset: Int, valueOffset: Int
  ) throws -> QueryNode {
    if !isQuoted, let range = Self.range(text) {
      guard range.low != nil || range.high != nil else {
        throw error(
          "the range has no bound", at: valueOffset,
          recovery: .examples(["\(name):1995..2010", "\(name):1995..", "\(name):>=1995"]))
      }
      return .range(name: name, low: range.low, high: range.high, offset: offset)
    }
    if !isQuoted { try note(text, at: valueOffset) }
    return .field(name: name, value: text, isQuoted: isQuoted, offset: offset)
  }

  /// The parts of a group in parentheses, each as a condition of a field; nil if a part cannot be one.
  private static func group(_ node: QueryNode, of name: String, offset: Int) -> QueryNode? {
    func all(_ operands: [QueryNode]) -> [QueryNode]? {
      let found = operands.compactMap { group($0, of: name, offset: offset) }
      return found.count == operands.count ? found : nil
    }
    switch node {
    case .word(let text):
      if let range = range(text) {
        return range.low == nil && range.high == nil
          ? nil : .range(name: name, low: range.low, high: range.high, offset: offset)
      }
      return .field(name: name, value: text, isQuoted: false, offset: offset)
    case .phrase(let text): return .field(name: name, value: text, isQuoted: true, offset: offset)
    case .prefix(let text, _): return .field(name: name, value: text + "*", isQuoted: false, offset: offset)
    case .pattern(let text, _): return .field(name: name, value: text, isQuoted: false, offset: offset)
    case .not(let inner): return group(inner, of: name, offset: offset).map { .not($0) }
    case .and(let operands): return all(operands).map { .and($0) }
    case .or(let operands): return all(operands).map { .or($0) }
    case .near, .field, .range, .everything: return nil
    }
  }

  private static let signs = ["<=", ">=", "<", ">"]

  /// Parses the ranges `a..b`, `a..<b`, `a..`, `..b`, `>a`, `>=a`, `<b`, `<=b`. `a...b` is the same as `a..b`. The bounds
  /// may be in quotation marks.
  private static func range(_ text: String) -> (low: QueryNode.Bound?, high: QueryNode.Bound?)? {
    func bound(_ text: Substring, inclusive: Bool) -> QueryNode.Bound? {
      let isQuoted = text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
      let text = isQuoted ? text.dropFirst().dropLast() : text
      return text.isEmpty ? nil : QueryNode.Bound(text: String(text), isInclusive: inclusive)
    }
    if let sign = signs.first(where: text.hasPrefix) {
      let found = bound(text.dropFirst(sign.count), inclusive: sign.hasSuffix("="))
      return sign.hasPrefix(">") ? (found, nil) : (nil, found)
    }
    var start = text.startIndex
    if text.hasPrefix("\""), let end = text.dropFirst().firstIndex(of: "\"") { start = end }
    guard let dots = firstDots(of: text[start...]) else { return nil }
    let low = text[..<dots.lowerBound]
    var high = text[dots.upperBound...]
    if !low.isEmpty, high.hasPrefix(".") { high = high.dropFirst() }
    let excludes = high.hasPrefix("<")
    return (bound(low, inclusive: true), bound(excludes ? high.dropFirst() : high, inclusive: !excludes))
  }

  /// The first two points side by side.
  private static func firstDots(of text: Substring) -> Range<String.Index>? {
    let utf8 = text.utf8
    var index = utf8.startIndex
    while index < utf8.endIndex {
      let next = utf8.index(after: index)
      if utf8[index] == UInt8(ascii: "."), next < utf8.endIndex, utf8[next] == UInt8(ascii: ".") {
        return index..<utf8.index(after: next)
      }
      index = next
    }
    return nil
  }

  /// Reads up to white space or an unmatched closing parenthesis.
  ///
  /// - Parameter isValue: Whether it may be a range, with bounds in quotation marks.
  mutating func takeBare(isValue: Bool = false) throws -> String {
    let start = at
    var open = 0
    while let next = peek, !next.isWhitespace, at == start || !isBar(at) {
      if isValue, next == "\"", Self.beginsBound(after: characters[start..<at]) {
        _ = try takeQuoted()
        continue
      }
      if next == "(" { open += 1 }
      if next == ")" {
        if open == 0 { break }
        open -= 1
      }
      at += 1
    }
    return String(characters[start..<at])
  }

  private static func beginsBound(after text: ArraySlice<Character>) -> Bool {
    text.isEmpty || text.suffix(2) == [".", "."] || text.suffix(3) == [".", ".", "<"] || signs.contains(String(text))
  }

  mutating func takeQuoted() throws -> String {
    let opened = at
    at += 1
    let start = at
    while let next = peek, next != "\"" { at += 1 }
    guard peek == "\"" else { throw error("this quotation mark is not closed", at: opened, recovery: .add("\"")) }
    defer { at += 1 }
    return String(characters[start..<at])
  }
}
