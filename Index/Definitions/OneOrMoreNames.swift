// SPDX-License-Identifier: MIT

/// Names in JSON: one of them as a text, several as an array.
extension KeyedDecodingContainer {
  /// Empty if the key is missing.
  func decodeNames(forKey key: Key) throws -> [String] {
    guard contains(key) else { return [] }
    return try (try? decode(String.self, forKey: key)).map { [$0] } ?? decode([String].self, forKey: key)
  }
}

extension KeyedEncodingContainer {
  /// Omits the key if there are no names.
  mutating func encodeNames(_ names: [String], forKey key: Key) throws {
    if names.count > 1 {
      try encode(names, forKey: key)
    } else {
      try encodeIfPresent(names.first, forKey: key)
    }
  }
}
