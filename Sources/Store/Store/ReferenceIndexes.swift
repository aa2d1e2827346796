// SPDX-License-Identifier: MIT

internal import SQLite

/// Copies of references that stand for missing indexes, within one snapshot.
///
/// The rows that refer to an object are found by a scan of their table if the database has no index of the reference. A
/// build asks for each object, so after a few scans the references are copied to a temporary table with an index. The
/// rollback at the end of the snapshot empties it.
///
/// One table holds the copies of all references, and it is made when the database is opened. A copy is made while rows are
/// read, and SQLite aborts a statement that opens a table after the temporary schema has changed.
final class ReferenceIndexes {
  /// The number of scans before the references are copied.
  private static let mostScans = 8

  private let connection: Connection
  /// What stands for the index of a reference, by its table and column.
  private var states: [String: State] = [:]
  private var copies = 0

  /// Makes the table of the copies for a connection.
  static func install(on connection: Connection) throws {
    try connection.execute(
      """
      CREATE TEMP TABLE \(RelationshipLayout.copiedReferences) (
        copy INTEGER, owner INTEGER, target INTEGER, PRIMARY KEY (copy, owner, target)) WITHOUT ROWID
      """)
  }

  private enum State {
    case indexed
    case scanned(times: Int)
    case copied(number: Int)
  }

  init(_ connection: Connection) { self.connection = connection }

  /// The number of the copy that is read in place of the relationship's column; nil if the column is read.
  func copy(of relationship: RelationshipLayout) throws -> Int? {
    guard case .inverseReference(let column, _, nil, _) = relationship.storage else { return nil }
    let name = relationship.destinationTable + "." + column
    switch states[name] {
    case .indexed: return nil
    case .copied(let number): return number
    case .scanned(Self.mostScans):
      copies += 1
      try connection.execute(
        """
        INSERT OR IGNORE INTO temp.\(RelationshipLayout.copiedReferences) \
        SELECT \(copies), \(column), Z_PK FROM \(relationship.destinationTable) WHERE \(column) IS NOT NULL
        """)
      states[name] = .copied(number: copies)
      return copies
    case .scanned(let times):
      states[name] = .scanned(times: times + 1)
      return nil
    case nil:
      states[name] = try isIndexed(relationship.destinationTable, column) ? .indexed : .scanned(times: 1)
      return nil
    }
  }

  private func isIndexed(_ table: String, _ column: String) throws -> Bool {
    let plan = try connection.cursor("EXPLAIN QUERY PLAN SELECT Z_PK FROM \(table) WHERE \(column) = ?1")
    while try plan.step() { if plan.text(at: 3).hasPrefix("SCAN") { return false } }
    return true
  }
}
