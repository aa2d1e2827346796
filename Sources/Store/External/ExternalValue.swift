// SPDX-License-Identifier: MIT

/// The column value of an attribute with external storage: a byte for the location, then the value or its file's name.
enum ExternalValue {
  case inline(ArraySlice<UInt8>)
  /// An upper-case UUID.
  case file(String)

  private static let inlineMark: UInt8 = 1
  private static let fileMark: UInt8 = 2
  private static let nameLength = 36
  /// The maximum size of an inline value in bytes. Larger values are stored in files.
  static let limit = 100 * 1_024

  /// nil if the column contains something else.
  init?(_ stored: [UInt8]) {
    switch stored.first {
    case Self.inlineMark: self = .inline(stored.dropFirst())
    case Self.fileMark:
      // In some of Apple's stores the name ends with a zero byte, as in C.
      let isEnded = stored.count == Self.nameLength + 2 && stored.last == 0
      let name = isEnded ? stored.dropFirst().dropLast() : stored.dropFirst()
      // The name becomes part of a path, so it must be a UUID.
      let isName = name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "-"): true
        default: false
        }
      }
      guard isName, name.count == Self.nameLength else { return nil }
      self = .file(String(decoding: name, as: UTF8.self))
    default: return nil
    }
  }

  static func stored(inline bytes: [UInt8]) -> [UInt8] { [inlineMark] + bytes }
  static func stored(file name: String) -> [UInt8] { [fileMark] + name.utf8 }

  /// An SQL condition: the column names a file. The length comes first: it is known without reading a large value.
  static func namesFile(_ column: String) -> String {
    "length(\(column)) = \(nameLength + 1) AND substr(\(column), 1, 1) = x'02'"
  }

  /// SQL that converts a plain value to an inline one, and an inline value to a plain one.
  static func inline(_ plain: String) -> String {
    "CASE WHEN \(plain) IS NOT NULL THEN CAST(x'01' || \(plain) AS BLOB) END"
  }
  static func plain(_ inline: String) -> String { "substr(\(inline), 2)" }
}
