// SPDX-License-Identifier: MIT

internal import Foundation
package import SQLite
package import Store

/// Generated films whose words are distributed as in real text (Zipf's law): a few are frequent, most are rare.
package struct Catalogue {
  package static let entity = EntityDescription(
    "Film",
    attributes: [
      AttributeDescription("title", .string),
      AttributeDescription("plot", .string, isOptional: true),
      AttributeDescription("year", .integer64, isOptional: true),
      AttributeDescription("rating", .double, isOptional: true),
      AttributeDescription("released", .date, isOptional: true),
      AttributeDescription("isFavorite", .boolean, isOptional: true),
      AttributeDescription("genres", .strings, isOptional: true),
      AttributeDescription("people", .json, isOptional: true),
      AttributeDescription("code", .string, isOptional: true, options: [.unique, .preserveValueOnDeletion]),
      AttributeDescription("poster", .data, isOptional: true),
    ])

  package static var model: ModelDescription { ModelDescription(entities: [entity]) }

  private static let syllables = [
    "ba", "co", "di", "fu", "ga", "ha", "jo", "ki", "lo", "me", "na", "pe", "qui", "ro", "sa", "te", "vu", "wo", "xe",
    "zy", "ém", "ön", "ñi",
  ]
  private static let genres = ["Drama", "Comedy", "Animated", "Science Fiction", "Western", "Film noir"]
  private static let vocabulary = 20_000

  private var generator: SeededGenerator
  private var nextCode = 0

  package init(seed: Int) { generator = SeededGenerator(seed: seed) }

  /// A random word by rank; low ranks are most frequent.
  package mutating func word() -> String {
    // The inverse of Zipf's distribution with exponent 1: rank = V^u.
    let uniform = Double.random(in: 0..<1, using: &generator)
    let rank = Int(exp2(uniform * log2(Double(Self.vocabulary))))
    return Self.word(rank: rank)
  }

  private static func word(rank: Int) -> String {
    var rest = rank
    var text = ""
    repeat {
      text += syllables[rest % syllables.count]
      rest /= syllables.count
    } while rest > 0
    return text
  }

  package mutating func words(_ count: Int) -> String { (0..<count).map { _ in word() }.joined(separator: " ") }

  /// One film, by attribute index.
  package mutating func film(plotWords: Int = 40) -> [Value?] {
    nextCode += 1
    let people = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
      "{\"name\":\"\(words(2))\",\"role\":\"\(word())\"}"
    }
    let genres = Self.genres.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
    return [
      .text(words(Int.random(in: 1...5, using: &generator))),
      chance(10) ? .null : .text(words(Int.random(in: 1...max(1, plotWords * 2), using: &generator))),
      chance(20) ? .null : .integer(Int64.random(in: 1900...2030, using: &generator)),
      chance(20) ? .null : .real(Double(Int.random(in: 0...100, using: &generator)) / 10),
      chance(20) ? .null : .real(Double.random(in: -1e9...1e9, using: &generator).rounded()),
      chance(20) ? .null : .integer(chance(3) ? 1 : 0),
      .blob(Array("[\(genres.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)),
      chance(10) ? .null : .blob(Array("[\(people.joined(separator: ","))]".utf8)),
      chance(3) ? .null : .text("code-\(nextCode)-\(UInt32.random(in: 0 ... .max, using: &generator))"),
      chance(2) ? .null : .blob((0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }),
    ]
  }

  /// True with the probability 1 / `count`.
  package mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

  package mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &generator)
  }

  package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
}
