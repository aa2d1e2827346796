// SPDX-License-Identifier: MIT

import SearchIndex
import TestSupport
import Testing

@testable import Followspot

/// The first matches in the order of a text, compared with a sort of all of them by their whole sort keys.
struct SortKeyTests {
  private static let pieces: [[UInt8]] =
    [
      "a", "A", "b", "B", "é", "e\u{301}", "É", "ß", "\u{301}", "\u{ff21}", "Σ", " ", "-", "\u{1}", "\u{7f}", "İ", "한",
      "zzzzzzz", "aaaaaaaa", "abcdefghijklmnopqrstuvwxyz0123456789", "\u{1f600}",
    ].map { Array($0.utf8) } + [[0xff], [0xc3]]

  private static func text(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...4, using: &random)).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
  }

  @Test(arguments: Rounds.seeds(20, long: 1_000))
  func `the first matches are those of a whole sort`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    var folder = TextFolder()
    let texts = (0..<2_000).map { _ in Self.text(&random) }
    // Character by character, because the folder truncates long words.
    let keys = texts.map { text in
      let folded = String(decoding: text, as: UTF8.self).unicodeScalars.map { folder.fold(String($0)) }.joined()
      return Array(folded.lowercased().utf8)
    }
    for (text, key) in zip(texts, keys) {
      let found = text.withUnsafeBytes { folder.sortKey(of: $0) }
      #expect(found == key, "seed \(seed): \(text)")
      let (start, known) = text.withUnsafeBytes { TextFolder.startOfSortKey(of: $0) }
      for index in 0..<known {
        let byte = UInt8(truncatingIfNeeded: start >> UInt64(56 - index * 8))
        #expect(byte == (index < key.count ? key[index] : 0), "seed \(seed): \(text)")
      }
    }
    for descends in [false, true] {
      for most in [0, 1, 10, 100, 1_000, 3_000] {
        let best = BestMatches(most: most, descends: [descends])
        for (number, text) in texts.enumerated() {
          withUnsafeBytes(of: UInt32(number).bigEndian) { best.begin($0) }
          text.withUnsafeBytes { best.add($0, field: 0) }
          best.end()
        }
        let sorted = texts.indices.sorted { one, other in
          // Records without a value come last in both directions.
          if texts[one].isEmpty != texts[other].isEmpty { return texts[other].isEmpty }
          if keys[one] == keys[other] || texts[one].isEmpty { return one < other }
          return keys[one].lexicographicallyPrecedes(keys[other]) != descends
        }
        let found = best.sorted().map { $0.reduce(0) { $0 << 8 | Int($1) } }
        #expect(found == Array(sorted.prefix(most)), "seed \(seed), \(most), descends \(descends)")
        #expect(best.count == texts.count)
      }
    }
  }
}
