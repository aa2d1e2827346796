// SPDX-License-Identifier: MIT

internal import SQLite

/// The tables that `followspot attach` creates in a database.
enum LogTables {
  static let names = [
    "followspot_store", "followspot_table", "followspot_author", "followspot_writer", "followspot_change",
  ]

  /// Whether a database has them: it is attached.
  static func exist(_ connection: Connection) throws -> Bool {
    try connection.tables(among: ["followspot_change", "followspot_table", "followspot_store"]).count == 3
  }

  /// Whether a table of an attached database is one of them.
  ///
  /// - Parameter name: The name in lower case.
  static func contain(_ name: String) -> Bool { names.contains(name) || isKeyTable(name) }

  private static let keyPrefix = "followspot_key_"

  private static func isKeyTable(_ name: String) -> Bool {
    let number = name.dropFirst(keyPrefix.count)
    return name.hasPrefix(keyPrefix) && !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
  }

  /// The tables in which earlier versions kept the numbers of keys.
  static func keyTables(_ connection: Connection) throws -> [(name: String, number: Int64)] {
    let names = try connection.cursor(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name GLOB '\(keyPrefix)[0-9]*' ORDER BY name")
    var tables: [(String, Int64)] = []
    while try names.step() {
      let name = names.text(at: 0)
      if isKeyTable(name) { tables.append((name, Int64(name.dropFirst(keyPrefix.count)) ?? 0)) }
    }
    return tables
  }
}
