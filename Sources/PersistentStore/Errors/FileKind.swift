internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// The kind of a file that SQLite cannot read, as far as its first bytes show it.
enum FileKind {
  private static let length = 4_096
  private static let magic = Array("SQLite format 3\0".utf8)

  /// A sentence without a full stop, and a hint for the user.
  static func explain(_ path: String) -> (sentence: String, hint: String) {
    let bytes = header(of: path)
    if bytes.starts(with: magic) {
      if isNewer(bytes) {
        return (
          "\(path) was written by a newer version of SQLite",
          "update SQLite; this is version \(Connection.libraryVersion)"
        )
      }
      return (
        "the header of \(path) is damaged, or the file is encrypted",
        "restore it from a backup, or name a decrypted copy with --store FILE"
      )
    }
    for (signature, name, action) in known where bytes.starts(with: signature) {
      return ("\(path) is \(name), not an SQLite file", action)
    }
    if isText(bytes) {
      return ("\(path) is not an SQLite file", "name a new file with --store, and import the text into it")
    }
    return (
      "\(path) is not an SQLite file, or it is encrypted", "name a store, or a decrypted copy of it, with --store FILE"
    )
  }

  /// Whether only a newer version of SQLite may write the file, according to its header.
  static func isNewer(_ path: String) -> Bool { isNewer(header(of: path)) }

  /// Bytes 18 and 19 are the format versions for writing and reading. The newest known version is 2.
  private static func isNewer(_ bytes: [UInt8]) -> Bool {
    bytes.count > 19 && bytes.starts(with: magic) && (bytes[18] > 2 || bytes[19] > 2)
  }

  private static let known: [(signature: [UInt8], name: String, action: String)] = [
    ([0x50, 0x4b, 0x03, 0x04], "a zip archive", "unzip it, and name the database that it holds with --store FILE"),
    ([0x1f, 0x8b], "a file that gzip compressed", "decompress it with gunzip first"),
    ([0x28, 0xb5, 0x2f, 0xfd], "a file that zstd compressed", "decompress it with unzstd first"),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "a file that xz compressed", "decompress it with unxz first"),
    (Array("BZh".utf8), "a file that bzip2 compressed", "decompress it with bunzip2 first"),
  ]

  private static func isText(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 && ![9, 10, 13].contains($0) }) else { return false }
    // The last character may be truncated.
    return (0...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }

  private static func header(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: length)
    let count = pread(descriptor, &bytes, length, 0)
    return Array(bytes.prefix(max(0, count)))
  }
}
