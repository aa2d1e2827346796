// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// Finds the array of records in a JSON document that is one object.
enum JSONDocument {
  /// Maximum nesting of objects that are searched for an array.
  private static let depth = 4

  /// Whether the text starts with an object over several lines, which JSON Lines does not allow.
  static func isObjectOverLines(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var scanner = JSONScanner(bytes, from: start)
    guard scanner.peek() == UInt8(ascii: "{") else { return false }
    let line = scanner.line
    return scanner.takeValue() != nil && scanner.line > line
  }

  /// The path of the first array of objects; nil if there is none.
  static func pathOfRecords(in bytes: UnsafeRawBufferPointer, from start: Int) -> String? {
    path(UnsafeRawBufferPointer(rebasing: bytes[start...]), depth)?.joined(separator: ".")
  }

  private static func path(_ object: UnsafeRawBufferPointer, _ depth: Int) -> [String]? {
    var scanner = JSONScanner(object, from: 0)
    guard depth > 0, scanner.take("{") else { return nil }
    var objects: [(name: String, value: UnsafeRawBufferPointer)] = []
    while let key = scanner.takeValue(), scanner.take(":"), let value = scanner.takeValue() {
      guard let name = name(key) else { return nil }
      var inside = JSONScanner(value, from: 0)
      if inside.take("["), inside.peek() == UInt8(ascii: "{") { return [name] }
      objects.append((name, value))
      guard scanner.take(",") else { break }
    }
    return objects.lazy.compactMap { name, value in path(value, depth - 1).map { [name] + $0 } }.first
  }

  /// Decodes the JSON string of a name; nil if it is invalid.
  static func name(_ json: UnsafeRawBufferPointer) -> String? {
    try? JSONDecoder().decode(String.self, from: Data(json))
  }
}
