// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Testing

/// Everything that a sound store holds, but for its identity and the times of its saves.
struct StoreContent: Hashable, CustomTestStringConvertible {
  /// Rows as text, by table.
  private var tables: [String: [String]] = [:]

  /// Reads a store; nil where there is none. A damaged one is recorded as an issue.
  init?(path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let connection = try Connection(path: path, access: .readWrite)
    let check = try connection.cursor("PRAGMA integrity_check")
    #expect(try check.step() && check.text(at: 0) == "ok", "\(path) is damaged")
    check.reset()
    let names = try Self.texts(
      connection, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('Z_METADATA') ORDER BY name")
    for name in names {
      let columns = try Self.texts(connection, "SELECT name FROM pragma_table_info('\(name)')")
        .filter { $0 != "ZTIMESTAMP" }.map { "quote(\(quoted($0)))" }
      tables[name] = try Self.texts(
        connection, "SELECT \(columns.joined(separator: " || ', ' || ")) FROM \(quoted(name)) ORDER BY 1")
    }
  }

  private static func texts(_ connection: Connection, _ sql: String) throws -> [String] {
    let statement = try connection.cursor(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(at: 0)) }
    return texts
  }

  /// Whether nothing was ever saved.
  var isEmpty: Bool { tables["ATRANSACTION"]?.isEmpty != false && tables["ACHANGE"]?.isEmpty != false }

  var testDescription: String { tables.mapValues(\.count).sorted { $0.key < $1.key }.description }
}
