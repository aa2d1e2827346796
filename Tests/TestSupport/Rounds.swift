// SPDX-License-Identifier: MIT

internal import Foundation

/// The number of rounds of a suite: few by default, all of them with FOLLOWSPOT_FULL=1, more with FOLLOWSPOT_LONG=1, and N
/// with FOLLOWSPOT_ROUNDS=N. Seeds count up from 0, or from FOLLOWSPOT_SEED.
package enum Rounds {
  private static let environment = ProcessInfo.processInfo.environment

  /// Whether tests run for long.
  package static let isLong = environment["FOLLOWSPOT_LONG"] == "1"
  /// Whether suites make all their rounds.
  private static let isFull = environment["FOLLOWSPOT_FULL"] == "1"
  private static let exact = environment["FOLLOWSPOT_ROUNDS"].flatMap { Int($0) }
  private static let first = environment["FOLLOWSPOT_SEED"].flatMap { Int($0) } ?? 0

  /// - Parameter full: The rounds with FOLLOWSPOT_FULL=1; nil for the usual ones.
  package static func count(_ usual: Int, full: Int? = nil, long: Int) -> Int {
    exact ?? (isLong ? long : isFull ? full ?? usual : usual)
  }

  /// One seed a round.
  package static func seeds(_ usual: Int, full: Int? = nil, long: Int) -> [Int] {
    (0..<count(usual, full: full, long: long)).map { first + $0 }
  }

  /// Evenly distributed numbers of `1...total`, with the first and the last.
  package static func sample(of total: Int, _ usual: Int, full: Int? = nil, long: Int = .max) -> [Int] {
    let wanted = count(usual, full: full, long: long)
    guard wanted < total else { return Array(1...max(1, total)).filter { $0 <= total } }
    guard wanted > 1 else { return total > 0 && wanted > 0 ? [(total + 1) / 2] : [] }
    return (0..<wanted).map { 1 + $0 * (total - 1) / (wanted - 1) }
  }
}
