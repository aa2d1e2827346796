internal import Followspot
internal import PersistentStore
internal import SQLite
internal import SearchIndex
internal import TestSupport

/// A collection as the program imports and indexes it when it is told nothing more.
struct IndexedCollection {
  let collection: TestCollection
  let directory: TemporaryDirectory
  let storePath: String
  private let index: IndexDirectory

  init(_ collection: TestCollection, in directory: TemporaryDirectory) throws {
    self.collection = collection
    self.directory = directory
    storePath = directory.file("documents.store")
    index = IndexDirectory(path: storePath + ".index")
    var options = Importer.Options(storePath: storePath, file: collection.documents)
    options.kind = "Document"
    _ = try Importer(options).run()
    _ = try Pass.run(Indexer.Options(storePath: storePath, directory: index))
  }

  /// The identifiers of the hits, by query. The text is taken as words: no query of a collection means the query
  /// language.
  func runs() throws -> [String: [String]] {
    let searcher = try Searcher(storePath: storePath, directory: index)
    var runs: [String: [String]] = [:]
    for query in collection.queries {
      var request = SearchRequest(query: query.text)
      request.isLiteral = true
      request.limit = RetrievalBenchmark.depth
      runs[query.id] = try searcher.search(request).hits.compactMap { hit in
        guard let index = hit.entity.entity.index(of: "id") else { return nil }
        return switch hit.values[index] {
        case .text(let text): text
        case .integer(let number): String(number)
        default: nil
        }
      }
    }
    return runs
  }
}
