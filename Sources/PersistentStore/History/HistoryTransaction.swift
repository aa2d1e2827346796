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

/// What one save did to one object.
package struct HistoryChange: Equatable, Sendable {
  /// `Z_PK` of the change.
  package let number: Int64
  package let kind: ChangeKind
  package let row: RowIdentifier
  /// The updated-attributes bitmap, of updates only; `EntityLayout.attributes(of:)` reads it.
  package let bitmap: [UInt8]?
  /// Values of the preserved attributes, of deletes only, by `EntityLayout.tombstoneOrder`.
  package let tombstone: [Value]
}

/// One save.
package struct HistoryTransaction: Equatable, Sendable {
  /// Strictly rising, never reused: the order of history.
  package let number: Int64
  /// Seconds since 2001-01-01 00:00 UTC by the clock of the process that saved. For display, never for order.
  package let timestamp: Double
  package let author: String?
  package let bundle: String?
  package let process: String?
  package var changes: [HistoryChange]

  package static let secondsFrom1970To2001: Double = 978_307_200

  /// Seconds since 1970 UTC.
  package var secondsSince1970: Double { timestamp + Self.secondsFrom1970To2001 }
}

/// Names for modules that have types of the plain names themselves: this module has a class of its own name, by which
/// its types cannot be qualified.
package typealias StoredTransaction = HistoryTransaction
package typealias StoredChange = HistoryChange
