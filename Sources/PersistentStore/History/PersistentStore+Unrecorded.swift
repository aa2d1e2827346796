// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// Entities that never occur in the history of a store made by other software, which may not record them. For
  /// example, Photos does not record the results of its analyses. Their rows have to be compared.
  package func unrecordedEntities() throws -> [EntityLayout] {
    guard !isOwn, tracking == .history else { return [] }
    return try Self.translating(path) {
      let statement = try connection.statement("SELECT DISTINCT ZENTITY FROM ACHANGE")
      defer { statement.reset() }
      var recorded: Set<Int> = []
      while try statement.step() { recorded.insert(Int(clamping: statement.integer(at: 0))) }
      return layout.entities.filter { !recorded.contains($0.number) }
    }
  }

  /// Whether a transaction after `number` changed a row of `entity` itself.
  package func hasChanges(of entity: EntityLayout, after number: Int64) throws -> Bool {
    try Self.translating(path) {
      let statement = try connection.statement(
        "SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZENTITY = ?2 LIMIT 1")
      defer { statement.reset() }
      try statement.bind(number, at: 1)
      try statement.bind(Int64(entity.number), at: 2)
      return try statement.step()
    }
  }
}
