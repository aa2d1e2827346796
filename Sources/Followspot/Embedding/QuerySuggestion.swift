// SPDX-License-Identifier: MIT

/// A completion of a partial query.
public struct QuerySuggestion: Hashable, Sendable {
  /// What was completed.
  public enum Kind: String, Sendable {
    /// The whole title of an object.
    case title
    /// The whole value of a facet.
    case item
    /// The last word completed.
    case word
    /// The last word corrected, because no word begins with it.
    case correction
  }

  /// The whole query.
  public let text: String
  /// What was completed.
  public let kind: Kind
  /// The number of objects that match.
  public let matches: Int
}

extension QuerySuggestion {
  init(_ suggestion: Suggestion) {
    (text, matches) = (suggestion.text, suggestion.count)
    kind =
      switch suggestion.kind {
      case .title: .title
      case .item: .item
      case .word: .word
      case .correction: .correction
      }
  }
}
