// SPDX-License-Identifier: MIT

internal import SQLite

/// Temporary tables that stand for missing indexes of references, within one snapshot.
///
/// The rows that refer to an object are found by a scan of their table if the database has no index of the reference. A
/// build asks for each object, so after a few scans the references are copied to a table with an index. The rollback at
/// the end of the snapshot removes it.
final class ReferenceIndexes {
  /// The number of scans before the references are copied.
  private static let mostScans = 8

  private let connection: Connection
  private var scans: [String: Int] = [:]
  /// The names of temporary tables by `table.column`.
  private var tables: [String: String] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// The table with the columns `owner` and `target`; nil if the table of the relationship is used.
  func table(of relationship: RelationshipLayout) throws -> String? {
    guard case .inverseReference(let column, _, nil, _) = relationship.storage else { return nil }
    let name = relationship.destinationTable + "." + column
    if let table = tables[name] { return table }
    var made = scans[name] ?? 0
    if scans[name] == nil, try isIndexed(relationship.destinationTable, column) { made = .min }
    scans[name] = made + 1
    guard made == Self.mostScans else { return nil }
    let table = "followspot_references_\(tables.count)"
    try connection.execute(
      """
      CREATE TEMP TABLE \(table) (owner INTEGER, target INTEGER, PRIMARY KEY (owner, target)) WITHOUT ROWID;
      INSERT OR IGNORE INTO \(table) SELECT \(column), Z_PK FROM \(relationship.destinationTable) WHERE \(column) IS NOT NULL
      """)
    tables[name] = table
    return table
  }

  private func isIndexed(_ table: String, _ column: String) throws -> Bool {
    let plan = try connection.cursor("EXPLAIN QUERY PLAN SELECT Z_PK FROM \(table) WHERE \(column) = ?1")
    while try plan.step() { if plan.text(at: 3).hasPrefix("SCAN") { return false } }
    return true
  }
}
