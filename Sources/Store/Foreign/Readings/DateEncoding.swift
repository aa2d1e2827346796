// SPDX-License-Identifier: MIT

internal import Base

/// How a column of an ordinary database stores points in time.
package enum DateEncoding: String, CaseIterable, Sendable {
  /// Text such as `2024-05-01`, `2024-05-01 12:30:00` or `2024-05-01T12:30:00.5Z`. Without an offset it is UTC.
  case text
  /// The same, where 1970-01-01 stands for no date.
  case textOrNever = "dateOrNever"
  /// Text without separators, such as `20240501`, `20240501123000.5` or `20240501T123000Z`. Without a `Z` it is UTC, too.
  case compact
  case unixSeconds, unixMilliseconds, unixMicroseconds, unixNanoseconds
  /// Microseconds since 1601-01-01, as WebKit and Chromium write them.
  case webKit
  /// Seconds since 2001-01-01, as Core Data and Cocoa write them.
  case coreData
  /// Days since noon in Greenwich on 24 November 4714 B.C.
  case julianDay
  /// Microseconds since 0001-01-01 of the Gregorian calendar, as GLib's programs write them.
  case commonEra

  /// An SQL expression for the seconds since 2001-01-01 00:00 UTC of `column`, a number or a text.
  func expression(_ column: String) -> String {
    func linear(_ divisor: String, _ offset: String) -> String {
      // Programs write 0 or -1 for a missing date.
      "CASE WHEN \(column) NOT IN (0, -1) THEN \(column) / \(divisor) - \(offset) END"
    }
    return switch self {
    case .text: "round((julianday(\(column)) - 2451910.5) * 86400.0, 3)"
    case .textOrNever: "round((nullif(julianday(\(column)), 2440587.5) - 2451910.5) * 86400.0, 3)"
    case .compact: Self.text.expression(Self.separated(column))
    case .unixSeconds: linear("1.0", "978307200.0")
    case .unixMilliseconds: linear("1000.0", "978307200.0")
    case .unixMicroseconds: linear("1000000.0", "978307200.0")
    case .unixNanoseconds: linear("1000000000.0", "978307200.0")
    case .webKit: linear("1000000.0", "12622780800.0")
    case .coreData: column
    case .julianDay: "round((\(column) - 2451910.5) * 86400.0, 3)"
    case .commonEra: linear("1000000.0", "63113904000.0")
    }
  }

  /// An SQL expression for a text without separators as SQLite reads it.
  private static func separated(_ column: String) -> String {
    func part(_ start: Int, _ count: Int, in text: String = column) -> String { "substr(\(text), \(start), \(count))" }
    let time = "ltrim(substr(\(column), 9), 'T')"
    return """
      (\(part(1, 4)) || '-' || \(part(5, 2)) || '-' || \(part(7, 2)) || iif(\(time) = '', '', \
      ' ' || \(part(1, 2, in: time)) || ':' || \(part(3, 2, in: time)) || ':' || substr(\(time), 5)))
      """
  }

  /// The numbers that are dates between 1973 and 2100 in this encoding; nil for text.
  private var range: ClosedRange<Double>? {
    switch self {
    case .text, .textOrNever, .compact: nil
    case .unixSeconds: 1e8...4.1e9
    case .unixMilliseconds: 1e11...4.1e12
    case .unixMicroseconds: 1e14...4.1e15
    case .unixNanoseconds: 1e17...4.1e18
    case .webKit: 1.16e16...1.58e16
    case .coreData: -8.8e8...1e9
    case .julianDay: 2_441_683...2_488_070
    case .commonEra: 6.223e16...6.627e16
    }
  }

  /// Numbers nearer to zero are counts and durations, such as the minutes of a film, although in seconds since 2001 they
  /// would be moments of that year.
  private static let leastSeconds = 1e7

  /// The encoding of numbers between `lowest` and `highest`; nil if none fits.
  ///
  /// Seconds since 1970 take precedence over those since 2001: both match if all dates are between 1973 and 2001.
  static func of(lowest: Double, highest: Double) -> DateEncoding? {
    let nearest = min(abs(lowest), abs(highest))
    return [
      unixSeconds, unixMilliseconds, unixMicroseconds, webKit, commonEra, unixNanoseconds, julianDay, coreData,
    ].first {
      guard let range = $0.range, $0 != .coreData || nearest >= leastSeconds else { return false }
      return range.contains(lowest) && range.contains(highest)
    }
  }

  /// Whether a column's name or declared type suggests dates. Without such a hint, numbers are not read as dates.
  static func isHinted(name: String, declaredType: String) -> Bool {
    let type = declaredType.uppercased()
    if type.contains("DATE") || type.contains("TIME") { return true }
    let words = NameWords.of(name)
    return words.contains {
      hints.contains($0) || $0.hasSuffix("date") || $0.hasSuffix("time") && !durations.contains($0)
    }
      || (words.count > 1 && (words.last == "at" || words.last == "on" || words.last == "ts"))
  }

  private static let hints: Set<String> = [
    "created", "modified", "updated", "added", "deleted", "accessed", "visited", "expires", "expiry", "expiration",
    "published", "released", "started", "ended", "finished", "timestamp", "birthday", "born", "due", "seen", "crt",
    "mod",
    "ctime", "mtime", "atime", "ts", "since", "until", "sent", "received", "joined", "dateadded", "lastmodified",
  ]

  private static let durations: Set<String> = ["runtime", "lifetime", "playtime", "uptime", "downtime", "overtime"]

  /// Whether a text is a date without separators. Eight digits may be something else; a time makes that unlikely.
  static func isCompact(_ text: UnsafeRawBufferPointer) -> (date: Bool, hasTime: Bool) {
    func number(_ start: Int, _ count: Int) -> Int? {
      guard text.count >= start + count else { return nil }
      return text[start..<(start + count)].reduce(0) { sum, byte in
        guard let sum, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        return sum * 10 + Int(byte - UInt8(ascii: "0"))
      }
    }
    func within(_ start: Int, _ count: Int, _ range: ClosedRange<Int>) -> Bool {
      number(start, count).map(range.contains) ?? false
    }
    guard within(0, 4, 1800...2200), within(4, 2, 1...12), within(6, 2, 1...31) else { return (false, false) }
    guard text.count > 8 else { return (true, false) }
    var at = text[8] == UInt8(ascii: "T") ? 9 : 8
    guard within(at, 2, 0...23), within(at + 2, 2, 0...59), within(at + 4, 2, 0...60) else { return (false, false) }
    at += 6
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at += 1
      guard number(at, 1) != nil else { return (false, false) }
      while number(at, 1) != nil { at += 1 }
    }
    if at < text.count, text[at] == UInt8(ascii: "Z") { at += 1 }
    return (at == text.count, true)
  }

  /// Whether a text is a date, with or without a time, in the form that SQLite accepts.
  static func isDate(_ text: UnsafeRawBufferPointer) -> Bool {
    func digits(_ start: Int, _ count: Int) -> Bool {
      text.count >= start + count
        && text[start..<(start + count)].allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
    func has(_ letter: Unicode.Scalar, _ index: Int) -> Bool {
      index < text.count && text[index] == UInt8(ascii: letter)
    }
    func within(_ start: Int, _ range: ClosedRange<UInt8>) -> Bool {
      guard digits(start, 2) else { return false }
      return range.contains((text[start] - 0x30) * 10 + text[start + 1] - 0x30)
    }
    guard digits(0, 4), has("-", 4), within(5, 1...12), has("-", 7), within(8, 1...31) else { return false }
    var at = 10
    if at == text.count { return true }
    guard has(" ", at) || has("T", at), within(at + 1, 0...24), has(":", at + 3), within(at + 4, 0...59) else {
      return false
    }
    at += 6
    if has(":", at), within(at + 1, 0...59) {
      at += 3
      if has(".", at), digits(at + 1, 1) {
        at += 2
        while digits(at, 1) { at += 1 }
      }
    }
    if at == text.count { return true }
    if has("Z", at) { return at + 1 == text.count }
    // SQLite accepts +02:00, but not +0200 or +02.
    return (has("+", at) || has("-", at)) && within(at + 1, 0...14) && has(":", at + 3) && within(at + 4, 0...59)
      && at + 6 == text.count
  }
}
