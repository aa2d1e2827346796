// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// Another process that holds a lock of a database, so that nobody else can read or write it.
package struct LockHolder: Hashable, Sendable, CustomStringConvertible {
  let process: Int32
  /// The name of its program, of 15 bytes at most; nil if it cannot be read.
  let program: String?

  /// As part of a sentence.
  package var description: String { program.map { "\($0) (process \(process))" } ?? "process \(process)" }

  /// The process that holds the lock for writing of the database at `path`, according to the system's list of locks; nil
  /// if the list does not name one, or names this process.
  ///
  /// Source: "File Locking And Concurrency In SQLite" and "WAL-mode File Format" for the bytes that are locked.
  init?(of path: String) {
    let file = FileIdentity.realPath(path)
    let lines = (SystemFile.text("/proc/locks") ?? "").split(separator: "\n").map { $0.split(separator: " ") }
    // The pending, the reserved and the shared bytes of the main file; the write lock of a write-ahead log.
    let places = [(file, 0x4000_0000...0x4000_01ff), (file + "-shm", 120...120)]
    for (file, bytes) in places {
      var status = stat()
      guard stat(file, &status) == 0 else { continue }
      // `1: POSIX ADVISORY WRITE 1234 08:01:131337 1073741826 1073742335`. The device of some file systems is not that of
      // their files, so the inode decides.
      let holder = lines.lazy.compactMap { words -> Int32? in
        guard words.count == 8, words[3] == "WRITE", words[5].split(separator: ":").last == "\(status.st_ino)",
          let first = Int(words[6]), let last = words[7] == "EOF" ? .max : Int(words[7]), first <= last,
          bytes.overlaps(first...last), let process = Int32(words[4]), process > 0, process != getpid()
        else { return nil }
        return process
      }.first
      guard let holder else { continue }
      process = holder
      program = SystemFile.text("/proc/\(holder)/comm")?.split(separator: "\n").first.map(String.init)
      return
    }
    return nil
  }
}
