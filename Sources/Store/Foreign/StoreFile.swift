// SPDX-License-Identifier: MIT

internal import SQLite

/// Opens files of all kinds: this package's stores, those of Apple's software, and ordinary databases.
package enum StoreFile {
  /// Opens an existing file as a store.
  ///
  /// - Parameters:
  ///   - busyMilliseconds: How long a statement waits for another writer before it throws `.busy`.
  ///   - purpose: Which files are opened, and in which form coded values are read.
  ///   - readings: How the columns of an ordinary database are read.
  /// - Throws: `StoreError` with `.missing`, `.notAStore`, `.noHistory`, `.unreadable` or `.busy`.
  package static func open(
    _ path: String, access: PersistentStore.Access = .readOnly, busyMilliseconds: Int32 = 10_000,
    for purpose: PersistentStore.Purpose = .texts, readings: ReadingChoice = .sampled
  ) throws -> PersistentStore {
    try PersistentStore.open(
      path, access: access, busyMilliseconds: busyMilliseconds, for: purpose,
      foreign: Format(purpose: purpose, readings: readings))
  }

  private struct Format: ForeignFormat {
    let purpose: PersistentStore.Purpose
    let readings: ReadingChoice

    func model(of connection: Connection, versionIdentifiers: [String]) throws -> StoredModel {
      try AppleModel.read(connection, versionIdentifiers: versionIdentifiers, for: purpose)
    }

    func present(
      _ connection: Connection, access: PersistentStore.Access
    ) throws -> (model: StoredModel, tables: any ForeignTables) {
      let database = try Database(connection, access: access, readings)
      return (database.model, database)
    }
  }
}
