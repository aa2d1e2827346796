// SPDX-License-Identifier: MIT

/// Parses durations as typed: `7d`, `12h`, `30m`, `10s`, `500ms`.
package enum DurationText {
  private static let units: [(suffix: String, milliseconds: Double)] = [
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// - Parameter unitless: The unit of a number without a unit, in milliseconds; nil if a unit is required.
  package static func milliseconds(_ text: String, unitless: Double?) -> Int? {
    let unit = units.first { text.hasSuffix($0.suffix) }
    guard let factor = unit?.milliseconds ?? unitless, let first = text.utf8.first, (0x30...0x39).contains(first),
      let number = Double(text.dropLast(unit?.suffix.count ?? 0)), number >= 0, number < 1e9
    else { return nil }
    return Int(number * factor)
  }
}
