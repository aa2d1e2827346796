// SPDX-License-Identifier: MIT

import CSQLite

@testable import SQLite
@testable import Store
@testable import SwiftData

/// Counts the statements that the connection of a context runs.
final class StatementCount {
  private let connection: Connection
  private let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  init(in context: ModelContext) throws {
    guard case .rows(let session) = try context.access(0) else { throw CancellationError() }
    connection = try session.withStore { $0.connection }
    total.initialize(to: 0)
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_STMT),
      { _, total, _, _ in
        total?.assumingMemoryBound(to: Int.self).pointee += 1
        return 0
      }, total)
  }

  var value: Int { total.pointee }

  deinit {
    sqlite3_trace_v2(connection.handle, 0, nil, nil)
    total.deallocate()
  }
}
