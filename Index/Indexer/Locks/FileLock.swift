// SPDX-License-Identifier: MIT

internal import Base
internal import CSupport
internal import FoundationEssentials
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// A lock file, mostly of an index directory. The lock belongs to an open file, so that the system releases it when the
/// process ends. The content of the file names the holder.
package final class FileLock {
  package enum Kind: Equatable, Sendable {
    /// Held while the serving generation is written: by a pass, a follower, or a repair.
    case update
    /// Held while generations are created or switched.
    case rebuild
    /// Held while the index is served to replicas.
    case served
    /// Held while a replica is updated.
    case replica
    /// Held while the definitions of saved searches are written.
    case definitions
    /// Held while the saved search of this name is watched, replaced or removed.
    case saved(String)

    fileprivate var fileName: String {
      switch self {
      case .update: "tailer.lock"
      case .rebuild: "rebuild.lock"
      case .served: "served/server.lock"
      case .replica: "replica.lock"
      case .definitions: "saved.lock"
      case .saved(let name): "saved-\(name).lock"
      }
    }

    fileprivate func subject(in directory: IndexDirectory) -> String {
      switch self {
      case .saved(let name): "the saved search '\(name)'"
      case .served: "the replication of the index \(directory.path)"
      case .replica: "the replica \(directory.path)"
      case .update, .rebuild, .definitions: "the index \(directory.path)"
      }
    }
  }

  /// Who holds a lock.
  package struct Holder: Equatable, Sendable {
    package var pid: Int
    var started: String
    package var verb: String
    package var state: String
    package var done: Int
    package var total: Int
    /// When the state began.
    package var since: String
    /// Why the state is what it is, where that is worth a word.
    package var reason: String?

    /// The estimated remaining seconds of the state; nil if unknown.
    var secondsLeft: Int? {
      guard let now = DateText.parse(DateText.now), let since = DateText.parse(since), now > since, done > 0,
        total >= done
      else { return nil }
      return Int(((now - since) / Double(done) * Double(total - done)).rounded(.up))
    }
  }

  private let descriptor: Int32
  private let path: String
  private let verb: String
  private let started: String
  private var state = ""
  private var since: String

  /// Takes the lock without waiting.
  ///
  /// - Throws: `OperationError.locked` that names the holder; `IndexError.foreign` if a replica is to be written.
  package convenience init(_ kind: Kind, in directory: IndexDirectory, verb: String) throws {
    if [.update, .rebuild].contains(kind) { try directory.refuseReplica() }
    try self.init(path: Self.path(kind, directory), of: kind.subject(in: directory), verb: verb) {
      directory.giveRights(to: $0)
    }
  }

  /// - Parameters:
  ///   - subject: What is locked, as the subject of a sentence.
  ///   - giveRights: Gives the open file the rights that it needs.
  init(path: String, of subject: String, verb: String, giveRights: (Int32) -> Void) throws {
    self.path = path
    self.verb = verb
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else {
      throw OperationError.system(
        "\(path) cannot be opened", errno, recovery: .checkDiskAndPermissions)
    }
    giveRights(descriptor)
    started = DateText.now
    since = started
    let code = cs_lock_exclusive(descriptor)
    guard code == 0 else {
      // `deinit` closes the file: this object is whole.
      let holder = Self.holder(path: path)
      guard code == EAGAIN else {
        throw OperationError(.file, "\(path) cannot be locked: \(String(cString: strerror(code)))")
      }
      let who = holder.map { "process \($0.pid) (\($0.verb), since \($0.started))" } ?? "another process"
      throw OperationError(.locked, "\(subject) is locked by \(who)")
    }
    note(state: "starting")
  }

  /// Takes the update lock of an existing store. The index directory is made only if the store exists.
  static func forUpdate(of storePath: String, in directory: IndexDirectory, verb: String) throws -> FileLock {
    _ = try StoreFile.open(storePath)
    try directory.make(rightsOf: storePath)
    return try FileLock(.update, in: directory, verb: verb)
  }

  deinit {
    cs_unlock(descriptor)
    close(descriptor)
  }

  /// Writes the state of the holder to the file, with the time when it began.
  package func note(state: String, done: Int = 0, total: Int = 0, reason: String = "") {
    if state != self.state { since = DateText.now }
    self.state = state
    let line = reason.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(400)
    let text = "\(getpid())\n\(started)\n\(verb)\n\(state)\n\(done)\n\(total)\n\(since)\n\(line)\n"
    guard pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else { return }
    ftruncate(descriptor, off_t(text.utf8.count))
  }

  /// Whether the lock file is still in the directory. It is not if the directory was removed.
  package var isInPlace: Bool {
    var own = stat()
    var there = stat()
    // What may not, or cannot, be looked at for a while was not removed.
    guard stat(path, &there) == 0 else { return errno != ENOENT && errno != ENOTDIR }
    return fstat(descriptor, &own) == 0 && own.st_ino == there.st_ino && own.st_dev == there.st_dev
  }

  /// The holder of the lock; nil if nobody holds it.
  package static func holder(_ kind: Kind, in directory: IndexDirectory) -> Holder? {
    holder(path: path(kind, directory))
  }

  private static func holder(path: String) -> Holder? {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard cs_lock_is_held(descriptor) != 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    let lines = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 8, let pid = Int(lines[0]) else { return nil }
    return Holder(
      pid: pid, started: String(lines[1]), verb: String(lines[2]), state: String(lines[3]),
      done: Int(lines[4]) ?? 0, total: Int(lines[5]) ?? 0, since: String(lines[6]),
      reason: lines[7].isEmpty ? nil : String(lines[7]))
  }

  private static func path(_ kind: Kind, _ directory: IndexDirectory) -> String {
    directory.path + "/" + kind.fileName
  }
}
