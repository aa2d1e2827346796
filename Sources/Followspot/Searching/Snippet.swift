/// A piece of a field's text around what matches, spelt as it is in the store.
package struct Snippet: Equatable, Sendable {
  /// The field's name as the index spells it.
  package let field: String
  package let text: String
  /// What matches, in Unicode scalars of `text`.
  package let highlights: [Range<Int>]
  /// Whether text was left out before and behind.
  package let isTruncatedBefore: Bool
  package let isTruncatedAfter: Bool
}
