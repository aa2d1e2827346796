// SPDX-License-Identifier: MIT

internal import SQLite
internal import StoreModel

/// Temporary tables that stand for missing indexes of references, within one snapshot.
///
/// The rows that refer to an object are found by a scan of their table if the database has no index of the reference. A
/// build asks for each object, so after a few scans the references are copied to a table with an index. The rollback at
/// the end of the snapshot removes it.
final class ReferenceIndexes {
  /// The number of scans before the references are copied.
  private static let mostScans = 8

  private let connection: Connection
  /// What stands for the index of a reference, by its table and column.
  private var states: [String: State] = [:]
  private var copies = 0

  private enum State {
    case indexed
    case scanned(times: Int)
    case copied(table: String)
  }

  init(_ connection: Connection) { self.connection = connection }

  /// The table with the columns `owner` and `target`; nil if the table of the relationship is used.
  func table(of relationship: RelationshipLayout) throws -> String? {
    guard case .inverseReference(let column, _, nil, _) = relationship.storage else { return nil }
    let name = relationship.destinationTable + "." + column
    switch states[name] {
    case .indexed: return nil
    case .copied(let table): return table
    case .scanned(Self.mostScans):
      copies += 1
      let table = "followspot_references_\(copies)"
      try copy(relationship, column, to: table)
      states[name] = .copied(table: table)
      return table
    case .scanned(let times):
      states[name] = .scanned(times: times + 1)
      return nil
    case nil:
      states[name] = try isIndexed(relationship.destinationTable, column) ? .indexed : .scanned(times: 1)
      return nil
    }
  }

  private func copy(_ relationship: RelationshipLayout, _ column: String, to table: String) throws {
    try connection.execute(
      """
      CREATE TEMP TABLE \(table) (owner INTEGER, target INTEGER, PRIMARY KEY (owner, target)) WITHOUT ROWID;
      INSERT OR IGNORE INTO \(table) SELECT \(column), Z_PK FROM \(relationship.destinationTable) WHERE \(column) IS NOT NULL
      """)
  }

  private func isIndexed(_ table: String, _ column: String) throws -> Bool {
    let plan = try connection.cursor("EXPLAIN QUERY PLAN SELECT Z_PK FROM \(table) WHERE \(column) = ?1")
    while try plan.step() { if plan.text(at: 3).hasPrefix("SCAN") { return false } }
    return true
  }
}
