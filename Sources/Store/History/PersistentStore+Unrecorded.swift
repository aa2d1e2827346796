// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// Entities that never occur in the history of a store made by other software, which may not record them. For
  /// example, Photos does not record the results of its analyses. Their rows have to be compared.
  package func unrecordedEntities() throws -> [EntityLayout] {
    guard !isOwn, tracking == .history else { return [] }
    return try Self.translating(path) {
      let recorded = Set(
        try connection.mapRows("SELECT DISTINCT ZENTITY FROM ACHANGE") { Int(clamping: $0.integer(at: 0)) })
      return layout.entities.filter { !recorded.contains($0.number) }
    }
  }

  /// Whether a transaction after `number` changed a row of `entity` itself.
  package func hasChanges(of entity: EntityLayout, after number: Int64) throws -> Bool {
    try hasRow(
      "SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZENTITY = ?2 LIMIT 1",
      [.integer(number), .integer(Int64(entity.number))])
  }
}
