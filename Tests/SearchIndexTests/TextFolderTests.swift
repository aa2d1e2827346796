// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping)
struct TextFolderTests {
  private static func append(_ bytes: [UInt8]) -> (output: [UInt8], loss: TextFolder.Loss) {
    var folder = TextFolder()
    var output: [UInt8] = []
    let loss = bytes.withUnsafeBytes { folder.append($0, to: &output) }
    return (output, loss)
  }

  private static func fold(_ text: String) -> String {
    var folder = TextFolder()
    return folder.fold(text)
  }

  // MARK: Letters

  /// Letters without a decomposition, which the folder replaces by a table.
  private static let own = Set("ßẞæÆœŒøØđĐðÐþÞłŁħĦıŧŦŋŊĸƒǆǅǄǉǈǇǌǋǊς".unicodeScalars)

  @Test(arguments: [0x41...0x24f, 0x370...0x3ff, 0x400...0x52f, 0x1e00...0x1eff, 0x1f00...0x1fff])
  func `letters fold as Foundation folds them`(block: ClosedRange<Int>) {
    let letters = block.compactMap { Unicode.Scalar($0) }
      .filter { $0.properties.isAlphabetic && !Self.own.contains($0) && Self.stroke($0) == nil }
    let different = letters.map(String.init).filter {
      Self.fold($0) != $0.folding(options: .diacriticInsensitive, locale: nil)
    }
    #expect(different == [])
  }

  /// Composed letters whose base letter is in the table.
  private static func stroke(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first { own.contains($0) }
  }

  @Test(arguments: [
    ("Straße", "Strasse"), ("ẞ", "SS"), ("Æsir œuvre", "AEsir oeuvre"), ("Øre", "Ore"), ("Łódź", "Lodz"),
    ("Þór", "THor"), ("ðð", "dd"), ("ǽ", "ae"), ("Ǿ", "O"), ("ĳ", "ĳ"), ("ﬁlm", "film"), ("rock’n’roll", "rock'n'roll"),
    ("Café", "Cafe"), ("Cafe\u{301}", "Cafe"), ("Ελλάδα", "Ελλαδα"), ("Οδός", "Οδοσ"), ("ёлка", "елка"), ("한국어", "한국어"),
    ("日本語", "日本語"),
    ("हिन्दी", "हिन्दी"), ("שָׁלוֹם", "שלום"), ("", ""), ("a\tb\nc\rd", "a\tb\nc\rd"), ("a\u{0}b\u{7f}c", "a b c"),
    ("é\u{0}\n\u{1b}", "e   "), ("é\u{85}x", "e x"), ("🎬", "🎬"),
    ("BTS’의 Dynamite", "BTS' 의 Dynamite"), ("x&日本 y&한", "x-日本 y-한"), ("日本'日 '日 1,日", "日本'日 '日 1, 日"),
    ("x＆日本 BTS‘의 Ａ&日", "x-日本 BTS' 의 A-日"), ("R&Ｂ I'ｍ 1,０", "R-B I'm 1,0"),
    ("local_cache ＿a a‿b 1;2", "local-cache -a a-b 1 2"), ("Hawaiʻi hyphen‧ation", "Hawai'i hyphen-ation"),
  ])
  func `a text folds to`(_ text: String, _ folded: String) {
    #expect(Array(Self.fold(text).utf8) == Array(folded.utf8))
  }

  @Test func `hangul syllables do not change`() {
    let syllables = (0xac00...0xd7a3).compactMap { Unicode.Scalar(UInt32($0)).map(String.init) }
    #expect(syllables.filter { Array(Self.fold($0).utf8) != Array($0.utf8) } == [])
  }

  @Test(
    arguments: [
      ([0xff], "\u{fffd}"), ([0x61, 0xc3], "a\u{fffd}"), ([0xc0, 0x80], "\u{fffd}\u{fffd}"),
      ([0xed, 0xa0, 0x80], "\u{fffd}\u{fffd}\u{fffd}"), ([0x61, 0, 0xff, 0x62], "a \u{fffd}b"),
    ] as [([UInt8], String)])
  func `ill-formed UTF-8 is repaired`(_ bytes: [UInt8], _ folded: String) {
    #expect(Self.append(bytes).output == Array(folded.utf8))
  }

  // MARK: Long words

  @Test(arguments: [
    (String(repeating: "a", count: 64), String(repeating: "a", count: 64), 0),
    (String(repeating: "a", count: 65), String(repeating: "a", count: 64), 1),
    (String(repeating: "b", count: 500) + " c", String(repeating: "b", count: 64) + " c", 1),
    (String(repeating: "é", count: 65), String(repeating: "e", count: 64), 1),
    (String(repeating: "я", count: 33), String(repeating: "я", count: 32), 1),
    (String(repeating: "日", count: 22), String(repeating: "日", count: 22), 0),
    ("x" + String(repeating: "я", count: 40) + " y", "x" + String(repeating: "я", count: 31) + " y", 1),
    (
      String(repeating: "a", count: 70) + " " + String(repeating: "b", count: 70),
      String(repeating: "a", count: 64) + " " + String(repeating: "b", count: 64), 2
    ),
  ])
  func `a word is truncated to 64 bytes and counted`(_ text: String, _ folded: String, _ cut: Int) {
    let (output, loss) = Self.append(Array(text.utf8))
    #expect(String(decoding: output, as: UTF8.self) == folded)
    #expect(loss.truncatedWords == cut && !loss.isTruncated)
  }

  @Test(arguments: [",", ".", ";", "'", "&"])
  func `every number of a long list without spaces is kept`(mark: String) {
    let numbers = (1...1_000).map(String.init)
    let (output, loss) = Self.append(Array(numbers.joined(separator: mark).utf8))
    let text = String(decoding: output, as: UTF8.self)
    #expect(loss.truncatedWords == 0 && !loss.isTruncated)
    #expect(text.split { !$0.isNumber }.map(String.init) == numbers)
    #expect(text.split { $0 == " " || $0 == "-" }.allSatisfy { $0.utf8.count <= TextFolder.longestWord })
  }

  @Test func `a text is truncated to 16 MiB, and the loss is reported`() {
    let (output, loss) = Self.append([UInt8](repeating: 0x20, count: TextFolder.longestText + 1))
    #expect(output.count == TextFolder.longestText)
    #expect(loss.isTruncated && loss.truncatedWords == 0)
  }

  // MARK: Whole values

  private static func key(_ text: String) -> String {
    var folder = TextFolder()
    return folder.sortKey(of: text)
  }

  @Test func `upper and lower case give one sort key, the final sigma included`() {
    #expect(Self.key("ΟΔΌΣ") == Self.key("Οδός"))
    #expect(Self.key("Οδός Ερμού") == "οδοσ ερμου")
  }

  @Test(arguments: ["a\nb", "a\tb", "a\rb", "a\u{0}b", "á\nb", "Á\tb", "á\rb", "á\u{85}b"])
  func `control characters are spaces in a sort key, with diacritics and without`(text: String) {
    #expect(Self.key(text) == "a b")
  }

  @Test(arguments: ["a", "é", "я", "1,"])
  func `a sort key keeps long words whole`(piece: String) {
    let long = String(repeating: piece, count: 100)
    #expect(Self.key(long + "x") != Self.key(long + "y"))
    #expect(Self.key(long).count == long.count)
  }

  // MARK: Random texts

  @Test(arguments: 0..<200)
  func `random bytes fold to valid UTF-8 that folds to itself`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    let pieces: [[UInt8]] = [
      Array("é".utf8), Array("e\u{301}".utf8), Array("ß".utf8), Array("한".utf8), [0], [0xff], [0xe2, 0x80], [0x20],
      Array(",".utf8), Array("12".utf8), Array("’".utf8), Array("ﬃ".utf8), Array("я".utf8), Array("\u{345}".utf8),
      Array("word".utf8), Array("日".utf8), Array("🎬".utf8), Array("ǆ".utf8), Array("\u{85}".utf8),
    ]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...300, using: &random) {
      if Int.random(in: 0..<6, using: &random) == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &random))
      } else {
        bytes += pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }
    }
    let once = Self.append(bytes).output
    #expect(String(validating: once, as: UTF8.self) != nil)
    let twice = Self.append(once)
    #expect(String(decoding: twice.output, as: UTF8.self) == String(decoding: once, as: UTF8.self))
    #expect(twice.loss.truncatedWords == 0 && !twice.loss.isTruncated)
  }
}
