// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

extension QueryParser {
  /// The comparison operators. Longer ones precede their prefixes.
  private static let operators = [">=", "<=", "!=", "==", "=", ">", "<"]

  /// `year>1990`, `year = 1990`, `"First Name" != anna`, `year: >= 1990`: a condition if the name is a field of the
  /// index; words otherwise.
  ///
  /// - Returns: nil if no comparison starts here.
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
    let (value, isQuoted) = try takeValue()
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
      recovery: .writeCondition(node.text))
  }

  /// Refuses a field whose value is missing: in a query that changes records, it must not become a word.
  private func refuseLostValue(of name: String, _ fields: FieldTable) throws {
    guard isStrict, fields.knows(name) else { return }
    throw error(
      "'\(name):' has no value; nothing was changed", at: at - 1,
      recovery: .joinValue(field: name))
  }

  /// Refuses an operator between blanks, as in `titel = x`: in a query that changes records, an assignment may be
  /// meant.
  private func refuseOperator() throws {
    guard let sign = Self.operators.first(where: { characters[at...].starts(with: $0) }) else { return }
    let end = at + sign.count
    guard end == characters.count || characters[end].isWhitespace else { return }
    throw error(
      "'\(sign)' can belong to a condition or to a new value; nothing was changed",
      recovery: .separateAssignment)
  }

  /// Reads a name, in quotation marks if it is not `TypedName.isBare`; nil if there is none.
  mutating func takeFieldName() throws -> String? {
    guard let first = peek else { return nil }
    let start = at
    if first == "\"" {
      var end = at + 1
      while end < characters.count {
        if characters[end] == "\"" {
          guard end + 1 < characters.count, characters[end + 1] == "\"" else { break }
          end += 1
        }
        end += 1
      }
      guard end < characters.count, end > start + 1 else { return nil }
      at = end + 1
      return TypedName.read(String(characters[start...end]))
    }
    guard TypedName.mayBegin(first) else { return nil }
    while let next = peek, TypedName.mayContain(next) { at += 1 }
    return String(characters[start..<at])
  }
}

extension FieldTable {
  /// Whether a condition may have that name.
  func knows(_ name: String) -> Bool { FieldName(name, in: self) != nil }

  /// Whether a comparison with a name is a condition. For `<` and `>` the field must have an order.
  func isComparable(_ name: String, byOrder: Bool) -> Bool {
    switch FieldName(name, in: self, isOrder: byOrder) {
    case .field(let field): !byOrder || field.hasOrder
    case .history(let field): !byOrder || field != .author
    case .kind, .store: !byOrder
    // Numbers and dates may be under the keys of a JSON value.
    case .keys: true
    // An attribute may have the name `is` or `has`.
    case .flag, .presence, nil: !byOrder && self[name] != nil
    }
  }
}

extension FieldTable.Field {
  /// Whether its values are numbers or dates, or JSON that may contain them.
  var hasOrder: Bool { hasKeys || !roles.isDisjoint(with: [.number, .date]) }
}
