// SPDX-License-Identifier: MIT

internal import CSupport
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// A directory for one copy of a store, in the directory for temporary files. Its owner holds a lock in it, which
/// distinguishes directories in use from those that a killed process left.
final class CopyDirectory {
  let path: String
  private let lock: Int32

  private static let prefix = "followspot-copy-"
  private static let lockName = "/lock"
  /// A directory that is so new, in seconds, may not be locked yet.
  private static let grace = 60

  /// Also removes what processes that were killed left.
  init() throws {
    let parent = Self.parent
    Self.sweep(parent)
    var template = Array((parent + "/" + Self.prefix + "XXXXXX").utf8CString)
    let isMade = mkdtemp(&template) != nil
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard isMade else { throw StoreError(systemErrorAt: path) }
    lock = open(path + Self.lockName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard lock >= 0, cs_lock_exclusive(lock) == 0 else {
      let failure = StoreError(systemErrorAt: path)
      remove()
      throw failure
    }
  }

  deinit {
    remove()
    close(lock)
  }

  /// Removes the directory and all files in it.
  func remove() { Self.remove(path) }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  private static func sweep(_ parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
      let path = parent + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
        time(nil) - status.st_mtim.tv_sec > grace
      else { continue }
      let lock = open(path + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      if lock < 0 || cs_lock_exclusive(lock) == 0 { remove(path) }
      if lock >= 0 { close(lock) }
    }
  }

  private static var parent: String {
    guard let path = getenv("TMPDIR").map({ String(cString: $0) }), path.hasPrefix("/") else { return "/tmp" }
    return path
  }
}
