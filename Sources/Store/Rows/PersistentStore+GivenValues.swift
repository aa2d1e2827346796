// SPDX-License-Identifier: MIT

package import SQLite

/// Rows whose values come from elsewhere, in the form in which rows of the store are read.
extension PersistentStore {
  /// Calls `body` with values as a row.
  package func withRow<Result>(key: Int64, values: [Value], _ body: (Row) throws -> Result) throws -> Result {
    try withParameters([.integer(key)] + values) { try body(Row(statement: $0)) }
  }

  /// Calls `body` with values as those of an object at the end of a path.
  ///
  /// - Parameter key: Distinguishes the objects of one path.
  package func withRelated<Result>(
    along path: RelationshipPath, key: Int64, values: [Value], _ body: (RelatedRow) throws -> Result
  ) throws -> Result {
    let objects = path.hops.map { RowIdentifier(entity: $0.destination, key: key) }
    return try withParameters(values) { try body(RelatedRow(objects, $0, hops: objects.count)) }
  }

  private func withParameters<Result>(_ values: [Value], _ body: (Statement) throws -> Result) throws -> Result {
    try Self.translating(path) {
      let columns = values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      let statement = try connection.statement("SELECT \(columns)")
      defer { statement.reset() }
      try statement.bind(values)
      _ = try statement.step()
      return try body(statement)
    }
  }
}
