// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import SearchIndex
internal import Store

/// A condition of a statement that the store can test. It may let more rows through than the condition allows, because
/// SQLite tests the condition again, but never fewer.
enum RowFilter {
  case key
  /// The name of the store.
  case store
  case reference(RelationshipLayout)
  case value(attribute: Int, AttributeType)

  /// nil if the store cannot test the condition.
  init?(_ condition: ScanCondition, _ column: TableColumn, _ entity: EntityLayout) {
    guard condition.isBinary else { return nil }
    switch column.source {
    case .key where condition.operation == .equal: self = .key
    case .store where condition.operation == .equal: self = .store
    case .reference(let relationship) where condition.operation == .equal: self = .reference(relationship)
    case .attribute(let index) where !entity.entity.attributes[index].isExternal:
      let type = entity.entity.attributes[index].type
      guard type.isInteger || [.double, .boolean, .string, .url, .date, .uuid].contains(type) else { return nil }
      guard type != .uuid || condition.operation == .equal else { return nil }
      self = .value(attribute: index, type)
    default: return nil
    }
  }

  /// Whether the value is an identifier. All rows that pass the test then meet the condition.
  var findsIdentifiers: Bool {
    switch self {
    case .key, .reference: true
    case .store, .value: false
    }
  }

  /// Whether `EqualRows` can keep the values of the column.
  var isKeptInMemory: Bool {
    switch self {
    case .key, .store: false
    case .reference: true
    case .value(_, let type): type == .string || type == .url || type.isInteger || type == .double
    }
  }

  /// A test in SQL with its values; `true` if the store cannot test for this value.
  enum Test {
    case always, never
    case sql(String, [Value])
  }

  func test(_ operation: ScanCondition.Operation, _ value: Value, _ table: TableAlias, _ member: MemberStore) throws
    -> Test
  {
    switch self {
    case .key:
      guard let row = try Self.row(value, table.entity.number, member) else { return .never }
      return .sql("\(table.key) = ? AND \(table.entityNumber) = ?", [.integer(row.key), .integer(Int64(row.entity))])
    case .reference(let relationship):
      guard case .reference(let key, _, _) = relationship.storage,
        let row = try Self.row(value, relationship.destination, member)
      else { return .never }
      return .sql("\(table.name).\(key) = ?", [.integer(row.key)])
    case .store: return value == .text(member.name ?? "") ? .always : .never
    case .value(let attribute, let type):
      return Self.test(table.column(attribute), type, operation, value)
    }
  }

  /// The row that a key names, if it is of this entity or a subentity.
  static func row(_ value: Value, _ entity: Int, _ member: MemberStore) throws -> RowIdentifier? {
    guard case .text(let text) = value, let row = try member.row(named: text),
      let found = member.store.layout.entity(number: row.entity), found.lineage.contains(entity)
    else { return nil }
    return row
  }

  /// Whether a text has the form of a date column, so that its order is that of its instant: no blank, no offset.
  private static func hasForm(ofColumn text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count != 10 else { return true }
    return bytes.count > 10 && bytes[10] == UInt8(ascii: "T")
      && !bytes[11...].contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
  }

  private static func test(
    _ column: String, _ type: AttributeType, _ operation: ScanCondition.Operation, _ value: Value
  ) -> Test {
    switch (type, value) {
    case (_, .null): return .never
    case (.string, .text), (.url, .text): return .sql("\(column) \(operation.text) ?", [value])
    case (.string, _), (.url, _), (.uuid, .integer), (.uuid, .real), (.uuid, .blob): return .always
    case (.date, .text(let text)):
      // Texts compare by letter, and are rounded to milliseconds: the second around the date is read as well.
      guard Self.hasForm(ofColumn: text), let seconds = DateText.parse(text) else { return .always }
      switch operation {
      case .equal: return .sql("\(column) BETWEEN ? AND ?", [.real(seconds - 1), .real(seconds + 1)])
      case .less, .lessOrEqual: return .sql("\(column) <= ?", [.real(seconds + 1)])
      case .greater, .greaterOrEqual: return .sql("\(column) >= ?", [.real(seconds - 1)])
      }
    case (.uuid, .text(let text)):
      guard let bytes = ValueText.uuidBytes(text) else { return .always }
      return .sql("\(column) = ?", [.blob(bytes)])
    case (.date, _): return .always
    case (_, .integer), (_, .real): return .sql("\(column) \(operation.text) ?", [value])
    default: return .always
    }
  }
}
