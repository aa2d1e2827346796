// SPDX-License-Identifier: MIT

internal import FoundationEssentials
package import SQLite
package import Store

/// Formats stored values as text for people and for tables.
package enum ValueText {
  package static func uuid(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
  }

  /// The bytes of a UUID as text; nil for other text.
  package static func uuidBytes(_ text: String) -> [UInt8]? {
    UUID(uuidString: text).map { uuid in withUnsafeBytes(of: uuid.uuid) { Array($0) } }
  }

  /// Whether the bytes can be copied into a line of JSON: they are valid JSON without raw control characters.
  static func isSafeJSON(_ bytes: [UInt8]) -> Bool {
    // The decoder accepts a byte order mark, which is not valid inside of a JSON text.
    guard let first = bytes.first, first < 0x80, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      return false
    }
    return (try? JSONDecoder().decode(AnyJSON.self, from: Data(bytes))) != nil
  }

  /// Formats a value as plain text. null is empty, and the strings of an array are joined by `; `.
  package static func plain(_ value: Value, as type: AttributeType) -> String {
    switch (type, value) {
    case (_, .null): return ""
    case (_, .text(let text)): return text
    case (.strings, .blob(let bytes)), (.json, .blob(let bytes)):
      guard let list = try? JSONDecoder().decode([String].self, from: Data(bytes)) else {
        return String(decoding: bytes, as: UTF8.self)
      }
      return list.joined(separator: "; ")
    default:
      var writer = JSONWriter()
      writer.value(value, as: type)
      let text = writer.text
      return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
    }
  }
}

/// Decodes any JSON value, only to check that it is valid.
package struct AnyJSON: Decodable {
  package init(from decoder: any Decoder) throws {}
}
