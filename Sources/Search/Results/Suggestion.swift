// SPDX-License-Identifier: MIT

/// A completion of a partial query.
package struct Suggestion: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The whole title of a record.
    case title
    /// The whole value of a facet.
    case item
    /// The last word completed.
    case word
    /// The last word corrected, because no term has it as a prefix.
    case correction
  }

  /// The whole query.
  package let text: String
  package let kind: Kind
  /// Number of records that match.
  package let count: Int
}
