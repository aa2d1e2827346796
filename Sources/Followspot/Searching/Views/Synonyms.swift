// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The synonyms of a definition, by the stems of their tokens, so that `sci-fi` and `sci fi` are the same.
struct Synonyms {
  /// Maximum number of texts that replace the query's with synonyms.
  private static let mostReadings = 8

  private var others: [[[UInt8]]: [String]] = [:]
  /// Number of tokens of the longest key.
  private(set) var longest = 0

  /// - Parameter tokens: Returns the tokens of a text as typed.
  init(_ definition: IndexDefinition, tokens: (String) throws -> [IndexReader.Token]) throws {
    for (words, others) in definition.synonyms.sorted(by: { $0.key < $1.key }) {
      let key = Self.key(try tokens(words))
      guard !key.isEmpty else { continue }
      self.others[key, default: []] += others
      longest = max(longest, key.count)
    }
  }

  /// The synonyms of a text, or of other forms of its words.
  func others(of tokens: [IndexReader.Token]) -> [String] {
    tokens.count > longest ? [] : others[Self.key(tokens)] ?? []
  }

  private static func key(_ tokens: [IndexReader.Token]) -> [[UInt8]] { tokens.map { $0.stemmed ?? $0.raw } }

  /// The query's words with some replaced by synonyms: other names that its hits may have.
  func readings(of typed: [String], in view: SearchView) throws -> [[String]] {
    guard longest > 0 else { return [] }
    var readings: [[String]] = []
    for start in typed.indices {
      for end in (start + 1)...min(typed.count, start + longest) {
        for other in try view.synonyms(ofWords: typed[start..<end]) where readings.count < Self.mostReadings {
          readings.append(typed[..<start] + [other] + typed[end...])
        }
      }
    }
    return readings
  }
}

extension SearchView {
  /// The synonyms of the definition.
  func synonyms() throws -> Synonyms { try searched.synonyms { try reader.tokens(of: folded($0)) } }

  func synonyms(of tokens: [IndexReader.Token]) throws -> [String] { try synonyms().others(of: tokens) }

  func synonyms(ofWords words: ArraySlice<String>) throws -> [String] {
    try synonyms(of: reader.tokens(of: folded(words.joined(separator: " "))))
  }
}
