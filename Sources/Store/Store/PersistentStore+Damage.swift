// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// Checks the structure of the whole file, including indexes (`PRAGMA integrity_check`). Values that violate a
  /// constraint of their table do not count as damage.
  ///
  /// - Throws: `StoreError.corrupt`.
  package func refuseDamage() throws {
    try Self.translating(path) {
      guard let check = try integrityCheck() else { return }
      defer { check.reset() }
      while let finding = try finding(check) {
        guard finding != "ok", !Self.isAboutValues(finding) else { continue }
        // A heading may precede the finding.
        let lines = finding.split(separator: "\n").filter { !$0.hasPrefix("***") }
        // The pages of a table that SQLite leaves out belong to no table that it knows.
        let faults = connection.unreadDefinitions.isEmpty ? lines : lines.filter { !$0.hasSuffix("never used") }
        guard let what = lines.isEmpty ? "\(finding)" : faults.first else { continue }
        throw StoreError(
          .corrupt, "\(path) is damaged: \(what)",
          recovery: .restoreBackup)
      }
    }
  }

  /// nil if an index needs a function or a collation of another program: SQLite cannot check it then.
  private func integrityCheck() throws -> Statement? {
    do {
      return try connection.statement("PRAGMA main.integrity_check")
    } catch  where error.isStatementError {
      return nil
    }
  }

  /// The next finding; nil at the end, or if an index needs a function or a collation of another program.
  private func finding(_ check: Statement) throws -> String? {
    do {
      return try check.step() ? check.text(at: 0) : nil
    } catch  where error.isStatementError {
      return nil
    }
  }

  private static func isAboutValues(_ finding: String) -> Bool {
    let prefixes = ["NULL value in ", "NUMERIC value in ", "TEXT value in ", "CHECK constraint failed in "]
    return prefixes.contains { finding.hasPrefix($0) }
      || (finding.hasPrefix("non-") && finding.contains(" value in "))
  }
}
