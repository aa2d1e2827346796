// SPDX-License-Identifier: MIT

import CSQLite

@testable import SQLite
@testable import Store
@testable import SwiftData

/// Makes every statement of a context fail from its next commit on, as on a disk that breaks right after it.
final class ReadFaults {
  private let connection: Connection
  private let hasCommitted = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

  init(in context: ModelContext) throws {
    guard case .rows(let session) = try context.access(0) else { throw CancellationError() }
    connection = try session.withStore { $0.connection }
    hasCommitted.initialize(to: false)
    // SQLite calls the first when a commit is complete, and the second while a statement runs: 1 stops the statement.
    sqlite3_wal_hook(
      connection.handle,
      { hasCommitted, _, _, _ in
        hasCommitted?.assumingMemoryBound(to: Bool.self).pointee = true
        return SQLITE_OK
      }, hasCommitted)
    sqlite3_progress_handler(
      connection.handle, 1, { ($0?.assumingMemoryBound(to: Bool.self).pointee ?? false) ? 1 : 0 }, hasCommitted)
  }

  /// Whether a commit was seen: from then on statements fail.
  var areActive: Bool { hasCommitted.pointee }

  func end() {
    sqlite3_progress_handler(connection.handle, 0, nil, nil)
    sqlite3_wal_hook(connection.handle, nil, nil)
  }

  deinit {
    end()
    hasCommitted.deallocate()
  }
}
