// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store
internal import TestSupport

/// The same rows in an FTS5 table with its Porter stemmer, each text a column of equal weight.
struct FullTextPartner {
  private let connection: Connection

  /// - Parameter connection: To a database with the FTS5 table `document`, whose first column is an identifier.
  init(_ connection: Connection) { self.connection = connection }

  init(_ indexed: IndexedCollection) throws {
    connection = try Connection(path: indexed.directory.file("fts.sqlite"), access: .create)
    let entity = try PersistentStore.open(indexed.storePath).layout.entities[0]
    let attributes = entity.entity.attributes.filter { $0.name != indexed.identifier }
    let columns = attributes.filter { [.string, .strings, .json].contains($0.type) }
      .map { "CAST(\(quoted("Z" + $0.name.uppercased())) AS TEXT)" }
    let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
    try connection.execute(
      """
      ATTACH '\(indexed.storePath)' AS store;
      CREATE VIRTUAL TABLE document USING fts5(id UNINDEXED, \(names), tokenize='porter unicode61');
      INSERT INTO document SELECT \(quoted("Z" + indexed.identifier.uppercased())), \(columns.joined(separator: ", "))
        FROM store.\(entity.quotedTable);
      """)
  }

  /// How the words of a query are combined.
  enum Words { case any, allThenAny }

  /// The identifiers of the best hits of each query, by bm25.
  func hits(_ queries: [String], depth: Int, words mode: Words) throws -> [[String]] {
    let find = try connection.statement(
      "SELECT id FROM document WHERE document MATCH ?1 ORDER BY rank LIMIT \(depth)")
    func hits(_ expression: String) throws -> [String] {
      try find.bind(expression, at: 1)
      defer { find.reset() }
      var hits: [String] = []
      while try find.step() { hits.append(find.text(at: 0)) }
      return hits
    }
    return try queries.map { query in
      let words = query.split { !$0.isLetter && !$0.isNumber }.map { "\"\($0)\"" }
      let any = try hits(words.joined(separator: " OR "))
      guard case .allThenAny = mode else { return any }
      let all = try hits(words.joined(separator: " AND "))
      return Array((all + any.filter { !all.contains($0) }).prefix(depth))
    }
  }
}
