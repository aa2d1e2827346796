// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

/// A reader of a store's history, for which a purge waits.
package struct Consumer: Equatable, Sendable {
  package enum State: String, Sendable {
    /// It advances, or has nothing to read.
    case current
    /// History has waited for it longer than the limit.
    case stale
    /// An index that was removed, or that follows another store. It holds the history that it held last.
    case gone
    /// Unread history was purged already, so it holds nothing.
    case expired
    /// It was registered with another store at this path. Its token means nothing here, so it holds nothing.
    case foreign
    /// Its file cannot be read: it holds everything.
    case damaged
  }

  package let name: String
  /// The last transaction that it has read; nil if unknown.
  package var token: Int64?
  /// The stamp of that transaction; nil if unknown.
  package var stamp: UInt64?
  /// The lowest transaction that it may return to, whose row a purge keeps; nil if it needs no history.
  package var holds: Int64?
  /// The number of transactions that it has not read.
  package var lag: Int64?
  /// When it last advanced, in seconds since 1970 UTC.
  var seen: Double?
  package var state = State.current
  /// An explanation of the state.
  package var reason: String?

  /// `stale, last moved at 2026-01-31T12:00:00.000Z`
  package var statusText: String {
    var parts = [state.rawValue]
    if let reason { parts.append(reason) }
    if let seenText { parts.append("last moved at \(seenText)") }
    return parts.joined(separator: ", ")
  }

  package var seenText: String? { seen.map { DateText.formatTime(secondsSince1970: $0) } }
}

/// The stored record of a consumer: one small JSON file.
struct ConsumerRecord: Codable, Equatable {
  var format = 1
  var name: String
  /// The UUID of the store whose numbers these are.
  var store: String
  /// The last transaction it has read; of an index, when it registered itself.
  var token: Int64?
  /// The stamp of that transaction, by which a restored store is recognized.
  var stamp: UInt64?
  /// The directory of an index, whose own metadata say where it is.
  var index: String?
  /// When it was last moved, ISO 8601.
  var moved: String
}
