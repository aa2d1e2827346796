// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// A transaction whose timestamp lies in the future because some clock was wrong. Timestamps increase with the numbers,
/// so those of all later transactions lie in the future too, until that time has come.
package struct FutureStamp: Equatable, Sendable {
  package let transaction: Int64
  /// Seconds since 1970 UTC.
  package let time: Double
}

/// Ages of transactions by their timestamps, which come from the clocks of the writers.
extension PersistentStore {
  /// The difference in seconds that two correct clocks may have.
  private static let clockTolerance = 1.0

  /// The first transaction whose timestamp is later than `now`, in seconds since 1970 UTC.
  package func futureStamp(now: Double) throws -> FutureStamp? {
    try firstRow(
      "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE ZTIMESTAMP > ?1 ORDER BY ZTIMESTAMP, Z_PK LIMIT 1",
      [.real(now + Self.clockTolerance - Epoch.secondsFrom1970To2001)]
    ) { FutureStamp(transaction: $0.integer(at: 0), time: $0.double(at: 1) + Epoch.secondsFrom1970To2001) }
  }

  /// How many seconds ago the oldest transaction after `number` was saved; nil if there is none.
  ///
  /// If its timestamp lies in the future, the age of the newest earlier transaction with a valid timestamp is returned.
  /// That one is not younger. If there is none, the age is counted from 2001.
  ///
  /// - Parameter now: Seconds since 1970 UTC.
  package func ageOfFirstTransaction(after number: Int64, now: Double) throws -> Double? {
    try Self.translating(path) {
      let now = now - Epoch.secondsFrom1970To2001
      let first = try connection.firstRow(
        "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT 1", [.integer(number)]
      ) { (number: $0.integer(at: 0), stamp: $0.double(at: 1)) }
      guard let first else { return nil }
      guard first.stamp > now + Self.clockTolerance else { return max(0, now - first.stamp) }
      let earlier = try connection.firstRow(
        "SELECT MAX(ZTIMESTAMP) FROM ATRANSACTION WHERE Z_PK < ?1 AND ZTIMESTAMP <= ?2",
        [.integer(first.number), .real(now)]
      ) { $0.isNull(at: 0) ? nil : $0.double(at: 0) }
      return (earlier ?? nil).map { now - $0 } ?? max(0, now)
    }
  }
}
