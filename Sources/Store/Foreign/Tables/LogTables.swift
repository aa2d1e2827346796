// SPDX-License-Identifier: MIT

internal import SQLite

/// What `followspot attach` created in a database, as other programs left it: they may drop its tables, rename them, or
/// keep its triggers without them.
///
/// An object belongs to it if it has the columns of its tables or the body of its triggers, and their name or one that was
/// made from it. A name alone proves nothing.
struct LogTables {
  enum Table: String, CaseIterable {
    case store, table, author, writer, change

    /// The name that `attach` gives it.
    var name: String { "followspot_" + rawValue }

    fileprivate func has(_ columns: [String]) -> Bool {
      let (own, added): ([String], [String]) =
        switch self {
        case .store: (["uuid", "format"], ["isChoice"])
        case .table: (["number", "name", "key", "preserved"], ["successor"])
        case .author: (["id", "name"], [])
        case .writer: (["author"], [])
        case .change: (["number", "tableNumber", "rowKey", "kind", "time", "author"], [])
        }
      guard columns.starts(with: own) else { return false }
      return columns.dropFirst(own.count).allSatisfy {
        added.contains($0) || self == .change && (LogTables.isNumbered($0, "key") || LogTables.isNumbered($0, "value"))
      }
    }
  }

  /// The present names of the tables.
  private(set) var names: [Table: String] = [:]
  /// Tables in which earlier versions kept the numbers of keys.
  private(set) var keyTables: [String] = []
  /// Further tables with the columns of these.
  private(set) var copies: [String] = []
  private(set) var triggers: [LogTrigger] = []

  var isEmpty: Bool { names.isEmpty && triggers.isEmpty }
  /// Whether all tables have the names that `attach` gives them.
  var isWhole: Bool { Table.allCases.allSatisfy { names[$0].map(\.sqlName) == $0.name.sqlName } }

  /// Call it inside a snapshot.
  init(_ connection: Connection) throws {
    triggers = try connection.mapRows(
      "SELECT name, tbl_name, sql FROM main.sqlite_master WHERE type = 'trigger' AND name LIKE 'followspot%' ORDER BY name"
    ) { LogTrigger(name: $0.text(at: 0), table: $0.text(at: 1), sql: $0.text(at: 2)) }.compactMap(\.self)
    var mentioned: [[UInt8]: Table] = [:]
    // All triggers mention the same tables.
    for trigger in [triggers.first { $0.number != nil }, triggers.first { $0.number == nil }] {
      for (table, name) in trigger?.tables ?? [:] { mentioned[name.sqlName] = table }
    }
    let tables = try connection.mapRows("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name") {
      $0.text(at: 0)
    }
    for name in tables {
      let lowered = name.lowercased()
      let kind = mentioned[name.sqlName] ?? Table.allCases.first { lowered.contains($0.name) }
      guard kind != nil || lowered.hasPrefix(Self.keyPrefix) else { continue }
      var isDeclared = kind == .writer
      // A person's copy of the rows has the same columns, but not their constraints.
      let columns = try connection.mapRows(
        "SELECT name, pk OR \"notnull\" FROM pragma_table_info(?1, 'main')", [.text(name)]
      ) { row in
        if row.integer(at: 1) == 1 { isDeclared = true }
        return row.text(at: 0)
      }
      if let kind, isDeclared, kind.has(columns) {
        // Its own name comes first.
        guard names[kind] == nil || name.sqlName == kind.name.sqlName else {
          copies.append(name)
          continue
        }
        copies += names[kind].map { [$0] } ?? []
        names[kind] = name
      } else if Self.isNumbered(lowered, Self.keyPrefix), columns.count > 1, columns[0] == "id",
        columns.dropFirst().allSatisfy({ Self.isNumbered($0, "k") })
      {
        keyTables.append(name)
      }
    }
    if isEmpty { keyTables = [] }
  }

  /// The present names of all its tables.
  var allNames: [String] { Table.allCases.compactMap { names[$0] } + keyTables + copies }

  /// Whether `attach` needs a name.
  ///
  /// - Parameter name: The name in lower case.
  static func needs(_ name: String) -> Bool {
    Table.allCases.contains { $0.name == name } || isNumbered(name, keyPrefix)
  }

  /// The numbers of the tables with numbers of keys.
  var keyTableNumbers: [Int64] {
    keyTables.compactMap { Int64($0.dropFirst(Self.keyPrefix.count)) }
  }

  private static let keyPrefix = "followspot_key_"

  private static func isNumbered(_ name: String, _ prefix: String) -> Bool {
    let number = name.dropFirst(prefix.count)
    return name.hasPrefix(prefix) && !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
  }
}
