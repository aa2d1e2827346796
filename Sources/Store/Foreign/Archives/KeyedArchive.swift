// SPDX-License-Identifier: MIT

/// An archive that NSKeyedArchiver wrote: a table of objects, each with named fields.
///
/// References are followed only on demand, so an archive that refers to itself does no harm.
struct KeyedArchive {
  let list: BinaryPropertyList
  /// The entries of `$objects`, by UID: indexes into the objects of the property list.
  private let table: [Int]
  private let rootUID: Int

  init(_ bytes: [UInt8]) throws(BinaryPropertyList.Failure) {
    list = try BinaryPropertyList(bytes)
    guard let objects = Self.field("$objects", of: list.top, in: list), case .array(let table) = list.objects[objects],
      let tops = Self.field("$top", of: list.top, in: list),
      let root = Self.field("root", of: tops, in: list) ?? Self.firstField(of: tops, in: list),
      case .uid(let rootUID) = list.objects[root]
    else { throw BinaryPropertyList.Failure(description: "the property list is not a keyed archive") }
    (self.table, self.rootUID) = (table, rootUID)
  }

  /// The archived object.
  var root: Node? { Node(self, uid: rootUID) }

  /// All objects of the archive, reachable or not.
  var nodes: [Node] { table.indices.compactMap { Node(self, uid: $0) } }

  fileprivate static func field(_ name: String, of index: Int, in list: BinaryPropertyList) -> Int? {
    guard case .dictionary(let keys, let values) = list.objects[index] else { return nil }
    for (key, value) in zip(keys, values) {
      if case .string(name) = list.objects[key] { return value }
    }
    return nil
  }

  private static func firstField(of index: Int, in list: BinaryPropertyList) -> Int? {
    guard case .dictionary(_, let values) = list.objects[index] else { return nil }
    return values.first
  }

  /// One object of an archive.
  struct Node {
    private let archive: KeyedArchive
    /// The object's UID; nil for a value that another object's field contains directly.
    let uid: Int?
    private let index: Int

    /// nil for the archive's null object and for a UID out of range.
    fileprivate init?(_ archive: KeyedArchive, uid: Int) {
      guard uid > 0, archive.table.indices.contains(uid) else { return nil }
      self.init(archive: archive, uid: uid, index: archive.table[uid])
    }

    private init?(_ archive: KeyedArchive, value index: Int) {
      if case .uid(let uid) = archive.list.objects[index] {
        self.init(archive, uid: uid)
      } else {
        self.init(archive: archive, uid: nil, index: index)
      }
    }

    private init(archive: KeyedArchive, uid: Int?, index: Int) {
      (self.archive, self.uid, self.index) = (archive, uid, index)
    }

    var value: BinaryPropertyList.Object { archive.list.objects[index] }

    subscript(_ name: String) -> Node? {
      KeyedArchive.field(name, of: index, in: archive.list).flatMap { Node(archive, value: $0) }
    }

    /// The class name in the archive; nil for plain values.
    var className: String? { self["$class"]?["$classname"]?.string }

    /// The text of an NSString or NSMutableString, or a plain string.
    var string: String? {
      if case .string(let text) = value { return text }
      guard let inner = self["NS.string"], case .string(let text) = inner.value else { return nil }
      return text
    }

    var integer: Int64? {
      switch value {
      case .integer(let number): number
      case .boolean(let flag): flag ? 1 : 0
      default: nil
      }
    }

    /// The bytes of a plain data value; empty for any other value.
    var data: ArraySlice<UInt8> {
      guard case .data(let range) = value else { return [] }
      return list.bytes[range]
    }

    var list: BinaryPropertyList { archive.list }

    /// The elements of an array or a set.
    var elements: [Node] {
      guard let objects = self["NS.objects"] else { return [] }
      return objects.items
    }

    /// The entries of an NSDictionary, or of Core Data's dictionary with a fixed set of keys.
    var entries: [(key: String, value: Node)] {
      let keys = self["NS.keys"]?.items ?? self["searchMapping"]?["keys"]?.elements ?? []
      let values = self["NS.keys"] == nil ? self["values"]?.elements ?? [] : elements
      return zip(keys, values).compactMap { key, value in key.string.map { ($0, value) } }
    }

    /// The items of a collection, or the field values of an object, without its class and the keys of a dictionary.
    var children: [Node] {
      switch value {
      case .array: return items
      case .dictionary(let keys, let values):
        return zip(keys, values).flatMap { key, value -> [Node] in
          guard case .string(let name) = archive.list.objects[key], name != "$class", name != "NS.keys",
            let node = Node(archive, value: value)
          else { return [] }
          // The items of a collection are a plain array in one field.
          if case .array = node.value { return node.items }
          return [node]
        }
      default: return []
      }
    }

    /// Keeps nulls, so that keys and values keep the same indexes.
    private var items: [Node] {
      guard case .array(let indexes) = value else { return [] }
      return indexes.map {
        Node(archive, value: $0) ?? Node(archive: archive, uid: nil, index: archive.table.first ?? archive.list.top)
      }
    }
  }
}
