/// A passage of a field's text around a match, as in the store.
package struct Snippet: Equatable, Sendable {
  /// The field's name as the index spells it.
  package let field: String
  package let text: String
  /// What matches, in Unicode scalars of `text`.
  package let highlights: [Range<Int>]
  /// Whether text was cut off before and after.
  package let isTruncatedBefore: Bool
  package let isTruncatedAfter: Bool
}
