// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// The searchable part of a value encoded into a BLOB: JSON unchanged, and the texts of archives and property lists.
enum DecodedValue {
  private static let largest = 16 << 20
  private static let deepest = 64
  private static let mostTexts = 100_000

  /// How a program may have encoded the values of an attribute.
  enum Form: String, CaseIterable {
    /// As an archive. Other bytes than JSON and property lists are returned unchanged, so that the index reports the
    /// row.
    case archive
    /// As JSON. Other bytes are ignored.
    case json

    /// The SQL function that converts stored values to JSON.
    var function: String { "followspot_\(rawValue)" }

    func json(_ stored: UnsafeRawBufferPointer) -> [UInt8]? {
      let starts = "{[\"".utf8
      guard
        self == .archive || stored.first(where: { $0 > 0x20 }).map(starts.contains) ?? false
          || stored.starts(with: BinaryPropertyList.header)
      else { return nil }
      return DecodedValue.json(stored)
    }
  }

  /// JSON text: the value itself, or the texts of an archive or property list; nil if it contains none.
  static func json(_ stored: UnsafeRawBufferPointer) -> [UInt8]? {
    guard !stored.isEmpty, stored.count <= largest else { return nil }
    guard stored.starts(with: BinaryPropertyList.header) else { return Array(stored) }
    let texts = texts(Array(stored))
    guard !texts.isEmpty, let json = try? JSONEncoder().encode(texts) else { return nil }
    return Array(json)
  }

  private static func texts(_ bytes: [UInt8]) -> [String] {
    var found: [String] = []
    if let archive = try? KeyedArchive(bytes) {
      var seen: Set<Int> = []
      if let root = archive.root { collect(root, &seen, &found, depth: 0) }
    } else if let list = try? BinaryPropertyList(bytes) {
      var seen: Set<Int> = []
      collect(list.top, list, &seen, &found, depth: 0)
    }
    return found
  }

  private static func collect(_ node: KeyedArchive.Node, _ seen: inout Set<Int>, _ found: inout [String], depth: Int) {
    guard depth < deepest, found.count < mostTexts else { return }
    if let uid = node.uid, !seen.insert(uid).inserted, node.string == nil { return }
    if let text = node.string { return found.append(text) }
    for child in node.children { collect(child, &seen, &found, depth: depth + 1) }
  }

  private static func collect(
    _ index: Int, _ list: BinaryPropertyList, _ seen: inout Set<Int>, _ found: inout [String], depth: Int
  ) {
    guard depth < deepest, found.count < mostTexts else { return }
    if case .string = list.objects[index] {} else if !seen.insert(index).inserted { return }
    switch list.objects[index] {
    case .string(let text): found.append(text)
    case .array(let items): for item in items { collect(item, list, &seen, &found, depth: depth + 1) }
    case .dictionary(_, let values): for value in values { collect(value, list, &seen, &found, depth: depth + 1) }
    default: break
    }
  }
}
