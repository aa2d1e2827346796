// SPDX-License-Identifier: MIT

package import Store

/// Explains why a record matches a query, or why it does not.
package struct Explanation: Sendable {
  /// One word or condition of the query.
  package struct Part: Equatable, Sendable {
    package enum Role: String, Sendable {
      /// A word, which adds to the score.
      case word
      /// A condition that every hit meets.
      case required
      /// A condition that no hit meets.
      case excluded
      /// A part that only raises the score: a boost, or a match in the title or in short values.
      case preferred
    }

    /// As typed.
    package let text: String
    package let role: Role
    /// Whether the record matches this part.
    package let isThere: Bool
    /// What this part adds to the score.
    package let score: Double
    /// Number of records that match this part.
    package let frequency: Int
    /// The fields in which the record has the word. They share its score in proportion to what each would score alone.
    package let fields: [FieldScore]
    /// A remark for people.
    package let note: String?
    /// Whether it names an attribute that is not indexed. A search refuses such a query.
    var isUnindexed = false
    /// Whether it is a stop word that is ignored because the query has other words.
    package var isIgnored = false
  }

  package struct FieldScore: Equatable, Sendable {
    package let field: String
    package let score: Double
  }

  package enum Verdict: String, Sendable {
    /// The record has all words.
    case matches
    /// The record has some of the words, and the query was widened.
    case widened
    case no
  }

  package let identifier: RecordURI
  package let title: String
  package let verdict: Verdict
  package let score: Double
  package let parts: [Part]
  /// Why the record, or a part of it, is not in the index.
  package let reasons: [String]
  let index: IndexStatus
}
