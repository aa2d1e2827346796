internal import IndexDefinitions

extension QueryParser {
  /// A comparison as people type it. Longer ones stand before those that they begin with.
  private static let operators = [">=", "<=", "!=", "==", "=", ">", "<"]

  /// `year>1990`, `year = 1990`, `"First Name" != anna`, `year: >= 1990`: a condition where the name is a field of the
  /// index, and words elsewhere.
  ///
  /// - Returns: nil where no comparison begins here.
  /// - Throws: `QueryError` for a comparison in a strict query.
  mutating func parseComparison() throws -> QueryNode? {
    let start = at
    guard let fields else { return nil }
    if isStrict { try refuseOperator() }
    guard let name = try takeFieldName() else { return nil }
    if peek == ":", at + 1 >= characters.count || characters[at + 1].isWhitespace {
      at += 1
      try refuseLostValue(of: name, fields)
    }
    skipSpace()
    guard let sign = Self.operators.first(where: { characters[at...].starts(with: $0) }) else { return nil }
    at += sign.count
    skipSpace()
    let isOrder = sign.contains { $0 == "<" || $0 == ">" }
    // `yeer>1990` is refused like `yeer:>1990`, and not searched as words.
    let isMisnamed = isOrder && peek?.isNumber == true && characters[start] != "\"" && !fields.knows(name)
    guard let next = peek, next != ")", next != "(", !["AND", "OR", "NOT"].contains(where: isKeyword),
      isMisnamed || fields.isComparable(name, byOrder: isOrder)
    else { return nil }
    let valueOffset = at
    let isQuoted = next == "\""
    let value = isQuoted ? try takeQuoted() : takeBare()
    let node: QueryNode
    switch sign {
    case "=", "==": node = try condition(name, value, isQuoted: isQuoted, offset: start, valueOffset: valueOffset)
    case "!=": node = .not(try condition(name, value, isQuoted: isQuoted, offset: start, valueOffset: valueOffset))
    default:
      let bound = QueryNode.Bound(text: value, isInclusive: sign.hasSuffix("="))
      let isLow = sign.hasPrefix(">")
      node = .range(name: name, low: isLow ? bound : nil, high: isLow ? nil : bound, offset: start)
    }
    guard isStrict else { return node }
    throw error(
      "'\(String(characters[start..<at]))' can be read as a condition or as words; nothing was changed", at: start,
      hint: "write the condition as \(node.text)")
  }

  /// Refuses a field without a value before a blank: where records are changed, it must not become two words.
  private func refuseLostValue(of name: String, _ fields: FieldTable) throws {
    guard isStrict, fields.knows(name) else { return }
    throw error(
      "'\(name):' has no value; nothing was changed", at: at - 1,
      hint: "write the condition as \(name):VALUE without blanks")
  }

  /// Refuses a sign that stands alone, as in `titel = x`: where records are changed, a new value may be meant.
  private func refuseOperator() throws {
    guard let sign = Self.operators.first(where: { characters[at...].starts(with: $0) }) else { return }
    let end = at + sign.count
    guard end == characters.count || characters[end].isWhitespace else { return }
    throw error(
      "'\(sign)' can belong to a condition or to a new value; nothing was changed",
      hint: "write a condition as FIELD:VALUE, and a new value as FIELD=VALUE without blanks")
  }

  /// A name, which stands in quotation marks where it has blanks; nil where there is none.
  mutating func takeFieldName() throws -> String? {
    guard let first = peek else { return nil }
    if first == "\"" {
      let start = at
      guard let end = characters[(at + 1)...].firstIndex(of: "\""), end > start + 1 else { return nil }
      at = end + 1
      return String(characters[(start + 1)..<end])
    }
    guard first.isLetter || first == "_" || first == "@" else { return nil }
    let start = at
    while let next = peek, next.isLetter || next.isNumber || "_.-@".contains(next) { at += 1 }
    return String(characters[start..<at])
  }
}

extension FieldTable {
  /// Whether a query may name it: a field of the index or of the history, a kind or a flag.
  func knows(_ name: String) -> Bool {
    self[name] != nil || HistoryField(name, in: self) != nil || ["kind", "is", "has"].contains(name.lowercased())
      || names.contains { self[$0]?.hasKeys == true && name.lowercased().hasPrefix($0.lowercased() + ".") }
  }

  /// Whether a comparison with a name is a condition: the name is a field of the index or of the history, for `<` and
  /// `>` one that has an order.
  func isComparable(_ name: String, byOrder: Bool) -> Bool {
    if let field = self[name] { return !byOrder || field.hasOrder }
    if let field = HistoryField(name, in: self) { return !byOrder || field != .author }
    if name.lowercased() == "kind" { return !byOrder }
    // Keys of a JSON value hold words.
    return !byOrder
      && names.contains { self[$0]?.hasKeys == true && name.lowercased().hasPrefix($0.lowercased() + ".") }
  }
}

extension FieldTable.Field {
  /// Whether its values are numbers or dates.
  var hasOrder: Bool { !roles.isDisjoint(with: [.number, .date]) }
}
