// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// Checks a `-wal` for damage that SQLite does not report: it reads only up to the first frame with a wrong checksum.
package enum LogCheck {
  static let headerLength = 32
  static let frameHeaderLength = 24

  /// A sentence about the log of the database at `path`, without a full stop; nil if it shows no damage. Reads the
  /// whole log.
  package static func finding(_ path: String) -> String? {
    let file = FileIdentity.realPath(path) + "-wal"
    // A writer may restart the log during the check, so the same damage must be found twice in the same log.
    guard let log = Log(path: file), log.lostCommits > 0, let again = Log(path: file), again == log else { return nil }
    let count = log.lostCommits == 1 ? "1 transaction" : "\(log.lostCommits) transactions"
    return "\(count) of the -wal cannot be read: they follow a damaged frame"
  }

  /// Whether the bytes are the header of a log, with the right checksum.
  static func isHeader(_ header: [UInt8]) -> Bool {
    guard header.count == headerLength else { return false }
    let magic = word(header, 0)
    let pageSize = Int(word(header, 8))
    guard magic & ~1 == 0x377f_0682, (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      return false
    }
    var sum = Checksum(isLittle: magic & 1 == 0)
    sum.add(header, 0..<24)
    return sum.isEqual(header, 24)
  }

  private static func word(_ bytes: [UInt8], _ at: Int, isLittle: Bool = false) -> UInt32 {
    let (a, b) = (UInt32(bytes[at]), UInt32(bytes[at + 1]))
    let (c, d) = (UInt32(bytes[at + 2]), UInt32(bytes[at + 3]))
    return isLittle ? d << 24 | c << 16 | b << 8 | a : a << 24 | b << 16 | c << 8 | d
  }

  /// Source: "WAL-mode File Format" of SQLite's documentation.
  private struct Log: Equatable {
    /// The number of commits after the first damaged frame.
    private(set) var lostCommits = 0
    /// The log's header at the time of the check.
    private var header: [UInt8] = []

    init?(path: String) {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var header = [UInt8](repeating: 0, count: headerLength)
      guard pread(descriptor, &header, headerLength, 0) == headerLength, isHeader(header) else { return nil }
      let pageSize = Int(word(header, 8))
      var sum = Checksum(isLittle: word(header, 0) & 1 == 0)
      sum.add(header, 0..<24)
      var frame = [UInt8](repeating: 0, count: frameHeaderLength + pageSize)
      var offset = headerLength
      var isWhole = true
      while pread(descriptor, &frame, frame.count, off_t(offset)) == frame.count {
        offset += frame.count
        // Frames with other salts belong to an earlier log, which this one overwrites from its start.
        guard frame[8..<16] == header[16..<24] else {
          isWhole = false
          continue
        }
        if isWhole {
          sum.add(frame, 0..<8)
          sum.add(frame, frameHeaderLength..<frame.count)
          isWhole = sum.isEqual(frame, 16)
        }
        if !isWhole, word(frame, 4) != 0 { lostCommits += 1 }
      }
      self.header = header
      var now = header
      guard pread(descriptor, &now, headerLength, 0) == headerLength, now == header else { return nil }
    }
  }

  private struct Checksum {
    let isLittle: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isLittle: Bool) { self.isLittle = isLittle }

    mutating func add(_ bytes: [UInt8], _ range: Range<Int>) {
      for at in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        first &+= word(bytes, at, isLittle: isLittle) &+ second
        second &+= word(bytes, at + 4, isLittle: isLittle) &+ first
      }
    }

    func isEqual(_ bytes: [UInt8], _ at: Int) -> Bool { word(bytes, at) == first && word(bytes, at + 4) == second }
  }
}
