// SPDX-License-Identifier: MIT

internal import Following
internal import PersistentStore
internal import SearchIndex
internal import Searching

/// A copy of an ordinary database, with its index as the program makes it when it is told nothing more.
struct IndexedCopy {
  private let searcher: Searcher

  init(path: String) throws {
    let index = IndexDirectory(path: path + ".index")
    _ = try Pass.run(Indexer.Options(storePath: path, directory: index))
    searcher = try Searcher(storePath: path, directory: index)
  }

  /// The identifiers of the best hits.
  func hits(_ query: String, depth: Int) throws -> [String] {
    var request = SearchRequest(query: query)
    request.limit = depth
    return try searcher.search(request).hits.map(\.identifier.short)
  }

  /// The words of the title of each record, by its identifier.
  func titles() throws -> [String: String] {
    var request = SearchRequest(query: "*")
    request.limit = nil
    let titles = try searcher.search(request).hits.map { ($0.identifier.short, NamedTable.words($0.title)) }
    return Dictionary(titles, uniquingKeysWith: { first, _ in first })
  }
}
