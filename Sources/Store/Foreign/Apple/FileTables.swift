// SPDX-License-Identifier: MIT

internal import SQLite

/// The actual contents of a store's file, independent of its model: entity numbers and the columns of its tables.
struct FileTables {
  struct Column {
    let name: String
    let declaredType: String
  }

  /// Columns by the table's name in capitals, in the order of the file.
  let columns: [String: [Column]]
  /// Entity numbers by name, without the entities of the history.
  let numbers: [String: Int]
  /// Names of superentities by the entity's name.
  let superentities: [String: String]
  /// The names of all indexes, in capitals.
  let indexes: Set<String>

  private static let statement = """
    SELECT upper(t.name), c.name, upper(c.type) FROM main.sqlite_master t JOIN pragma_table_info(t.name, 'main') c
    WHERE t.type = 'table' ORDER BY t.name, c.cid
    """

  init(_ connection: Connection) throws {
    var columns: [String: [Column]] = [:]
    let tables = try connection.cursor(Self.statement)
    while try tables.step() {
      columns[tables.text(at: 0), default: []].append(
        Column(name: tables.text(at: 1), declaredType: tables.text(at: 2)))
    }
    self.columns = columns
    var names: [Int: String] = [:]
    var supers: [(name: String, number: Int)] = []
    let entities = try connection.cursor("SELECT Z_ENT, Z_NAME, Z_SUPER FROM main.Z_PRIMARYKEY ORDER BY Z_ENT")
    while try entities.step() {
      let number = Int(clamping: entities.integer(at: 0))
      // Higher numbers belong to the history and to CloudKit's mirroring.
      guard number > 0, number < StoreLayout.HistoryEntity.first else { continue }
      names[number] = entities.text(at: 1)
      supers.append((entities.text(at: 1), Int(clamping: entities.integer(at: 2))))
    }
    numbers = Dictionary(names.map { ($1, $0) }) { min($0, $1) }
    superentities = Dictionary(supers.compactMap { own in names[own.number].map { (own.name, $0) } }) { first, _ in
      first
    }
    var indexes: Set<String> = []
    let found = try connection.cursor("SELECT upper(name) FROM main.sqlite_master WHERE type = 'index'")
    while try found.step() { indexes.insert(found.text(at: 0)) }
    self.indexes = indexes
  }

  func has(table: String) -> Bool { columns[table.uppercased()] != nil }

  /// - Parameter column: The column's name, quoted or not.
  func has(column: String, of table: String) -> Bool {
    let (column, table) = (unquoted(column), unquoted(table))
    return columns[table.uppercased()]?.contains { $0.name.uppercased() == column.uppercased() } ?? false
  }

  func declaredType(of column: String, in table: String) -> String? {
    columns[table.uppercased()]?.first { $0.name.uppercased() == column.uppercased() }?.declaredType
  }
}
