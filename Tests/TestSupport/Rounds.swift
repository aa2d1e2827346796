// SPDX-License-Identifier: MIT

internal import Foundation

/// The number of rounds of a suite: few by default, more with FOLLOWSPOT_LONG=1, and N with FOLLOWSPOT_ROUNDS=N.
/// Seeds count up from 0, or from FOLLOWSPOT_SEED.
package enum Rounds {
  private static let environment = ProcessInfo.processInfo.environment

  /// Whether tests run for long.
  package static let isLong = environment["FOLLOWSPOT_LONG"] == "1"
  private static let exact = environment["FOLLOWSPOT_ROUNDS"].flatMap { Int($0) }
  private static let first = environment["FOLLOWSPOT_SEED"].flatMap { Int($0) } ?? 0

  package static func count(_ usual: Int, long: Int) -> Int { exact ?? (isLong ? long : usual) }

  /// One seed a round.
  package static func seeds(_ usual: Int, long: Int) -> [Int] {
    (0..<count(usual, long: long)).map { first + $0 }
  }

  /// Evenly distributed numbers of `1...total`, with the first and the last.
  package static func sample(of total: Int, _ usual: Int, long: Int = .max) -> [Int] {
    let wanted = count(usual, long: long)
    guard wanted < total else { return Array(1...max(1, total)).filter { $0 <= total } }
    guard wanted > 1 else { return total > 0 && wanted > 0 ? [(total + 1) / 2] : [] }
    return (0..<wanted).map { 1 + $0 * (total - 1) / (wanted - 1) }
  }
}
