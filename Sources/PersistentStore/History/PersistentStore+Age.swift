// SPDX-License-Identifier: MIT

internal import SQLite
internal import Values

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
    try Self.translating(path) {
      let statement = try connection.statement(
        "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE ZTIMESTAMP > ?1 ORDER BY ZTIMESTAMP, Z_PK LIMIT 1")
      defer { statement.reset() }
      try statement.bind(now + Self.clockTolerance - Epoch.secondsFrom1970To2001, at: 1)
      guard try statement.step() else { return nil }
      return FutureStamp(
        transaction: statement.integer(at: 0),
        time: statement.double(at: 1) + Epoch.secondsFrom1970To2001)
    }
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
      let first = try connection.statement(
        "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT 1")
      defer { first.reset() }
      try first.bind(number, at: 1)
      guard try first.step() else { return nil }
      let stamp = first.double(at: 1)
      guard stamp > now + Self.clockTolerance else { return max(0, now - stamp) }
      let earlier = try connection.statement(
        "SELECT MAX(ZTIMESTAMP) FROM ATRANSACTION WHERE Z_PK < ?1 AND ZTIMESTAMP <= ?2")
      defer { earlier.reset() }
      try earlier.bind(first.integer(at: 0), at: 1)
      try earlier.bind(now, at: 2)
      return try earlier.step() && !earlier.isNull(at: 0) ? now - earlier.double(at: 0) : max(0, now)
    }
  }
}
