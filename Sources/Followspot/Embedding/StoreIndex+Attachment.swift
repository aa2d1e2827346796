// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Store

/// What attaching a database did.
public struct AttachmentReport: Sendable {
  /// The tables whose changes are logged.
  public let tables: [String]
  /// The tables that are left out, with the reasons.
  public let omitted: [String: String]
  /// Whether triggers of an earlier attachment were renewed.
  public let isRenewal: Bool
  /// Whether anything was written. The database may have been attached in this way already.
  public let hasChanged: Bool
}

extension StoreIndex {
  /// Adds a history to an ordinary SQLite database: triggers write each change of a table to a change log in the database,
  /// whichever program makes it. `detach()` takes them away again.
  ///
  /// - Parameters:
  ///   - tables: Names of tables; empty for all.
  ///   - keys: Columns with unique indexes that identify rows, as `isbn` or `book.isbn`; otherwise rows are identified by
  ///     their rowid or primary key.
  ///   - preserved: Columns whose values the log keeps for deleted rows, as `title` or `book.title`.
  /// - Throws: `FollowspotError`, and then nothing has changed: `.storeUnusable` for a table or a column that does not fit,
  ///   `.busy` if another process holds the database; `CancellationError` before the call begins, not later.
  @discardableResult
  public func attach(
    tables: [String] = [], keys: [String] = [], preserving preserved: [String] = []
  ) async throws -> AttachmentReport {
    try await work {
      let plan = try Attachment.attach(self.store.path, tables: tables, keys: keys, preserving: preserved)
      self.forgetSearcher()
      return AttachmentReport(
        tables: plan.tables, omitted: Dictionary(plan.omitted.map { ($0.name, $0.reason) }) { first, _ in first },
        isRenewal: plan.isRenewal, hasChanged: !plan.statements.isEmpty)
    }
  }

  /// Removes everything that `attach` added to the database, with the history. The index stays.
  ///
  /// - Throws: `FollowspotError`, and then nothing has changed: `.storeUnusable` if the database is not attached;
  ///   `CancellationError` before the call begins, not later.
  public func detach() async throws {
    try await work {
      _ = try Attachment.detach(self.store.path)
      self.forgetSearcher()
    }
  }
}
