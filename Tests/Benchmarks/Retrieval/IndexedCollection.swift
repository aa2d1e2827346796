// SPDX-License-Identifier: MIT

internal import Following
internal import Importing
internal import PersistentStore
internal import SQLite
internal import SearchIndex
internal import Searching
internal import TestSupport

/// Records as the program imports and indexes them when it is told nothing more.
struct IndexedCollection {
  let directory: TemporaryDirectory
  let storePath: String
  /// The attribute that names a record in queries' answers.
  let identifier: String
  private let index: IndexDirectory

  init(documents: String, kind: String, identifier: String, in directory: TemporaryDirectory) throws {
    self.directory = directory
    self.identifier = identifier
    storePath = directory.file("documents.store")
    index = IndexDirectory(path: storePath + ".index")
    var options = Importer.Options(storePath: storePath, file: documents)
    options.kind = kind
    _ = try Importer(options).run()
    _ = try Pass.run(Indexer.Options(storePath: storePath, directory: index))
  }

  /// The identifiers of the best hits of each query, in the order of the queries.
  ///
  /// - Parameter isLiteral: Takes queries as words only.
  func hits(_ queries: [String], depth: Int, isLiteral: Bool) throws -> [[String]] {
    let searcher = try Searcher(storePath: storePath, directory: index)
    return try queries.map { query in
      var request = SearchRequest(query: query)
      request.isLiteral = isLiteral
      request.limit = depth
      return try searcher.search(request).hits.compactMap { hit in
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
