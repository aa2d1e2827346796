// SPDX-License-Identifier: MIT

internal import Base
internal import CSupport
internal import FoundationEssentials
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

extension PersistentStore {
  /// Creates an empty store of `model` at `path`, where no file may exist.
  ///
  /// The file is created under a temporary name and then renamed, so nobody sees an incomplete store.
  ///
  /// - Parameter versionIdentifiers: The caller's names for this version of the model.
  /// - Throws: `StoreError.invalidModel`, `.notWritable`, `.full`.
  package static func create(
    _ path: String, model: ModelDescription, versionIdentifiers: [String] = []
  ) throws -> PersistentStore {
    try model.validate()
    guard FileIdentity(path: path) == nil else {
      throw StoreError(.notWritable, "\(path) exists already", recovery: .chooseOtherPath)
    }
    try removeEmptyRemains(of: path)
    removeDrafts(of: path)
    let draft = path + draftSuffix + "\(getpid())"
    defer { removeDraft(draft) }
    removeDraft(draft)
    do {
      try layOut(Connection(path: draft, access: .create), StoreMetadata(model: model, versionIdentifiers), model)
    } catch let error as SQLiteError where error.isCannotOpen && !error.isFull && !error.isLimit {
      // SQLite tries again to open the missing file, without creating it, and reports the reason of that.
      let descriptor = Glibc.open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      let reason = descriptor < 0 ? String(cString: strerror(errno)) : error.reason
      if descriptor >= 0 { close(descriptor) }
      throw StoreError(.notWritable, "\(path) cannot be created: \(reason)", recovery: .checkDirectory)
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
    // If another process created a store at the path meanwhile, that one stays.
    let code = cs_rename_to_free(draft, path)
    guard code == 0 else {
      let isFull = SystemErrorKind(code) == .full
      throw StoreError(
        isFull ? .full : .notWritable, "\(path) cannot be created: \(String(cString: strerror(code)))",
        recovery: isFull ? .freeSpace : .checkDirectory)
    }
    return try open(path, access: .readWrite)
  }

  /// Creates an empty in-memory store. It exists as long as a reference to it, and no other process sees it.
  ///
  /// - Parameter uuid: The identity of the store; nil for a new one.
  /// - Throws: `StoreError.invalidModel`.
  package static func createInMemory(model: ModelDescription, uuid: String? = nil) throws -> PersistentStore {
    try model.validate()
    return try translating(":memory:") {
      let connection = try Connection(path: ":memory:", access: .create)
      try layOut(connection, StoreMetadata(model: model, []), model, uuid: uuid)
      return try read(connection, access: .readWrite, Opening())
    }
  }

  /// Removes a store's files, including external files. No process that still needs the store may have it open.
  package static func remove(_ path: String) {
    removeExternals(path)
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
  }

  // MARK: Drafts

  private static let draftSuffix = ".creating-"

  /// Removes a draft and the files beside it. A complete draft has none.
  private static func removeDraft(_ draft: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(draft + suffix) }
  }

  /// Removes drafts of processes that were killed while they created a store at this path.
  private static func removeDrafts(of path: String) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let directory = slash.map { String(path[...$0]) } ?? "./"
    let prefix = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + draftSuffix
    for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] where name.hasPrefix(prefix) {
      let digits = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let process = Int32(digits), process > 0, kill(process, 0) != 0, errno == ESRCH else { continue }
      unlink(directory + name)
    }
  }

  /// Refuses remains of another store: SQLite would apply its write-ahead log or journal to the new one.
  private static func removeEmptyRemains(of path: String) throws {
    for suffix in ["-wal", "-journal"] {
      var status = stat()
      guard stat(path + suffix, &status) == 0 else { continue }
      guard status.st_size == 0 else {
        throw StoreError(
          .notWritable, "\(path)\(suffix) is left of another store and may hold its newest saves",
          recovery: .removeLeftover)
      }
      unlink(path + suffix)
    }
    unlink(path + "-shm")
  }

  private static func layOut(
    _ connection: Connection, _ description: StoreMetadata, _ model: ModelDescription, uuid: String? = nil
  ) throws {
    let layout = StoreLayout(model: model)
    try connection.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL")
    // The draft uses a rollback journal, the complete store WAL mode. In memory neither has an effect.
    try connection.beginWrite()
    for statement in layout.dataTables + layout.historyTables { try connection.execute(statement) }
    for row in layout.primaryKeyRows {
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, 0)",
        [.integer(Int64(row.number)), .text(row.name), .integer(Int64(row.superNumber))])
    }
    try connection.run(
      "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?1, ?2)",
      [.text(uuid ?? UUID().uuidString), .blob(try description.encoded())])
    try connection.commit()
    try connection.execute("PRAGMA journal_mode = WAL")
  }
}
