// SPDX-License-Identifier: MIT

/// Writes to an attached database that fired no triggers: the log does not have them, but the headers of the files show that
/// something was written.
extension PersistentStore {
  /// Up to where an index accounts for all writes that has the rows of the present snapshot, or follows the log from there;
  /// nil of other stores. It is from before the snapshot: a commit between both is looked at again.
  package func writeMark() throws -> WriteMark? {
    guard tracking == .attached, let marks else { return nil }
    return try WriteMark(number: newest(), marks, schemaVersion: Self.schemaVersion(connection))
  }

  /// Whether every write after a mark is in the change log, or did not concern a table whose changes are logged. Call it
  /// inside a snapshot; later writes count, too.
  package func explainsWrites(since mark: WriteMark?) throws -> Bool {
    guard tracking == .attached else { return true }
    guard let mark else { return false }
    return try Self.translating(path) {
      let now = try currentMarks()
      if now.digest == mark.digest { return true }
      let isLogged = try newest() > mark.number
      // Each statement that changes the schema is a write without triggers; `entitiesChangedUnlogged` knows what it does.
      let changes = UInt32(clamping: max(0, try Self.schemaVersion(connection) - mark.schemaVersion))
      switch (mark.commits, now.commits) {
      case (.counter(let before)?, .counter(let after)?):
        // Several transactions are not told apart from several statements of one transaction.
        return after &- before <= changes + (isLogged ? 1 : 0)
      case (.log(let before)?, .log(let after)?):
        guard let transactions = after.transactions(since: before, inLogOf: file) else { return false }
        if transactions.isEmpty || (transactions.count == 1 && isLogged) { return true }
        return try tables?.logExplains(transactions, besides: Int(changes)) ?? false
      default: return false
      }
    }
  }
}
