// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// A value that a program encoded into one column, converted to JSON. It may be JSON already, a property list, or a
/// keyed archive of Foundation's collections.
package enum CodedValue {
  /// The SQL function that converts stored bytes to JSON, on connections for `Purpose.objects`.
  package static let function = "followspot_value"
  private static let largest = 64 << 20
  private static let deepest = 64
  private static let mostNodes = 1_000_000

  /// Returns JSON text. Bytes that are neither a property list nor an archive are returned unchanged.
  package static func json(_ stored: UnsafeRawBufferPointer) -> [UInt8]? {
    let bytes = Array(stored)
    guard bytes.count <= largest, bytes.starts(with: BinaryPropertyList.header) else { return bytes }
    var writer = Writer()
    if let archive = try? KeyedArchive(bytes) {
      guard let root = archive.root, writer.write(root, depth: 0) else { return bytes }
    } else {
      guard let list = try? BinaryPropertyList(bytes), writer.write(list.top, of: list, depth: 0) else { return bytes }
    }
    return writer.text
  }

  /// Writes JSON. Dates are seconds since 2001, as `JSONDecoder` reads them. Data are Base64.
  private struct Writer {
    var text: [UInt8] = []
    private var nodes = 0

    private mutating func isWithin(_ depth: Int) -> Bool {
      nodes += 1
      return depth < CodedValue.deepest && nodes < CodedValue.mostNodes && text.count < CodedValue.largest
    }

    /// - Returns: Whether the value can be represented in JSON.
    mutating func write(_ index: Int, of list: BinaryPropertyList, depth: Int) -> Bool {
      guard isWithin(depth) else { return false }
      switch list.objects[index] {
      case .array(let items):
        return sequence("[", "]", items) { $0.write($1, of: list, depth: depth + 1) }
      case .dictionary(let keys, let values):
        return sequence("{", "}", Array(zip(keys, values))) { writer, pair in
          guard case .string(let key) = list.objects[pair.0] else { return false }
          return writer.write(string: key, ":") && writer.write(pair.1, of: list, depth: depth + 1)
        }
      case let leaf: return write(leaf: leaf, list.bytes)
      }
    }

    mutating func write(_ node: KeyedArchive.Node, depth: Int) -> Bool {
      guard isWithin(depth) else { return false }
      switch node.className {
      case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet":
        return sequence("[", "]", node.elements) { $0.write($1, depth: depth + 1) }
      case "NSDictionary", "NSMutableDictionary":
        return sequence("{", "}", node.entries) {
          $0.write(string: $1.key, ":") && $0.write($1.value, depth: depth + 1)
        }
      case "NSUUID": return node["NS.uuidbytes"].map { write(uuid: $0.data) } ?? false
      case "NSURL": return node["NS.relative"].map { write($0, depth: depth + 1) } ?? false
      case "NSDate": return node["NS.time"].map { write($0, depth: depth + 1) } ?? false
      case "NSData", "NSMutableData": return node["NS.data"].map { write($0, depth: depth + 1) } ?? false
      default:
        if let string = node.string { return write(string: string) }
        return write(leaf: node.value, node.list.bytes)
      }
    }

    private mutating func write(leaf: BinaryPropertyList.Object, _ bytes: [UInt8]) -> Bool {
      switch leaf {
      case .null: text += "null".utf8
      case .boolean(let flag): text += (flag ? "true" : "false").utf8
      case .integer(let number): text += String(number).utf8
      case .real(let number) where number.isFinite: text += String(number).utf8
      case .data(let range): return write(string: Data(bytes[range]).base64EncodedString())
      case .string(let string): return write(string: string)
      case .real, .uid, .array, .dictionary: return false
      }
      return true
    }

    private mutating func write(uuid bytes: ArraySlice<UInt8>) -> Bool {
      guard bytes.count == 16 else { return false }
      let uuid = Array(bytes).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      return write(string: uuid.uuidString)
    }

    private mutating func write(string: String, _ end: String = "") -> Bool {
      guard let quoted = try? JSONEncoder().encode(string) else { return false }
      text += quoted
      text += end.utf8
      return true
    }

    private mutating func sequence<Item>(
      _ start: String, _ end: String, _ items: [Item], _ body: (inout Writer, Item) -> Bool
    ) -> Bool {
      text += start.utf8
      for (index, item) in items.enumerated() {
        if index > 0 { text += ",".utf8 }
        guard body(&self, item) else { return false }
      }
      text += end.utf8
      return true
    }
  }
}
