// SPDX-License-Identifier: MIT

package import Followspot
package import SQLite
package import SearchIndex
package import Store

/// An ordinary database and its index in a new directory.
package struct IndexedDatabase {
  package let path: String
  package let index: IndexDirectory
  /// Writes as any program does.
  package let writer: Connection
  private let kept = Kept()

  /// Most searches take a searcher that stays open, as a program does; each fourth one opens the files anew, as a shell does.
  private final class Kept {
    var searcher: Searcher?
    var count = 0
  }

  /// - Parameter isAttached: Whether the database is attached after `schema` was executed.
  package init(
    _ schema: String = "", isAttached: Bool = false, keys: [String] = [], preserving: [String] = []
  ) throws {
    path = TemporaryDirectory().file("any.sqlite")
    index = IndexDirectory(path: path + ".index")
    writer = try Connection(path: path, access: .create)
    try writer.execute(schema)
    if isAttached { _ = try Attachment.attach(path, keys: keys, preserving: preserving) }
  }

  package func options() -> Indexer.Options { Indexer.Options(storePath: path, directory: index) }

  /// Updates the index, and returns what was reported.
  @discardableResult
  package func update(_ change: (inout Indexer.Options) -> Void = { _ in }) throws -> [String] {
    var options = options()
    var reports: [String] = []
    options.report = { reports.append($0) }
    change(&options)
    _ = try Pass.run(options)
    return reports
  }

  /// All records with all the words.
  package func search(_ query: String, isIndexOnly: Bool = false) throws -> SearchResult {
    var request = SearchRequest(query: query)
    (request.limit, request.isIndexOnly, request.words) = (nil, isIndexOnly, .all)
    kept.count += 1
    if kept.count % 4 != 0, let searcher = kept.searcher, !searcher.isOutdated {
      do { return try searcher.search(request) } catch let error as StoreError where error.asksForOpening {}
    }
    let searcher = try Searcher(storePath: path, directory: index)
    kept.searcher = searcher
    return try searcher.search(request)
  }

  /// Why a record matches a query, or why it does not.
  package func explain(_ record: String, _ query: String) throws -> Explanation {
    let searcher = try Searcher(storePath: path, directory: index)
    return try searcher.explain(searcher.record(named: record)!, SearchRequest(query: query))!
  }

  /// The identifiers of these records, such as `books/7`, sorted.
  package func hits(_ query: String, isIndexOnly: Bool = false) throws -> [String] {
    try search(query, isIndexOnly: isIndexOnly).hits.map(\.identifier.short).sorted()
  }

  /// Whether the index equals the rows.
  package var isEqual: Bool { get throws { try Verify(storePath: path, directory: index).run(isQuick: false).isEqual } }
  package var tracking: ChangeTracking { get throws { try StoreFile.open(path).tracking } }
}
