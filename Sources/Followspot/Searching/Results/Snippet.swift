// SPDX-License-Identifier: MIT

/// A passage of a field's text around a match, as in the store.
package struct Snippet: Equatable, Sendable {
  /// The field's name as the index spells it.
  package let field: String
  package let text: String
  /// The ranges that match, in Unicode scalars of `text`.
  package let highlights: [Range<Int>]
  /// Whether the field's text continues before and after the passage.
  package let isTruncatedBefore: Bool
  package let isTruncatedAfter: Bool
}
