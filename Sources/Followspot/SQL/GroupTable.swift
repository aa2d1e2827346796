// SPDX-License-Identifier: MIT

internal import SQLite

/// The tables of one name in the stores of a group, one after the other.
final class GroupTable: VirtualTable {
  /// Tables with the same columns.
  private let parts: [any StoreTable]

  /// - Parameter parts: At least one.
  init(_ parts: [any StoreTable]) { self.parts = parts }

  var name: String { parts[0].name }
  var declaration: String { parts[0].declaration }

  func cursor() -> any VirtualCursor { GroupCursor(parts.map { $0.cursor() }) }

  /// Each part is given all conditions that any part uses, and ignores the others.
  func plan(_ request: ScanRequest) -> ScanPlan? {
    let plans = parts.compactMap { $0.plan(request) }
    var plan = ScanPlan()
    plan.used = Set(plans.flatMap(\.used)).sorted()
    plan.exact = plans.dropFirst().reduce(plans[0].exact) { $0.intersection($1.exact) }
    plan.text = plans.map(\.text).max { $0.utf8.count < $1.utf8.count } ?? ""
    // Only one store has the key. The others find that by its beginning.
    plan.isUnique = plans.allSatisfy(\.isUnique)
    plan.rows = plan.isUnique ? 1 : plans.reduce(0) { $0 + $1.rows }
    plan.cost = plan.isUnique ? plans[0].cost : plans.reduce(0) { $0 + $1.cost }
    return plan
  }
}

/// A scan of several tables, one after the other.
private final class GroupCursor: VirtualCursor {
  private let cursors: [any VirtualCursor]
  private var current = 0
  private var plan = ScanPlan()
  private var arguments: [Value] = []

  init(_ cursors: [any VirtualCursor]) { self.cursors = cursors }

  var isAtEnd: Bool { cursors[current].isAtEnd }
  var rowid: Int64 { cursors[current].rowid &* Int64(cursors.count) &+ Int64(current) }

  func start(_ plan: ScanPlan, _ arguments: [Value]) throws {
    (self.plan, self.arguments, current) = (plan, arguments, 0)
    try cursors[0].start(plan, arguments)
    try leaveEnded()
  }

  func next() throws {
    try cursors[current].next()
    try leaveEnded()
  }

  private func leaveEnded() throws {
    while cursors[current].isAtEnd, current + 1 < cursors.count {
      current += 1
      try cursors[current].start(plan, arguments)
    }
  }

  func column(_ index: Int, _ result: ColumnResult) throws { try cursors[current].column(index, result) }
}
