// SPDX-License-Identifier: MIT

internal import SQLite

/// A virtual table with rows of one store.
protocol StoreTable: VirtualTable {
  /// In a group, those of all tables of this name. The table has NULL in the columns that it lacks.
  var columns: [TableColumn] { get set }
}

extension StoreTable {
  var declaration: String {
    "CREATE TABLE x(" + columns.map { "\(quoted($0.name)) \($0.type)" }.joined(separator: ", ") + ")"
  }
}
