package import PersistentStore

/// Why a record is found by a query where it is, or why it is not.
package struct Explanation: Sendable {
  /// One word or condition of the query.
  package struct Part: Equatable, Sendable {
    package enum Role: String, Sendable {
      /// A word, which adds to the score.
      case word
      /// What every hit has.
      case required
      /// What no hit has.
      case excluded
      /// What only raises the score: what the second stage of ranking sees in the title and in short values.
      case preferred
    }

    /// As typed.
    package let text: String
    package let role: Role
    /// Whether the record has it.
    package let isThere: Bool
    /// What it adds to the score.
    package let score: Double
    /// Records that have it.
    package let frequency: Int
    /// The fields in which the record has the word, each with what it would score there alone.
    package let fields: [FieldScore]
    /// What else is to be said, for people.
    package let note: String?
    /// Whether it asks for an attribute that is not indexed, which no search takes.
    package var isUnindexed = false
    /// Whether it does not count beside the other words.
    package var isIgnored = false
  }

  package struct FieldScore: Equatable, Sendable {
    package let field: String
    package let score: Double
  }

  package enum Verdict: String, Sendable {
    /// It has all words.
    case matches
    /// It has some of the words: found where few records have all of them.
    case widened
    case no
  }

  package let identifier: PersistentIdentifier
  package let title: String
  package let verdict: Verdict
  package let score: Double
  package let parts: [Part]
  /// Why the record is not in the index, or not whole.
  package let reasons: [String]
  package let index: IndexStatus
}
