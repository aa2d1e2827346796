// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

/// Formats times, sizes and counts as text for users of a terminal.
enum HumanText {
  /// A duration, given in seconds, such as `2 minutes`.
  static func duration(_ seconds: Double) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
    let whole = Int(min(max(seconds, 0), 1e12))
    guard let (length, name) = units.first(where: { whole >= $0.0 }) else { return count(whole, "second") }
    return count(whole / length, name)
  }

  /// The elapsed time of finished work, such as `0.3 seconds` or `2 minutes`.
  static func elapsed(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    let tenths = Int((seconds * 10).rounded(.up))
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10) seconds" : self.duration(seconds)
  }

  /// A past time, given in seconds since 1970: `2 minutes ago`, or `on 2024-02-29` after more than 30 days.
  static func moment(_ secondsSince1970: Double, now: Double = Date().timeIntervalSince1970) -> String {
    let age = now - secondsSince1970
    switch age {
    case ..<(-60): return "on " + DateText.formatTime(secondsSince1970: secondsSince1970)
    case ..<2: return "just now"
    case ..<(30 * 86_400): return duration(age) + " ago"
    default: return "on " + DateText.formatTime(secondsSince1970: secondsSince1970).prefix(10)
    }
  }

  /// A past time, given in ISO 8601.
  static func moment(text: String) -> String {
    DateText.parse(text).map { moment($0 + Date.timeIntervalBetween1970AndReferenceDate) } ?? "at \(text)"
  }

  /// A count with its noun: `1 record`, `2 records`.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The names as `a, b or c`.
  static func alternatives(_ texts: [String], by word: String = "or") -> String {
    guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
    return texts.dropLast().joined(separator: ", ") + " \(word) " + last
  }

  /// A size in bytes: `640 bytes`, `68 KiB`, `3.2 MiB`.
  static func bytes(_ number: Int) -> String {
    guard number >= 1 << 10 else { return count(number, "byte") }
    var (value, unit) = (Double(number) / 1_024, "KiB")
    for larger in ["MiB", "GiB", "TiB"] where value >= 1_024 { (value, unit) = (value / 1_024, larger) }
    let tenths = Int((value * 10).rounded())
    return value < 10 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
  }
}
