// SPDX-License-Identifier: MIT

/// When the rows of an attached database are compared again because of writes that its log does not explain. Writes to other
/// tables look alike, so each comparison that finds nothing makes the pause longer.
package struct ComparisonPause: Codable, Equatable, Sendable {
  private var seconds = 0.0
  /// Seconds since 1970.
  private var end = 0.0

  private static let shortest = 1.0
  private static let longest = 3_600.0
  /// The factor by which a pause is at least longer than the comparison before it.
  private static let factor = 20.0

  package init() {}

  package var isNone: Bool { end == 0 }

  /// - Parameter now: Seconds since 1970. The clock may have been set back.
  package func isOver(_ now: Double) -> Bool { !(end - seconds..<end).contains(now) }

  /// Begins after a comparison.
  ///
  /// - Parameters:
  ///   - found: Whether rows differed.
  ///   - took: The duration of the comparison in seconds.
  package mutating func begin(found: Bool, took: Double, now: Double) {
    seconds = found ? 0 : min(Self.longest, max(Self.shortest, 2 * seconds, Self.factor * took))
    end = now + seconds
  }
}
