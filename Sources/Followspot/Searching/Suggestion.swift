/// What a beginning of a query may become.
package struct Suggestion: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The title of a record that begins so.
    case title
    /// The whole value of a facet that begins so.
    case item
    /// The last word completed.
    case word
    /// The last word, which nothing begins with, corrected.
    case correction
  }

  /// The whole query.
  package let text: String
  package let kind: Kind
  /// Records that have it.
  package let count: Int
}
