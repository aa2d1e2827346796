// SPDX-License-Identifier: MIT

/// A store whose rows contexts read and write directly. Other stores take and give snapshots.
protocol RowStore: DataStore {
  /// The file to watch for saves of other processes; nil for a store without a file of its own.
  var watchedURL: URL? { get }

  /// A connection for one context.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` where the store is no longer the one that was opened.
  func session() throws -> StoreSession
}
