// SPDX-License-Identifier: MIT

internal import CSupport

/// Distinguishes states of a database file, even across processes. Equal marks mean that nothing was committed.
///
/// The marks consist of SQLite's change counter, the header of the wal-index, and size, inode and time of both files.
/// If no process has a database in WAL mode open, only the files' own attributes are available.
struct FileMarks {
  /// A 64-bit digest of all marks.
  let digest: UInt64
  /// Whether a file was written so recently that a second write could leave the same modification time.
  let isRecent: Bool

  /// - Parameters:
  ///   - header: The marks in the files themselves (`Connection.marks`).
  ///   - states: The states of the files.
  init(_ header: [UInt8], _ states: FileStates) {
    var bytes = header
    for file in [states.main, states.wal] {
      guard let file else { continue }
      for part in [file.device, file.inode, file.size, file.seconds, file.nanoseconds] {
        withUnsafeBytes(of: part.littleEndian) { bytes += $0 }
      }
    }
    digest = Self.hash(bytes)
    isRecent = states.isRecent([states.main, states.wal])
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
