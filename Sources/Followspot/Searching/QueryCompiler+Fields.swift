internal import IndexDefinitions
internal import SearchIndex

extension QueryCompiler {
  // MARK: Fields

  mutating func field(_ name: String, _ value: String, isQuoted: Bool, place: Int) throws -> Query {
    switch name.lowercased() {
    case "kind": return .term(DocumentLayout.entityTerm(try kind(value, place: place)))
    case "is": return .term(DocumentLayout.flagTerm(try flag(value, place: place)))
    case "has" where index.fields["has"] == nil: return try present(value, place: place)
    case let name where HistoryField(name, in: index.fields) != nil:
      return try history(name, value, place: place)
    default: break
    }
    let (field, prefix) = try resolve(name, at: place)
    var found: [Query] = []
    if field.roles.contains(.text) {
      if isQuoted {
        found.append(try phrase(value, prefix: prefix))
      } else if QueryParser.isPattern(value) {
        found.append(try pattern(value, prefix: prefix, place: place))
      } else if value.hasSuffix("*") {
        found.append(try beginning(String(value.dropLast()), prefix: prefix, place: place))
      } else if let word = try word(value, prefix: prefix, languages: field.languages) {
        found.append(word)
      }
    } else if field.roles.contains(.facet), !isQuoted, value.dropFirst().hasSuffix("*") {
      let beginning = DocumentLayout.facetTerm(field.fieldPrefix, folder.fold(String(value.dropLast())).lowercased())
      found.append(try expanded(String(value.dropLast()), beginning, place: place))
    } else if field.roles.contains(.facet) {
      found.append(.term(DocumentLayout.facetTerm(field.fieldPrefix, folder.fold(value).lowercased())))
    }
    if field.roles.contains(.number), let number = NumberText.sortable(value, in: field.unit) {
      found.append(try spend(.range(slot: field.slot, NumberRange(only: number)), place: place))
    }
    if field.roles.contains(.date), let period = DatePeriod(value, now: now) {
      found.append(try spend(period.query(fieldPrefix: field.fieldPrefix, slot: field.slot), place: place))
    }
    if field.roles.contains(.flag), let wanted = Self.truth(value) {
      let flag = Query.term(DocumentLayout.flagTerm(field.name.lowercased()))
      found.append(wanted ? flag : .andNot(.everything, flag))
    }
    guard let first = found.first else {
      if field.roles.contains(.text) { return .nothing }
      throw QueryError(
        "\(field.name) takes \(Self.kinds(field)), not '\(value)'", query: query, place: place + name.count + 1,
        hint: Self.unitHint(field, value) ?? Self.example(field))
    }
    return found.count == 1 ? first : .or(found)
  }

  /// Documents with a value in a field.
  private func present(_ value: String, place: Int) throws -> Query {
    let (field, _) = try resolve(value, at: place + 4)
    return .term(DocumentLayout.presenceTerm(field.fieldPrefix))
  }

  mutating func range(
    _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, place: Int
  ) throws -> Query {
    if HistoryField(name, in: index.fields) != nil { return try history(name, low, high, place: place) }
    let (field, _) = try resolve(name, at: place)
    var found: [Query] = []
    if field.roles.contains(.number) {
      let range = NumberRange(
        from: try low.map { try number($0, field, place + name.count + 1) },
        to: try high.map { try number($0, field, place + name.count + 1) })
      if range.isReversed { throw reversed(name, low, high, place) }
      found.append(try spend(.range(slot: field.slot, range), place: place))
    }
    if field.roles.contains(.date) {
      let start = try low.map { try period($0, name, place).lowest(isInclusive: $0.isInclusive) }
      let end = try high.map { try period($0, name, place).highest(isInclusive: $0.isInclusive) }
      if let start, let end, start >= end { throw reversed(name, low, high, place) }
      let query = DatePeriod.query(from: start, to: end, fieldPrefix: field.fieldPrefix, slot: field.slot)
      found.append(try spend(query, place: place))
    }
    guard let first = found.first else {
      throw QueryError(
        "\(field.name) has no ranges: it is neither a number nor a date", query: query, place: place,
        hint: "search its words with \(field.name):word")
    }
    return found.count == 1 ? first : .or(found)
  }

  /// What is wrong with `year:2000..1990`, which nothing can match.
  func reversed(
    _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, _ place: Int
  ) -> QueryError {
    QueryError(
      "the range \(low?.text ?? "")..\(high?.text ?? "") ends before it begins", query: query,
      place: place + name.count + 1, hint: QueryNode.range(name: name, low: high, high: low, place: place).text)
  }
}
