// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

extension ShellFixture {
  /// An ordinary database in place of the store.
  static func database(_ schema: String) throws -> ShellFixture {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(schema)
    return bench
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
