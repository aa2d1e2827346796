// SPDX-License-Identifier: MIT

internal import SQLite

/// The type of an attribute, which determines the column type.
package enum AttributeType: String, Codable, Sendable, CaseIterable {
  case string
  case integer16, integer32, integer64
  case double, float
  /// An exact decimal number, stored as a number of up to 15 digits, or else as its text (`DecimalNumber`).
  case decimal
  case boolean
  /// Seconds since 2001-01-01 00:00 UTC.
  case date
  /// 16 raw bytes.
  case uuid
  case url
  case data
  /// An array of strings, stored as JSON text.
  case strings
  /// Any JSON value, stored as JSON text.
  case json

  /// The declared type of the column, as Core Data declares it.
  package var columnType: String {
    switch self {
    case .string, .url: "VARCHAR"
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "FLOAT"
    case .decimal: "DECIMAL"
    case .date: "TIMESTAMP"
    case .uuid, .data, .strings, .json: "BLOB"
    }
  }

  /// Columns of a table are grouped by SQL type. This is the position of the type's group.
  var columnGroup: Int {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: 0
    case .double, .float, .decimal, .date: 1
    case .string: 2
    case .url: 3
    case .uuid, .data, .strings, .json: 4
    }
  }

  package var isJSON: Bool { self == .strings || self == .json }
  package var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
  package var isNumber: Bool { isInteger || self == .double || self == .float || self == .decimal }

  /// The range of an integer type; nil for other types.
  package var integerRange: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: Int64.min...Int64.max
    default: nil
    }
  }

  /// Whether `value` may be stored in a column of this type. `isOptional` decides about NULL.
  func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)), (.integer64, .integer(let number)):
      integerRange!.contains(number)
    case (.boolean, .integer(let number)): number == 0 || number == 1
    case (.double, .integer), (.float, .integer), (.date, .integer): true
    // SQLite would store a NaN as NULL.
    case (.double, .real(let number)), (.float, .real(let number)), (.date, .real(let number)): !number.isNaN
    case (.decimal, _): DecimalNumber.isStored(value)
    case (.string, .text), (.url, .text): true
    case (.uuid, .blob(let bytes)): bytes.count == 16
    case (.data, .blob), (.strings, .blob), (.json, .blob): true
    default: false
    }
  }
}
