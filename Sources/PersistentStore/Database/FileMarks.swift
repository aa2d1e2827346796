internal import CSupport
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// Tells one state of a database file from another, also across processes: where the marks are equal, nothing was
/// committed between.
///
/// They are SQLite's change counter, the header of the `-wal`'s index, and what the file system says of both files: a
/// database in WAL mode that nobody has open has no other mark than that.
struct FileMarks {
  /// Of all of them, 64 bits.
  let digest: UInt64
  /// Whether a file was written so recently that a second write could have left the same time.
  let isRecent: Bool

  /// Kernels stamp files by ticks of up to 10 ms.
  private static let tick = 0.02

  /// - Parameters:
  ///   - connection: It has read something since it was opened.
  ///   - file: The path of the database without links.
  ///   - isAtRest: Whether it reads the main file alone.
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
    // A time far in the future is not recent: the next write changes it.
    isRecent = newest > time - Self.tick && newest < time + Self.tick
  }

  /// 64 bits of a digest of bytes.
  static func hash(_ bytes: [UInt8]) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digest in
      cs_digest(bytes, bytes.count, digest.baseAddress!)
      return UInt64(littleEndian: UnsafeRawBufferPointer(digest).loadUnaligned(as: UInt64.self))
    }
  }

  /// 32 hexadecimal digits of a text.
  static func digest(of text: String) -> String {
    let bytes = Array(text.utf8)
    var digits = [CChar](repeating: 0, count: 33)
    cs_digest_hexadecimal(bytes, bytes.count, &digits)
    return String(decoding: digits.prefix(32).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What identifies a database that has no identity of its own: a UUID made of the real path.
  static func identity(ofFileAt path: String) -> String {
    let hexadecimal = Array(digest(of: FileIdentity.realPath(path)).uppercased()).map(String.init)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { hexadecimal[$0].joined() }
    return groups.joined(separator: "-")
  }
}
