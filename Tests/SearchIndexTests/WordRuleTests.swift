// SPDX-License-Identifier: MIT

import SearchIndex
import TestSupport
import Testing

/// `WordRule` and Xapian's tokeniser agree.
@Suite(.overlapping, .temporaryDirectory)
struct WordRuleTests {
  private let directory = TemporaryDirectory()

  /// Letters of scripts without blanks stand alone: where others touch them, the rule may cut otherwise.
  private static let pieces = [
    "a", "b", "Q", "S", "7", "3", "é", "ß", "я", " 日 ", " 日本 ", "ह", "ि", "_", "'", "’", "&", ".", ",", ";", "+", "#",
    "-",
    " ", " ", "/", "\u{ad}", "\u{b7}", "\u{200d}", "\u{301}", "½", "Ⓐ", "⁷", "\u{5f4}", "٣", "\u{66c}", "‿", "ﬁ",
    "🎉", "→", "€", "❤️", "👍🏽", "👩‍🚀", "🇩🇪", "\u{fffd}", "\u{1fae8}",
  ]

  /// The reader of an empty index, which tokenises as any other does.
  private func reader() throws -> IndexReader {
    let writer = try IndexWriter(path: directory.file("db"), stemmer: "english")
    try writer.begin()
    try writer.commit(metadata: [:])
    let reader = try IndexReader(path: directory.file("db"))
    try reader.setStemmer("english")
    return reader
  }

  private static func text(of pieces: [String], most: Int, _ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...most, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  @Test(arguments: 0..<8)
  func `the words of a text have the terms that the tokeniser makes of the whole text`(seed: Int) throws {
    let reader = try reader()
    var random = SeededGenerator(seed: seed)
    var folder = TextFolder()
    for _ in 0..<150 {
      let text = Self.text(of: Self.pieces, most: 12, &random)
      let scalars = Array(folder.fold(text).unicodeScalars)
      let single = try WordRule.words(in: scalars).flatMap { word in
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[word])
        return try reader.tokens(of: String(view)).map { String(decoding: $0.raw, as: UTF8.self) }
      }
      let whole = try reader.tokens(of: folder.fold(text)).map { String(decoding: $0.raw, as: UTF8.self) }
      #expect(single == whole, "\(text)")
    }
  }

  @Test(arguments: 0..<8)
  func `a word between blanks is a word of its own, whatever stands before it`(seed: Int) throws {
    let reader = try reader()
    var random = SeededGenerator(seed: seed)
    var folder = TextFolder()
    let pieces =
      Self.pieces + ["日", "本", "サ", "의", "한국", "x", "'", "&", "\u{200b}", "＆", "‘", "\u{2bc}", "Ａ", "，", "０", "＋"]
    for _ in 0..<1_000 {
      let text = Self.text(of: pieces, most: 8, &random)
      let words = try reader.tokens(of: folder.fold("\(text) zebra \(text) lemon")).map(\.raw)
      for word in ["zebra", "lemon"] {
        #expect(words.count { $0 == Array(word.utf8) } == 1, "seed \(seed): \(text.debugDescription)")
      }
    }
  }
}
