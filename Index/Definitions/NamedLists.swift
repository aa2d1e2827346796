// SPDX-License-Identifier: MIT

/// Built-in lists, which JSON may refer to by name.
extension SingleValueDecodingContainer {
  /// The list with the encoded name; nil if the value is not a name.
  func decodeList<List>(named known: [String: List], _ what: String) throws -> List? {
    guard let name = try? decode(String.self) else { return nil }
    guard let list = known[name] else {
      throw DecodingError.dataCorruptedError(
        in: self,
        debugDescription: "no \(what) are named '\(name)'; there is \(known.keys.sorted().joined(separator: ", "))")
    }
    return list
  }
}

extension SingleValueEncodingContainer {
  /// Encodes the name of a built-in list, or the list itself.
  mutating func encode<List: Encodable & Equatable>(_ list: List, named known: [String: List]) throws {
    if let name = known.first(where: { $0.value == list })?.key {
      try encode(name)
    } else {
      try encode(list)
    }
  }
}
