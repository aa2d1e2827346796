// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex

/// A search that is kept beside the index under a name. It is Boolean: it is neither widened nor corrected.
public struct NamedSearch: Hashable, Sendable {
  /// The name: up to 64 letters, digits, `-`, `_` and `.`.
  public let name: String
  /// What it finds, as a query for `search`.
  public let query: SearchQuery
  /// When it was saved, ISO 8601.
  public let created: String
  /// The process that watches its events; nil if there is none.
  public let watcher: Int?
}

extension StoreIndex {
  /// Keeps a search under a name, for `savedSearches`, `events(ofSavedSearch:)` and the program `followspot`.
  ///
  /// - Parameters:
  ///   - name: Up to 64 letters, digits, `-`, `_` and `.`, beginning with a letter or a digit.
  ///   - text: In the query language of `followspot search`. All words are required.
  ///   - kinds: Names of the entities to search; empty = all.
  ///   - limit: Only so many best matches; nil = all matches.
  ///   - replaces: Whether a saved search of this name is replaced.
  /// - Throws: `FollowspotError`: `.usage` for a name that is taken or not possible, `.query` for a query that is not valid.
  public func saveSearch(
    named name: String, _ text: String, kinds: [String] = [], limit: Int? = nil, replaces: Bool = false
  ) async throws {
    try await searching { searcher in
      let search = try SavedSearch(name: name, query: text, kinds: kinds, limit: limit)
      // This throws if the search cannot be evaluated.
      _ = try search.dependences(in: searcher)
      try SavedSearches(directory: self.indexDirectory).add(search, replaces: replaces)
    }
  }

  /// The saved searches in the order of their names.
  public func savedSearches() async throws -> [NamedSearch] {
    try await work {
      try SavedSearches(directory: self.indexDirectory).list().map { search in
        NamedSearch(search, watcher: FileLock.holder(.saved(search.name), in: self.indexDirectory)?.pid)
      }
    }
  }

  /// Removes a saved search and what is known of its events.
  ///
  /// - Parameter name: The name of the saved search.
  /// - Throws: `FollowspotError`: `.usage` if there is no such search, `.locked` while its events are read.
  public func removeSavedSearch(named name: String) async throws {
    try await work { try SavedSearches(directory: self.indexDirectory).remove(name, storePath: self.store.path) }
  }
}

extension NamedSearch {
  init(_ search: SavedSearch, watcher: Int?) {
    (name, created, self.watcher) = (search.name, search.created, watcher)
    var query = SearchQuery(search.query, kinds: search.kinds, limit: search.limit)
    (query.words, query.isCorrected) = (.all, false)
    self.query = query
  }
}
