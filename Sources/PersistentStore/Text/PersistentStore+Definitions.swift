package import SQLite

/// What statements of this store may call.
extension PersistentStore {
  /// Runs `body` unless an earlier call has run it for this connection. Stores from `reread()` share one connection.
  package func defineOnce(_ body: (PersistentStore) throws -> Void) throws {
    guard !connection.hasDefinitions else { return }
    try body(self)
    connection.hasDefinitions = true
  }

  /// Makes `name(text, other)` a function of SQL: 1 or 0, and NULL where either is NULL.
  package func define(function name: String, _ body: @escaping Connection.TextPredicate) throws {
    try Self.translating(path) { try connection.define(function: name, body) }
  }

  /// Makes `name(text)` a function of SQL that gives a whole number, NULL for NULL.
  package func define(measure name: String, _ body: @escaping Connection.TextMeasure) throws {
    try Self.translating(path) { try connection.define(measure: name, body) }
  }

  /// Makes `COLLATE name` an order of SQL. It has to be the same whenever it is asked.
  package func define(collation name: String, _ body: @escaping Connection.TextOrder) throws {
    try Self.translating(path) { try connection.define(collation: name, body) }
  }
}
