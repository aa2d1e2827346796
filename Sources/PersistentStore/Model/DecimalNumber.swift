package import SQLite

/// Exact decimal numbers in SQLite, whose numbers keep 15 digits.
///
/// A DECIMAL column makes a number of what looks like one. Of integers of 64 bits and up to 15 digits that loses
/// nothing; a longer one is kept as the bytes of its text, which SQLite leaves alone. Source:
/// sqlite.org/datatype3.html, section 3.
package enum DecimalNumber {
  /// `text` as a DECIMAL column holds it; nil for what is no decimal number of at most 38 digits.
  package static func value(_ text: String) -> Value? {
    guard let digits = digits(Array(text.utf8)) else { return nil }
    if let whole = Int64(text) { return .integer(whole) }
    if digits <= 15, let number = Double(text) { return .real(number) }
    return .blob(Array(text.utf8))
  }

  /// Whether a column may hold `value`.
  static func isStored(_ value: Value) -> Bool {
    switch value {
    case .integer: true
    case .real(let number): number.isFinite
    case .blob(let bytes): digits(bytes) != nil
    case .null, .text: false
    }
  }

  /// The number of significant digits of a plain decimal number, 38 at most; nil for anything else. With 128 bytes a
  /// number stays far from where floating point loses digits to its exponent.
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
