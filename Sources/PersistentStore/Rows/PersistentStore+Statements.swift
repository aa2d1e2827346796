package import SQLite

/// Reading by SQL that another module compiled.
extension PersistentStore {
  /// A statement of its own, for a cursor that lives beside others of the same text.
  package func cursor(_ sql: String, _ bindings: [Value] = []) throws -> Statement {
    try Self.translating(path) {
      let statement = try connection.cursor(sql)
      for (index, value) in bindings.enumerated() { try statement.bind(value, at: Int32(index) + 1) }
      return statement
    }
  }

  /// A statement that is compiled once for each text. Reset it after use.
  package func statement(_ sql: String) throws -> Statement {
    try Self.translating(path) { try connection.statement(sql) }
  }
}

extension Save {
  /// The row's lock number; nil where there is no such row.
  package func version(of entity: EntityLayout, key: Int64) throws -> Int64? {
    let statement = try connection.statement(
      "SELECT Z_OPT FROM \(entity.quotedTable) WHERE Z_PK = ?1 AND Z_ENT = \(entity.number)")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() ? statement.integer(at: 0) : nil
  }
}
