// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SQLite

/// The rows of an SQL statement.
public struct SQLRows: Sendable {
  /// The names of the columns, as the statement gives them.
  public let columns: [String]
  /// The values of each row by column; nil for NULL.
  public let rows: [[AttributeValue?]]
  /// Whether there are more rows than were asked for.
  public let isTruncated: Bool
  /// The stores of a group that cannot be read, as `SearchAnswer.missing`.
  public let missing: [String: String]
  /// Sentences for people about the searches of the statement.
  public let notes: [String]
}

extension StoreIndex {
  /// Runs an SQL statement over the store, in which `search('robots')` is a table of hits. It can only read.
  ///
  /// While it runs, SQLite may use 512 MB in the whole process.
  ///
  /// - Parameters:
  ///   - sql: One statement: SELECT, WITH, VALUES or EXPLAIN. Each entity is a table.
  ///   - limit: Maximum number of rows; nil = all.
  ///   - timeout: The time after which the statement is stopped; nil for no limit.
  /// - Throws: `FollowspotError`: `.query` with the position of a mistake, `.usage` for a statement that does not only read
  ///   or that takes too long, `.indexMissing` for a search without an index.
  public func rows(of sql: String, limit: Int? = nil, timeout: Duration? = nil) async throws -> SQLRows {
    try await work {
      let statement = StoreStatement([(name: nil, path: self.store.path, directory: self.indexDirectory)])
      return try SQLRows(of: sql, in: statement, limit, timeout)
    }
  }
}

extension SQLRows {
  init(of sql: String, in statement: StoreStatement, _ limit: Int?, _ timeout: Duration?) throws {
    var (columns, rows, isTruncated): ([String], [[AttributeValue?]], Bool) = ([], [], false)
    try statement.run(sql, stoppingAfter: timeout?.milliseconds) { found in
      (columns, rows, isTruncated) = (found.columns, [], false)
      while let row = try found.next() {
        guard rows.count != limit else {
          isTruncated = true
          return
        }
        rows.append(row.map(AttributeValue.init))
      }
    }
    self.init(
      columns: columns, rows: rows, isTruncated: isTruncated, missing: statement.missing.reasons, notes: statement.notes
    )
  }
}

extension AttributeValue {
  /// A value whose attribute is not known; nil for NULL.
  fileprivate init?(_ value: Value) {
    switch value {
    case .null: return nil
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .text(let text): self = .text(text)
    case .blob(let bytes): self = .data(Data(bytes))
    }
  }
}
