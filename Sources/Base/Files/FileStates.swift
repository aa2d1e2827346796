// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  package import Glibc
#endif

/// The identity, size and times of a database, its write-ahead log and its journal at one moment.
package struct FileStates: Equatable, Sendable {
  package struct File: Equatable, Sendable {
    let device: Int
    package let inode: Int
    package let size: Int
    /// The modification time.
    let seconds: Int
    let nanoseconds: Int
    /// The nanoseconds of the time when the status changed; 0 for a log or a journal, because SQLite gives them their
    /// owner whenever root opens them.
    let statusNanoseconds: Int

    /// The modification time in seconds since 1970.
    package var time: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    /// What tells states of the file apart.
    package var bytes: [UInt8] {
      [device, inode, size, seconds, nanoseconds].flatMap { part in withUnsafeBytes(of: part.littleEndian, Array.init) }
    }

    fileprivate init?(_ path: String, isMain: Bool = false) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status, isMain: isMain)
    }

    package init(_ status: stat, isMain: Bool) {
      (device, inode, size) = (Int(status.st_dev), Int(status.st_ino), Int(status.st_size))
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      statusNanoseconds = isMain ? status.st_ctim.tv_nsec : 0
    }
  }

  package let main: File?
  package let wal: File?
  package let journal: File?
  /// When they were read, in seconds since 1970.
  private let moment: Double

  /// - Parameter file: The path of the database with symbolic links resolved.
  package init(_ file: String) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    moment = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    (main, wal, journal) = (File(file, isMain: true), File(file + "-wal"), File(file + "-journal"))
  }

  /// The same files, unchanged. It does not matter when they were looked at.
  package static func == (one: FileStates, other: FileStates) -> Bool {
    one.main == other.main && one.wal == other.wal && one.journal == other.journal
  }

  /// Kernels set file times in ticks of up to 10 ms. The value is twice as long, in seconds.
  static let tick = 0.02
  /// The same for file systems that store whole seconds, or every second one.
  private static let coarseTick = 2.0

  /// Whether a file was written so shortly before this moment that a second write could leave the same modification time.
  ///
  /// - Parameter seconds: How long ago counts as recent.
  package func isRecent(_ files: [File?], within seconds: Double = tick) -> Bool {
    files.contains { file in
      guard let file else { return false }
      let tick = file.nanoseconds == 0 ? max(seconds, Self.coarseTick) : seconds
      // A time far in the future is not recent, because the next write changes it.
      return file.time > moment - tick && file.time < moment + tick
    }
  }
}
