// SPDX-License-Identifier: MIT

/// When the rows of an attached database are compared again because of writes that its log does not explain. Writes to other
/// tables look alike, so each comparison that finds nothing makes the pause longer.
package struct ComparisonPause: Codable, Equatable, Sendable {
  private var seconds = 0.0
  /// Seconds since 1970.
  private var end = 0.0

  private static let longest = 3_600.0
  /// The factors by which a pause is longer than the comparison before it.
  private static let factors = (least: 2.0, most: 200.0)

  init() {}

  var isNone: Bool { end == 0 }

  /// The seconds until it ends; 0 if it is over.
  ///
  /// - Parameter now: Seconds since 1970. The clock may have been set back.
  package func rest(_ now: Double) -> Double { now < end && end - now <= seconds + 1 ? end - now : 0 }

  /// Begins after a comparison.
  ///
  /// - Parameters:
  ///   - found: Whether rows differed.
  ///   - took: The duration of the comparison in seconds.
  package mutating func begin(found: Bool, took: Double, now: Double) {
    let (least, most) = (Self.factors.least * took, min(Self.longest, Self.factors.most * took))
    seconds = found ? 0 : min(most, max(least, 2 * seconds))
    end = now + seconds
  }
}
