// SPDX-License-Identifier: MIT

internal import Base

/// How far a database was written at one moment, by the headers of its files. The transactions between two marks can be
/// counted.
package enum CommitMark: Codable, Equatable, Sendable {
  /// Of a database with a rollback journal: the change counter of the file, to which each transaction adds 1.
  case counter(UInt32)
  /// Of a database in WAL mode.
  case log(LogPosition)

  /// - Parameters:
  ///   - header: As for `FileMarks`.
  ///   - states: Of the same moment.
  init(_ header: [UInt8], isWAL: Bool, _ states: FileStates) {
    self = isWAL ? .log(LogPosition(header, states)) : .counter(UInt32(bigEndian: header.number(at: 0)))
  }
}

/// A position in the `-wal` of a database.
package struct LogPosition: Codable, Equatable, Sendable {
  /// The salts of all frames up to the position, which change when the log begins again; 0 if there is no log.
  let salts: UInt64
  /// The number of the last frame of a transaction.
  let frame: UInt32
  /// The transactions that the wal-index has counted. The count goes on when the log begins again.
  let commits: UInt32
  let pageSize: Int
  /// A digest of the state of the main file, which only checkpoints write; nil if it was just written.
  let main: UInt64?

  /// Source: "WAL-mode File Format" for the header of the wal-index. Its numbers have the byte order of the machine, but
  /// the salts are those of the file.
  fileprivate init(_ header: [UInt8], _ states: FileStates) {
    let index = 24
    commits = header.number(at: index + 8)
    frame = header.number(at: index + 16)
    salts = UInt64(bigEndian: header.number(at: index + 32))
    let size: UInt16 = header.number(at: index + 14)
    // 65,536 does not fit, and is 1.
    pageSize = size == 1 ? 65_536 : Int(size)
    main = states.isRecent([states.main]) ? nil : states.main.map { Digest.of($0.bytes) }
  }
}

extension [UInt8] {
  /// A number in the byte order of the machine.
  fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
  }
}

extension CommitMark {
  /// Whether both are positions before the log begins again, or neither is in a log.
  package func isInSameLog(as other: CommitMark) -> Bool {
    guard case .log(let one) = self, case .log(let two) = other else { return true }
    return one.salts == two.salts
  }
}
