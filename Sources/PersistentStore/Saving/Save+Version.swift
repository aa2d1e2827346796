// SPDX-License-Identifier: MIT

internal import SQLite

extension Save {
  /// The row's version (`Z_OPT`); nil if there is no such row.
  package func version(of entity: EntityLayout, key: Int64) throws -> Int64? {
    let statement = try connection.statement(
      "SELECT Z_OPT FROM \(entity.quotedTable) WHERE Z_PK = ?1 AND Z_ENT = \(entity.number)")
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() ? statement.integer(at: 0) : nil
  }
}
