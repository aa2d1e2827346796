// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

/// The length of a field in words, and its effect on their frequencies.
@Suite(.overlapping)
struct FieldLengthTests {
  @Test(arguments: [
    ("", 0), ("toy story", 2), ("  a,b.c  ", 3), ("O'Brien user_name", 3), ("naïve Café", 2), ("Зелёная миля", 2),
    ("हिन्दी फ़िल्म", 2), ("東京物語", 4), ("toy – story", 2), ("1.5 km", 3),
  ])
  func `words of every script are counted`(_ text: String, _ words: Int) {
    #expect(Array(text.utf8).withUnsafeBytes { WordCounter().words(in: $0) } == words)
  }

  @Test(arguments: [
    ("The Lord of the Rings", 2), ("the THE tHe", 0), ("theatre of thee", 2), ("l'été, été d'ici", 2), ("of東京the", 2),
    ("themselves against", 1), ("the_of o'the", 1), ("", 0),
  ])
  func `stop words are not counted`(_ text: String, _ words: Int) {
    let counter = WordCounter(stopWords: ["the", "of", "against", "themselves", "été", ""])
    #expect(Array(text.utf8).withUnsafeBytes { counter.words(in: $0) } == words)
  }

  @Test func `a word counts less in a longer field, and hardly in an unweighted one`() {
    func frequency(_ words: Int, weight: Int = 1) -> Int {
      FieldLength(weight: weight, typical: 10).frequency(ofWords: words)
    }
    #expect(frequency(10) == 16)
    #expect(frequency(10, weight: 5) == 80)
    #expect(frequency(5) == 26)
    #expect(frequency(1) == 26)
    #expect(frequency(40) == 5)
    #expect(frequency(10, weight: 0) == 1)
    #expect(frequency(1_000_000) == 1)
  }
}
