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
}
