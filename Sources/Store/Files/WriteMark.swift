// SPDX-License-Identifier: MIT

/// Up to where the writes to an attached database are accounted for: by its change log, or by a comparison of all rows.
package struct WriteMark: Codable, Equatable, Sendable {
  /// The newest change of the log.
  package let number: Int64
  /// The digest of the marks of the files; nil if one was just written.
  let digest: UInt64?
  /// nil where a copy of the database was read, or the database without its `-wal`.
  package let commits: CommitMark?
  /// SQLite's counter of changes of the schema, which fire no triggers.
  let schemaVersion: Int64

  init(number: Int64, _ marks: FileMarks, schemaVersion: Int64) {
    self.number = number
    self.schemaVersion = schemaVersion
    digest = marks.isRecent ? nil : marks.digest
    commits = marks.commits
  }
}
