// SPDX-License-Identifier: MIT

package import SQLite

/// Defines functions and collations for statements of this store.
extension PersistentStore {
  /// Runs `body` unless an earlier call has run it for this connection. Stores from `reread()` share one connection.
  package func defineOnce(_ body: (PersistentStore) throws -> Void) throws {
    guard !connection.hasDefinitions else { return }
    try body(self)
    connection.hasDefinitions = true
  }

  /// Defines the SQL function `name(text, other)`: 1 or 0, and NULL if either is NULL.
  package func define(function name: String, _ body: @escaping Connection.TextPredicate) throws {
    try Self.translating(path) { try connection.define(function: name, body) }
  }

  /// Defines the SQL function `name(text)` that returns an integer, and NULL for NULL.
  package func define(measure name: String, _ body: @escaping Connection.TextMeasure) throws {
    try Self.translating(path) { try connection.define(measure: name, body) }
  }

  /// Defines the SQL function `name(text)` that returns a number; NULL for NULL, and for text that is not one.
  package func define(number name: String, _ body: @escaping Connection.TextNumber) throws {
    try Self.translating(path) { try connection.define(number: name, body) }
  }

  /// Defines the collation `name`. Its order must never change.
  package func define(collation name: String, _ body: @escaping Connection.TextOrder) throws {
    try Self.translating(path) { try connection.define(collation: name, body) }
  }
}
