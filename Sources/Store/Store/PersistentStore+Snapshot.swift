// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// Snapshots, and changes of the file between them.
extension PersistentStore {
  /// Whether the store is in memory: no file holds it, and it ends with this object.
  package var isInMemory: Bool { fileIdentity == nil }

  /// Whether the path leads to another file; false for a store in memory.
  package var isOtherFile: Bool { fileIdentity.map { FileIdentity(path: path) != $0 } ?? false }

  /// Whether the path leads to another file, or to one that must be opened again; false for a store in memory.
  package var isReplaced: Bool { isOtherFile || (statesAtOpening != nil && statesAtOpening != FileStates(file)) }

  /// When a reader that follows the store may open it again, because a private copy of a large file takes long to make. nil
  /// if no copy is read.
  package var nextCopy: ContinuousClock.Instant? { copy?.next }

  /// Whether a reader that follows the store opens it again now.
  package var isDueForOpening: Bool { isReplaced && nextCopy.map { $0 <= .now } ?? true }

  /// Checks that the open file still contains the same store with the same model. It may have been overwritten in place, or
  /// migrated. Call it inside a snapshot.
  ///
  /// - Throws: `StoreError.replaced`: open the store again.
  package func refuseReplaced() throws {
    try Self.translating(path) {
      guard tables == nil else {
        guard try Self.schemaVersion(connection) == schemaVersion else {
          throw StoreError(.replaced, "the schema of \(path) was changed by another process", recovery: .retry)
        }
        return
      }
      let statement = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
      defer { statement.reset() }
      guard try statement.step(), statement.text(at: 0) == uuid else {
        throw StoreError(.replaced, "the file \(path) was overwritten with another store", recovery: .retry)
      }
      let version = try Self.schemaVersion(connection)
      guard version != schemaVersion else { return }
      let found = try? StoredModel.read(connection, propertyList: Array(statement.bytes(at: 1)), foreign)
      guard let found, found.model == model else {
        throw StoreError(
          .replaced, "the model of \(path) was changed by another process", recovery: .retry)
      }
      schemaVersion = version
    }
  }

  /// The same store as it is now, by the same connection: after a migration, its new model.
  package func reread() throws -> PersistentStore {
    try Self.translating(path) {
      try Self.describe(
        connection, access: access, tracking: tracking,
        Opening(identity: fileIdentity, statesAtOpening: statesAtOpening, foreign: foreign))
    }
  }

  /// Runs `body` in one SQLite transaction: saves and migrations in it become durable together at its end, each with a
  /// history transaction of its own. Nobody else can write meanwhile. If `body` throws, nothing of them stays.
  ///
  /// - Throws: `StoreError.busy` after ten seconds of another writer, `.full`, `.notWritable`, and what `body` throws.
  package func inOneTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    precondition(access == .readWrite, "a store that was opened for reading cannot save")
    return try Self.translating(path) { try connection.inOneTransaction(body) }
  }

  /// Runs `body` while every read answers from one state of the store.
  ///
  /// - Parameter settled: Waits, for 40 ms at most, until the marks of a file without history are no longer recent: a
  ///   token that is taken then is still valid later.
  package func withSnapshot<Result>(settled: Bool = false, _ body: () throws -> Result) throws -> Result {
    try Self.translating(path) {
      if tracking == .attached { marks = try currentMarks() }
      if !tracking.hasHistory {
        // From before the snapshot: a commit between both makes the marks too old, never too new.
        marks = try currentMarks()
        for _ in 0..<4 where settled && copy == nil && marks?.isRecent == true {
          usleep(10_000)
          marks = try currentMarks()
        }
        // Without locks, the file of the opening is read, and the marks are those of now. A copy has its own marks.
        guard copy != nil || statesAtOpening == nil || statesAtOpening == FileStates(file) else {
          throw StoreError(
            .replaced, "another process changed the database \(path) while it was read", recovery: .retry)
        }
      }
      try beginSnapshot()
      referenceIndexes = isOrdinaryDatabase ? ReferenceIndexes(connection) : nil
      defer {
        referenceIndexes = nil
        connection.rollback()
      }
      return try body()
    }
  }

  /// Begins a transaction and its snapshot. After an error, no transaction is open.
  private func beginSnapshot() throws {
    try connection.beginRead()
    // The snapshot begins with the first read, not with BEGIN.
    do { _ = try Self.schemaVersion(connection) } catch {
      connection.rollback()
      throw error
    }
  }

  /// Of a database without history, what tells the present snapshot from others; nil where it was written so recently
  /// that it could be written again without another mark.
  package func snapshotMarks() throws -> Int64? {
    // A commit between marks and snapshot would give two states the same marks.
    guard let marks, !marks.isRecent, try currentMarks().digest == marks.digest else { return nil }
    return Int64(bitPattern: marks.digest)
  }

  /// The present marks of the file; those of a copy are from before it was made.
  func currentMarks() throws -> FileMarks {
    let isWAL = try statesAtOpening == nil && connection.isInWALMode()
    let header = try connection.marks(isWAL: isWAL)
    let states = copy == nil ? FileStates(file) : statesAtOpening ?? FileStates(file)
    return FileMarks(
      header, states, commits: statesAtOpening == nil ? CommitMark(header, isWAL: isWAL, states) : nil)
  }

  /// Changes whenever another process has saved. Cheap: no page of the store is read.
  package func dataVersion() throws -> DataVersion {
    try Self.translating(path) { DataVersion(opening: opening, number: try connection.dataVersion()) }
  }
}
