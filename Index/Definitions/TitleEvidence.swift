// SPDX-License-Identifier: MIT

/// What the values of a text attribute say about whether they name records. All shares are 0 to 1.
package struct TitleEvidence: Sendable, Equatable {
  /// The share of the records that have a text with letters.
  var filled: Double
  /// The share of the texts that are distinct.
  var distinct: Double
  /// The mean length in characters.
  var characters: Double
  /// The mean length in words.
  var words: Double
  /// The share of the texts with marks or digits of addresses and codes: `@`, `/`, `\`, four digits, capitals alone.
  var marked: Double
  /// The share of the texts that are identifiers as people write them: one word of letters and digits, such as `INV-0003`.
  var written: Double
  /// The share of the texts that are hexadecimal digits or start with a date, such as `2024-05-01`.
  var coded: Double

  init(
    filled: Double, distinct: Double, characters: Double, words: Double, marked: Double, written: Double = 0,
    coded: Double = 0
  ) {
    self.written = written
    self.coded = coded
    self.filled = filled
    self.distinct = distinct
    self.characters = characters
    self.words = words
    self.marked = marked
  }

  /// Whether texts like these can name records: most records have one, and it is short and mostly their own.
  var isPossible: Bool {
    filled >= 0.6 && characters <= 80 && distinct >= (characters < 3 ? 1 : 0.5)
  }

  /// Whether the texts are a few words without marks.
  var isShort: Bool { isPossible && characters <= 40 && words <= 4 && marked < 0.5 }

  /// Whether nearly all records have an identifier that people write.
  var isWrittenIdentifier: Bool { filled >= 0.95 && distinct >= 0.95 && written >= 0.9 }

  /// Whether nearly all records have a remark of their own that can be read at a glance.
  var isRemark: Bool { filled >= 0.95 && distinct >= 0.8 && characters <= 120 && coded < 0.5 }

  /// Whether texts like these can be one of the two names of a person, which others have too.
  var isPossiblePart: Bool { filled >= 0.6 && characters <= 40 }
}
