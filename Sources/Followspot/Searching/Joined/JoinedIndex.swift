// SPDX-License-Identifier: MIT

package import SearchIndex

/// One index with the documents of many stores of a group, as they were when the group was indexed (`IndexJoin`).
///
/// Opening one index takes much less time than opening a thousand. A store is searched in it only as long as the files of
/// the store and of its own index are as they were. Otherwise its own index is searched, and its documents here are hidden.
/// So it is a cache: without it, the same records are found. Nobody writes it once it is complete.
package final class JoinedIndex {
  let reader: IndexReader
  /// The state of the first of the joined indexes. The others have other tokens.
  let state: IndexState
  private let list: JoinedList
  /// By the index of the store in the group.
  private let members: [Int: JoinedMember]
  private var mapper: DocumentMapper?

  /// Fewer stores than this are searched as fast in their own indexes.
  static let fewest = 32

  /// nil if there is no joined index, or if it cannot be used.
  init?(_ directory: JoinedDirectory) {
    // Another process may replace it meanwhile; then it is not used once.
    guard let path = directory.newest, let list = JoinedList(in: path), IndexReader.survives(path: path),
      let reader = try? IndexReader(path: path), (try? reader.uuid()) == list.uuid,
      let state = try? IndexState.read(reader), (try? reader.setStemmer(state.definition.language)) != nil
    else { return nil }
    reader.pin()
    (self.reader, self.state, self.list) = (reader, state, list)
    members = Dictionary(uniqueKeysWithValues: list.members.map { ($0.part, $0) })
  }

  /// The mapper from rows to documents, which all stores share.
  func mapper(_ make: () throws -> DocumentMapper) rethrows -> DocumentMapper {
    if let mapper { return mapper }
    let made = try make()
    mapper = made
    return made
  }

  var uuid: String { list.uuid }
  var common: JoinedList.Common { list.common }
  /// The parts of the group that are joined.
  var parts: Set<Int> { Set(members.keys) }
  /// The number of the last document.
  var last: UInt32 { list.members.last?.documents.upperBound ?? 0 }

  /// The documents of a part of the group; nil if its store or its index has changed since they were joined.
  ///
  /// - Parameter place: Where the part is; nil if it is on another machine.
  package func currentMember(_ number: Int, at place: (store: String, directory: IndexDirectory)?) -> JoinedMember? {
    guard let place, let member = members[number], member.isCurrent(path: place.store, directory: place.directory)
    else { return nil }
    return member
  }

  /// The store of a document; nil if there is none.
  func part(ofDocument number: UInt32) -> Int? {
    var (low, high) = (0, list.members.count)
    while low < high {
      let middle = (low + high) / 2
      if list.members[middle].documents.upperBound < number { low = middle + 1 } else { high = middle }
    }
    guard low < list.members.count, list.members[low].documents.contains(number) else { return nil }
    return list.members[low].part
  }

  /// The documents of the store of a part of the group.
  func documents(of part: Int) -> Query {
    members[part].map { .documents([$0.documents], of: uuid) } ?? .nothing
  }

  /// The documents of all stores but some.
  func documents(except parts: Set<Int>) -> Query {
    let others = list.members.filter { !parts.contains($0.part) }.map(\.documents)
    return others.isEmpty ? .nothing : .documents(others, of: uuid)
  }
}
