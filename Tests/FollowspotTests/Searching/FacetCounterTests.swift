// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Followspot

/// The counts of values, compared with those by the standard library's strings.
struct FacetCounterTests {
  /// Letters with diacritics in both forms, letters whose order differs between the forms, Hangul in both forms,
  /// characters that equal others, control characters, and bytes that are not UTF-8.
  private static let pieces: [[UInt8]] =
    [
      "a", "A", "b", "é", "e\u{301}", "É", "E\u{301}", "ñ", "한", "\u{1112}\u{1161}\u{11ab}", "\u{1112}", "\u{1161}",
      "ß", "ss", "SS", "\u{212a}", "K", "k", "\u{301}", "\u{327}\u{301}", "\u{301}\u{327}", "\u{ff21}", "\u{1f600}",
      "Σ", "σ", "ς", " ", "-", "\u{0}", "\u{1}", "İ", "ı", "å", "\u{212b}", "\u{0f73}", "ख़",
    ].map { Array($0.utf8) } + [[0xff], [0xc3], [0xed, 0xa0, 0x80]]

  private static func text(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...3, using: &random)).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
  }

  /// A text without what does not make another value: strings are equal in both normal forms.
  private static func folded(_ text: String) -> String {
    let others: [Unicode.Scalar: String] = ["\u{0}": " ", "\u{1}": " ", "ς": "σ", "\u{ff41}": "a"]
    return text.lowercased().unicodeScalars.map { others[$0] ?? String($0) }.joined()
  }

  /// Counts rows with each value, by comparing strings.
  private static func expected(_ rows: [[[UInt8]]]) -> [Facet.Value] {
    struct Value {
      let folded: String
      var count = 0
      var spellings: [(text: String, count: Int)] = []
    }
    func precedes(_ one: String, _ other: String) -> Bool {
      one == other ? one.utf8.lexicographicallyPrecedes(other.utf8) : one < other
    }
    // In the order of their first occurrence: the order of strings is not strict if one of them is decomposed.
    var values: [Value] = []
    for row in rows {
      var counted: Set<String> = []
      for bytes in row {
        let text = String(decoding: bytes, as: UTF8.self)
        let folded = Self.folded(text)
        guard !folded.isEmpty else { continue }
        let index = values.firstIndex { $0.folded == folded } ?? values.count
        if index == values.count { values.append(Value(folded: folded)) }
        let isNew = counted.insert(folded).inserted
        values[index].count += isNew ? 1 : 0
        let utf8 = Array(text.utf8)
        if let known = values[index].spellings.firstIndex(where: { Array($0.text.utf8) == utf8 }) {
          values[index].spellings[known].count += isNew ? 1 : 0
        } else {
          values[index].spellings.append((text, isNew ? 1 : 0))
        }
      }
    }
    return values.map { value in
      let best = value.spellings.reduce((text: "", count: 0)) { best, other in
        if other.count != best.count { return other.count > best.count ? other : best }
        return precedes(other.text, best.text) ? other : best
      }
      return Facet.Value(text: best.text, count: value.count)
    }.sorted { $0.count != $1.count ? $0.count > $1.count : precedes($0.text, $1.text) }
  }

  @Test(arguments: Rounds.seeds(20, long: 1_000))
  func `values are counted and ordered as strings`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let rows = (0..<400).map { _ in (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.text(&random) } }
    var counter = FacetCounter()
    for row in rows {
      counter.beginRow()
      for text in row { text.withUnsafeBytes { counter.add($0) } }
    }
    let found = counter.values
    let expected = Self.expected(rows)
    #expect(found == expected, "seed \(seed)")
    let isSpelledSame = found.map { Array($0.text.utf8) } == expected.map { Array($0.text.utf8) }
    #expect(isSpelledSame, "seed \(seed)")
    #expect(found.count > 100, "seed \(seed)")
  }

  @Test func `strings and bytes are the same values, and counts of other rows are added`() {
    var counter = FacetCounter()
    counter.beginRow()
    counter.add("Drama")
    Array("drama".utf8).withUnsafeBytes { counter.add($0) }
    counter.add("DRAMA", count: 3)
    counter.add("", count: 2)
    counter.add("Comedy", count: 4)
    #expect(counter.values == [.init(text: "Comedy", count: 4), .init(text: "DRAMA", count: 4)])
  }

  @Test func `a table of many texts finds each of them again`() {
    var table = ByteTable()
    let texts = (0..<10_000).map { Array("\($0 * $0)".utf8) + [UInt8](repeating: 0, count: $0 % 3) }
    for (number, text) in texts.enumerated() {
      let found = text.withUnsafeBytes { table.number(of: $0) }
      #expect(found == (number, true))
    }
    #expect(table.count == texts.count)
    for (number, text) in texts.enumerated() {
      let found = text.withUnsafeBytes { table.number(of: $0) }
      #expect(found == (number, false))
      #expect(table.withBytes(of: number) { Array($0) } == text)
    }
  }
}
