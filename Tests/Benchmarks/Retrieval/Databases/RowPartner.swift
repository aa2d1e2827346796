// SPDX-License-Identifier: MIT

internal import SQLite
internal import TestSupport

/// The rows of an ordinary database in an FTS5 table with its Porter stemmer: each is found by its own values.
struct RowPartner {
  private let connection: Connection

  init(_ tables: [NamedTable], in directory: TemporaryDirectory) throws {
    connection = try Connection(path: directory.file("rows.sqlite"), access: .create)
    try connection.execute("CREATE VIRTUAL TABLE document USING fts5(id UNINDEXED, text, tokenize='porter unicode61')")
    try connection.write {
      for table in tables {
        for (row, values) in table.rows.enumerated() {
          let text = values.compactMap(NamedTable.text).joined(separator: " \n ")
          try connection.run(
            "INSERT INTO document VALUES (?1, ?2)", [.text(table.identifier(of: row)), .text(text)])
        }
      }
    }
  }

  /// The identifiers of the rows with all words by bm25, then of those with any of them.
  func hits(_ query: String, depth: Int) throws -> [String] {
    let words = query.split { !$0.isLetter && !$0.isNumber }.map { "\"\($0)\"" }
    let found = try [" AND ", " OR "].map { operation in
      try connection.mapRows(
        "SELECT id FROM document WHERE document MATCH ?1 ORDER BY rank LIMIT \(depth)",
        [.text(words.joined(separator: operation))]
      ) { $0.text(at: 0) }
    }
    return Array((found[0] + found[1].filter { !found[0].contains($0) }).prefix(depth))
  }
}
