internal import PersistentStore
internal import SQLite

/// A type whose values are stored in one column as they stand.
///
/// Source of the column types: Core Data's own; integers without a sign are kept by their bits.
protocol ColumnValue {
  static var columnType: AttributeType { get }
  /// The storage class of which every value is one of the type; nil where values have to be looked at.
  static var plainStorage: Statement.StorageClass? { get }
  /// nil where the stored value is none of this type.
  init?(column: Value)
  var column: Value { get }
}

extension ColumnValue {
  static var plainStorage: Statement.StorageClass? { nil }
}

extension FixedWidthInteger where Self: ColumnValue {
  static var plainStorage: Statement.StorageClass? { Self.bitWidth == 64 ? .integer : nil }
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
  init?(column: Value) {
    guard case .integer(let number) = column, number == 0 || number == 1 else { return nil }
    self = number == 1
  }
  var column: Value { .integer(self ? 1 : 0) }
}

extension Double: ColumnValue {
  static var columnType: AttributeType { .double }
  static var plainStorage: Statement.StorageClass? { .real }
  init?(column: Value) {
    switch column {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    default: return nil
    }
  }
  var column: Value { .real(self) }
}

extension Float: ColumnValue {
  static var columnType: AttributeType { .float }
  static var plainStorage: Statement.StorageClass? { .real }
  init?(column: Value) {
    guard let number = Double(column: column) else { return nil }
    self = Float(number)
  }
  var column: Value { .real(Double(self)) }
}

extension CGFloat: ColumnValue {
  static var columnType: AttributeType { .double }
  static var plainStorage: Statement.StorageClass? { .real }
  init?(column: Value) {
    guard let number = Double(column: column) else { return nil }
    self = CGFloat(number)
  }
  var column: Value { .real(Double(self)) }
}

extension String: ColumnValue {
  static var columnType: AttributeType { .string }
  static var plainStorage: Statement.StorageClass? { .text }
  init?(column: Value) {
    guard case .text(let text) = column else { return nil }
    self = text
  }
  var column: Value { .text(self) }
}

extension Date: ColumnValue {
  static var columnType: AttributeType { .date }
  static var plainStorage: Statement.StorageClass? { .real }
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
  static var plainStorage: Statement.StorageClass? { .blob }
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
    case .text(let found): text = found
    default: return nil
    }
    guard let number = Decimal(string: text, locale: nil) else { return nil }
    self = number
  }
  var column: Value { DecimalNumber.value(description) ?? .null }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  static var columnType: AttributeType { Wrapped.columnType }
  static var plainStorage: Statement.StorageClass? { Wrapped.plainStorage }
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
