// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

extension Bench {
  /// Runs `body` with an ordinary database in place of the store.
  static func withDatabase(_ schema: String, _ body: (Bench) throws -> Void) throws {
    try empty { bench in
      try Connection(path: bench.store, access: .create).execute(schema)
      try body(bench)
    }
  }

  /// The object that a run of `index` prints at its end.
  func report(_ outcome: Shell.Outcome) throws -> [String: Any] {
    #expect(outcome.code == 0 && outcome.lines.count == 1, "\(outcome)")
    return try object(try #require(outcome.lines.last))
  }
}

/// A table with one row that has a key, and two without.
enum Books {
  static let table = "CREATE TABLE book (title TEXT, isbn TEXT UNIQUE); INSERT INTO book VALUES ('one otter', '1');"
  static let lackingKeys = table + "INSERT INTO book VALUES ('two otters', NULL), ('three otters', NULL);"
}
