// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport

@testable import SearchIndex

/// A store of films that have only a title and an optional plot.
struct Titles {
  let bench: IndexedStore
  let searcher: Searcher

  init(_ films: [(title: String, plot: String?)], definition: IndexDefinition? = nil) throws {
    let bench = try IndexedStore(seed: 1)
    try bench.store.save(author: "ann") { save in
      for film in films {
        try save.insert(
          bench.film, [.text(film.title), film.plot.map { .text($0) }] + [Value?](repeating: .null, count: 8))
      }
    }
    var options = bench.options()
    options.definition = definition
    try Indexer(options).catchUp()
    try self.init(bench)
  }

  init(_ bench: IndexedStore) throws {
    self.bench = bench
    searcher = try Searcher(storePath: bench.storePath, directory: bench.index)
  }

  func search(_ query: String, _ change: (inout SearchRequest) -> Void = { _ in }) throws -> SearchResult {
    var request = SearchRequest(query: query)
    change(&request)
    return try searcher.search(request)
  }

  /// The titles of the records that have all the words, in order.
  func all(_ query: String) throws -> [String] { try search(query) { $0.words = .all }.hits.map(\.title) }
}
