// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import SQLite
package import Store

/// Writes JSON text incrementally: keys in the given order, and JSON attributes as stored.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  var isEmpty: Bool { bytes.isEmpty }
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  // MARK: Structure

  enum Bracket {
    case object, array
  }

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows { try container(.object, body) }
  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows { try container(.array, body) }

  private mutating func container(_ bracket: Bracket, _ body: (inout JSONWriter) throws -> Void) rethrows {
    open(bracket)
    try body(&self)
    close(bracket)
  }

  mutating func open(_ bracket: Bracket) {
    separate()
    bytes.append(bracket == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
    needsComma = false
  }

  mutating func close(_ bracket: Bracket) {
    bytes.append(bracket == .object ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    needsComma = true
  }

  package mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func pair(_ name: String, _ value: String?) {
    key(name)
    string(value)
  }

  mutating func pair(_ name: String, _ value: some BinaryInteger) {
    key(name)
    integer(value)
  }

  /// Writes null if there is no value.
  mutating func pair<Number: BinaryInteger>(_ name: String, _ value: Number?) {
    key(name)
    if let value { integer(value) } else { null() }
  }

  mutating func pair(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  mutating func pair(_ name: String, number value: Double) {
    key(name)
    number(value)
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
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(ascii: scalar)]
      case "\n": bytes += "\\n".utf8
      case "\t": bytes += "\\t".utf8
      case "\r": bytes += "\\r".utf8
      case _ where scalar.isTerminalControl: bytes += Self.escape(scalar).utf8
      case _ where scalar.isASCII: bytes.append(UInt8(scalar.value))
      default: bytes += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Escapes the control characters of a JSON text, which can occur only inside strings.
  package static func escapingControls(_ json: String) -> String {
    guard json.unicodeScalars.contains(where: \.isTerminalControl) else { return json }
    return json.unicodeScalars.map { $0.isTerminalControl ? escape($0) : String($0) }.joined()
  }

  /// Writes a text that is already JSON.
  package mutating func raw(_ json: String) {
    separate()
    bytes += json.utf8
  }

  /// Writes the attributes of a row as members of an object.
  ///
  /// - Parameter attributes: The indexes of some attributes; nil for all.
  package mutating func members(_ values: [Value], of entity: EntityLayout, only attributes: [Int]? = nil) {
    for index in attributes ?? Array(entity.entity.attributes.indices.prefix(values.count)) {
      let attribute = entity.entity.attributes[index]
      key(attribute.name)
      value(values[index], as: attribute.type)
    }
  }

  /// Writes a stored value according to its attribute's type: dates as ISO 8601, data as Base64.
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
      ValueText.isSafeJSON(bytes) ? raw(Self.escapingControls(text)) : string(text)
    case (.decimal, .blob(let bytes)): string(String(decoding: bytes, as: UTF8.self))
    case (_, .blob(let bytes)): string(Data(bytes).base64EncodedString())
    }
  }
}
