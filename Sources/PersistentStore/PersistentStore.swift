// SPDX-License-Identifier: MIT

internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// A store in Core Data's layout with transaction history, in a file or in memory, opened by one owner at a time.
///
/// `Rows/` and `History/` read it, `save(author:_:)` writes it. It does not depend on the index. An ordinary SQLite database
/// is presented in the same layout by temporary views (`Database/`), and can only be read.
package final class PersistentStore {
  package enum Access: Sendable { case readOnly, readWrite }
  /// What a caller of `open` reads.
  package enum Purpose: Sendable {
    /// Texts: ordinary databases are opened too, and archived or JSON-coded values of Apple's stores are JSON.
    case texts
    /// Objects: only stores in Core Data's layout are opened, and columns give what the file holds.
    case objects
  }

  /// The path as given; `:memory:` for a store in memory.
  package let path: String
  /// The path without links, which determines the names of the `-wal` and the journal.
  let file: String
  /// The store's identity, an upper-case UUID: part of every identifier and token.
  package let uuid: String
  package let model: ModelDescription
  package let layout: StoreLayout
  /// What the program that made or migrated the store calls this version of the model; empty for no name.
  package let versionIdentifiers: [String]
  /// The digest of the model, kept beside tokens so that a changed model is noticed.
  package let modelDigest: String
  /// How changes are found.
  package let tracking: ChangeTracking
  /// The tables of an ordinary database; nil for a store.
  let database: DatabaseSchema?
  /// The columns of an ordinary database with values that do not fit how they are read.
  let misfits: Misfits?
  /// The file's marks from before the current snapshot began; nil of a store with a history.
  var marks: FileMarks?
  /// The numbers of keys that are not integers, by entity name. Empty but for ordinary databases.
  private(set) var keyNumbers: [String: KeyNumbers] = [:]
  /// How rows are named, by entity number; only those that are not named by an integer key.
  private(set) var rowNames: [Int: RowNames] = [:]
  /// Gives the bytes of a key that is not an integer by entity name and number, from an index.
  var keptKey: ((_ entity: String, _ key: Int64) -> [UInt8]?)?
  /// Whether records are named by their keys: those of an ordinary database, or of a replica of one.
  package internal(set) var namesRecordsByKey: Bool
  /// The entities whose rows are named by an integer key; empty for a store.
  package internal(set) var namedByNumber: Set<String> = []
  /// The identity of the opened file, to detect that the store was replaced; nil for a store in memory.
  package let fileIdentity: FileIdentity?

  /// nil for a store in memory, whose rows contain everything.
  let externalFiles: ExternalFiles?
  let connection: Connection
  let access: Access
  /// SQLite's own counter of changes to tables, as it was when the model was read.
  var schemaVersion: Int64
  /// The states of the files if the store is read without locks, or from a copy: SQLite does not notice changes then. nil
  /// otherwise.
  let restingStates: FileStates?

  /// The text of the statement that read a row last.
  var rowText: (entity: EntityLayout, attributes: [Int], text: String)?

  /// Sentences without a full stop about what the file lacks, or what cannot be read of it.
  package let remarks: [String]
  /// Why the file's own model cannot be used, so that its relationships are not known; nil if it is used.
  package let modelFault: String?
  /// Whether this package created the store. Other stores are only read.
  package let isOwn: Bool
  /// Whether readers of its history are registered beside it, and a purge waits for them.
  package var hasConsumers: Bool { (isOwn && tracking.hasHistory) || tracking == .attached }
  /// The private copy that is read instead of the file; nil if the file is read.
  private(set) var copy: CopyInUse?
  /// Why a private copy is read instead of the file; nil if the file is read.
  package var copyReason: CopyReason? { copy?.reason }
  /// Why changes of an attached database are not logged, where `renewTriggers` helps.
  package private(set) var lostTriggers: String?
  /// The tables that a person chose to attach; empty if all are attached.
  package private(set) var chosenTables: [String] = []

  private init(
    path: String, connection: Connection, access: Access, uuid: String, found: StoreModel,
    tracking: ChangeTracking = .history, database: (views: DatabaseViews, misfits: Misfits)? = nil,
    fileIdentity: FileIdentity?, schemaVersion: Int64, restingStates: FileStates?
  ) throws {
    self.path = path
    file = FileIdentity.realPath(path)
    self.connection = connection
    self.access = access
    self.uuid = uuid
    model = found.model
    layout = found.layout
    remarks = found.remarks
    modelFault = found.modelFault
    isOwn = found.isOwn
    versionIdentifiers = found.versionIdentifiers
    self.tracking = tracking
    self.database = database?.views.schema
    misfits = database?.misfits
    namesRecordsByKey = database != nil
    self.fileIdentity = fileIdentity
    self.schemaVersion = schemaVersion
    self.restingStates = restingStates
    externalFiles = fileIdentity == nil ? nil : ExternalFiles(storeFile: file, isWritable: access == .readWrite)
    if let views = database?.views {
      // How values are read counts, not their types alone. A log does not tell what VACUUM does to rowids, nor what became
      // of rows when columns or tables changed: both raise the schema's version.
      modelDigest = FileMarks.digest(of: views.text) + (tracking == .attached ? "-\(schemaVersion)" : "")
    } else {
      modelDigest = try found.digest ?? model.digest()
    }
  }

  /// Opens an existing store.
  ///
  /// - Parameters:
  ///   - busyMilliseconds: How long a statement waits for another writer before it throws `.busy`.
  ///   - purpose: Which files are opened, and in which form coded values are read.
  ///   - readings: How the columns of an ordinary database are read.
  /// - Throws: `StoreError` with `.missing`, `.notAStore`, `.noHistory`, `.unreadable` or `.busy`.
  package static func open(
    _ path: String, access: Access = .readOnly, busyMilliseconds: Int32 = 10_000, for purpose: Purpose = .texts,
    readings: ReadingChoice = .sampled
  ) throws -> PersistentStore {
    guard let identity = FileIdentity(path: path) else {
      let reason = errno
      guard reason == ENOENT || reason == ENOTDIR else {
        throw StoreError(
          .unreadable, "\(path) cannot be reached: \(String(cString: strerror(reason)))",
          recovery: .checkParentDirectories)
      }
      throw StoreError(
        .missing, "no store at \(path)",
        recovery: .createStore)
    }
    if let kind = identity.otherKind {
      throw StoreError(.notAStore, "\(path) is \(kind)", recovery: .chooseStore)
    }
    do {
      guard access == .readOnly, purpose == .texts, busyMilliseconds > patience else {
        return try open(
          path, access: access, mode: access == .readOnly ? .readOnly : .readWrite, busyMilliseconds, identity,
          purpose, readings)
      }
      return try openOrCopy(path, busyMilliseconds, identity, readings)
    } catch let error as SQLiteError
      where access == .readOnly && (error.isCannotOpen || error.isReadOnly) && !error.isLimit && isReadable(path)
    {
      // A store in WAL mode in a directory that cannot be written: SQLite has no place for its -shm file. Without
      // pending frames the main file is complete, so it may be read as it stands. With them, a copy is read. So it is
      // where a journal has to be rolled back first: the main file holds parts of an interrupted transaction.
      let reason: CopyReason? =
        error.isInterrupted ? .interrupted : isAtRest(FileIdentity.realPath(path)) ? nil : .notWritable
      return try translating(path) {
        try open(
          path, access: access, mode: reason.map { .copied($0) } ?? .immutable, busyMilliseconds, identity, purpose,
          readings)
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
    _ path: String, _ busyMilliseconds: Int32, _ identity: FileIdentity, _ readings: ReadingChoice
  ) throws -> PersistentStore {
    let deadline = ContinuousClock.now + .milliseconds(Int(busyMilliseconds))
    var patience = locked[identity].map { .now < $0 + lockedMemory } == true ? 0 : patience
    while true {
      do {
        let store = try open(path, access: .readOnly, mode: .readOnly, patience, identity, .texts, readings)
        store.connection.busyMilliseconds = busyMilliseconds
        return store
      } catch let error as SQLiteError where error.isBusy {
        guard ContinuousClock.now < deadline else { throw error }
        locked.keep(.now, for: identity)
      }
      do {
        let reason = CopyReason.locked(LockHolder(of: path))
        return try open(
          path, access: .readOnly, mode: .copied(reason), busyMilliseconds, identity, .texts, readings)
      } catch let error as StoreError where error.code == .busy {}
      patience = shortPatience
    }
  }

  /// Opens a store without locks and without the files beside it. SQLite does not notice changes then: what was read
  /// counts only if the store was at rest the whole time (`RestingFile`).
  static func openAtRest(_ path: String) throws -> PersistentStore {
    guard let identity = FileIdentity(path: path), identity.otherKind == nil else {
      throw StoreError(.replaced, "another process replaced the store \(path)", recovery: .retry)
    }
    return try translating(path) {
      try open(path, access: .readOnly, mode: .immutable, 0, identity, .texts, .sampled)
    }
  }

  private static func open(
    _ path: String, access: Access, mode: Mode, _ busyMilliseconds: Int32, _ identity: FileIdentity,
    _ purpose: Purpose, _ readings: ReadingChoice
  ) throws -> PersistentStore {
    let copy = try mode.copyReason.map { _ in try PrivateCopy(of: path) }
    defer { copy?.remove() }
    let states = mode.access == .immutable ? FileStates(FileIdentity.realPath(path)) : copy?.states
    let connection = try Connection(
      path: path, access: mode.access, copy: copy?.path, busyMilliseconds: busyMilliseconds)
    if copy != nil { connection.checkpointsOnClose = false }
    // A store of other software is refused below, and its log stays as it is.
    if access == .readWrite { connection.checkpointsOnClose = false }
    let store = try read(
      connection, access: access, identity: identity, restingStates: states, purpose: purpose, readings: readings)
    if access == .readWrite { connection.checkpointsOnClose = true }
    if let copy, let reason = mode.copyReason { store.copy = CopyInUse(copy, reason) }
    // What is left over takes room alone; a later opening tries again.
    if access == .readWrite { try? store.settleExternals() }
    return store
  }

  /// The store that a connection leads to; `identity` is nil where it is in memory.
  static func read(
    _ connection: Connection, access: Access, identity: FileIdentity?, restingStates: FileStates? = nil,
    purpose: Purpose = .texts, readings: ReadingChoice = .sampled
  ) throws -> PersistentStore {
    let path = connection.path
    let tables = try connection.tables(among: ["Z_METADATA", "Z_PRIMARYKEY", "ATRANSACTION", "ACHANGE"])
    guard tables.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) else {
      // SQLite takes a file without a byte for a database without tables.
      var status = stat()
      if stat(path, &status) == 0, status.st_size == 0 {
        throw StoreError(
          .notAStore, "\(path) is an empty file, not a store",
          recovery: .replaceFile)
      }
      guard purpose == .texts, let identity else {
        throw StoreError(
          .notAStore, "\(path) is an SQLite file of another kind: it has no Core Data tables",
          recovery: .chooseOwnStore)
      }
      return try openDatabase(
        connection, access: access, identity: identity, restingStates: restingStates, readings: readings)
    }
    let hasHistory = tables.isSuperset(of: ["ATRANSACTION", "ACHANGE"])
    guard hasHistory || access == .readOnly else { throw Self.withoutHistory(path) }
    if access == .readWrite { try connection.execute("PRAGMA synchronous = FULL") }
    return try describe(
      connection, access: access, tracking: hasHistory ? .history : .compared, identity: identity,
      restingStates: restingStates, purpose: purpose)
  }

  private static func withoutHistory(_ path: String) -> StoreError {
    StoreError(
      .noHistory, "\(path) keeps no transaction history",
      recovery: .trackHistory)
  }

  static func describe(
    _ connection: Connection, access: Access, tracking: ChangeTracking, identity: FileIdentity?,
    restingStates: FileStates?, purpose: Purpose = .texts
  ) throws -> PersistentStore {
    let path = connection.path
    // Together, so that the counter is that of the model.
    try connection.beginRead()
    defer { connection.rollback() }
    let metadata = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
    defer { metadata.reset() }
    guard try metadata.step() else {
      throw StoreError(
        .notAStore, "\(path) has no row in Z_METADATA", recovery: .restoreBackup)
    }
    let uuid = metadata.text(at: 0)
    let found = try StoreModel.read(connection, propertyList: Array(metadata.bytes(at: 1)))
    guard found.isOwn || access == .readOnly else {
      throw StoreError(
        .notWritable, "\(path) was made by Apple's software, and Followspot only reads such stores",
        recovery: .writeToOwnStore)
    }
    guard tracking.hasHistory || purpose == .texts || !found.isOwn else { throw Self.withoutHistory(path) }
    let version = try Self.schemaVersion(connection)
    metadata.reset()
    // A rollback would take the views back.
    connection.rollback()
    try found.install(on: connection, for: purpose)
    if tracking == .compared {
      try connection.execute("PRAGMA temp_store = MEMORY")
      for view in DatabaseHistory.viewsOfStore { try connection.execute(view) }
    }
    return try PersistentStore(
      path: path, connection: connection, access: access, uuid: uuid, found: found, tracking: tracking,
      fileIdentity: identity,
      schemaVersion: version, restingStates: restingStates)
  }

  /// An ordinary database, in views of Core Data's layout.
  private static func openDatabase(
    _ connection: Connection, access: Access, identity: FileIdentity, restingStates: FileStates?,
    readings: ReadingChoice
  ) throws -> PersistentStore {
    let path = connection.path
    try connection.beginRead()
    defer { connection.rollback() }
    let tables = try DatabaseTable.all(connection)
    let found = try Attachment(connection, tables.tables)
    // A log that misses changes is not followed.
    let attachment = found?.fault == nil ? found : nil
    let known =
      switch readings {
      case .sampled, .surveyed: KnownReadings()
      case .known(let known): known() ?? KnownReadings()
      }
    var schema = try DatabaseSchema(connection, tables, attachment: attachment, readings: known)
    guard !schema.model.entities.isEmpty else {
      throw StoreError(
        .notAStore, "\(path) has no table that can be searched",
        recovery: schema.omitted.first.map { .changeTable($0.name, reason: $0.reason) } ?? .createTable)
    }
    guard access == .readOnly || attachment != nil else { throw Self.notWritten(path) }
    if case .surveyed(let given) = readings { schema = try schema.surveyed(connection, given: given) }
    let misfits = Misfits()
    try misfits.define(on: connection)
    let views = DatabaseViews(schema: schema)
    let faults = found?.fault.map {
      "\($0.reason): changes are found by comparing rows until the database is attached again"
    }
    // The tables of a view are searched.
    let remarks = schema.omitted.filter { $0.kind != .view }
      .map { "the \($0.kind.rawValue) \($0.name) is left out: \($0.reason)" }
    let model = StoreModel(
      layout: views.layout, model: schema.model, versionIdentifiers: [], isOwn: false,
      remarks: (faults.map { [$0] } ?? []) + remarks)
    let store = try PersistentStore(
      path: path, connection: connection, access: access,
      uuid: attachment?.uuid ?? FileMarks.identity(ofFileAt: path), found: model,
      tracking: attachment == nil ? .compared : .attached, database: (views, misfits), fileIdentity: identity,
      schemaVersion: try Self.schemaVersion(connection), restingStates: restingStates)
    store.lostTriggers = found?.fault.flatMap { $0.isRenewable ? $0.reason : nil }
    if let attachment, attachment.isChoice == true { store.chosenTables = attachment.tables.map(\.name) }
    store.keyNumbers = try views.create(connection)
    for entity in store.layout.entities {
      let name = entity.entity.name
      guard let table = schema.sources[name]?.table else { continue }
      store.rowNames[entity.number] = RowNames(table, store.keyNumbers[name], attachment)
      if store.rowNames[entity.number] == nil { store.namedByNumber.insert(name) }
    }
    // Nothing but the views was written.
    try connection.commit()
    return store
  }

  /// Why rows of an ordinary database are not changed.
  static func notWritten(_ path: String) -> StoreError {
    StoreError(
      .notAStore, "\(path) is an ordinary SQLite database: followspot searches it, but does not change its rows",
      recovery: .changeWithOwner)
  }

  private static func isReadable(_ path: String) -> Bool { Glibc.access(path, R_OK) == 0 }

  /// - Parameter path: Without links.
  private static func isAtRest(_ path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) != 0 || status.st_size == 0
  }

  static func schemaVersion(_ connection: Connection) throws -> Int64 {
    try connection.integer("PRAGMA schema_version") ?? 0
  }
}
