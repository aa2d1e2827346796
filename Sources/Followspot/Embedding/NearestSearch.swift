// SPDX-License-Identifier: MIT

/// A query that finds something, offered in place of one that finds nothing.
public struct NearestSearch: Hashable, Sendable {
  /// A part of a search that is left out.
  public enum Omission: Hashable, Sendable {
    /// A condition or a word, as typed.
    case part(String)
    /// The name of an entity in `SearchQuery.kinds`.
    case kind(String)
    /// That the query is literal text.
    case literal
  }

  /// The query. Its order, page and contents are those of the original.
  public let query: SearchQuery
  /// The parts of the original that it leaves out.
  public let omissions: [Omission]
  /// The number of objects that it finds.
  public let matches: Int
}

extension NearestSearch {
  init(_ nearest: NearestQuery, insteadOf original: SearchQuery) {
    var query = original
    (query.text, query.kinds, query.isLiteral) = (nearest.query, nearest.kinds, nearest.isLiteral)
    query.words = SearchQuery.Words(nearest.words)
    self.query = query
    omissions = nearest.leavesOut.map { omission in
      switch omission {
      case .part(let text): .part(text)
      case .kind(let name): .kind(name)
      case .literal: .literal
      }
    }
    matches = nearest.count
  }
}
