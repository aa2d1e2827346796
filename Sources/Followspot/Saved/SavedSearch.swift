// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// A search that is kept beside the index under a name. It is Boolean: it is neither widened nor corrected.
package struct SavedSearch: Codable, Equatable, Sendable {
  package let name: String
  package let query: String
  /// The entities whose records are found; empty for all.
  package let kinds: [String]
  /// The number of best matches that it finds; nil for all matches.
  package let limit: Int?
  /// When it was defined, ISO 8601.
  package let created: String

  /// - Throws: `OperationError.usage` if it cannot have this name.
  package init(name: String, query: String, kinds: [String] = [], limit: Int? = nil) throws {
    guard Self.isValid(name) else {
      throw OperationError(.usage, "a saved search cannot be called '\(name)'", recovery: .chooseSearchName)
    }
    self.name = name
    self.query = query
    self.kinds = kinds
    self.limit = limit
    created = DateText.now
  }

  /// Whether it finds the same in the same records.
  package func isSame(as other: SavedSearch) -> Bool {
    (name, query, kinds, limit) == (other.name, other.query, other.kinds, other.limit)
  }

  /// Whether the name can be part of a file name and needs no quotes in a shell.
  static func isValid(_ name: String) -> Bool {
    guard let first = name.first, name.utf8.count <= longestName else { return false }
    func isPlain(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    // A consumer of the history cannot have the name of an index.
    guard !name.hasSuffix(".index.json") else { return false }
    return isPlain(first) && name.allSatisfy { isPlain($0) || "-_.".contains($0) }
  }

  /// In bytes.
  private static let longestName = 64

  package var request: SearchRequest {
    var request = SearchRequest(query: query).asWritten
    request.words = .all
    request.kinds = kinds
    request.limit = limit
    return request
  }

  /// The name under which a watcher is registered as a consumer of the history. Saved searches of the index beside the
  /// store have the plain name. Those of another index directory have a digest of its real path too, because both may
  /// have searches of one name.
  static func consumerName(
    _ name: String, in directory: IndexDirectory, ofStore path: String
  ) -> String {
    let (own, beside) = (FileIdentity.realPath(directory.path), FileIdentity.realPath(path + ".index"))
    guard own != beside else { return "saved:\(name)" }
    return "saved:\(name)@\(ContentDigest(of: Array(own.utf8)).hexadecimal.prefix(8))"
  }

  /// What the result depends on besides the values of the records that it finds. Such a search is evaluated anew at each
  /// save; others test only the records that changed.
  package enum Dependence: String, CaseIterable, Sendable {
    /// A date relative to now.
    case clock
    /// Transactions, which can be purged.
    case history
    /// The order of the matches, because the search has a limit.
    case ranking
    /// Tables of a database whose changes are not recorded.
    case unrecordedTables
  }
}
