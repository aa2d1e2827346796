internal import FoundationEssentials
internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

/// One index with the documents of many stores of a group, as they were when the group was indexed (`IndexJoin`).
///
/// Opening one index takes much less time than opening a thousand. A store is searched in it only as long as the files of
/// the store and of its own index are as they were. Otherwise its own index is searched, and its documents here are hidden.
/// So it is a cache: without it, answers are the same.
final class JoinedIndex {
  let reader: IndexReader
  let uuid: String
  /// The state of the first of the joined indexes. The others have the same fields, and other tokens.
  let state: IndexState
  /// The digest of the fields of all joined indexes.
  let fields: ContentDigest
  /// By the index of the store in the group.
  private let members: [Int: JoinedMember]
  /// In the order of their documents.
  private let ordered: [JoinedMember]

  /// Fewer stores than this are searched as fast in their own indexes.
  static let fewest = 32
  private static let listName = "stores"
  /// The first line of a list of stores.
  private static let header = "followspot joined 1"
  private static let end = "end"

  /// nil if there is no joined index, or if it cannot be used.
  init?(_ directory: JoinedDirectory) {
    // Another process may replace it meanwhile; then it is not used once.
    guard let path = directory.newest, let (fields, members) = Self.read(path), IndexReader.survives(path: path),
      let reader = try? IndexReader(path: path), let state = try? IndexState.read(reader),
      let uuid = try? reader.uuid(), (try? reader.setStemmer(state.definition.language)) != nil
    else { return nil }
    reader.pin()
    (self.reader, self.uuid, self.state, self.fields) = (reader, uuid, state, fields)
    ordered = members
    self.members = Dictionary(members.map { ($0.part, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// nil if the list of stores is missing, damaged or of another version.
  private static func read(_ path: String) -> (fields: ContentDigest, members: [JoinedMember])? {
    guard let list = try? Data(contentsOf: URL(filePath: path + "/" + listName)) else { return nil }
    let lines = [UInt8](list).split(separator: UInt8(ascii: "\n"))
    guard lines.count > 3, lines[0].elementsEqual(header.utf8), lines[lines.count - 1].elementsEqual(end.utf8),
      let fields = ContentDigest(hexadecimal: String(decoding: lines[1], as: UTF8.self))
    else { return nil }
    var next: UInt32 = 1
    var members: [JoinedMember] = []
    for line in lines[2..<(lines.count - 1)] {
      guard let member = JoinedMember(line), member.documents.lowerBound == next else { return nil }
      members.append(member)
      next = member.documents.upperBound &+ 1
    }
    return (fields, members)
  }

  /// Writes the list of stores of a joined index.
  ///
  /// - Parameter fields: The fields of all of them.
  static func write(_ members: [JoinedMember], fields: ContentDigest, in path: String) throws {
    let lines = [header, fields.hexadecimal] + members.map(\.text) + [end]
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path + "/" + listName))
  }

  /// The documents of a part of the group; nil if its store or its index has changed since they were joined.
  func currentMember(_ number: Int, _ part: SearchGroup.Part) -> JoinedMember? {
    guard case .store(_, let path, let directory) = part, let member = members[number],
      member.isCurrent(path: path, directory: directory)
    else { return nil }
    return member
  }

  /// The store of a document; nil if there is none.
  func part(ofDocument number: UInt32) -> Int? {
    var (low, high) = (0, ordered.count)
    while low < high {
      let middle = (low + high) / 2
      if ordered[middle].documents.upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < ordered.count && ordered[low].documents.contains(number) ? ordered[low].part : nil
  }

  /// The documents of all stores but some.
  func documents(except parts: Set<Int>) -> Query {
    let others = ordered.filter { !parts.contains($0.part) }.map(\.documents)
    return others.isEmpty ? .nothing : .documents(others, of: uuid)
  }
}
