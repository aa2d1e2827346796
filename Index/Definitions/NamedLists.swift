/// Built-in lists, which JSON may name instead of giving their contents.
extension SingleValueDecodingContainer {
  /// The list whose name stands here; nil where no name does.
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
  /// Writes the name of a list where it has one, and else the list.
  mutating func encode<List: Encodable & Equatable>(_ list: List, named known: [String: List]) throws {
    if let name = known.first(where: { $0.value == list })?.key {
      try encode(name)
    } else {
      try encode(list)
    }
  }
}
