// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// The rows of an entity and its subentities as a virtual table. Conditions on keys and stored values become conditions
/// of the statement that reads the store, so that joins by key read single rows.
final class EntityTable: StoreTable {
  let name: String
  let entity: EntityLayout
  var columns: [TableColumn]
  /// The table in statements on the store.
  let alias: TableAlias
  let member: MemberStore
  var store: PersistentStore { member.store }
  private(set) lazy var rows = (try? store.estimatedRows(of: entity)) ?? 1_000
  private var indexed: [Int: Bool] = [:]
  private(set) lazy var equalRows = EqualRows(self)

  init(_ entity: EntityLayout, name: String, member: MemberStore) {
    self.entity = entity
    self.name = name
    self.member = member
    alias = TableAlias(entity, as: "t")
    columns = TableColumn.columns(of: entity, isOfGroup: member.name != nil)
  }

  func cursor() -> any VirtualCursor { EntityCursor(self) }

  /// The numbers of the entities whose rows the table has.
  var numbers: [Int] { store.layout.entities.filter(entity.includes).map(\.number) }

  func plan(_ request: ScanRequest) -> ScanPlan? {
    var plan = ScanPlan()
    plan.rows = rows
    plan.cost = Double(rows) * 2
    var texts: [String] = []
    for (index, condition) in request.conditions.enumerated() where condition.isUsable {
      let column = columns[condition.column]
      guard let filter = RowFilter(condition, column, entity) else { continue }
      plan.used.append(index)
      texts.append(column.name + condition.operation.text + "?")
      // Another form of an identifier, such as `book/p22`, is not equal to the text of the column.
      if filter.findsIdentifiers, store.namesRecordsByKey { plan.exact.insert(index) }
      switch filter {
      case .key:
        (plan.isUnique, plan.rows, plan.cost) = (true, 1, 3)
      case .store: break
      case .reference, .value:
        plan.rows = max(1, plan.rows / (condition.operation == .equal ? 50 : 3))
        // Repeated lookups of equal values are fast also without an index: see `EqualRows`.
        let isFast = condition.operation == .equal && (isIndexed(condition.column) || filter.isKeptInMemory)
        plan.cost = min(plan.cost, isFast ? Double(plan.rows) * 3 + 3 : Double(rows))
      }
    }
    plan.text = texts.joined(separator: " ")
    return plan
  }

  /// Whether an index of the store finds the values of a column.
  func isIndexed(_ column: Int) -> Bool {
    if let known = indexed[column] { return known }
    let found =
      switch columns[column].source {
      case .attribute(let index): try? store.isIndexed(attribute: index, of: entity)
      case .reference(let relationship): try? store.isIndexed(reference: relationship, of: entity)
      default: false
      }
    indexed[column] = found ?? false
    return found ?? false
  }
}

extension ScanCondition.Operation {
  var text: String {
    switch self {
    case .equal: "="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}
