// SPDX-License-Identifier: MIT

package import SQLite

/// Exact decimal numbers in SQLite, whose numbers have only 15 exact digits.
///
/// A DECIMAL column converts text that looks like a number. Integers of 64 bits and numbers of up to 15 digits lose
/// nothing. A longer number is stored as a blob of its text, which SQLite does not convert. Source:
/// sqlite.org/datatype3.html, section 3.
package enum DecimalNumber {
  /// The value of `text` in a DECIMAL column; nil if it is not a decimal number of at most 38 digits.
  package static func value(_ text: String) -> Value? {
    guard let digits = digits(Array(text.utf8)) else { return nil }
    if let whole = Int64(text) { return .integer(whole) }
    if digits <= 15, let number = Double(text) { return .real(number) }
    return .blob(Array(text.utf8))
  }

  /// Whether a DECIMAL column may contain `value`.
  static func isStored(_ value: Value) -> Bool {
    switch value {
    case .integer: true
    case .real(let number): number.isFinite
    case .blob(let bytes): digits(bytes) != nil
    case .null, .text: false
    }
  }

  /// The number of significant digits of a plain decimal number, at most 38; nil for anything else. The limit of 128
  /// bytes keeps its exponent far from the range in which a double loses digits.
  private static func digits(_ text: [UInt8]) -> Int? {
    guard text.count <= 128 else { return nil }
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    var digits = 0
    var hasDigit = false
    var hasPoint = false
    for byte in rest {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigit = true
        if digits > 0 || byte != UInt8(ascii: "0") { digits += 1 }
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      default: return nil
      }
    }
    return hasDigit && digits <= 38 ? digits : nil
  }
}
