// SPDX-License-Identifier: MIT

internal import Base
package import SQLite

package enum ChangeKind: Int, Sendable, CaseIterable {
  case insert = 0
  case update = 1
  case delete = 2

  package var name: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }
}

/// A change of one object in one save.
package struct StoredChange: Equatable, Sendable {
  /// The `Z_PK` of the change.
  package let number: Int64
  package let kind: ChangeKind
  package let row: RowIdentifier
  /// The change bitmap, for updates only; `EntityLayout.properties(of:)` decodes it.
  package let bitmap: [UInt8]?
  /// The values of the preserved attributes in the order of `EntityLayout.tombstoneOrder`, for deletes only.
  package let tombstone: [Value]
  /// The values of the row's key as the log of an attached database has them; empty if it has none.
  package var key: [Value] = []
}

/// The changes of one save.
package struct StoredTransaction: Equatable, Sendable {
  /// Strictly increasing and never reused. It defines the order of the history.
  package let number: Int64
  /// Seconds since 2001-01-01 00:00 UTC, by the clock of the saving process. Only for display, never for ordering.
  package let timestamp: Double
  package let author: String?
  package let bundle: String?
  package let process: String?
  package var changes: [StoredChange]

  package var secondsSince1970: Double { timestamp + Epoch.secondsFrom1970To2001 }
}
