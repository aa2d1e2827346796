// SPDX-License-Identifier: MIT

package import SQLite

/// A cursor over the rows of one entity in key order.
package final class RowCursor {
  private let statement: Statement
  private let path: String
  private var last: Int64?
  /// The requested attributes: column `n` of a row is `attributes[n]`.
  let attributes: [Int]

  init(statement: Statement, path: String, attributes: [Int]) {
    self.statement = statement
    self.path = path
    self.attributes = attributes
  }

  /// Moves to the next row. A row and its pointers are valid until the next call.
  ///
  /// - Throws: `StoreError.corrupt` also if the keys do not ascend. SQLite relies on the order of a table: if a page
  ///   was replaced by an older version, it finds rows twice or not at all.
  package func next() throws -> Row? {
    guard try PersistentStore.translating(path, statement.step) else { return nil }
    let row = Row(statement: statement)
    if let last, row.key <= last {
      throw StoreError(
        .corrupt, "\(path) is damaged: the row \(row.key) of a table comes after the row \(last)",
        recovery: .restoreBackup)
    }
    last = row.key
    return row
  }
}

/// The current row of a cursor. Columns count from 0 in the order of the requested attributes.
package struct Row {
  private let statement: Statement
  package let key: Int64
  private let first: Int32

  init(statement: Statement) {
    self.init(statement: statement, key: statement.integer(at: 0), firstColumn: 1)
  }

  init(statement: Statement, key: Int64, firstColumn: Int32) {
    self.statement = statement
    self.key = key
    first = firstColumn
  }

  package func isNull(_ column: Int) -> Bool { statement.isNull(at: Int32(column) + first) }
  package func storageClass(_ column: Int) -> Statement.StorageClass {
    statement.storageClass(at: Int32(column) + first)
  }
  package func integer(_ column: Int) -> Int64 { statement.integer(at: Int32(column) + first) }
  package func double(_ column: Int) -> Double { statement.double(at: Int32(column) + first) }
  /// The UTF-8 of a text or the bytes of a blob, not copied.
  package func bytes(_ column: Int) -> UnsafeRawBufferPointer { statement.bytes(at: Int32(column) + first) }
  /// The column's value. See `PersistentStore.contents(of:)` for attributes with external storage.
  package func value(_ column: Int) -> Value { statement.value(at: Int32(column) + first) }
}
