// SPDX-License-Identifier: MIT

internal import CSupport

#if canImport(Glibc)
  internal import Glibc
#endif

/// A directory of temporary databases. Its owner holds a lock in it, which distinguishes directories in use from those
/// that a killed process left.
final class ScratchDirectory: Sendable {
  let path: String
  private let descriptor: Int32

  private static let prefix = "followspot-runs-"
  private static let lockName = "/lock"

  /// nil if it cannot be created in `parent`; `errno` says why.
  init?(in parent: String) {
    for _ in 0..<8 {
      let made = parent + "/" + Self.randomName()
      guard mkdir(made, 0o700) == 0 else {
        if errno == EEXIST { continue }
        return nil
      }
      let opened = open(made + Self.lockName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if opened >= 0, cs_lock_exclusive(opened) == 0, Self.isInPlace(opened, made) {
        (path, descriptor) = (made, opened)
        return
      }
      let reason = errno
      if opened >= 0 { close(opened) }
      Self.removeTree(made)
      errno = reason
      guard opened >= 0 else { return nil }
    }
    return nil
  }

  /// Removes everything in it.
  deinit {
    Self.removeTree(path)
    close(descriptor)
  }

  /// Removes a directory in which other threads may still make files: by its path they no longer find it.
  static func discard(_ path: String) {
    let aside = IndexDirectory.parent(of: path) + "/" + randomName()
    removeTree(rename(path, aside) == 0 ? aside : path)
  }

  private static func randomName() -> String { prefix + String(UInt64.random(in: 0 ... .max), radix: 36) }

  static func isOne(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// Removes what processes that were killed left in `parent`.
  static func sweep(_ parent: String) {
    for name in IndexDirectory.list(parent) ?? [] where isOne(name) {
      let path = parent + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { continue }
      let lock = open(path + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard lock >= 0 else {
        // It is being made, or was left while it was being removed.
        if errno == ENOENT, time(nil) - status.st_mtim.tv_sec > 60 { removeTree(path) }
        continue
      }
      if cs_lock_exclusive(lock) == 0 { removeTree(path) }
      close(lock)
    }
  }

  /// A sweep may have come between making and locking.
  private static func isInPlace(_ descriptor: Int32, _ path: String) -> Bool {
    var own = stat()
    var there = stat()
    return fstat(descriptor, &own) == 0 && lstat(path + lockName, &there) == 0 && own.st_ino == there.st_ino
  }

  private static func removeTree(_ path: String) {
    for name in IndexDirectory.list(path) ?? [] where "/" + name != lockName {
      IndexDirectory.removeFlat(path + "/" + name)
    }
    // The lock goes last: without it nobody would know whose the rest is.
    unlink(path + lockName)
    rmdir(path)
  }
}
