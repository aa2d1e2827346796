// SPDX-License-Identifier: MIT

internal import SQLite

/// Views in the connection's temporary schema with the names of tables: statements find a view first. So the same
/// statements read all stores, and the file stays unchanged. SQLite flattens such views into the statements.
struct TemporaryViews: Sendable {
  var statements: [String]
  /// Defines the SQL functions that the views call.
  private let functions: @Sendable (Connection) throws -> Void

  init(
    _ statements: [String] = [], functions: @escaping @Sendable (Connection) throws -> Void = { _ in }
  ) {
    self.statements = statements
    self.functions = functions
  }

  /// Creates the views in place of earlier ones of the connection.
  func install(on connection: Connection) throws {
    try connection.execute("PRAGMA temp_store = MEMORY")
    var old: [String] = []
    let found = try connection.cursor("SELECT name FROM temp.sqlite_master WHERE type = 'view'")
    while try found.step() { old.append(found.text(at: 0)) }
    for name in old { try connection.execute("DROP VIEW temp.\(quoted(name))") }
    try functions(connection)
    for statement in statements { try connection.execute(statement) }
  }
}
