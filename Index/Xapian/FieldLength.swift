// SPDX-License-Identifier: MIT

/// Computes the within-document frequencies of a field's words from its length and weight.
///
/// Ranking is BM25F: each field is normalized by its own length, and BM25 then adds up the fields without regard to the
/// length of the whole document. Xapian has one length for a document, so the normalization is part of the frequencies,
/// which are whole numbers: one occurrence in a field of typical length and weight 1 counts as `unit`. Stop words do
/// not count for the length (`WordCounter`).
///
/// Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.6.
package struct FieldLength: Sendable, Equatable {
  /// The frequency of a word that occurs once in a field of typical length.
  static let unit = 16.0
  /// BM25's `b`: how much the length of a field matters, from 0 to 1.
  private static let b = 0.75
  /// The minimum length, as a share of the typical length; shorter fields count as this long.
  private static let shortest = 0.5

  /// The weight of the field; with 0 its words match but hardly affect the order.
  package let weight: Int
  /// The number of words in a typical record, without stop words.
  let typical: Double

  package init(weight: Int, typical: Double) {
    self.weight = weight
    self.typical = max(1, typical)
  }

  /// The frequency of one occurrence in a field with this number of words. Searches of the field and of all fields use it.
  func frequency(ofWords words: Int) -> Int {
    let length = max(Self.shortest, Double(words) / typical)
    let own = Self.unit / (1 - Self.b + Self.b * length)
    return max(1, Int((own * Double(weight)).rounded()))
  }
}
