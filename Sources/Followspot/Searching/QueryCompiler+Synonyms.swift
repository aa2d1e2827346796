internal import IndexDefinitions
internal import SearchIndex

/// What a definition names beside words, by the stems of their tokens: `sci-fi` and `sci fi` are the same.
struct Synonyms {
  private var others: [[[UInt8]]: [String]] = [:]
  /// Tokens of the longest key.
  private(set) var longest = 0

  init(_ definition: IndexDefinition, _ reader: IndexReader, _ folder: inout TextFolder) throws {
    for (words, others) in definition.synonyms.sorted(by: { $0.key < $1.key }) {
      let key = Self.key(try reader.tokens(of: folder.fold(words)))
      guard !key.isEmpty else { continue }
      self.others[key, default: []] += others
      longest = max(longest, key.count)
    }
  }

  func others(of tokens: [IndexReader.Token]) -> [String] {
    tokens.count > longest ? [] : others[Self.key(tokens)] ?? []
  }

  private static func key(_ tokens: [IndexReader.Token]) -> [[UInt8]] { tokens.map { $0.stemmed ?? $0.raw } }
}

extension QueryCompiler {
  /// Maximum number of texts that replace the query's with synonyms.
  private static let mostReadings = 8

  private mutating func loadedSynonyms() throws -> Synonyms? {
    guard !index.definition.synonyms.isEmpty else { return nil }
    if synonyms == nil { synonyms = try Synonyms(index.definition, index.reader, &folder) }
    return synonyms
  }

  /// What the definition names beside a text, or beside other forms of its words.
  mutating func synonyms(of tokens: [IndexReader.Token]) throws -> [String] {
    try loadedSynonyms()?.others(of: tokens) ?? []
  }

  private mutating func synonyms(ofWords words: ArraySlice<String>) throws -> [String] {
    try synonyms(of: index.reader.tokens(of: folder.fold(words.joined(separator: " "))))
  }

  /// A plain word of a query.
  struct PlainWord {
    /// As typed, or as corrected.
    let text: String
    let query: Query
    /// Among the parts of the query; several where words have synonyms together.
    let places: Range<Int>
  }

  /// The words with those joined that have synonyms together, such as `science fiction`: all of them or one of the
  /// synonyms, which count as one word. Where any word of the query is enough, each of them is, in records that do not
  /// have the joined ones.
  mutating func joinedBySynonyms(_ words: [PlainWord]) throws -> [PlainWord] {
    guard let longest = try loadedSynonyms()?.longest, longest > 1 else { return words }
    var joined: [PlainWord] = []
    var at = 0
    while at < words.count {
      let most =
        (1...min(longest, words.count - at)).last {
          words[at + $0 - 1].places.lowerBound == words[at].places.lowerBound + $0 - 1
        } ?? 1
      var count = most
      var others: [String] = []
      while count > 1 {
        others = try synonyms(ofWords: words[at..<(at + count)].map(\.text)[...])
        if !others.isEmpty { break }
        count -= 1
      }
      let run = words[at..<(at + count)]
      at += count
      guard !others.isEmpty else {
        joined += run
        continue
      }
      let languages = index.fields.languages.sorted { ($0 ?? "") < ($1 ?? "") }
      let replacements = try others.flatMap { try queries(ofSynonym: $0, [], languages) }
      let whole = Query.synonyms([.and(run.map(\.query))] + replacements)
      loose += run.map { .andNot($0.query, whole) }
      let first = run[run.startIndex].places.lowerBound
      joined.append(
        PlainWord(text: run.map(\.text).joined(separator: " "), query: whole, places: first..<(first + run.count)))
    }
    return joined
  }

  /// The query's words with some replaced by synonyms: other names that its hits may have.
  mutating func readings(of typed: [String]) throws -> [[String]] {
    guard let longest = try loadedSynonyms()?.longest, longest > 0 else { return [] }
    var readings: [[String]] = []
    for start in typed.indices {
      for end in (start + 1)...min(typed.count, start + longest) {
        for other in try synonyms(ofWords: typed[start..<end]) where readings.count < Self.mostReadings {
          readings.append(typed[..<start] + [other] + typed[end...])
        }
      }
    }
    return readings
  }
}
