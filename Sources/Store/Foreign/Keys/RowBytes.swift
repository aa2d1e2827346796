// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// Values of a row as bytes: the storage class and the value of each. Different values give different bytes.
struct RowBytes {
  private(set) var bytes: [UInt8] = []

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// A 64-bit digest of the bytes.
  var digest: UInt64 { Digest.of(bytes) }

  /// - Parameter collation: Texts that are equal by it give the same bytes, and so do equal numbers; nil keeps the
  ///   value as it is.
  mutating func append(_ row: Statement, _ column: Int32, equalBy collation: KeyCollation? = nil) {
    switch row.storageClass(at: column) {
    case .null: bytes.append(0)
    case .integer: append(row.integer(at: column))
    case .real: append(row.double(at: column), equalBy: collation)
    case .text: append(text: row.bytes(at: column), equalBy: collation)
    case .blob: append(class: 4, row.bytes(at: column))
    }
  }

  mutating func append(_ value: Value, equalBy collation: KeyCollation? = nil) {
    switch value {
    case .null: bytes.append(0)
    case .integer(let number): append(number)
    case .real(let number): append(number, equalBy: collation)
    case .text(var text): text.withUTF8 { append(text: UnsafeRawBufferPointer($0), equalBy: collation) }
    case .blob(let blob): blob.withUnsafeBytes { append(class: 4, $0) }
    }
  }

  private mutating func append(_ number: Int64) {
    bytes.append(1)
    append(word: UInt64(bitPattern: number))
  }

  private mutating func append(_ number: Double, equalBy collation: KeyCollation?) {
    if collation != nil, let integer = Int64(exactly: number) { return append(integer) }
    bytes.append(2)
    append(word: number.bitPattern)
  }

  private mutating func append(text: UnsafeRawBufferPointer, equalBy collation: KeyCollation?) {
    guard let collation, collation != .binary else { return append(class: 3, text) }
    collation.canonical(text).withUnsafeBytes { append(class: 3, $0) }
  }

  private mutating func append(class code: UInt8, _ content: UnsafeRawBufferPointer) {
    bytes.append(code)
    append(word: UInt64(content.count))
    bytes += content
  }

  private mutating func append(word: UInt64) { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }

  /// The values that gave these bytes; nil for other bytes.
  static func values(_ bytes: ArraySlice<UInt8>) -> [Value]? {
    var values: [Value] = []
    var rest = bytes
    while let code = rest.popFirst() {
      guard code > 0 else {
        values.append(.null)
        continue
      }
      guard rest.count >= 8 else { return nil }
      let word = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(8)
      switch code {
      case 1: values.append(.integer(Int64(bitPattern: word)))
      case 2: values.append(.real(Double(bitPattern: word)))
      case 3, 4:
        guard word <= UInt64(rest.count) else { return nil }
        let content = rest.prefix(Int(word))
        values.append(code == 3 ? .text(String(decoding: content, as: UTF8.self)) : .blob(Array(content)))
        rest = rest.dropFirst(Int(word))
      default: return nil
      }
    }
    return values
  }
}
