// SPDX-License-Identifier: MIT

internal import Base

/// Distinguishes states of a database file, even across processes. Equal marks mean that nothing was committed.
///
/// The marks consist of SQLite's change counter, the header of the wal-index, and size, inode and time of both files.
/// If no process has a database in WAL mode open, only the files' own attributes are available.
struct FileMarks {
  /// A 64-bit digest of all marks.
  let digest: UInt64
  /// Whether a file was written so recently that a second write could leave the same modification time.
  let isRecent: Bool
  /// nil where a copy of the database was read, or the database without its `-wal`.
  let commits: CommitMark?

  /// - Parameter header: The marks in the files themselves (`Connection.marks`).
  init(_ header: [UInt8], _ states: FileStates, commits: CommitMark?) {
    self.commits = commits
    digest = Digest.of(header + [states.main, states.wal].flatMap { $0?.bytes ?? [] })
    isRecent = states.isRecent([states.main, states.wal])
  }

  /// The identity of a database that stores none: a UUID that is derived from the real path.
  static func identity(ofFileAt path: String) -> String {
    let hexadecimal = Array(Digest.hexadecimal(of: Array(FileIdentity.realPath(path).utf8)).uppercased()).map(
      String.init)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { hexadecimal[$0].joined() }
    return groups.joined(separator: "-")
  }
}
