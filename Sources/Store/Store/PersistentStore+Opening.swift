// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

extension PersistentStore {
  /// How a connection came about.
  struct Opening {
    /// nil for a store in memory.
    var identity: FileIdentity?
    var statesAtOpening: FileStates?
    var purpose = Purpose.texts
    var foreign: (any ForeignFormat)?
  }

  /// Opens an existing store.
  ///
  /// - Parameters:
  ///   - busyMilliseconds: How long a statement waits for another writer before it throws `.busy`.
  ///   - purpose: Which files are opened.
  ///   - foreign: Reads files that other software made; nil if those are refused.
  /// - Throws: `StoreError` with `.missing`, `.notAStore`, `.noHistory`, `.unreadable` or `.busy`.
  package static func open(
    _ path: String, access: Access = .readOnly, busyMilliseconds: Int32 = 10_000, for purpose: Purpose = .texts,
    foreign: (any ForeignFormat)? = nil
  ) throws -> PersistentStore {
    guard let identity = FileIdentity(path: path) else {
      let reason = errno
      guard reason == ENOENT || reason == ENOTDIR else {
        throw StoreError(
          .unreadable, "\(path) cannot be reached: \(String(cString: strerror(reason)))",
          recovery: .checkParentDirectories)
      }
      throw StoreError(.missing, "no store at \(path)", recovery: .createStore)
    }
    if let kind = identity.otherKind {
      throw StoreError(.notAStore, "\(path) is \(kind)", recovery: .chooseStore)
    }
    let opening = Opening(identity: identity, purpose: purpose, foreign: foreign)
    do {
      guard access == .readOnly, purpose == .texts, busyMilliseconds > patience else {
        return try open(
          path, access: access, mode: access == .readOnly ? .readOnly : .readWrite, busyMilliseconds, opening)
      }
      return try openOrCopy(path, busyMilliseconds, opening, identity)
    } catch let error as SQLiteError
      where access == .readOnly && (error.isCannotOpen || error.isReadOnly) && !error.isLimit && isReadable(path)
    {
      // A store in WAL mode in a directory that cannot be written: SQLite has no place for its -shm file. Without
      // pending frames the main file is complete, so it may be read as it stands. With them, a copy is read. So it is
      // where a journal has to be rolled back first: the main file holds parts of an interrupted transaction.
      let isComplete = CheckpointedFile.isLogEmpty(ofFileAt: FileIdentity.realPath(path))
      let reason: CopyReason? = error.isInterrupted ? .interrupted : isComplete ? nil : .notWritable
      return try translating(path) {
        try open(path, access: access, mode: reason.map { .copied($0) } ?? .immutable, busyMilliseconds, opening)
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// How long a lock is waited for before the locked file is copied, in milliseconds.
  private static let patience: Int32 = 300
  /// The same between two attempts to copy it.
  private static let shortPatience: Int32 = 50
  /// When files were last found locked for longer than that. A process opens a store several times.
  private static let locked = RecentValues<FileIdentity, ContinuousClock.Instant>()
  private static let lockedMemory = Duration.seconds(5)

  /// Opens a store for reading. If another process keeps it locked, copying it and waiting for the lock alternate until
  /// `busyMilliseconds` are over.
  private static func openOrCopy(
    _ path: String, _ busyMilliseconds: Int32, _ opening: Opening, _ identity: FileIdentity
  ) throws -> PersistentStore {
    let deadline = ContinuousClock.now + .milliseconds(Int(busyMilliseconds))
    var patience = locked[identity].map { .now < $0 + lockedMemory } == true ? 0 : patience
    while true {
      do {
        let store = try open(path, access: .readOnly, mode: .readOnly, patience, opening)
        store.connection.busyMilliseconds = busyMilliseconds
        return store
      } catch let error as SQLiteError where error.isBusy {
        guard ContinuousClock.now < deadline else { throw error }
        locked.keep(.now, for: identity)
      }
      do {
        let reason = CopyReason.locked(LockHolder(of: path))
        return try open(path, access: .readOnly, mode: .copied(reason), busyMilliseconds, opening)
      } catch let error as StoreError where error.code == .busy {}
      patience = shortPatience
    }
  }

  /// Opens one of this package's stores without locks and without the files beside it. SQLite does not notice changes
  /// then: what was read counts only if the store was checkpointed the whole time (`CheckpointedFile`).
  static func openCheckpointed(_ path: String) throws -> PersistentStore {
    guard let identity = FileIdentity(path: path), identity.otherKind == nil else {
      throw StoreError(.replaced, "another process replaced the store \(path)", recovery: .retry)
    }
    return try translating(path) {
      try open(path, access: .readOnly, mode: .immutable, 0, Opening(identity: identity))
    }
  }

  private static func open(
    _ path: String, access: Access, mode: Mode, _ busyMilliseconds: Int32, _ opening: Opening
  ) throws -> PersistentStore {
    let copy = try mode.copyReason.map { _ in try PrivateCopy(of: path) }
    defer { copy?.remove() }
    var opening = opening
    opening.statesAtOpening = mode.access == .immutable ? FileStates(FileIdentity.realPath(path)) : copy?.states
    let connection = try Connection(
      path: path, access: mode.access, copy: copy?.path, busyMilliseconds: busyMilliseconds)
    if copy != nil { connection.checkpointsOnClose = false }
    // A store of other software is refused below, and its log stays as it is.
    if access == .readWrite { connection.checkpointsOnClose = false }
    let store = try read(connection, access: access, opening)
    if access == .readWrite { connection.checkpointsOnClose = true }
    if let copy, let reason = mode.copyReason { store.copy = CopyInUse(copy, reason) }
    // What is left over takes room alone; a later opening tries again.
    if access == .readWrite { try? store.settleExternals() }
    return store
  }

  /// The store that a connection leads to.
  static func read(_ connection: Connection, access: Access, _ opening: Opening) throws -> PersistentStore {
    let path = connection.path
    let tables = try storeTables(connection, access: access, opening)
    guard tables.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) else {
      // SQLite takes a file without a byte for a database without tables.
      var status = stat()
      if stat(path, &status) == 0, status.st_size == 0 {
        throw StoreError(.notAStore, "\(path) is an empty file, not a store", recovery: .replaceFile)
      }
      guard opening.purpose == .texts, let foreign = opening.foreign else {
        throw StoreError(
          .notAStore, "\(path) is an SQLite file of another kind: it has no Core Data tables",
          recovery: .chooseOwnStore)
      }
      return try present(connection, access: access, opening, foreign)
    }
    let hasHistory = tables.isSuperset(of: ["ATRANSACTION", "ACHANGE"])
    guard hasHistory || access == .readOnly else { throw Self.withoutHistory(path) }
    if access == .readWrite { try connection.execute("PRAGMA synchronous = FULL") }
    return try describe(connection, access: access, tracking: hasHistory ? .history : .compared, opening)
  }

  /// The tables that make a file a store. If a newer version of SQLite made the file, an ordinary database is read as far as
  /// its schema can be read.
  private static func storeTables(
    _ connection: Connection, access: Access, _ opening: Opening
  ) throws(SQLiteError) -> Set<String> {
    func tables() throws(SQLiteError) -> Set<String> {
      try connection.tables(among: ["Z_METADATA", "Z_PRIMARYKEY", "ATRANSACTION", "ACHANGE"])
    }
    do { return try tables() } catch {
      guard error.isUnreadDefinition, access == .readOnly, opening.foreign != nil else { throw error }
      try connection.leaveOutUnreadDefinitions(after: error)
      let found = try tables()
      guard found.isEmpty else { throw error }
      return found
    }
  }

  private static func withoutHistory(_ path: String) -> StoreError {
    StoreError(.noHistory, "\(path) keeps no transaction history", recovery: .trackHistory)
  }

  static func describe(
    _ connection: Connection, access: Access, tracking: ChangeTracking, _ opening: Opening
  ) throws -> PersistentStore {
    let path = connection.path
    // Together, so that the counter is that of the model.
    try connection.beginRead()
    defer { connection.rollback() }
    let metadata = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
    defer { metadata.reset() }
    guard try metadata.step() else {
      throw StoreError(.notAStore, "\(path) has no row in Z_METADATA", recovery: .restoreBackup)
    }
    let uuid = metadata.text(at: 0)
    let found = try StoredModel.read(connection, propertyList: Array(metadata.bytes(at: 1)), opening.foreign)
    guard found.isOwn || access == .readOnly else {
      throw StoreError(
        .notWritable, "\(path) was made by Apple's software, and Followspot only reads such stores",
        recovery: .writeToOwnStore)
    }
    guard tracking.hasHistory || opening.purpose == .texts || !found.isOwn else { throw Self.withoutHistory(path) }
    let version = try Self.schemaVersion(connection)
    metadata.reset()
    // A rollback would take the views back.
    connection.rollback()
    if !found.isOwn || tracking == .compared {
      var views = found.views ?? TemporaryViews()
      if tracking == .compared { views.statements += EmptyHistory.viewsOfStore }
      try views.install(on: connection)
    }
    return try PersistentStore(
      connection, access: access, uuid: uuid, found, tracking: tracking, schemaVersion: version, opening)
  }

  /// An ordinary database, in views of Core Data's layout.
  private static func present(
    _ connection: Connection, access: Access, _ opening: Opening, _ foreign: any ForeignFormat
  ) throws -> PersistentStore {
    try connection.beginRead()
    defer { connection.rollback() }
    let (model, tables) = try foreign.present(connection, access: access)
    try ReferenceIndexes.install(on: connection)
    let store = try PersistentStore(
      connection, access: access, uuid: tables.uuid, model, tracking: tables.tracking,
      schemaVersion: try schemaVersion(connection), opening, tables: tables)
    // Nothing but temporary views and a temporary table was written.
    try connection.commit()
    return store
  }

  private static func isReadable(_ path: String) -> Bool { Glibc.access(path, R_OK) == 0 }
}
