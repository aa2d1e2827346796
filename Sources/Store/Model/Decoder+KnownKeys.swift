// SPDX-License-Identifier: MIT

extension Decoder {
  /// Returns a container and rejects unknown keys, so that a misspelled key is an error and not ignored.
  func container<Key: CodingKey & CaseIterable>(
    ofNothingBut keys: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    let known = keys.allCases.map(\.stringValue)
    let whole = try container(keyedBy: AnyKey.self)
    for key in whole.allKeys where !known.contains(key.stringValue) {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: whole, debugDescription: "no such key; valid keys are \(known.joined(separator: ", "))")
    }
    return try container(keyedBy: keys)
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  init?(stringValue: String) { self.stringValue = stringValue }
  var intValue: Int? { nil }
  init?(intValue: Int) { nil }
}
