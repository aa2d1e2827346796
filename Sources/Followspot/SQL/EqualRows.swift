// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// The rows of a table by the values of a column without an index, in memory. It is made when a statement looks for
/// equal values repeatedly, as a join does: otherwise each lookup would read the whole table.
final class EqualRows {
  /// The number of lookups that read the table.
  private static let lookups = 8
  /// The maximum number of rows of a table.
  private static let mostRows: Int64 = 2_000_000

  private unowned let table: EntityTable
  private var counts: [Int: Int] = [:]
  private var keys: [Int: [Value: [Int64]]] = [:]

  init(_ table: EntityTable) { self.table = table }

  /// The keys of the rows that may equal a value; nil if the condition is tested by the statement that reads the store.
  func keys(_ condition: ScanCondition, _ filter: RowFilter, _ value: Value) throws -> [Int64]? {
    let column = condition.column
    guard condition.operation == .equal, filter.isKeptInMemory,
      let wanted = try filter.storedValue(of: value, table.member)
    else { return nil }
    if keys[column] == nil {
      counts[column, default: 0] += 1
      guard counts[column]! > Self.lookups, !table.isIndexed(column), table.rows <= Self.mostRows,
        let stored = filter.column(of: table.alias)
      else { return nil }
      keys[column] = try read(stored)
    }
    return keys[column]?[Self.normal(wanted)] ?? []
  }

  private func read(_ column: String) throws -> [Value: [Int64]] {
    let rows = try table.store.select(RowSelect(table.alias, [table.alias.key, column]).sql)
    var keys: [Value: [Int64]] = [:]
    while try rows.next() {
      guard !rows.row.isNull(at: 1) else { continue }
      keys[Self.normal(rows.row.value(at: 1)), default: []].append(rows.row.integer(at: 0))
    }
    return keys
  }

  /// Numbers that SQLite considers equal have one form.
  private static func normal(_ value: Value) -> Value {
    guard case .real(let number) = value, let whole = Int64(exactly: number) else { return value }
    return .integer(whole)
  }
}

extension RowFilter {
  /// The column that the filter tests; nil for the key and the store.
  fileprivate func column(of table: TableAlias) -> String? {
    switch self {
    case .key, .store: return nil
    case .reference(let relationship):
      guard case .reference(let key, _, _) = relationship.storage else { return nil }
      return "\(table.name).\(key)"
    case .value(let attribute, _): return table.column(attribute)
    }
  }

  /// The stored value that equals a value of SQL; nil if the types do not fit.
  fileprivate func storedValue(of value: Value, _ member: MemberStore) throws -> Value? {
    switch (self, value) {
    case (.reference(let relationship), _):
      try Self.row(value, relationship.destination, member).map { .integer($0.key) }
    case (.value(_, let type), .text) where !type.isNumber: value
    case (.value(_, let type), .integer) where type.isNumber: value
    case (.value(_, let type), .real) where type.isNumber: value
    default: nil
    }
  }
}
