// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex

/// A store or an ordinary database, with its index as the program makes it when it is told nothing more.
struct IndexedPath {
  private let searcher: Searcher

  init(_ path: String) throws {
    let index = IndexDirectory(path: path + ".index")
    _ = try Pass.run(Indexer.Options(storePath: path, directory: index))
    searcher = try Searcher(storePath: path, directory: index)
  }

  /// The best hits.
  ///
  /// - Parameters:
  ///   - depth: The number of hits; nil for all.
  ///   - isLiteral: Takes the query as words only.
  func hits(_ query: String, depth: Int?, isLiteral: Bool = false) throws -> [Hit] {
    var request = SearchRequest(query: query)
    (request.isLiteral, request.limit) = (isLiteral, depth)
    return try searcher.search(request).hits
  }
}
