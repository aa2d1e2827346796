// SPDX-License-Identifier: MIT

import Foundation
import SQLite

/// Searches that the owner of a program's database would do, each with the statement that says what is right.
struct OwnerSearches {
  /// What must hold of the hits and of the rows of the statement.
  enum Mode: String {
    /// The first hit is one of the rows.
    case first
    /// The hits are the rows.
    case set
    /// The hits have all the rows.
    case within = "in"
    /// The first hits are the rows.
    case top
    case none
  }

  struct Search {
    let label: String
    /// The arguments of `search`.
    let arguments: [String]
    let mode: Mode
    let wanted: Set<String>

    /// Maximum number of hits to look at; 0 for all.
    var depth: Int { mode == .first ? 50 : 0 }

    func isRight(_ hits: [String]) -> Bool {
      switch mode {
      case .first: hits.first.map(wanted.contains) ?? false
      case .set: Set(hits) == wanted
      case .within: !wanted.isEmpty && wanted.isSubset(of: hits)
      case .top: !wanted.isEmpty && Set(hits.prefix(wanted.count)) == wanted
      case .none: hits.isEmpty
      }
    }
  }

  let searches: [Search]

  /// - Parameters:
  ///   - file: Lines of a label, the arguments as JSON, a mode and a statement, with tabs between them.
  ///   - database: That the statements read.
  init(file: String, database: String) throws {
    let connection = try Connection(path: database, access: .immutable)
    try connection.define(collation: "unicase") { one, other in
      let (one, other) = (String(decoding: one, as: UTF8.self), String(decoding: other, as: UTF8.self))
      return one.lowercased() == other.lowercased() ? 0 : one.lowercased() < other.lowercased() ? -1 : 1
    }
    searches = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map { line in
      let parts = line.components(separatedBy: "\t")
      guard parts.count == 4, let mode = Mode(rawValue: parts[2]) else { throw CocoaError(.fileReadCorruptFile) }
      let wanted = parts[3].isEmpty ? [] : try connection.mapRows(parts[3]) { $0.text(at: 0) }
      return Search(
        label: parts[0], arguments: try JSONDecoder().decode([String].self, from: Data(parts[1].utf8)), mode: mode,
        wanted: Set(wanted))
    }
  }
}
