internal import IndexDefinitions
internal import SearchIndex

/// Gives a parsed query its meaning in one index: fields become prefixes and slots, words become terms.
struct QueryCompiler {
  /// A query in the parts that widening needs.
  struct Plan {
    /// One a plain word that carries something; stop words are gone while another word remains.
    var words: [Query] = []
    /// As typed, before stop words were dropped.
    var plainWords = 0
    /// What every hit has.
    var required: [Query] = []
    /// What no hit has.
    var excluded: [Query] = []
    var isExplicit = false
    var notes: [String] = []

    /// All words.
    var all: Query { complete(words) }
    /// Any of the words.
    var any: Query { complete(words.isEmpty ? [] : [.or(words)]) }

    private func complete(_ words: [Query]) -> Query {
      let parts = words + required
      let positive: Query =
        switch parts.count {
        case 0: plainWords > 0 ? .nothing : .everything
        case 1: parts[0]
        default: .and(parts)
        }
      return excluded.isEmpty ? positive : .andNot(positive, excluded.count == 1 ? excluded[0] : .or(excluded))
    }
  }

  /// Plain words that are kept of a longer query: the rarest.
  private static let mostWords = 64
  /// Words of all phrases together; positions are slow to compare.
  private static let phraseWords = 64
  /// Terms that all wildcards of a query may become together.
  private static let wildcardTerms = 200

  let query: String
  let index: OpenIndex
  private let wildcardLimit: Int
  private var folder = TextFolder()
  private var isPhraseLoose = false
  private var phraseWordsLeft = phraseWords

  init(query: String, parsed: ParsedQuery, index: OpenIndex) throws {
    self.query = query
    self.index = index
    let leaves = Self.count(parsed.root)
    guard leaves.others + (parsed.isExplicit ? leaves.words : 0) <= Self.mostWords else {
      throw QueryError(
        "the query has more than \(Self.mostWords) terms", query: query, place: nil, hint: "search for fewer")
    }
    wildcardLimit = max(10, Self.wildcardTerms / max(1, leaves.wildcards))
  }

  private static func count(_ node: QueryNode) -> (words: Int, others: Int, wildcards: Int) {
    switch node {
    case .word: (1, 0, 0)
    case .beginning: (0, 1, 1)
    case .field(_, let value, let isQuoted, _): (0, 1, !isQuoted && value.hasSuffix("*") ? 1 : 0)
    case .phrase, .range, .everything: (0, 1, 0)
    case .not(let inner): count(inner)
    case .and(let operands), .or(let operands):
      operands.map(count).reduce((0, 0, 0)) { ($0.0 + $1.words, $0.1 + $1.others, $0.2 + $1.wildcards) }
    }
  }

  // MARK: Plan

  mutating func plan(_ parsed: ParsedQuery) throws -> Plan {
    var plan = try planParts(parsed)
    if isPhraseLoose {
      plan.notes.append("phrases of more than \(Self.phraseWords) words together: of the rest, the words anywhere")
    }
    return plan
  }

  private mutating func planParts(_ parsed: ParsedQuery) throws -> Plan {
    var plan = Plan()
    plan.isExplicit = parsed.isExplicit
    guard !parsed.isExplicit else {
      plan.required = [try compile(parsed.root)]
      return plan
    }
    let nodes: [QueryNode] = if case .and(let operands) = parsed.root { operands } else { [parsed.root] }
    var words: [(text: String, query: Query)] = []
    for node in nodes {
      switch node {
      case .word(let text):
        plan.plainWords += 1
        guard let query = try word(text, prefix: []), !words.contains(where: { $0.query == query }) else { continue }
        words.append((text, query))
      case .everything: break
      case .not(let inner): plan.excluded.append(try compile(inner))
      default: plan.required.append(try compile(node))
      }
    }
    let stopWords = Set(index.state.definition.stopWords)
    let carrying = words.filter { !stopWords.contains(folder.fold($0.text).lowercased()) }
    plan.words = (carrying.isEmpty ? words : carrying).map(\.query)
    if plan.words.count > Self.mostWords {
      plan.notes.append("\(plan.words.count) words are too many: the rarest \(Self.mostWords) are searched")
      plan.words = try rarest(plan.words)
    }
    return plan
  }

  private func rarest(_ words: [Query]) throws -> [Query] {
    let counted = try words.enumerated().map { index, query -> (Int, Int, Query) in
      let frequency: Int =
        switch query {
        case .term(let term): try self.index.reader.frequency(of: term)
        case .phrase(let terms): try rarest(of: terms)
        case .filter(.and(let terms), _):
          try rarest(of: terms.compactMap { if case .term(let term) = $0 { term } else { nil } })
        default: 0
        }
      return (frequency, index, query)
    }
    // Words that occur nowhere say nothing: they are the last to be kept.
    return counted.map { ($0.0 == 0 ? Int.max : $0.0, $0.1, $0.2) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(
      Self.mostWords
    ).sorted { $0.1 < $1.1 }.map(\.2)
  }

  private func rarest(of terms: [[UInt8]]) throws -> Int {
    try terms.map { try index.reader.frequency(of: $0) }.min() ?? 0
  }

  // MARK: Nodes

  private mutating func compile(_ node: QueryNode) throws -> Query {
    switch node {
    case .word(let text): return try word(text, prefix: []) ?? .nothing
    case .phrase(let text): return try phrase(text, prefix: [])
    case .beginning(let text, let place): return try beginning(text, prefix: [], place: place)
    case .everything: return .everything
    case .not(let inner): return .andNot(.everything, try compile(inner))
    case .or(let operands): return .or(try operands.map { try compile($0) })
    case .and(let operands):
      var positive: [Query] = []
      var excluded: [Query] = []
      for operand in operands {
        if case .not(let inner) = operand {
          excluded.append(try compile(inner))
        } else {
          positive.append(try compile(operand))
        }
      }
      let base: Query = positive.isEmpty ? .everything : positive.count == 1 ? positive[0] : .and(positive)
      return excluded.isEmpty ? base : .andNot(base, .or(excluded))
    case .field(let name, let value, let isQuoted, let place):
      return try field(name, value, isQuoted: isQuoted, place: place)
    case .range(let name, let low, let high, let place):
      return try range(name, low, high, place: place)
    }
  }

  // MARK: Words

  /// One word as typed: its stem where it has one; several tokens, as in `node.js`, are a phrase. nil where there is
  /// nothing to search for.
  private mutating func word(_ text: String, prefix: [UInt8]) throws -> Query? {
    let tokens = try index.reader.tokens(of: folder.fold(text))
    guard let first = tokens.first else { return nil }
    guard tokens.count == 1 else { return adjacent(tokens, prefix: prefix) }
    guard let stemmed = first.stemmed else { return .term(prefix + first.raw) }
    return .term([UInt8(ascii: "Z")] + prefix + stemmed)
  }

  private mutating func phrase(_ text: String, prefix: [UInt8]) throws -> Query {
    let tokens = try index.reader.tokens(of: folder.fold(text))
    switch tokens.count {
    case 0: return .nothing
    case 1: return .term(prefix + tokens[0].raw)
    default: return adjacent(tokens, prefix: prefix)
    }
  }

  /// The tokens as a phrase; beyond what a query may compare, all of them anywhere.
  private mutating func adjacent(_ tokens: [IndexReader.Token], prefix: [UInt8]) -> Query {
    let terms = tokens.map { prefix + $0.raw }
    let words = Array(Set(terms)).sorted { $0.lexicographicallyPrecedes($1) }.prefix(Self.phraseWords).map(Query.term)
    guard terms.count <= phraseWordsLeft else {
      isPhraseLoose = true
      return .and(words)
    }
    phraseWordsLeft -= terms.count
    guard prefix.isEmpty else { return .phrase(terms) }
    // Words without a field have weights, words of a field have places: the former rank, the latter decide.
    let inFields = index.fields.textPrefixes.map { prefix in Query.phrase(terms.map { prefix + $0 }) }
    return .filter(.and(words), by: .or(inFields))
  }

  private mutating func beginning(_ text: String, prefix: [UInt8], place: Int) throws -> Query {
    let tokens = try index.reader.tokens(of: folder.fold(text))
    guard let last = tokens.last else { return .nothing }
    guard text.count >= QueryParser.shortestBeginning else {
      throw QueryError(
        "\(text)* is too short", query: query, place: place,
        hint: "give at least \(QueryParser.shortestBeginning) letters before *")
    }
    let wildcard = Query.wildcard(beginning: prefix + last.raw, limit: wildcardLimit)
    let before = tokens.dropLast().map { Query.term(prefix + $0.raw) }
    return before.isEmpty ? wildcard : .and(before + [wildcard])
  }

  // MARK: Fields

  private mutating func field(_ name: String, _ value: String, isQuoted: Bool, place: Int) throws -> Query {
    switch name.lowercased() {
    case "kind": return .term(DocumentLayout.entityTerm(try kind(value, place: place)))
    case "is": return .term(DocumentLayout.flagTerm(try flag(value, place: place)))
    default: break
    }
    let (field, prefix) = try resolve(name, place: place)
    var found: [Query] = []
    if field.roles.contains(.text) {
      if isQuoted {
        found.append(try phrase(value, prefix: prefix))
      } else if value.hasSuffix("*") {
        found.append(try beginning(String(value.dropLast()), prefix: prefix, place: place))
      } else if let word = try word(value, prefix: prefix) {
        found.append(word)
      }
    } else if field.roles.contains(.facet) {
      found.append(.term(DocumentLayout.facetTerm(field.letters, folder.fold(value).lowercased())))
    }
    if field.roles.contains(.number), let number = Double(value), number.isFinite {
      found.append(.range(slot: field.slot, low: number, high: number))
    }
    if field.roles.contains(.date), let period = DatePeriod(value) {
      found.append(period.query(letters: field.letters, slot: field.slot))
    }
    if field.roles.contains(.flag), let wanted = Self.truth(value) {
      let flag = Query.term(DocumentLayout.flagTerm(field.name.lowercased()))
      found.append(wanted ? flag : .andNot(.everything, flag))
    }
    guard let first = found.first else {
      if field.roles.contains(.text) { return .nothing }
      throw QueryError(
        "\(field.name) takes \(Self.kinds(field)), not '\(value)'", query: query, place: place + name.count + 1,
        hint: Self.example(field))
    }
    return found.count == 1 ? first : .or(found)
  }

  private func range(
    _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, place: Int
  ) throws -> Query {
    let (field, _) = try resolve(name, place: place)
    var found: [Query] = []
    if field.roles.contains(.number) {
      let from = try low.map { try number($0, field, place + name.count + 1) }
      let to = try high.map { try number($0, field, place + name.count + 1) }
      let lowest = from.map { low?.isInclusive == true ? $0 : $0.nextUp } ?? -.infinity
      let highest = to.map { high?.isInclusive == true ? $0 : $0.nextDown } ?? .infinity
      found.append(.range(slot: field.slot, low: lowest, high: highest))
    }
    if field.roles.contains(.date) {
      let from = try low.map { try period($0, field, place + name.count + 1) }
      let to = try high.map { try period($0, field, place + name.count + 1) }
      let start = from.map { low?.isInclusive == true ? $0.start : $0.end }
      let end = to.map { high?.isInclusive == true ? $0.end : $0.start }
      found.append(DatePeriod.query(from: start, to: end, letters: field.letters, slot: field.slot))
    }
    guard let first = found.first else {
      throw QueryError(
        "\(field.name) has no ranges: it is neither a number nor a date", query: query, place: place,
        hint: "search its words with \(field.name):word")
    }
    return found.count == 1 ? first : .or(found)
  }

  private func number(_ bound: QueryNode.Bound, _ field: FieldTable.Field, _ place: Int) throws -> Double {
    if let number = Double(bound.text), number.isFinite { return number }
    throw QueryError(
      "\(field.name) takes numbers, not '\(bound.text)'", query: query, place: place,
      hint: "\(field.name):1..10 or \(field.name):>=5")
  }

  private func period(_ bound: QueryNode.Bound, _ field: FieldTable.Field, _ place: Int) throws -> DatePeriod {
    if let period = DatePeriod(bound.text) { return period }
    throw QueryError(
      "\(field.name) takes dates, not '\(bound.text)'", query: query, place: place,
      hint: "\(field.name):1995..2010 or \(field.name):>=2001-12-31")
  }

  // MARK: Names

  private func resolve(_ name: String, place: Int) throws -> (FieldTable.Field, prefix: [UInt8]) {
    if let field = index.fields[name] { return (field, DocumentLayout.textPrefix(field.letters)) }
    let lowered = name.lowercased()
    for base in index.fields.names where lowered.hasPrefix(base.lowercased() + ".") {
      guard let field = index.fields[base], field.hasKeys else { continue }
      let keys = String(lowered.dropFirst(base.count + 1))
      if let prefix = DocumentLayout.textPrefix(field.letters, keys: keys),
        try index.reader.term(atOrAfter: prefix)?.starts(with: prefix) == true
      {
        return (field, prefix)
      }
      throw unknown("field", name, NearestNames.of(name, among: try index.keys(of: field)), place)
    }
    throw unknown("field", name, NearestNames.of(name, among: index.fields.names + ["kind", "is"]), place)
  }

  private func kind(_ value: String, place: Int) throws -> String {
    let known = index.state.definition.entities.keys.sorted()
    if let found = known.first(where: { $0.lowercased() == value.lowercased() }) { return found }
    let nearest = NearestNames.of(value, among: known)
    throw unknown("kind", value, nearest.isEmpty ? Array(known.prefix(5)) : nearest, place + 5)
  }

  private func flag(_ value: String, place: Int) throws -> String {
    for name in [value, "is" + value] {
      if let field = index.fields[name], field.roles.contains(.flag) { return field.name.lowercased() }
    }
    let known = index.fields.names.filter { index.fields[$0]?.roles.contains(.flag) == true }
    let nearest = NearestNames.of(value, among: known)
    throw unknown("flag", value, nearest.isEmpty ? Array(known.prefix(5)) : nearest, place + 3)
  }

  private func unknown(_ what: String, _ name: String, _ nearest: [String], _ place: Int) -> QueryError {
    let hint = nearest.isEmpty ? nil : "did you mean \(nearest.joined(separator: ", "))?"
    return QueryError(
      "no \(what) is named '\(name)'", query: query, place: place,
      hint: hint ?? (what == "field" ? "followspot schema lists the fields; --literal takes the text as words" : nil))
  }

  private static func truth(_ value: String) -> Bool? {
    switch value.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  private static func kinds(_ field: FieldTable.Field) -> String {
    let words: [(FieldDefinition.Role, String)] = [(.number, "a number"), (.date, "a date"), (.flag, "true or false")]
    let own = words.filter { field.roles.contains($0.0) }.map(\.1)
    return own.isEmpty ? "no search: it is only stored" : own.joined(separator: " or ")
  }

  private static func example(_ field: FieldTable.Field) -> String? {
    if field.roles.contains(.number) { return "\(field.name):5 or \(field.name):1..10" }
    if field.roles.contains(.date) { return "\(field.name):1995, \(field.name):1995-11-22 or \(field.name):1995..2010" }
    return field.roles.contains(.flag) ? "is:\(field.name)" : nil
  }
}
