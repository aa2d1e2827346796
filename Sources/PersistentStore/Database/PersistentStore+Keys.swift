internal import SQLite

/// Assigns numbers to the keys of tables whose rows have no integer key, in temporary tables.
extension DatabaseSchema {
  /// Fills the temporary key tables with the keys of all rows. Call it inside a snapshot that ends with a commit.
  func fillKeys(_ connection: Connection) throws {
    for (table, keys) in temporaryKeys {
      try connection.execute("DELETE FROM \(keys.qualifiedName)")
      let names = keys.columns.map { quoted($0.name) }.joined(separator: ", ")
      let order = table.order(isDescending: false)
      let rows = try connection.cursor("SELECT \(names) FROM \(table.quotedName) ORDER BY \(order)")
      let parameters = keys.columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
      let insert = try connection.cursor("INSERT OR IGNORE INTO \(keys.qualifiedName) VALUES (?1, \(parameters))")
      while try rows.step() {
        var number = Self.number(ofKey: rows)
        // A collision of digests is next to impossible; two equal keys are damage.
        for _ in 0..<8 {
          insert.reset()
          try insert.bind(number, at: 1)
          for column in keys.columns.indices {
            try insert.bind(rows.value(at: Int32(column)), at: Int32(column + 2))
          }
          while try insert.step() {}
          if connection.changedRows == 1 { break }
          number = (number + 1) & Int64.max
        }
      }
    }
  }

  /// A positive number that depends only on the key.
  private static func number(ofKey row: Statement) -> Int64 {
    var bytes: [UInt8] = []
    return Int64(row.digest(of: 0..<Int32(row.columnCount), using: &bytes) >> 2) + 1
  }
}
