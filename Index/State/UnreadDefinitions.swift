// SPDX-License-Identifier: MIT

internal import SQLite
package import Store

/// Tables of a database whose definitions this version of SQLite cannot read.
extension PersistentStore {
  /// That there are some, as a sentence without its full stop; nil for none.
  package var unreadSentence: String? {
    let found = Database.of(self)?.unreadDefinitions ?? []
    return found.isEmpty ? nil : found.map(\.sentence).joined(separator: "; ")
  }

  /// Whether an index has records of such tables.
  package func hasUnreadRecords(in definition: IndexDefinition) -> Bool {
    Database.of(self)?.unreadDefinitions.contains { definition.entities[$0.entity] != nil } == true
  }

  /// Refuses to change an index that has records of such tables: they were not deleted.
  ///
  /// - Throws: `StoreError.unreadable`.
  func refuseUnreadRecords(in definition: IndexDefinition) throws {
    guard hasUnreadRecords(in: definition), let unreadSentence else { return }
    throw StoreError(
      .unreadable, "the index keeps its records of \(path) as they are: \(unreadSentence)",
      recovery: .updateSQLite(Connection.libraryVersion))
  }
}
