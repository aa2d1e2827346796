internal import SQLite

/// A transaction whose stamp lies in the future: some clock was wrong. Stamps rise with the numbers, so that those of
/// all later transactions lie there too, until the time comes.
package struct FutureStamp: Equatable, Sendable {
  package let transaction: Int64
  /// Seconds since 1970 UTC.
  package let time: Double
}

/// Ages by the stamps of transactions, which are the clocks of those who saved.
extension PersistentStore {
  /// By so much two clocks may differ that are right.
  private static let clockTolerance = 1.0

  /// The first transaction whose stamp lies after `now`, in seconds since 1970 UTC.
  package func futureStamp(now: Double) throws -> FutureStamp? {
    try Self.translating(path) {
      let statement = try connection.statement(
        "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE ZTIMESTAMP > ?1 ORDER BY ZTIMESTAMP, Z_PK LIMIT 1")
      defer { statement.reset() }
      try statement.bind(now + Self.clockTolerance - HistoryTransaction.secondsFrom1970To2001, at: 1)
      guard try statement.step() else { return nil }
      return FutureStamp(
        transaction: statement.integer(at: 0),
        time: statement.double(at: 1) + HistoryTransaction.secondsFrom1970To2001)
    }
  }

  /// How many seconds ago the oldest transaction after `number` was saved; nil where there is none.
  ///
  /// A stamp in the future does not tell. The age is then that of the newest transaction before it with a stamp that
  /// does, which is not younger, and that of the format's first moment where there is none.
  ///
  /// - Parameter now: Seconds since 1970 UTC.
  package func ageOfFirstTransaction(after number: Int64, now: Double) throws -> Double? {
    try Self.translating(path) {
      let now = now - HistoryTransaction.secondsFrom1970To2001
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
