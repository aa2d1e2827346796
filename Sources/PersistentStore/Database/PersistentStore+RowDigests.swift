// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// Calls `body` with the key and a 64-bit digest of each row. Rows with an integer key come in its order. For ordinary
  /// databases only.
  ///
  /// - Parameter body: Returns whether the row will be read by its key soon.
  package func eachRowDigest(of entity: EntityLayout, _ body: (Int64, UInt64) throws -> Bool) throws {
    guard let table = database?.sources[entity.entity.name]?.table else { return }
    let numbers = keyNumbers[entity.entity.name]
    let key = numbers?.sql.columns.map { "t." + quoted($0.name) } ?? [table.key]
    // The number stands for a key that has one spelling.
    let known = Set(numbers?.sql.columns.filter(\.hasOneSpelling).map(\.name.sqlName) ?? [])
    let columns = table.columns.filter { !known.contains($0.name.sqlName) }.map { "t." + quoted($0.name) }
    let condition = table.keyCondition.map { " WHERE " + $0 } ?? ""
    try Self.translating(path) {
      let statement = try connection.statement(
        "SELECT \((key + columns).joined(separator: ", ")) FROM \(table.quotedName) t\(condition)"
          + (numbers == nil ? " ORDER BY \(table.key)" : ""))
      defer { statement.reset() }
      var bytes = RowBytes()
      while try statement.step() {
        let number = numbers?.number(ofKey: statement, using: &bytes) ?? statement.integer(at: 0)
        bytes.removeAll()
        for column in key.count..<(key.count + columns.count) { bytes.append(statement, Int32(column)) }
        if try body(number, bytes.digest) { numbers?.remember(number, keyOf: statement) }
      }
    }
  }
}
