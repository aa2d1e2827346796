// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// A type whose values are stored in one column as they stand.
///
/// Source of the column types: Core Data's own; integers without a sign are kept by their bits.
protocol ColumnValue {
  static var columnType: AttributeType { get }
  static var plainStorage: PlainStorage { get }
  /// nil for a stored value that is not of this type.
  init?(column: Value)
  var column: Value { get }
}

/// The stored values that are of a type without a conversion.
enum PlainStorage {
  /// Each value has to be converted.
  case none
  case integers, numbers, booleans, texts, blobs

  func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (.integers, .integer), (.numbers, .integer), (.numbers, .real), (.texts, .text), (.blobs, .blob): true
    case (.booleans, .integer(let number)): number == 0 || number == 1
    default: false
    }
  }
}

extension ColumnValue {
  static var plainStorage: PlainStorage { .none }
}

extension FixedWidthInteger where Self: ColumnValue {
  static var plainStorage: PlainStorage { Self.bitWidth == 64 ? .integers : .none }
  init?(column: Value) {
    guard case .integer(let number) = column else { return nil }
    if Self.bitWidth == 64 { self.init(truncatingIfNeeded: number) } else { self.init(exactly: number) }
  }
  var column: Value { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: ColumnValue { static var columnType: AttributeType { .integer64 } }
extension Int8: ColumnValue { static var columnType: AttributeType { .integer16 } }
extension Int16: ColumnValue { static var columnType: AttributeType { .integer16 } }
extension Int32: ColumnValue { static var columnType: AttributeType { .integer32 } }
extension Int64: ColumnValue { static var columnType: AttributeType { .integer64 } }
extension UInt: ColumnValue { static var columnType: AttributeType { .integer64 } }
extension UInt8: ColumnValue { static var columnType: AttributeType { .integer16 } }
extension UInt16: ColumnValue { static var columnType: AttributeType { .integer32 } }
extension UInt32: ColumnValue { static var columnType: AttributeType { .integer64 } }
extension UInt64: ColumnValue { static var columnType: AttributeType { .integer64 } }

extension Bool: ColumnValue {
  static var columnType: AttributeType { .boolean }
  static var plainStorage: PlainStorage { .booleans }
  init?(column: Value) {
    guard case .integer(let number) = column, number == 0 || number == 1 else { return nil }
    self = number == 1
  }
  var column: Value { .integer(self ? 1 : 0) }
}

extension BinaryFloatingPoint where Self: ColumnValue {
  static var plainStorage: PlainStorage { .numbers }
  init?(column: Value) {
    switch column {
    case .real(let number): self.init(number)
    case .integer(let number): self.init(Double(number))
    default: return nil
    }
  }
  var column: Value { .real(Double(self)) }
}

extension Double: ColumnValue { static var columnType: AttributeType { .double } }
extension Float: ColumnValue { static var columnType: AttributeType { .float } }
extension CGFloat: ColumnValue { static var columnType: AttributeType { .double } }

extension String: ColumnValue {
  static var columnType: AttributeType { .string }
  static var plainStorage: PlainStorage { .texts }
  init?(column: Value) {
    guard case .text(let text) = column else { return nil }
    self = text
  }
  var column: Value { .text(self) }
}

extension Date: ColumnValue {
  static var columnType: AttributeType { .date }
  static var plainStorage: PlainStorage { .numbers }
  init?(column: Value) {
    guard let number = Double(column: column) else { return nil }
    self.init(timeIntervalSinceReferenceDate: number)
  }
  var column: Value { .real(timeIntervalSinceReferenceDate) }
}

extension UUID: ColumnValue {
  static var columnType: AttributeType { .uuid }
  init?(column: Value) {
    guard case .blob(let bytes) = column, bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
  var column: Value { .blob(withUnsafeBytes(of: uuid) { Array($0) }) }
}

extension URL: ColumnValue {
  static var columnType: AttributeType { .url }
  init?(column: Value) {
    guard case .text(let text) = column, let url = URL(string: text) else { return nil }
    self = url
  }
  var column: Value { .text(absoluteString) }
}

extension Data: ColumnValue {
  static var columnType: AttributeType { .data }
  static var plainStorage: PlainStorage { .blobs }
  init?(column: Value) {
    guard case .blob(let bytes) = column else { return nil }
    self.init(bytes)
  }
  var column: Value { .blob(Array(self)) }
}

extension Decimal: ColumnValue {
  static var columnType: AttributeType { .decimal }
  init?(column: Value) {
    let text: String
    switch column {
    case .integer(let number): text = String(number)
    case .real(let number): text = String(number)
    case .blob(let bytes): text = String(decoding: bytes, as: UTF8.self)
    default: return nil
    }
    guard let number = Decimal(string: text, locale: nil) else { return nil }
    self = number
  }
  var column: Value { DecimalNumber.value(description) ?? .null }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  static var columnType: AttributeType { Wrapped.columnType }
  static var plainStorage: PlainStorage { Wrapped.plainStorage }
  init?(column: Value) {
    if case .null = column {
      self = .none
      return
    }
    guard let value = Wrapped(column: column) else { return nil }
    self = .some(value)
  }
  var column: Value { self?.column ?? .null }
}
