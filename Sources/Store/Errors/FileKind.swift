// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// The kind of a file that SQLite cannot read, as far as its first bytes show it.
enum FileKind {
  private static let length = 4_096
  private static let magic = Array("SQLite format 3\0".utf8)

  /// What is wrong with the file, and what removes the cause.
  static func explain(_ path: String) -> (sentence: String, recovery: StoreError.Recovery) {
    let bytes = SystemFile.bytes(of: path, count: length)
    if bytes.starts(with: magic) {
      if isMVCC(bytes) {
        return ("\(path) is in the MVCC mode of Turso, which keeps rows in \(path)-log", .leaveMVCC)
      }
      if isNewer(bytes) {
        return (
          "\(path) was written by a newer version of SQLite",
          .updateSQLite(Connection.libraryVersion)
        )
      }
      return (
        "the header of \(path) is damaged, or the file is encrypted",
        .restoreBackupOrDecrypt
      )
    }
    for (signature, name, recovery) in known where bytes.starts(with: signature) {
      return ("\(path) is \(name), not an SQLite file", recovery)
    }
    if isText(bytes) {
      return ("\(path) is not an SQLite file", .importText)
    }
    return (
      "\(path) is not an SQLite file, or it is encrypted", .chooseStoreOrDecrypt
    )
  }

  /// That SQLite does not understand a definition in the schema of a file.
  static func sentenceOnDefinition(_ path: String) -> String {
    let writer = Connection.writerVersion(inHeader: SystemFile.bytes(of: path, count: length))
    return "SQLite \(Connection.libraryVersion) cannot read a definition of \(path)"
      + (writer.map { ", which SQLite \($0) wrote last" } ?? "")
  }

  /// Whether only a newer version of SQLite may write the file, according to its header.
  static func isNewer(_ path: String) -> Bool { isNewer(SystemFile.bytes(of: path, count: length)) }

  /// Bytes 18 and 19 are the format versions for writing and reading. The newest known version is 2.
  private static func isNewer(_ bytes: [UInt8]) -> Bool {
    bytes.count > 19 && bytes.starts(with: magic) && (bytes[18] > 2 || bytes[19] > 2)
  }

  /// Whether Turso left the file in its MVCC mode, which SQLite does not have.
  private static func isMVCC(_ bytes: [UInt8]) -> Bool { bytes.count > 19 && bytes[18] == 255 && bytes[19] == 255 }

  private static let known: [(signature: [UInt8], name: String, recovery: StoreError.Recovery)] = [
    ([0x50, 0x4b, 0x03, 0x04], "a zip archive", .unzip),
    ([0x1f, 0x8b], "a file that gzip compressed", .decompress(program: "gunzip")),
    ([0x28, 0xb5, 0x2f, 0xfd], "a file that zstd compressed", .decompress(program: "unzstd")),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "a file that xz compressed", .decompress(program: "unxz")),
    (Array("BZh".utf8), "a file that bzip2 compressed", .decompress(program: "bunzip2")),
  ]

  private static func isText(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 && ![9, 10, 13].contains($0) }) else { return false }
    // The last character may be truncated.
    return (0...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
