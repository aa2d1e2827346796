internal import SQLite

extension PersistentStore {
  /// Lets SQLite check the structure of the whole file, indexes included. Values that violate a constraint of their
  /// table are not damage.
  ///
  /// - Throws: `StoreError.corrupt`.
  package func refuseDamage() throws {
    try Self.translating(path) {
      guard let check = try integrityCheck() else { return }
      defer { check.reset() }
      while let finding = try finding(check) {
        guard finding != "ok", !Self.isAboutValues(finding) else { continue }
        // A heading may stand before what was found.
        let what = finding.split(separator: "\n").first { !$0.hasPrefix("***") } ?? "\(finding)"
        throw StoreError(
          .corrupt, "\(path) is damaged: \(what)",
          hint: "restore the store from a backup")
      }
    }
  }

  /// nil where an index needs a function or a collation of another program, without which SQLite cannot check it.
  private func integrityCheck() throws -> Statement? {
    do {
      return try connection.statement("PRAGMA main.integrity_check")
    } catch  where error.isStatementError {
      return nil
    }
  }

  /// The next sentence; nil at the end, and where an index needs a function or a collation of another program.
  private func finding(_ check: Statement) throws -> String? {
    do {
      return try check.step() ? check.text(at: 0) : nil
    } catch  where error.isStatementError {
      return nil
    }
  }

  private static func isAboutValues(_ finding: String) -> Bool {
    let beginnings = ["NULL value in ", "NUMERIC value in ", "TEXT value in ", "CHECK constraint failed in "]
    return beginnings.contains { finding.hasPrefix($0) }
      || (finding.hasPrefix("non-") && finding.contains(" value in "))
  }
}
