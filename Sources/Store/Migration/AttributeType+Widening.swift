// SPDX-License-Identifier: MIT

/// Widening of types: a wider type holds every value of a narrower one, such as numbers for integers, or text for
/// numbers.
extension AttributeType {
  /// The limit up to which a double holds every integer exactly.
  static let largestExactInteger: Int64 = 1 << 53

  /// Whether a migration may change an attribute of this type to another type.
  func widens(to other: AttributeType) -> Bool {
    if self == other { return true }
    switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double),
      (.url, .string), (.strings, .json):
      return true
    case (_, .decimal), (_, .double): return isInteger
    case (_, .string): return isInteger || self == .double || self == .float
    default: return false
    }
  }

  /// Returns SQL that converts a value of this type to a wider type.
  func converted(_ value: String, to other: AttributeType) -> String {
    switch other {
    case .string where isNumber: "CAST(\(value) AS TEXT)"
    case .double where isInteger: "CAST(\(value) AS REAL)"
    default: value
    }
  }
}
