// SPDX-License-Identifier: MIT

internal import Followspot
internal import SQLite
internal import Store
internal import TestSupport

/// Records as the program imports and indexes them when it is told nothing more.
struct IndexedCollection {
  let directory: TemporaryDirectory
  let storePath: String
  /// The attribute that names a record in queries' answers.
  let identifier: String
  private let index: IndexedPath

  init(documents: String, kind: String, identifier: String, in directory: TemporaryDirectory) throws {
    self.directory = directory
    self.identifier = identifier
    storePath = directory.file("documents.store")
    var options = Importer.Options(storePath: storePath, file: documents)
    options.kind = kind
    _ = try Importer(options).run()
    index = try IndexedPath(storePath)
  }

  /// The identifiers of the best hits of each query, in the order of the queries.
  ///
  /// - Parameter isLiteral: Takes queries as words only.
  func hits(_ queries: [String], depth: Int, isLiteral: Bool) throws -> [[String]] {
    try queries.map { query in
      try index.hits(query, depth: depth, isLiteral: isLiteral).compactMap { hit in
        guard let index = hit.entity.entity.index(of: identifier) else { return nil }
        return switch hit.values[index] {
        case .text(let text): text
        case .integer(let number): String(number)
        default: nil
        }
      }
    }
  }
}
