internal import FoundationEssentials
package import PersistentStore
package import SQLite

/// Writes JSON text as it goes: keys in the order given, JSON-coded attributes as they stand in the store.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  package var isEmpty: Bool { bytes.isEmpty }
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Structure

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container("{", "}", body)
  }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows { try container("[", "]", body) }

  private mutating func container(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    separate()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    try body(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  package mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  // MARK: Values

  package mutating func null() { raw("null") }
  package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
  package mutating func integer(_ value: some BinaryInteger) { raw(String(value)) }

  package mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    raw(value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)")
  }

  package mutating func string(_ value: String?) {
    guard let value else { return null() }
    separate()
    bytes.append(UInt8(ascii: "\""))
    let digits = Array("0123456789abcdef".utf8)
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case UInt8(ascii: "\r"): bytes += "\\r".utf8
      case 0..<0x20, 0x7f: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Text that is JSON already.
  package mutating func raw(_ json: String) {
    separate()
    bytes += json.utf8
  }

  /// A stored value as its attribute's type shows it: dates as ISO 8601, data as Base64.
  package mutating func value(_ value: Value, as type: AttributeType) {
    switch (type, value) {
    case (_, .null): null()
    case (.boolean, .integer(let number)): bool(number != 0)
    case (.date, .integer(let seconds)): string(DateText.format(secondsSince2001: Double(seconds)))
    case (.date, .real(let seconds)): string(DateText.format(secondsSince2001: seconds))
    case (_, .integer(let number)): integer(number)
    case (_, .real(let number)): number.isFinite ? self.number(number) : string("\(number)")
    case (_, .text(let text)): string(text)
    case (.uuid, .blob(let bytes)) where bytes.count == 16: string(ValueText.uuid(bytes))
    case (.strings, .blob(let bytes)), (.json, .blob(let bytes)):
      let text = String(decoding: bytes, as: UTF8.self)
      ValueText.isSafeJSON(bytes) ? raw(text) : string(text)
    case (_, .blob(let bytes)): string(Data(bytes).base64EncodedString())
    }
  }
}
