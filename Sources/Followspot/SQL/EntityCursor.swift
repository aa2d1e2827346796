// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import SearchIndex
internal import Store

/// A scan of an entity's table.
final class EntityCursor: VirtualCursor {
  private let table: EntityTable
  private var selection: Selection?
  private var entity: EntityLayout
  /// For each column of the table, the first column of the selection that it is made of.
  private var positions: [Int32]
  /// The plan for which the statement on the store was made, its text before the conditions, and the conditions that
  /// hold for every row.
  private var planned = -1
  private var statement = ""
  private var common: [String] = []
  private(set) var isAtEnd = true
  var rowid: Int64 { selection?.row.integer(at: 0) ?? 0 }

  init(_ table: EntityTable) {
    self.table = table
    entity = table.entity
    positions = Array(repeating: -1, count: table.columns.count)
  }

  func start(_ plan: ScanPlan, _ arguments: [Value]) throws {
    selection = nil
    isAtEnd = true
    let alias = table.alias
    var conditions: [String] = []
    var values: [Value] = []
    for (condition, argument) in zip(plan.conditions, arguments) {
      guard let filter = RowFilter(condition, table.columns[condition.column], table.entity) else { continue }
      if let keys = try table.equalRows.keys(condition, filter, argument) {
        guard !keys.isEmpty else { return }
        conditions.append("\(alias.key) IN (SELECT value FROM json_each(?))")
        values.append(.text("[\(keys.map(String.init).joined(separator: ","))]"))
        continue
      }
      switch try filter.test(condition.operation, argument, alias, table.member) {
      case .always: continue
      case .never: return
      case .sql(let text, let bound):
        conditions.append(text)
        values += bound
      }
    }
    if planned != plan.number {
      planned = plan.number
      statement = RowSelect(table.alias, selected(alias, plan)).sql
      if !table.entity.isAloneInTable { common = [alias.isOf(entities: table.numbers)] }
    }
    conditions += common
    let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    selection = try table.store.select(statement + condition, values)
    try next()
  }

  /// The columns of the statement that reads the store.
  private func selected(_ alias: TableAlias, _ plan: ScanPlan) -> [String] {
    var selected = [alias.key, alias.entityNumber]
    for (index, column) in table.columns.enumerated() where plan.reads(column: index) {
      positions[index] = Int32(selected.count)
      switch column.source {
      case .key, .entity, .target, .position, .store, .absent: break
      case .attribute(let attribute): selected.append(alias.column(attribute))
      case .composite(let elements): selected += elements.map { alias.column($0.attribute) }
      case .reference(let relationship):
        guard case .reference(let key, let entity, _) = relationship.storage else { break }
        selected += ["\(alias.name).\(key)", entity.map { "\(alias.name).\($0)" } ?? "NULL"]
      }
    }
    return selected
  }

  func next() throws {
    guard let selection, try selection.next() else {
      selection = nil
      isAtEnd = true
      return
    }
    isAtEnd = false
    guard table.entity.hasSubentities else { return }
    entity = table.store.layout.entity(number: Int(selection.row.integer(at: 1))) ?? table.entity
  }

  func column(_ index: Int, _ result: ColumnResult) throws {
    guard let row = selection?.row, positions[index] >= 0 else { return }
    let at = positions[index]
    switch table.columns[index].source {
    case .key: try pass(key: row.integer(at: 0), of: entity.number, to: result)
    case .entity: result.text(entity.entity.name)
    case .store: result.text(table.member.name ?? "")
    case .target, .position, .absent: return
    case .attribute(let attribute): try pass(row, at, table.entity.entity.attributes[attribute], to: result)
    case .composite(let elements): try pass(row, at, elements, to: result)
    case .reference(let relationship):
      guard !row.isNull(at: at) else { return }
      let number = row.isNull(at: at + 1) ? relationship.destination : Int(row.integer(at: at + 1))
      try pass(key: row.integer(at: at), of: number, to: result)
    }
  }

  private func pass(key: Int64, of entity: Int, to result: ColumnResult) throws {
    result.text(try table.member.key(of: RowIdentifier(entity: entity, key: key)))
  }

  /// A value as SQL shows it: dates, UUIDs and JSON as text, other values as stored.
  private func pass(_ row: Statement, _ at: Int32, _ attribute: AttributeDescription, to result: ColumnResult) throws {
    if attribute.isExternal {
      let value = try table.store.contents(of: row.value(at: at))
      guard case .blob(let bytes) = value, attribute.type != .data else { return result.value(value) }
      return bytes.withUnsafeBytes { result.text(utf8: $0) }
    }
    switch (attribute.type, row.storageClass(at: at)) {
    case (.date, .integer), (.date, .real): result.text(DateText.format(secondsSince2001: row.double(at: at)))
    case (.uuid, .blob) where row.bytes(at: at).count == 16: result.text(ValueText.uuid(Array(row.bytes(at: at))))
    case (.strings, .blob), (.json, .blob), (.decimal, .blob): result.text(utf8: row.bytes(at: at))
    default: row.pass(at, to: result)
    }
  }

  /// A composite as a JSON object; NULL if all of its elements are.
  private func pass(
    _ row: Statement, _ at: Int32, _ elements: [(name: String, attribute: Int)], to result: ColumnResult
  ) throws {
    let values = try elements.indices.map { try table.store.contents(of: row.value(at: at + Int32($0))) }
    guard values.contains(where: { !$0.isNull }) else { return }
    var json = JSONWriter()
    json.object { json in
      for (element, value) in zip(elements, values) {
        json.key(element.name)
        json.value(value, as: table.entity.entity.attributes[element.attribute].type)
      }
    }
    result.text(json.text)
  }
}
