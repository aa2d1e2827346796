internal import PersistentStore
internal import SQLite
internal import TestSupport

/// The same rows in an FTS5 table with its Porter stemmer, each text attribute a column of equal weight.
struct FullTextPartner {
  private let connection: Connection

  init(_ indexed: IndexedCollection) throws {
    connection = try Connection(path: indexed.directory.file("fts.sqlite"), access: .create)
    let entity = try PersistentStore.open(indexed.storePath).layout.entities[0].entity
    let names = entity.attributes.filter { $0.type == .string && $0.name != "id" }.map(\.name)
    let columns = names.map { quoted("Z" + $0.uppercased()) }.joined(separator: ", ")
    try connection.execute(
      """
      ATTACH '\(indexed.storePath)' AS store;
      CREATE VIRTUAL TABLE document USING fts5(id UNINDEXED, \(columns), tokenize='porter unicode61');
      INSERT INTO document SELECT ZID, \(columns) FROM store.ZDOCUMENT;
      """)
  }

  /// Any of the words, by bm25.
  func runs(_ queries: [TestCollection.Query]) throws -> [String: [String]] {
    let find = try connection.statement(
      "SELECT id FROM document WHERE document MATCH ?1 ORDER BY rank LIMIT \(RetrievalBenchmark.depth)")
    var runs: [String: [String]] = [:]
    for query in queries {
      let words = query.text.split { !$0.isLetter && !$0.isNumber }
      try find.bind(words.map { "\"\($0)\"" }.joined(separator: " OR "), at: 1)
      var hits: [String] = []
      while try find.step() { hits.append(find.text(at: 0)) }
      find.reset()
      runs[query.id] = hits
    }
    return runs
  }
}
