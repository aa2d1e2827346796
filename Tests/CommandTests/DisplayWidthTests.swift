// SPDX-License-Identifier: MIT

import FollowspotCLI
import Testing

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("Toy Story", 9), ("Café", 4), ("Cafe\u{301}", 4), ("ß–…", 3), ("Ωмир", 4), ("千と千尋の神隠し", 16),
    ("올드보이", 8), ("\u{110b}\u{1169}\u{11af}", 2), ("ｶﾀｶﾅ", 4), ("ＡＢ", 4), ("(・ω・)", 7), ("שלום", 4), ("שָׁלוֹם", 4),
    ("हिन्दी", 5), ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("🎬 cut", 6),
    ("☕", 2), ("™", 1), ("a\u{200b}b", 2), ("soft\u{ad}", 5), ("𠮷", 2),
  ])
  func `letters take one column, ideographs and emoji two, combining marks zero`(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(arguments: [
    ("Toy Story", 9, "Toy Story"), ("Toy Story", 8, "Toy Sto…"), ("Toy Story", 1, "…"), ("Toy Story", 0, ""),
    ("千と千尋", 8, "千と千尋"), ("千と千尋", 7, "千と千…"), ("千と千尋", 6, "千と…"), ("a👨‍👩‍👧b", 3, "a…"), ("a👨‍👩‍👧b", 4, "a👨‍👩‍👧b"),
    ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func `a text is truncated between characters, with an ellipsis`(_ text: String, _ width: Int, _ shown: String) {
    #expect(DisplayWidth.truncate(text, to: width) == shown)
    #expect(DisplayWidth.of(DisplayWidth.truncate(text, to: width)) <= width)
  }

  @Test func `padding fills up to the width and never truncates`() {
    #expect(DisplayWidth.padded("千", to: 4) == "千  ")
    #expect(DisplayWidth.padded("千と千", to: 4) == "千と千")
  }
}
