/// An archive that NSKeyedArchiver wrote: a table of objects, each with named fields.
///
/// Reading follows references only where it is asked to, so an archive that refers to itself does no harm.
struct KeyedArchive {
  let list: BinaryPropertyList
  /// The objects of the property list that `$objects` names, by UID.
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

  /// Every object of the archive, whether reachable or not.
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
    /// The object's own index in the archive; nil of a value that stands in another object's field.
    let uid: Int?
    private let index: Int

    /// nil for the archive's null, and for an index out of range.
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

    /// The field of that name.
    subscript(_ name: String) -> Node? {
      KeyedArchive.field(name, of: index, in: archive.list).flatMap { Node(archive, value: $0) }
    }

    /// The class, as the archive names it; nil of plain values.
    var className: String? { self["$class"]?["$classname"]?.string }

    /// The text of a string object, mutable or not.
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

    /// Bytes of data that stand in the archive as they are.
    var data: ArraySlice<UInt8> {
      guard case .data(let range) = value else { return [] }
      return list.bytes[range]
    }

    var list: BinaryPropertyList { archive.list }

    /// The objects of an array or a set.
    var elements: [Node] {
      guard let objects = self["NS.objects"] else { return [] }
      return objects.items
    }

    /// The pairs of a dictionary, or of Core Data's dictionary with a fixed set of keys.
    var entries: [(key: String, value: Node)] {
      let keys = self["NS.keys"]?.items ?? self["searchMapping"]?["keys"]?.elements ?? []
      let values = self["NS.keys"] == nil ? self["values"]?.elements ?? [] : elements
      return zip(keys, values).compactMap { key, value in key.string.map { ($0, value) } }
    }

    /// What the object holds: the items of a collection, the values of its fields; no classes and no keys.
    var parts: [Node] {
      switch value {
      case .array: return items
      case .dictionary(let keys, let values):
        return zip(keys, values).flatMap { key, value -> [Node] in
          guard case .string(let name) = archive.list.objects[key], name != "$class", name != "NS.keys",
            let node = Node(archive, value: value)
          else { return [] }
          // The items of a collection stand in a field as a plain array.
          if case .array = node.value { return node.items }
          return [node]
        }
      default: return []
      }
    }

    /// Keeps the places of nulls, so that keys and values stay in step.
    private var items: [Node] {
      guard case .array(let indexes) = value else { return [] }
      return indexes.map {
        Node(archive, value: $0) ?? Node(archive: archive, uid: nil, index: archive.table.first ?? archive.list.top)
      }
    }
  }
}
