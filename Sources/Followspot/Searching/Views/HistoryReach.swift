// SPDX-License-Identifier: MIT

internal import Base
package import Store

/// How far back a condition on the history reaches. Transactions that were purged cannot match it.
enum HistoryReach {
  /// To the first transaction, as `author:` does.
  case everything
  /// To a time in seconds since 2001.
  case time(Double)
  case transaction(Int64)
}

extension PersistentStore {
  /// Refuses a store that keeps no history. Only an ordinary database can be attached.
  package func requireHistory() throws {
    guard !tracking.hasHistory else { return }
    throw OperationError(
      .usage, "\(path) keeps no history of its changes", recovery: isOrdinaryDatabase ? .attachDatabase : nil)
  }

  /// A note that the history does not reach back that far; nil if it does.
  ///
  /// - Parameter lost: What is not known, in the plural.
  func gapNote(_ reach: HistoryReach, lost: String) throws -> String? {
    guard let oldest = try oldest() else {
      let newest = try newest()
      return newest > 0
        ? "the history was purged up to transaction \(newest); earlier \(lost) are not known" : nil
    }
    guard oldest > 1, let first = try header(ofTransaction: oldest) else { return nil }
    switch reach {
    case .everything: break
    case .time(let start): if start >= first.timestamp { return nil }
    case .transaction(let number): if number >= oldest { return nil }
    }
    let date = DateText.formatTime(secondsSince1970: first.secondsSince1970).prefix(10)
    return "the history begins on \(date) with transaction \(oldest); earlier \(lost) are not known"
  }
}

extension QueryError {
  /// A condition on the history of a database that keeps none.
  ///
  /// - Parameter preserving: The columns that the history has to preserve for the condition.
  static func withoutHistory(
    _ name: String, in store: PersistentStore, preserving: [String] = [], query: String, offset: Int
  ) -> QueryError {
    QueryError(
      "\(name) finds nothing: this database keeps no history", query: query, offset: offset,
      recovery: store.isOrdinaryDatabase ? .attachDatabase(preserving: preserving) : nil)
  }
}
