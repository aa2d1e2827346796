// SPDX-License-Identifier: MIT

internal import Base
internal import CSupport
internal import FoundationEssentials
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// The consumers of a store's history, for which a purge waits: one file each in the directory `<store>.consumers`. They are
/// not stored in the store, so that a copy of it does not inherit them.
package struct Consumers: Sendable {
  package let directory: String
  private let storePath: String

  package init(storePath: String) {
    self.storePath = FileIdentity.realPath(storePath)
    directory = self.storePath + ".consumers"
  }

  // MARK: Names

  /// The name under which an index registers itself.
  static func name(of index: IndexDirectory) -> String { indexPrefix + FileIdentity.realPath(index.path) }

  private static let indexPrefix = "index:"
  private static let indexSuffix = ".index.json"
  private static let otherSuffix = ".consumer.json"
  private static let lockSuffix = ".lock"
  private static let longestName = 200

  /// - Throws: `OperationError` if a consumer cannot have this name.
  package static func check(_ name: String) throws {
    let isWritable =
      !name.isEmpty && name.utf8.count <= longestName && !name.hasPrefix(".")
      && !name.unicodeScalars.contains { $0 == "/" || $0.isTerminalControl }
    guard isWritable, !name.hasPrefix(indexPrefix), !name.hasSuffix(indexSuffix) else {
      throw OperationError(
        .usage, "a consumer cannot be called '\(name)'",
        recovery: .chooseConsumerName)
    }
  }

  /// An index has a path in its name, which cannot be the name of a file.
  private func path(of name: String) -> String {
    if name.hasPrefix(Self.indexPrefix) {
      return directory + "/" + ContentDigest(of: Array(name.utf8)).hexadecimal + Self.indexSuffix
    }
    return directory + "/" + (name.hasSuffix(Self.indexSuffix) ? name : name + Self.otherSuffix)
  }

  // MARK: Changing

  /// - Parameter token: The last transaction it has read; nil for the newest.
  package func add(_ name: String, token: Int64?) throws -> Consumer {
    try Self.check(name)
    return try withLock {
      guard access(path(of: name), F_OK) != 0 else {
        throw OperationError(
          .usage, "there is a consumer '\(name)' already",
          recovery: .moveConsumer(name))
      }
      return try write(name, token: token)
    }
  }

  package func move(_ name: String, token: Int64) throws -> Consumer {
    guard !name.hasPrefix(Self.indexPrefix) else {
      throw OperationError(
        .usage, "an index cannot be moved: it updates its own position at each pass", recovery: .updateIndex)
    }
    return try withLock {
      try checkThere(name)
      return try write(name, token: token)
    }
  }

  /// - Throws: `OperationError.locked` while a feed moves the consumer.
  package func drop(_ name: String) throws {
    try withLock {
      try checkThere(name)
      let held = name.hasPrefix(Self.indexPrefix) ? nil : try self.lock(name, verb: "history consumers drop")
      guard unlink(path(of: name)) == 0 else { throw failure("\(path(of: name)) cannot be removed") }
      if held != nil { unlink(lockPath(of: name)) }
    }
  }

  /// Locks a consumer for one feed: another one would read the same changes.
  ///
  /// - Throws: `OperationError.locked` that names the holder.
  package func lock(_ name: String, verb: String) throws -> FileLock {
    guard makeDirectory() else { throw failure("\(directory) cannot be created") }
    let given = rights
    while true {
      let made = try FileLock(path: lockPath(of: name), of: "the consumer '\(name)'", verb: verb) { descriptor in
        if let given { cs_give_rights(descriptor, given) }
      }
      // The consumer may have been dropped before the file was locked.
      if made.isInPlace { return made }
    }
  }

  private func lockPath(of name: String) -> String { directory + "/." + name + Self.lockSuffix }

  /// Moves a consumer, and registers it if necessary.
  ///
  /// - Parameter stamp: The stamp of the transaction, if it is known.
  package func set(_ name: String, token: Int64, stamp: UInt64? = nil) throws {
    try Self.check(name)
    try withLock { _ = try write(name, token: token, stamp: stamp) }
  }

  /// Whether a consumer of this name is registered.
  package func contains(_ name: String) throws -> Bool { try list().contains { $0.name == name } }

  private func checkThere(_ name: String) throws {
    let known = try list().map(\.name)
    guard known.contains(name) else {
      throw OperationError(
        .usage, "there is no consumer '\(name)'",
        recovery: .nearestConsumer(NearestNames.of(name, among: known).first, insteadOf: name))
    }
  }

  /// Call it under the lock: what the history holds then, a purge keeps.
  private func write(_ name: String, token: Int64?, stamp: UInt64? = nil) throws -> Consumer {
    let store = try StoreFile.open(storePath)
    let (number, newest) = try store.withSnapshot {
      let newest = try store.newest()
      let number = token ?? newest
      guard number <= newest else {
        throw OperationError(.usage, "transaction \(number) does not exist yet; the newest is \(newest)")
      }
      guard try number == newest || store.missingTransactions(after: max(0, number - 1)).isEmpty else {
        throw OperationError(
          .usage, "the history after transaction \(number) is not complete any more",
          recovery: .listTransactions(after: number))
      }
      return (number, newest)
    }
    let record = ConsumerRecord(name: name, store: store.uuid, token: number, stamp: stamp, moved: DateText.now)
    try write(record)
    return Consumer(name: name, token: number, holds: number, lag: newest - number, seen: Self.seconds(record.moved))
  }

  /// Notes that the index reads the history of `store` from `token`; nothing is written where that is known.
  func register(_ index: IndexDirectory, store: PersistentStore, token: Int64?) throws {
    settleRights()
    let name = Self.name(of: index)
    var record = ConsumerRecord(
      name: name, store: store.uuid, token: token, index: FileIdentity.realPath(index.path), moved: DateText.now)
    if let known = try read(path(of: name)) {
      let moved = record.moved
      record.moved = known.moved
      if record == known { return }
      record.moved = moved
    }
    try withLock { try write(record) }
  }

  /// Removes the record of an index that is removed together with its store.
  package func forget(_ index: IndexDirectory) {
    unlink(path(of: Self.name(of: index)))
    guard (try? list())?.isEmpty == true else { return }
    for name in IndexDirectory.list(directory) ?? [] where name.hasPrefix(".") && name.hasSuffix(Self.lockSuffix) {
      unlink(directory + "/" + name)
    }
    rmdir(directory)
  }

  // MARK: Files

  /// All records by name; nil for a file that cannot be read.
  func list() throws -> [(name: String, record: ConsumerRecord?)] {
    guard let files = IndexDirectory.list(directory) else {
      guard errno != ENOENT else { return [] }
      throw OperationError.system("\(directory) cannot be read", errno, recovery: .checkPermissions)
    }
    return try files.filter { !$0.hasPrefix(".") && $0.hasSuffix(".json") }.map { file in
      let record = try read(directory + "/" + file)
      let isOther = file.hasSuffix(Self.otherSuffix)
      return (record?.name ?? (isOther ? String(file.dropLast(Self.otherSuffix.count)) : file), record)
    }.sorted { $0.name < $1.name }
  }

  /// The largest file of a record in bytes: it contains two paths at most.
  private static let longestRecord = 1 << 16

  /// The record in a file; nil if the file is missing or is not a record.
  ///
  /// - Throws: `OperationError.busy` if the process cannot open more files.
  private func read(_ path: String) throws -> ConsumerRecord? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let error = failure("\(path) cannot be read")
      if error.code == .busy { throw error }
      return nil
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.longestRecord)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0, let record = try? JSONDecoder().decode(ConsumerRecord.self, from: Data(bytes[..<count])),
      record.format == 1, self.path(of: record.name) == path
    else { return nil }
    return record
  }

  /// Writes a record by rename. Only whoever holds the lock does: the draft's name is always the same, so that none is
  /// left when a process ends in the midst.
  func write(_ record: ConsumerRecord) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try FileReplacement.write(
      Array(try encoder.encode(record)) + [0x0a], to: path(of: record.name), draft: directory + "/.draft",
      giveRights: { if let rights { cs_give_rights($0, rights) } }, failure: { OperationError.system($0, $1) })
  }

  static func seconds(_ time: String) -> Double? {
    DateText.parse(time).map { $0 + Epoch.secondsFrom1970To2001 }
  }

  private func failure(_ what: String) -> OperationError { .system(what, errno) }

  // MARK: Lock

  /// Runs `body` while no other process changes consumers or takes a step of a purge.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    guard makeDirectory() else { throw failure("\(directory) cannot be created") }
    let path = directory + "/.lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw failure("\(path) cannot be opened") }
    defer { close(descriptor) }
    settleRights()
    for _ in 0..<Self.lockAttempts {
      switch cs_lock_exclusive(descriptor) {
      case 0: return try body()
      case EAGAIN: usleep(5_000)
      case let code:
        throw OperationError(.file, "\(path) cannot be locked: \(String(cString: strerror(code)))")
      }
    }
    throw OperationError(.locked, "another process has been changing \(directory) for ten seconds")
  }

  /// Whether consumers can register here at all.
  package var isWritable: Bool {
    if access(directory, F_OK) == 0 { return access(directory, W_OK | X_OK) == 0 }
    return makeDirectory()
  }

  private func makeDirectory() -> Bool { mkdir(directory, 0o700) == 0 || errno == EEXIST }

  // MARK: Rights

  /// Whoever may use the store may use what is kept of its consumers.
  private var rights: cs_rights? {
    var rights = cs_rights()
    return cs_rights_of(storePath, &rights) == 0 ? rights : nil
  }

  private func settleRights() {
    let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { return }
    defer { close(opened) }
    guard let rights else { return }
    cs_give_rights(opened, rights)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
      cs_give_rights_at(opened, name, rights)
    }
  }

  private static let lockAttempts = 2_000
}
