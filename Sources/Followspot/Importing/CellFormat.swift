// SPDX-License-Identifier: MIT

internal import Base

/// How the cells of a column write numbers or dates.
package enum CellFormat: Hashable, Sendable {
  case number(DecimalMark)
  case date(DateOrder)

  /// The formats to try. Those that files of programs use come first.
  static let all: [CellFormat] = [
    .number(.point), .number(.comma), .date(.ymd), .date(.dmy), .date(.mdy),
  ]

  var isNumber: Bool { if case .number = self { true } else { false } }

  /// The name of the decimal mark, or of the order of a date.
  package var name: String {
    switch self {
    case .number(let mark): mark.rawValue
    case .date(let order): order.rawValue
    }
  }

  /// The number with a decimal point and without thousands marks, or the date as ISO 8601. nil for a text that is not
  /// written in this format.
  func standard(_ text: String) -> String? {
    // All formats begin with a digit, and most texts do not.
    guard let first = text.utf8.first, first.isDigit || first == UInt8(ascii: "-") else { return nil }
    return switch self {
    case .number(let mark): mark.standard(text)
    case .date(let order): order.standard(text)
    }
  }
}

/// The mark before the decimals of a number. The other one may separate thousands.
package enum DecimalMark: String, CaseIterable, Sendable {
  case point, comma

  private var byte: UInt8 { self == .point ? UInt8(ascii: ".") : UInt8(ascii: ",") }
  private var other: UInt8 { self == .point ? UInt8(ascii: ",") : UInt8(ascii: ".") }

  /// `1234.5` for `1.234,5` or `1 234,5` with a decimal comma, and for `1,234.5` with a decimal point.
  func standard(_ text: String) -> String? {
    if ValueShapes.integer(text) != nil { return text }
    // In exponents, programs write a decimal point.
    if self == .point, ValueShapes.real(text) != nil { return text }
    let space = UInt8(ascii: " ")
    var bytes = Array(text.utf8)
    if !bytes.allSatisfy({ $0 < 0x80 }) {
      bytes = Array(String(text.map { "\u{a0}\u{202f}".contains($0) ? " " : $0 }).utf8)
    }
    let isNegative = bytes.first == UInt8(ascii: "-")
    let parts = bytes.dropFirst(isNegative ? 1 : 0).split(separator: byte, omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first else { return nil }
    let separator = whole.first { !$0.isDigit }
    guard separator == nil || separator == other || separator == space else { return nil }
    let groups = separator.map { whole.split(separator: $0, omittingEmptySubsequences: false) } ?? [whole]
    guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }),
      groups.count == 1 || (groups[0].count <= 3 && groups.dropFirst().allSatisfy { $0.count == 3 })
    else { return nil }
    var digits = (isNegative ? "-" : "") + String(decoding: groups.joined(), as: UTF8.self)
    if parts.count == 2 { digits += "." + String(decoding: parts[1], as: UTF8.self) }
    return ValueShapes.integer(digits) != nil || ValueShapes.real(digits) != nil ? digits : nil
  }
}

/// The order of day, month and year. Dates as ISO 8601 are read in every order.
package enum DateOrder: String, CaseIterable, Sendable {
  case dmy, mdy, ymd

  /// `2000-12-31` for `31.12.2000`, `31/12/2000` or `31-12-2000`. A time may follow: `14:30`, `14:30:05` or `2:30 PM`.
  /// Years have four digits.
  func standard(_ text: String) -> String? {
    if DateText.parse(text) != nil { return text }
    var rest = Array(text.utf8)[...]
    func number(_ digits: ClosedRange<Int>) -> Int? {
      let found = rest.prefix(while: \.isDigit)
      guard digits.contains(found.count) else { return nil }
      rest = rest.dropFirst(found.count)
      return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard let first = number(self == .ymd ? 4...4 : 1...2), let mark = rest.popFirst(), "./-".utf8.contains(mark),
      let second = number(1...2), rest.popFirst() == mark, let third = number(self == .ymd ? 1...2 : 4...4)
    else { return nil }
    let (year, month, day) =
      switch self {
      case .dmy: (third, second, first)
      case .mdy: (third, first, second)
      case .ymd: (first, second, third)
      }
    let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    let standard = rest.isEmpty ? date : Self.time(String(decoding: rest, as: UTF8.self)).map { date + "T" + $0 }
    return standard.flatMap { DateText.parse($0) == nil ? nil : $0 }
  }

  /// The time after a date, such as ` 2:30 PM`, as `14:30`.
  private static func time(_ text: String) -> String? {
    guard let match = text.wholeMatch(of: /,? +(\d{1,2})(:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?([AaPp])[Mm])?/),
      var hour = Int(match.output.1)
    else { return nil }
    if let half = match.output.3 {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (half.lowercased() == "p" ? 12 : 0)
    }
    return padded(hour, 2) + match.output.2
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
