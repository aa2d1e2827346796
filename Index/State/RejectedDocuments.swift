// SPDX-License-Identifier: MIT

/// The documents that Xapian has rejected since a writer was opened, and how they are found.
struct RejectedDocuments {
  private(set) var rows: [FailedRow] = []
  /// What the documents would have added to the checksum of the index.
  private(set) var checksum: UInt128 = 0

  mutating func append(_ mapped: MappedDocument, _ reason: String) {
    guard let (entity, key) = DocumentLayout.parseIdentity(mapped.identity) else { return }
    rows.append(FailedRow(entity: entity, key: key, kind: .rejected, reason: reason))
    checksum &+= DocumentLayout.checksumPart(identity: mapped.identity, digest: mapped.digest)
  }

  /// The error of a rejected document; nil if the error has another cause.
  static func rejection(_ error: any Error) -> IndexError? {
    (error as? IndexError).flatMap { $0.code == .rejected ? $0 : nil }
  }

  /// Commits changes, except those that Xapian rejects.
  ///
  /// A rejection discards all changes since the last commit. It may come with the commit only, and does not name the
  /// document. So a rejected part is halved until each rejected change is alone.
  ///
  /// - Parameters:
  ///   - commit: Makes and commits the changes of a part.
  ///   - reopen: Called after each rejection, because the writer cannot be used any more.
  ///   - reject: Called with each rejected change.
  static func bisect<Change>(
    _ changes: ArraySlice<Change>, commit: (ArraySlice<Change>) throws -> Void, reopen: () throws -> Void,
    reject: (Change, IndexError) throws -> Void
  ) throws {
    do {
      try commit(changes)
    } catch {
      guard let rejection = Self.rejection(error) else { throw error }
      try reopen()
      guard changes.count > 1 else {
        guard let change = changes.first else { throw error }
        return try reject(change, rejection)
      }
      let middle = changes.startIndex + changes.count / 2
      try bisect(changes[..<middle], commit: commit, reopen: reopen, reject: reject)
      try bisect(changes[middle...], commit: commit, reopen: reopen, reject: reject)
    }
  }
}
