// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// The pairs of a to-many relationship as a virtual table: `Movie_cast(key, target)`, with `position` if the
/// relationship is ordered.
final class RelationTable: StoreTable {
  let name: String
  let owner: EntityLayout
  let target: EntityLayout
  let relationship: RelationshipLayout
  let member: MemberStore
  var columns: [TableColumn]
  var store: PersistentStore { member.store }
  private lazy var rows = (try? store.estimatedRows(of: target)) ?? 1_000

  init?(_ relationship: RelationshipLayout, of owner: EntityLayout, name: String, member: MemberStore) {
    guard let target = member.store.layout.entity(number: relationship.destination) else { return nil }
    (self.relationship, self.owner, self.target, self.name, self.member) = (relationship, owner, target, name, member)
    columns = [.key, TableColumn(name: "target", type: "TEXT", source: .target)]
    if order != nil { columns.append(TableColumn(name: "position", type: "INTEGER", source: .position)) }
  }

  /// Owner and target in statements on the store.
  var own: TableAlias { TableAlias(owner, as: "o") }
  var other: TableAlias { TableAlias(target, as: "t") }

  /// The end of the relationship that a condition names; nil if the store cannot test the condition.
  func end(_ condition: ScanCondition) -> TableAlias? {
    guard condition.operation == .equal, condition.isBinary else { return nil }
    switch columns[condition.column].source {
    case .key: return own
    case .target: return other
    default: return nil
    }
  }

  func cursor() -> any VirtualCursor { RelationCursor(self) }

  func plan(_ request: ScanRequest) -> ScanPlan? {
    var plan = ScanPlan()
    (plan.rows, plan.cost) = (rows, Double(rows) * 3)
    for (index, condition) in request.conditions.enumerated() where condition.isUsable && end(condition) != nil {
      plan.used.append(index)
      if store.namesRecordsByKey { plan.exact.insert(index) }
      plan.rows = max(1, min(plan.rows, 10))
      plan.cost = min(plan.cost, 30)
      plan.text += (plan.text.isEmpty ? "" : " ") + columns[condition.column].name + "=?"
    }
    return plan
  }

  /// The order key as SQL; nil for an unordered relationship.
  private var order: String? {
    switch relationship.storage {
    case .reference: nil
    case .inverseReference(_, _, let order, _): order.map { "t." + $0 }
    case .joinTable(_, _, _, let order, _): order.map { "tj." + $0 }
    }
  }

  /// A statement with the keys and entities of owner and target, the order key, and the number of the pair.
  func sql(_ conditions: [String]) -> String {
    let (from, joined) = relationship.targets(as: other, ofOwner: own.key)
    var all = [joined] + conditions
    if !owner.isAloneInTable {
      all.append(own.isOf(entities: store.layout.entities.filter(owner.includes).map(\.number)))
    }
    // A target has one owner, unless a join table holds the pairs.
    let pair = if case .joinTable = relationship.storage { "tj.rowid" } else { other.key }
    let columns = [own.key, own.entityNumber, other.key, other.entityNumber, order ?? "NULL", pair]
    return "SELECT \(columns.joined(separator: ", ")) FROM \(own.table) JOIN \(from) "
      + "WHERE \(all.joined(separator: " AND "))"
  }
}

/// A scan of a relationship's table.
private final class RelationCursor: VirtualCursor {
  private let table: RelationTable
  private var selection: Selection?
  private(set) var isAtEnd = true
  var rowid: Int64 { selection?.row.integer(at: 5) ?? 0 }

  init(_ table: RelationTable) { self.table = table }

  func start(_ plan: ScanPlan, _ arguments: [Value]) throws {
    (selection, isAtEnd) = (nil, true)
    var conditions: [String] = []
    var values: [Value] = []
    for (condition, argument) in zip(plan.conditions, arguments) {
      guard let end = table.end(condition) else { continue }
      guard case .text(let text) = argument, let row = try table.member.row(named: text) else { return }
      conditions.append("\(end.key) = ? AND \(end.entityNumber) = ?")
      values += [.integer(row.key), .integer(Int64(row.entity))]
    }
    selection = try table.store.select(table.sql(conditions), values)
    try next()
  }

  func next() throws {
    isAtEnd = try selection?.next() != true
    if isAtEnd { selection = nil }
  }

  func column(_ index: Int, _ result: ColumnResult) throws {
    guard let row = selection?.row else { return }
    func pass(_ at: Int32) throws {
      let end = RowIdentifier(entity: Int(row.integer(at: at + 1)), key: row.integer(at: at))
      result.text(try table.member.key(of: end))
    }
    switch table.columns[index].source {
    case .key: try pass(0)
    case .target: try pass(2)
    case .position: row.pass(4, to: result)
    case .store: result.text(table.member.name ?? "")
    default: break
    }
  }
}
