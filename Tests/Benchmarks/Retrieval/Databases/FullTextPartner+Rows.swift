// SPDX-License-Identifier: MIT

internal import SQLite
internal import TestSupport

extension FullTextPartner {
  /// The rows of an ordinary database, each found by its own values.
  init(_ tables: [NamedTable], in directory: TemporaryDirectory) throws {
    let connection = try Connection(path: directory.file("rows.sqlite"), access: .create)
    try connection.execute("CREATE VIRTUAL TABLE document USING fts5(id UNINDEXED, text, tokenize='porter unicode61')")
    try connection.write {
      for table in tables {
        for (row, values) in table.rows.enumerated() {
          let text = values.compactMap(NamedTable.text).joined(separator: " \n ")
          try connection.run("INSERT INTO document VALUES (?1, ?2)", [.text(table.identifier(of: row)), .text(text)])
        }
      }
    }
    self.init(connection)
  }
}
