internal import CSupport
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// Distinguishes states of a database file, even across processes. Equal marks mean that nothing was committed.
///
/// The marks consist of SQLite's change counter, the header of the wal-index, and size, inode and time of both files.
/// If no process has a database in WAL mode open, only the files' own attributes are available.
struct FileMarks {
  /// A 64-bit digest of all marks.
  let digest: UInt64
  /// Whether a file was written so recently that a second write could leave the same modification time.
  let isRecent: Bool

  /// Kernels set file times in ticks of up to 10 ms. The value is twice as long, in seconds.
  private static let tick = 0.02

  /// - Parameters:
  ///   - connection: A connection that has read something since it was opened.
  ///   - file: The path of the database with symbolic links resolved.
  ///   - isAtRest: Whether the connection reads only the main file, without a `-wal`.
  init(_ connection: Connection, file: String, isAtRest: Bool) throws {
    var bytes = try connection.marks(isWAL: !isAtRest && connection.isInWALMode())
    var newest = 0.0
    for suffix in ["", "-wal"] {
      var status = stat()
      guard stat(file + suffix, &status) == 0 else { continue }
      newest = max(newest, Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
      for part in [
        Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      ] {
        withUnsafeBytes(of: part.littleEndian) { bytes += $0 }
      }
    }
    digest = Self.hash(bytes)
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    // A time far in the future is not recent, because the next write changes it.
    isRecent = newest > time - Self.tick && newest < time + Self.tick
  }

  /// A 64-bit digest of bytes.
  static func hash(_ bytes: [UInt8]) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digest in
      cs_digest(bytes, bytes.count, digest.baseAddress!)
      return UInt64(littleEndian: UnsafeRawBufferPointer(digest).loadUnaligned(as: UInt64.self))
    }
  }

  /// A digest of a text, as 32 hexadecimal digits.
  static func digest(of text: String) -> String {
    let bytes = Array(text.utf8)
    var digits = [CChar](repeating: 0, count: 33)
    cs_digest_hexadecimal(bytes, bytes.count, &digits)
    return String(decoding: digits.prefix(32).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The identity of a database that stores none: a UUID that is derived from the real path.
  static func identity(ofFileAt path: String) -> String {
    let hexadecimal = Array(digest(of: FileIdentity.realPath(path)).uppercased()).map(String.init)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { hexadecimal[$0].joined() }
    return groups.joined(separator: "-")
  }
}
