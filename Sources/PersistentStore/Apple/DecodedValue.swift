internal import FoundationEssentials

/// The readable part of a value that a program coded into a BLOB: JSON as it stands, and the texts of archives and
/// property lists.
enum DecodedValue {
  private static let largest = 16 << 20
  private static let deepest = 64
  private static let mostTexts = 100_000

  /// JSON text; nil of an archive without text. What is neither JSON nor a property list is given back as it is, so that
  /// the index reports the row.
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
      collect(list.top, list, &found, depth: 0)
    }
    return found
  }

  private static func collect(_ node: KeyedArchive.Node, _ seen: inout Set<Int>, _ found: inout [String], depth: Int) {
    guard depth < deepest, found.count < mostTexts else { return }
    if let uid = node.uid, !seen.insert(uid).inserted, node.string == nil { return }
    if let text = node.string { return found.append(text) }
    for part in node.parts { collect(part, &seen, &found, depth: depth + 1) }
  }

  private static func collect(_ index: Int, _ list: BinaryPropertyList, _ found: inout [String], depth: Int) {
    // Without a set of what was seen: a plain list has no cycles but hostile ones, which the count bounds.
    guard depth < deepest, found.count < mostTexts else { return }
    switch list.objects[index] {
    case .string(let text): found.append(text)
    case .array(let items): for item in items { collect(item, list, &found, depth: depth + 1) }
    case .dictionary(_, let values): for value in values { collect(value, list, &found, depth: depth + 1) }
    default: break
    }
  }
}
