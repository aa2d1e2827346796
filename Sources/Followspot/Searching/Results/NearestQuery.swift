// SPDX-License-Identifier: MIT

/// A query that finds something, offered in place of one that finds nothing.
package struct NearestQuery: Equatable, Sendable {
  package let query: String
  package let kinds: [String]
  package let words: SearchRequest.Words
  package let isLiteral: Bool
  /// The parts of the search that it leaves out.
  package let leavesOut: [Omission]
  /// Number of records that it finds.
  package let count: Int

  /// A part of a search that is left out.
  package enum Omission: Equatable, Sendable {
    /// A condition or a word, as typed.
    case part(String)
    case kind(String)
    /// That the query is literal text.
    case literal
  }
}
