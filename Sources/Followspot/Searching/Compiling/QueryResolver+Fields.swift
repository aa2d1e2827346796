// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

extension QueryResolver {
  // MARK: Fields

  func field(_ name: String, _ value: String, isQuoted: Bool, offset: Int) throws -> ResolvedNode {
    func condition(_ query: Query) -> ResolvedNode { .condition(query, offset: offset) }
    switch FieldName(name, in: view.fields) {
    case .kind: return condition(.term(DocumentLayout.entityTerm(try kind(value, at: offset + 5))))
    case .flag:
      if let field = flag(value, .flag) { return condition(.term(DocumentLayout.flagTerm(field.name.lowercased()))) }
      if let field = flag(value, .number) {
        try refuseOtherNumbers(field, offset: offset)
        return condition(numbers(NumberRange(only: SortableNumber(Int64(1))), of: field))
      }
      if case .keys(let field, let keys) = FieldName(value, in: view.fields),
        try view.prefix(of: field, keys: keys) != nil
      {
        return condition(.term(DocumentLayout.JSONTerms(field.fieldPrefix, keys: keys).truth(true)))
      }
      throw unknownFlag(value, at: offset + 3)
    case .store: return condition(try documents(ofStore: value, at: offset))
    case .presence: return condition(try presence(of: value, at: offset + 4))
    case .history(let field): return try history(field, name.lowercased(), value, offset: offset)
    case .field where value == "*" && !isQuoted: return condition(try presence(of: name, at: offset))
    case .field, .keys, nil: break
    }
    var found = try view.fields.titles(ofRelated: name).map {
      try own($0.name, value, isQuoted: isQuoted, offset: offset)
    }
    if !found.isEmpty {
      // A column of the same name may hold numbers: they are the keys of these records.
      if view.fields.hasField(name), let own = try? own(name, value, isQuoted: isQuoted, offset: offset) {
        found.append(own)
      }
      return .anyMeaning(found)
    }
    return try own(name, value, isQuoted: isQuoted, offset: offset)
  }

  /// A condition on a field, or on keys inside its JSON values.
  private func own(_ name: String, _ value: String, isQuoted: Bool, offset: Int) throws -> ResolvedNode {
    func condition(_ query: Query) -> ResolvedNode { .condition(query, offset: offset) }
    let (field, prefix): (FieldTable.Field, [UInt8])
    do {
      (field, prefix) = try resolve(name, at: offset)
    } catch let error as QueryError {
      if name.lowercased() == "from" {
        let sender = try senderField(offset: offset)
        return try self.field(sender, value, isQuoted: isQuoted, offset: offset)
      }
      return try unknownField(name, value, isQuoted: isQuoted, offset: offset, error)
    }
    let roles = roles(of: field)
    var found: [ResolvedNode] = []
    if roles.contains(.text) {
      if isQuoted {
        found.append(try phrase(value, fieldPrefix: prefix, offset: offset))
      } else if QueryParser.isPattern(value) {
        found.append(try pattern(value, prefixes: [prefix], fieldPrefix: prefix, offset: offset))
      } else if value.hasSuffix("*") {
        let start = String(value.dropLast())
        found.append(try self.prefix(start, start[...], fieldPrefix: prefix, offset: offset))
      } else {
        found.append(.word(try word(value, prefix: prefix, in: field)))
      }
    } else if roles.contains(.facet), !isQuoted, QueryParser.isPattern(value) {
      found.append(.pattern(value, prefixes: [view.facetTerm(field, "")], offset: offset))
    } else if roles.contains(.facet) {
      let isPrefix = value.dropFirst().hasSuffix("*")
      let text = isPrefix ? String(value.dropLast()) : value
      let term = view.facetTerm(field, text)
      found.append(condition(isPrefix ? .prefixes([term]) : .term(term)))
    }
    if roles.contains(.number), let number = Self.number(value, field) {
      found.append(condition(numbers(NumberRange(only: number), of: field)))
    }
    if roles.contains(.date), let period = DatePeriod(value, now: now) {
      found.append(condition(dates(from: period.lower, to: period.upper, of: field)))
    }
    if roles.contains(.flag), let wanted = Self.truth(value) {
      let flag = Query.term(DocumentLayout.flagTerm(field.name.lowercased()))
      found.append(condition(wanted ? flag : .andNot(.everything, flag)))
    }
    if let terms = jsonTerms(name) { found += try typed(value, terms, offset) }
    guard !found.isEmpty else {
      throw error(
        "\(field.name) takes \(Self.types(roles)), not '\(value)'", at: offset + name.count + 1,
        recovery: recovery(field, value))
    }
    return .anyMeaning(found)
  }

  /// Refuses a column of numbers as a flag if it has other values than 0 and 1.
  private func refuseOtherNumbers(_ field: FieldTable.Field, offset: Int) throws {
    let flags = [Int64(0), 1].map { Query.range(slot: field.slot, NumberRange(only: SortableNumber($0))) }
    let others = Query.andNot(numbers(NumberRange(from: nil, to: nil), of: field), .or(flags))
    guard try view.frequency(of: others) > 0 else { return }
    throw error(
      "\(field.name) is not a flag: it has other numbers than 0 and 1", at: offset + 3,
      recovery: .examples(["\(field.name):1", "\(field.name):>0", "has:\(field.name)"]))
  }

  /// The field that `from:` means if none has that name: that of senders or authors.
  ///
  /// - Throws: `QueryError` with the names of the fields of texts if none of them is such a field.
  private func senderField(offset: Int) throws -> String {
    let names = view.fields.names.filter {
      view.fields[$0]?.roles.isDisjoint(with: [.text, .facet]) == false
    }
    for wanted in ["sender", "author", "from"] {
      let found = names.filter { name in
        let name = name.lowercased()
        return name.hasPrefix(wanted) || name.hasSuffix(wanted)
      }.min { $0.count < $1.count }
      if let found { return found }
    }
    throw error("no field is named 'from', 'sender' or 'author'", at: offset, recovery: .knownNames(names))
  }

  /// A number, or 1 and 0 for `true` and `false`: databases keep flags as numbers.
  private static func number(_ value: String, _ field: FieldTable.Field) -> SortableNumber? {
    NumberText.sortable(value, in: field.unit) ?? truth(value).map { SortableNumber(Int64($0 ? 1 : 0)) }
  }

  /// Signs for names that other query languages give to conditions on dates.
  private static let sides = ["before": "<", "until": "<=", "older": "<", "after": ">", "since": ">=", "newer": ">"]

  /// Reads `name:value` as words if no field has that name: an address or `std::string` always, and other text if the
  /// index has its words and no field has a similar name.
  ///
  /// - Throws: `error` otherwise, with the condition on a date that may have been meant.
  private func unknownField(
    _ name: String, _ value: String, isQuoted: Bool, offset: Int, _ error: QueryError
  ) throws -> ResolvedNode {
    if let side = Self.sides[name.lowercased()], DatePeriod(value, now: now) != nil {
      let dates = view.fields.names.filter { view.fields[$0]?.roles.contains(.date) == true }
      let value = isQuoted ? "\"\(value)\"" : value
      if !dates.isEmpty {
        throw self.error(
          error.message, at: offset, recovery: .examples(dates.prefix(3).map { "\($0):\(side)\(value)" }))
      }
    }
    guard !isQuoted, !isStrict else { throw error }
    let text = "\(name):\(value)"
    if value.hasPrefix("//") || value.hasPrefix(":") { return .word(try word(text)) }
    let words = try tokens(text)
    guard error.recovery == .listFields, words.count > 1,
      try words.allSatisfy({ try view.frequency(ofWord: $0, prefix: []) > 0 })
    else { throw error }
    return .word(try word(text, note: "no field is named '\(name)': '\(text)' is searched as words"))
  }

  /// What to write instead of a value that does not fit the field.
  private func recovery(_ field: FieldTable.Field, _ value: String) -> QueryError.Recovery {
    if roles(of: field).contains(.number), let decade = DatePeriod.decade(value) {
      return .examples(["\(field.name):\(decade)..\(decade + 9)"])
    }
    return field.scale(for: value).map { .scale($0) } ?? .examples(Self.examples(field.name, roles(of: field)))
  }

  /// The documents with a value of a field of that name, or with the title of a related record.
  private func presence(of name: String, at offset: Int) throws -> Query {
    let named = [try resolve(name, at: offset).0] + view.fields.titles(ofRelated: name)
    return .or(named.map(presence))
  }

  /// The documents with a value of a field.
  private func presence(of field: FieldTable.Field) -> Query {
    let outside = Query.term(DocumentLayout.presenceTerm(field.fieldPrefix))
    guard field.slotContent != nil else { return outside }
    return .or([.range(slot: field.slot, NumberRange(from: nil, to: nil)), outside])
  }

  // MARK: Ranges

  func range(_ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, offset: Int) throws
    -> ResolvedNode
  {
    if case .history(let field) = FieldName(name, in: view.fields) {
      return try history(field, name, low, high, offset: offset)
    }
    let (field, _) = try resolve(name, at: offset)
    let roles = roles(of: field)
    var found: [ResolvedNode] = []
    var refusal: QueryError?
    // Bounds that are not of one type of the field may be of another one.
    func add(_ meaning: () throws -> [ResolvedNode]) throws {
      do { found += try meaning() } catch let error as QueryError { refusal = refusal ?? error }
    }
    if roles.contains(.number) {
      try add {
        let range = NumberRange(
          from: try low.map { try number($0, field, at: offset + name.count + 1) },
          to: try high.map { try number($0, field, at: offset + name.count + 1) })
        if range.isReversed { throw reversed(name, low, high, offset) }
        return [.condition(numbers(range, of: field), offset: offset)]
      }
    }
    if roles.contains(.date) {
      try add {
        let (start, end) = try period(name, low, high, offset)
        return [.condition(dates(from: start, to: end, of: field), offset: offset)]
      }
    }
    if let terms = jsonTerms(name) { try add { try range(name, low, high, terms, offset) } }
    guard !found.isEmpty else {
      throw refusal
        ?? error(
          "\(field.name) does not support ranges: it is neither a number nor a date", at: offset,
          recovery: .searchWords(field: field.name))
    }
    return .anyMeaning(found)
  }

  private func numbers(_ range: NumberRange, of field: FieldTable.Field) -> Query {
    condition(.range(slot: field.slot, range), on: field, areDates: false)
  }

  private func dates(from start: DateBound?, to end: DateBound?, of field: FieldTable.Field) -> Query {
    let query = DatePeriod.query(from: start, to: end, fieldPrefix: field.fieldPrefix, slot: field.slot)
    return condition(query, on: field, areDates: true)
  }

  private func number(_ bound: QueryNode.Bound, _ field: FieldTable.Field, at offset: Int) throws -> NumberRange.Bound {
    if let number = NumberText.sortable(bound.text, in: field.unit) {
      return NumberRange.Bound(number, isInclusive: bound.isInclusive)
    }
    throw error(
      "\(field.name) takes numbers, not '\(bound.text)'", at: offset,
      recovery: .examples(
        ["\(field.name):1..10", "\(field.name):>=5", "\(field.name):<2.5M"], field.scale(for: bound.text)))
  }

  /// The bounds of a range of dates, without the end itself; nil is an open end.
  func period(
    _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, _ offset: Int, isOfHistory: Bool = false
  ) throws -> (start: DateBound?, end: DateBound?) {
    func period(_ bound: QueryNode.Bound) throws -> DatePeriod {
      if let period = DatePeriod(bound.text, now: now, isOfHistory: isOfHistory) { return period }
      throw error(
        "\(name) takes dates, not '\(bound.text)'", at: offset + name.count + 1,
        recovery: .examples(["\(name):1995..2010", "\(name):>=2001-12-31", "\(name):last-month", "\(name):7d.."]))
    }
    let start = try low.map { try period($0).lowest(isInclusive: $0.isInclusive) }
    let end = try high.map { try period($0).highest(isInclusive: $0.isInclusive) }
    if let start, let end, start.plain >= end.plain, start.instant >= end.instant {
      throw reversed(name, low, high, offset)
    }
    return (start, end)
  }

  /// The error for a range such as `year:2000..1990`, which nothing can match.
  func reversed(
    _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, _ offset: Int
  ) -> QueryError {
    error(
      "the range \(low?.text ?? "")..\(high?.text ?? "") ends before it begins", at: offset + name.count + 1,
      recovery: .examples([QueryNode.range(name: name, low: high, high: low, offset: offset).text]))
  }
}
