// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

extension LogPosition {
  /// Maximum number of frames that are read.
  private static let mostFrames: UInt32 = 50_000

  /// The pages that each transaction between an earlier position and this one wrote; nil if that is not known any more.
  ///
  /// - Parameter file: The path of the database with symbolic links resolved.
  func transactions(since before: LogPosition, inLogOf file: String) -> [Set<UInt32>]? {
    if salts != 0, salts == before.salts { return transactions(inLogOf: file, after: before.frame) }
    guard let all = transactions(inLogOf: file, after: 0) else { return nil }
    // Without frames, all pages were in the main file, and still only the log has later ones.
    if before.frame == 0, let main, main == before.main { return all }
    // The log began again once, which raises the first salt, and no transaction was counted that it does not have.
    let hasRestarted = before.salts != 0 && UInt32(salts >> 32) == UInt32(before.salts >> 32) &+ 1
    return hasRestarted && before.commits > 0 && commits &- before.commits == all.count ? all : nil
  }

  /// Reads the headers of frames. A process may read and close the `-wal` beside a connection: SQLite has no locks on it.
  private func transactions(inLogOf file: String, after first: UInt32) -> [Set<UInt32>]? {
    guard frame > first else { return frame == first ? [] : nil }
    guard frame - first <= Self.mostFrames else { return nil }
    let descriptor = open(file + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var transactions: [Set<UInt32>] = []
    var pages: Set<UInt32> = []
    // The number of the page, the size of the database after a commit or 0, and the salts.
    var header = [UInt32](repeating: 0, count: 4)
    for number in first..<frame {
      let offset = 32 + Int(number) * (24 + pageSize)
      guard pread(descriptor, &header, 16, off_t(offset)) == 16,
        UInt64(header[2].bigEndian) << 32 | UInt64(header[3].bigEndian) == salts
      else { return nil }
      pages.insert(header[0].bigEndian)
      guard header[1] != 0 else { continue }
      transactions.append(pages)
      pages = []
    }
    return pages.isEmpty ? transactions : nil
  }
}
