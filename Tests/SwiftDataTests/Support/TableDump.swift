// SPDX-License-Identifier: MIT

import SQLite
import SwiftData

/// Everything in a store's file, rows as text by table: the metadata as well.
struct TableDump: Equatable {
  private(set) var tables: [String: [String]] = [:]

  init(_ url: URL) throws {
    let connection = try Connection(path: url.path, access: .readWrite)
    for name in try Self.texts(connection, "SELECT name FROM sqlite_master WHERE type = 'table'") {
      let columns = try Self.texts(connection, "SELECT name FROM pragma_table_info(\(Self.literal(name)))")
      tables[name] = try Self.texts(
        connection,
        "SELECT \(columns.map { "quote(\(quoted($0)))" }.joined(separator: " || ', ' || ")) "
          + "FROM \(quoted(name)) ORDER BY 1")
    }
    tables["sqlite_master"] = try Self.texts(
      connection, "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_master ORDER BY name")
  }

  private static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  private static func texts(_ connection: Connection, _ sql: String) throws -> [String] {
    let statement = try connection.cursor(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(at: 0)) }
    return texts
  }
}

/// Runs statements on a store's file, as another program might.
func execute(_ sql: String, _ url: URL) throws {
  try Connection(path: url.path, access: .readWrite).execute(sql)
}
