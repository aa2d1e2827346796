// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// What is seen of a database before and after it is copied, and whether the copy is then one committed state of it.
struct CopyCheck {
  let states: FileStates
  /// The first bytes of the main file, of the `-wal` and of the journal; empty if there is none.
  private let header: [UInt8]
  private let logHeader: [UInt8]
  private let journalHeader: [UInt8]
  /// The last bytes of the journal.
  private let journalEnd: [UInt8]

  /// - Parameters:
  ///   - connection: A connection to the database. It needs no lock.
  ///   - file: The path of the database with symbolic links resolved.
  init(_ connection: Connection, file: String) throws {
    states = FileStates(file)
    var header = [UInt8](repeating: 0, count: 100)
    _ = try header.withUnsafeMutableBytes { buffer throws in try connection.readFile(into: buffer, at: 0) }
    self.header = header
    logHeader = states.wal == nil ? [] : SystemFile.bytes(of: file + "-wal", count: LogCheck.headerLength)
    let path = file + "-journal"
    journalHeader = states.journal == nil ? [] : SystemFile.bytes(of: path, count: Self.journalMagic.count)
    let end = (states.journal?.size ?? 0) - Self.journalMagic.count
    journalEnd = end < 0 ? [] : SystemFile.bytes(of: path, at: end, count: Self.journalMagic.count)
  }

  /// Whether a copy that is made now can turn out to be one committed state.
  var allowsCopy: Bool { isLogged || isSettled }

  /// Whether what was copied since this check, first the main file and then the other ones, is one committed state.
  func proves(_ after: CopyCheck) -> Bool {
    if isLogged, after.isLogged, logHeader == after.logHeader, states.main?.inode == after.states.main?.inode,
      states.wal?.inode == after.states.wal?.inode
    {
      return true
    }
    return isSettled && states == after.states && header == after.header && logHeader == after.logHeader
  }

  // MARK: A write-ahead log

  private var isInWALMode: Bool { header[18] == 2 && header[19] == 2 }

  /// Whether a valid log is in use. While its header stays the same, frames are only appended to it, and only pages of its
  /// frames are written to the main file. The copied log therefore replaces each page of the main file that may have
  /// changed while it was copied. SQLite checks the frames and reads them up to the last complete transaction.
  private var isLogged: Bool { isInWALMode && !isHot && LogCheck.isHeader(logHeader) }

  /// The frames of a log that belong to its header.
  struct Frames {
    /// The length of a frame in bytes.
    let length: Int
    /// What the header and its frames have in common.
    let salts: [UInt8]

    /// The number of bytes of those that begin the block.
    func count(in block: UnsafeRawBufferPointer) -> Int {
      for start in stride(from: 0, to: block.count, by: length) {
        guard start + 16 <= block.count, block[(start + 8)..<(start + 16)].elementsEqual(salts) else { return start }
      }
      return block.count
    }
  }

  /// The frames of the log in use; nil if there is none.
  var frames: Frames? {
    guard isLogged else { return nil }
    let pageSize = Self.number(logHeader, at: 8)
    return Frames(length: LogCheck.frameHeaderLength + pageSize, salts: Array(logHeader[16..<24]))
  }

  /// Whether the log in use still has the same header. The copy of a large main file ends early if not.
  func isLogUnchanged(_ file: String) -> Bool {
    !isLogged || SystemFile.bytes(of: file + "-wal", count: LogCheck.headerLength) == logHeader
  }

  // MARK: A rollback journal

  private static let journalMagic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// Whether the journal contains a transaction that is not committed. It is rolled back when the copy is opened.
  private var isHot: Bool { journalHeader.first ?? 0 != 0 }

  /// Whether the journal names a transaction of several databases. Only the files of all of them tell whether it is
  /// committed.
  private var isOfSeveralFiles: Bool { isHot && journalEnd == Self.journalMagic }

  /// Whether any write from now on changes the times of the files, and the files together are one state that SQLite can
  /// restore after a crash.
  private var isSettled: Bool {
    guard !isOfSeveralFiles, !states.isRecent([states.main, states.wal, states.journal]) else { return false }
    return isInWALMode || isJournaled || isIdle
  }

  /// Whether the last transaction wrote a journal, as the journal modes DELETE, TRUNCATE and PERSIST do. A writer in
  /// exclusive mode keeps the file, and writes to it after the main file.
  private var isJournaled: Bool {
    guard let journal = states.journal, let main = states.main else { return false }
    return isHot || journal.time >= main.time
  }

  /// Whether nothing shows that a transaction is open. In the journal modes MEMORY and OFF nothing ever proves it: the
  /// main file may then contain a part of a transaction while its program does something else.
  private var isIdle: Bool {
    guard let size = states.main?.size, !states.isRecent([states.main, states.journal], within: Self.idleSeconds) else {
      return false
    }
    // The header has the right size after each transaction, if SQLite 3.7 or later wrote it.
    let pageSize = Int(header[16]) << 8 | Int(header[17])
    let pages = Self.number(header, at: 28)
    guard pages > 0, Self.number(header, at: 24) == Self.number(header, at: 92) else { return true }
    return pages * (pageSize == 1 ? 65_536 : pageSize) == size
  }

  /// A transaction writes its pages faster.
  private static let idleSeconds = 1.0

  private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }
}
