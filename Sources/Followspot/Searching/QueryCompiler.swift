internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

/// Gives a parsed query its meaning in one index: fields become prefixes and slots, words become terms.
struct QueryCompiler {
  /// Plain words that are kept of a longer query: the rarest.
  private static let mostWords = 64
  /// Documents in which the places of words are compared for all phrases but the first.
  static let mostComparisons = 200_000
  /// Words of all phrases together.
  static let phraseWords = 64
  /// Comparisons of values, which are slow, in a query.
  private static let mostRanges = 16
  /// Words that are corrected; each is compared with every word of the index.
  static let mostCorrections = 4
  /// Records that a query may name through the history.
  static let mostRows = 200_000
  /// Words that all wildcards of a query may stand for together.
  static let mostExpansions = 10_000

  let query: String
  let index: OpenIndex
  /// Where the history is read; without one, no query asks for it.
  let store: PersistentStore?
  /// Whether words that occur nowhere are corrected, and what exceeds a bound is left out and noted. Otherwise, and
  /// below NOT, where less means more hits, what exceeds a bound is refused.
  var mayApproximate = true
  /// Seconds since 2001, for `yesterday` and the like.
  var now = DatePeriod.now
  var folder = TextFolder()
  /// nil before the first phrase.
  var comparisonsLeft: Int?
  var phraseWordsLeft = phraseWords
  var expansionsLeft = mostExpansions
  var corrections: [Correction] = []
  /// Words that occur nowhere.
  var unknown: [UnknownWord] = []
  /// What to take in their place; nil before that was looked for.
  var replacements: [UnknownWord: String]?
  var rowsLeft = mostRows
  private var rangesLeft = mostRanges
  /// Made when first asked.
  var synonyms: Synonyms?
  var loose: [Query] = []
  /// What is to be said about words.
  var notes: [String] = []

  init(query: String, parsed: ParsedQuery, index: OpenIndex, store: PersistentStore? = nil) throws {
    self.query = query
    self.index = index
    self.store = store
    let leaves = Self.count(parsed.root)
    guard leaves.others + (parsed.isExplicit ? leaves.words : 0) <= Self.mostWords else {
      throw QueryError(
        "the query has more than \(Self.mostWords) terms", query: query, place: nil, hint: "search for fewer")
    }
  }

  /// Takes one of the comparisons that a query may make.
  mutating func spend(_ range: Query, place: Int) throws -> Query {
    guard case .range = range else { return range }
    rangesLeft -= 1
    guard rangesLeft >= 0 else {
      throw QueryError(
        "the query compares more than \(Self.mostRanges) ranges", query: query, place: place,
        hint: "write fewer, or ranges of whole months")
    }
    return range
  }

  private static func count(_ node: QueryNode) -> (words: Int, others: Int) {
    switch node {
    case .word: (1, 0)
    case .near(let words, _): (0, words.count)
    case .beginning, .pattern, .field, .phrase, .range, .everything: (0, 1)
    case .not(let inner): count(inner)
    case .and(let operands), .or(let operands):
      operands.map(count).reduce((0, 0)) { ($0.0 + $1.words, $0.1 + $1.others) }
    }
  }

  /// Notes that a part of the query is left out because it exceeds a bound.
  ///
  /// - Throws: `QueryError` where only an exact answer will do.
  mutating func leaveOut(_ reason: String, searched: String, place: Int?, hint: String) throws {
    guard mayApproximate else { throw QueryError(reason, query: query, place: place, hint: hint) }
    let note = "\(reason): \(searched)"
    if !notes.contains(note) { notes.append(note) }
  }

  // MARK: Plan

  mutating func plan(_ parsed: ParsedQuery) throws -> Plan {
    let untouched = self
    var plan = try planParts(parsed)
    if !unknown.isEmpty, case let replacements = try closest(), !replacements.isEmpty {
      self = untouched
      self.replacements = replacements
      plan = try planParts(parsed)
    }
    plan.notes += parsed.notes + notes
    if !corrections.isEmpty {
      let corrected = Correction.apply(corrections, to: query)
      plan.corrected = corrected
      plan.notes.append("corrected to: \(corrected)")
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
    var words: [PlainWord] = []
    var typed: [String] = []
    var known: [String: Query?] = [:]
    func corrected(_ word: String) -> String { corrections.first { $0.typed == word }?.replacement ?? word }
    for (place, node) in nodes.enumerated() {
      switch node {
      case .word(let text):
        plan.plainWords += 1
        typed.append(text)
        let query = try known[text] ?? word(text, prefix: [])
        known[text] = query
        // A repeated word counts as often as it is typed.
        if let query { words.append(PlainWord(text: text, query: query, places: place..<(place + 1))) }
      case .everything: break
      case .not(let inner): plan.excluded.append(try excluded(inner))
      default: plan.required.append(try compile(node))
      }
    }
    words = try joinedBySynonyms(words)
    plan.joined = words.map(\.places).filter { $0.count > 1 }
    plan.loose = loose
    plan.typed = (typed.isEmpty ? Self.onlyPhrase(nodes) : typed).map(corrected)
    plan.readings = try readings(of: plan.typed)
    let stopWords = Set(index.definition.stopWords)
    let carrying = words.filter { !stopWords.contains(folder.fold($0.text).lowercased()) }
    plan.words = (carrying.isEmpty ? words : carrying).map(\.query)
    if !carrying.isEmpty { plan.ignoredWords = Set(words.map(\.text)).subtracting(carrying.map(\.text)) }
    if plan.words.count > Self.mostWords {
      try leaveOut(
        "the query has \(plan.words.count) words, more than \(Self.mostWords)",
        searched: "the rarest \(Self.mostWords) are searched", place: nil, hint: "search for fewer words")
      plan.words = try rarest(plan.words)
    }
    return plan
  }

  /// The words of a query that is one phrase.
  private static func onlyPhrase(_ nodes: [QueryNode]) -> [String] {
    let phrases = nodes.compactMap { if case .phrase(let text) = $0 { text } else { nil } }
    return phrases.count == 1 ? phrases : []
  }

  private func rarest(_ words: [Query]) throws -> [Query] {
    let counted = try words.enumerated().map { index, query -> (Int, Int, Query) in
      let frequency: Int =
        switch query {
        case .term(let term): try self.index.reader.frequency(of: term)
        case .phrase(let terms): try rarest(of: terms)
        case .filter(.and(let terms), _):
          try rarest(of: terms.compactMap { if case .term(let term) = $0 { term } else { nil } })
        case .or(let others), .synonyms(let others):
          try others.reduce(0) {
            if case .term(let term) = $1 { try $0 + self.index.reader.frequency(of: term) } else { $0 }
          }
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

  /// What is not to be found: a word that occurs nowhere excludes nothing, and is no reason to guess.
  private mutating func excluded(_ node: QueryNode) throws -> Query {
    let could = mayApproximate
    mayApproximate = false
    defer { mayApproximate = could }
    return try compile(node)
  }

  mutating func compile(_ node: QueryNode) throws -> Query {
    switch node {
    case .word(let text): return try word(text, prefix: []) ?? .nothing
    case .phrase(let text): return try phrase(text, prefix: [])
    case .near(let words, let distance): return try near(words, distance)
    case .beginning(let text, let place): return try beginning(text, prefix: [], place: place)
    case .pattern(let text, let place): return try pattern(text, prefix: [], place: place)
    case .everything: return .everything
    case .not(let inner): return .andNot(.everything, try excluded(inner))
    case .or(let operands): return .or(try operands.map { try compile($0) })
    case .and(let operands):
      var positive: [Query] = []
      var excluded: [Query] = []
      for operand in operands {
        if case .not(let inner) = operand {
          excluded.append(try self.excluded(inner))
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
}
