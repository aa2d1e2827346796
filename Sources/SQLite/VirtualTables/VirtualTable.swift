// SPDX-License-Identifier: MIT

/// A table whose rows a program computes. SQLite calls it only while a statement of its connection is prepared or runs.
package protocol VirtualTable: AnyObject {
  /// The name in statements. Neither tables nor other virtual tables of the connection have this name.
  var name: String { get }
  /// The CREATE TABLE statement with the columns. Its table name has no meaning.
  var declaration: String { get }

  /// Estimates a scan and selects the conditions that it uses; nil if these conditions permit no scan.
  func plan(_ request: ScanRequest) -> ScanPlan?
  /// A new cursor, before its first scan.
  func cursor() -> any VirtualCursor
}

/// A scan of a virtual table. It is reused for each row of an outer loop.
package protocol VirtualCursor: AnyObject {
  /// Whether the last row has been passed.
  var isAtEnd: Bool { get }
  /// A number that identifies the current row in every scan.
  var rowid: Int64 { get }

  /// Begins a scan at its first row.
  ///
  /// - Parameter arguments: The values of the plan's conditions.
  func start(_ plan: ScanPlan, _ arguments: [Value]) throws
  /// Moves to the next row.
  func next() throws
  /// Passes a column of the current row to SQLite. Without a call the value is NULL.
  func column(_ index: Int, _ result: ColumnResult) throws
}

/// A condition of a statement on a column of a virtual table.
package struct ScanCondition: Sendable {
  package enum Operation: Sendable, Equatable { case equal, less, lessOrEqual, greater, greaterOrEqual }

  package let column: Int
  package let operation: Operation
  /// Whether texts are compared byte by byte.
  package let isBinary: Bool
  /// Whether its value is known at the start of the scan.
  package let isUsable: Bool
}

/// A question of SQLite: how expensive is a scan with these conditions?
package struct ScanRequest {
  package let conditions: [ScanCondition]
  /// The columns that the statement reads. Bit 63 stands for all further columns.
  let columns: UInt64
  /// The order that the statement requires, if it is that of one column.
  package let order: (column: Int, isDescending: Bool)?
}

/// A scan that a table offers.
package struct ScanPlan {
  /// The used conditions as indices of the request's, in the order of the arguments. SQLite tests them again on each
  /// row.
  package var used: [Int] = []
  /// Those of them that SQLite must not test again: arguments of a function.
  package var exact: Set<Int> = []
  /// The used conditions and the columns that the statement reads. The caller of `VirtualTable.plan(_:)` sets them.
  package internal(set) var conditions: [ScanCondition] = []
  var columns: UInt64 = .max
  /// Identifies the plan among those of its table.
  package internal(set) var number = -1
  package var rows: Int64 = 1_000
  package var cost = 1_000.0
  /// Whether there is at most one row.
  package var isUnique = false
  /// Whether the rows come in the required order.
  package var isOrdered = false
  /// Whether the last rows of that order come first.
  package var isDescending = false
  /// The description in EXPLAIN QUERY PLAN.
  package var text = ""

  package init() {}

  package func reads(column: Int) -> Bool { columns & (1 << UInt64(min(column, 63))) != 0 }
}
