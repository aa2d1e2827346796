// SPDX-License-Identifier: MIT

internal import SQLite

/// A temporary copy of a store, or the place for a new one, on which changes are tried. Values in external files are not
/// copied.
package final class TrialCopy {
  private let directory: CopyDirectory
  package var path: String { directory.path + "/store" }

  /// - Parameter store: nil if the store does not exist yet.
  package init(of store: PersistentStore?) throws {
    directory = try CopyDirectory()
    guard let store else { return }
    do {
      let statement = try store.connection.statement("VACUUM INTO ?1")
      defer { statement.reset() }
      try statement.bind(path, at: 1)
      _ = try statement.step()
    } catch {
      throw StoreError(error, path: path)
    }
  }
}
