// SPDX-License-Identifier: MIT

internal import SQLite

/// How the rows of a table are named by values of their own, instead of by a number.
struct RowNames {
  /// The affinities of the columns whose values are the name, in their order.
  let affinities: [String]
  /// The numbers of the keys; nil if rows are found by their rowids.
  let numbers: KeyNumbers?
  /// Selects the values of the name by the rowid.
  private let select: String
  /// Selects the rowid by the values of the name.
  private let selectRowid: String
  /// Selects the least first value, and the next after a value; nil unless the name has two values.
  private let selectFirst: (least: String, next: String)?
  /// Selects the rowid of the last deleted row by the values of its name; nil without a log of them.
  private let selectDeleted: String?

  /// nil if the name is the integer key.
  init?(_ table: DatabaseTable, _ numbers: KeyNumbers?, _ attachment: Attachment?) {
    guard let columns = table.namingColumns else { return nil }
    func equal(_ name: (Int, KeyColumn) -> String) -> String {
      columns.enumerated().map { "\(name($0, $1)) = ?\($0 + 1) COLLATE \($1.collation)" }.joined(separator: " AND ")
    }
    affinities = columns.map(\.affinity)
    self.numbers = numbers
    let names = columns.map { "t." + quoted($0.name) }.joined(separator: ", ")
    select = "SELECT \(names) FROM \(table.rows) WHERE \(table.key) = ?1"
    selectRowid = "SELECT \(table.key) FROM \(table.rows) WHERE \(equal { "t." + quoted($1.name) })"
    let first = "t." + quoted(columns[0].name)
    let least = "SELECT min(\(first)) FROM \(table.rows)"
    selectFirst = columns.count == 2 ? (least, "\(least) WHERE \(first) > ?1") : nil
    selectDeleted = attachment.flatMap { attachment in
      guard columns.count <= attachment.keyColumns, let logged = attachment.table(named: table.name) else { return nil }
      let numbers = ([logged] + logged.former.filter { $0.key == logged.key }).map { "\($0.number)" }
      return "SELECT rowKey FROM main.followspot_change WHERE tableNumber IN (\(numbers.joined(separator: ", "))) "
        + "AND kind IN (\(ChangeKind.delete.rawValue), \(ChangeTriggers.replacement)) "
        + "AND \(equal { index, _ in "key\(index)" }) ORDER BY number DESC LIMIT 1"
    }
  }

  func text(_ name: [Value]) -> String { KeyText.text(name, affinities: affinities) }

  /// The name of the row with a number; nil if it is not known, or if one of its values is NULL.
  func name(of key: Int64, _ connection: Connection) throws -> [Value]? {
    if let numbers { return try numbers.ownKey(key) }
    let values = try connection.firstRow(select, [.integer(key)]) { $0.values(affinities.count) }
    return values?.contains(where: \.isNull) == false ? values : nil
  }

  /// The numbers of the keys that a text may mean, the most probable first. With rowids, these are only the keys of rows
  /// that exist or that the log knows.
  func numbers(named text: Substring, _ connection: Connection) throws -> [Int64] {
    let names = KeyText.keys(text, affinities: affinities)
    if let numbers {
      return names.map { name in
        let number = numbers.number(of: name)
        numbers.remember(number, name)
        return number
      }
    }
    func rowids(_ select: String) throws -> [Int64] {
      try names.compactMap { name in try connection.firstRow(select, name) { $0.integer(at: 0) } }
    }
    let existing = try rowids(selectRowid)
    return try existing.isEmpty ? selectDeleted.map(rowids) ?? [] : existing
  }

  /// Maximum number of first values with which a second value alone names rows.
  private static let mostFirstValues = 20

  /// The numbers of the keys of two values that a text for the second one may mean, such as `4326` for `EPSG:4326`. None
  /// if there are many first values, as in a table of the lines of orders.
  func numbers(namedBySecond text: Substring, _ connection: Connection) throws -> [Int64] {
    guard let selectFirst else { return [] }
    var first = try connection.firstRow(selectFirst.least, []) { $0.values(1)[0] } ?? .null
    var firsts: [Value] = []
    while !first.isNull {
      firsts.append(first)
      guard firsts.count <= Self.mostFirstValues else { return [] }
      first = try connection.firstRow(selectFirst.next, [first]) { $0.values(1)[0] } ?? .null
    }
    return try firsts.flatMap { first in
      try numbers(named: "\(KeyText.text([first], affinities: [affinities[0]])):\(text)", connection)
    }
  }
}
