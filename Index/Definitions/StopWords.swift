/// Stop words in JSON: the name of a list that comes with the program, or the words.
struct StopWords: Codable {
  private static let known = ["english": DefaultRules.stopWords, "none": []]

  let words: [String]

  init(words: [String]) { self.words = words }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let name = try? container.decode(String.self) else {
      words = try container.decode([String].self)
      return
    }
    guard let words = Self.known[name] else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription:
          "no stop words are named '\(name)'; there is \(Self.known.keys.sorted().joined(separator: ", "))")
    }
    self.words = words
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let name = Self.known.first(where: { $0.value == words })?.key {
      try container.encode(name)
    } else {
      try container.encode(words)
    }
  }
}
