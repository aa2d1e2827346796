// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The indexes that one search of a group reads, and the store of each of their documents.
struct GroupReaders {
  /// The joined index first, if there is one.
  let readers: [IndexReader]
  /// The documents of the joined index that must not be hits: their stores have changed.
  let outdated: Query
  private let joined: JoinedIndex?
  /// The indices of the stores in the joined index, by part of the group.
  private let joinedMembers: [Int: Int]
  /// The index of the store, by the index of the database; nil for the joined index.
  private let owners: [Int?]

  init(_ views: GroupViews, joined: JoinedIndex?) throws {
    let members = views.members
    let parts = members.enumerated().compactMap { number, member in member.joinedPart.map { ($0, number) } }
    joinedMembers = Dictionary(parts, uniquingKeysWith: { first, _ in first })
    self.joined = joinedMembers.isEmpty ? nil : joined
    var readers = self.joined.map { [$0.reader] } ?? []
    var owners: [Int?] = readers.map { _ in nil }
    for (number, member) in members.enumerated() where member.joinedPart == nil {
      let reader = try views.opened(number)?.reader ?? member.index().reader
      readers.append(reader)
      owners += Array(repeating: number, count: reader.databases)
    }
    (self.readers, self.owners) = (readers, owners)
    outdated = self.joined?.documents(except: Set(joinedMembers.keys)) ?? .nothing
  }

  /// The index of the store that a hit is from.
  ///
  /// - Throws: `IndexError.corrupt`.
  func member(of hit: Hits.Hit) throws -> Int {
    if let owner = owners[hit.database] { return owner }
    guard let joined, let member = joined.part(ofDocument: hit.number).flatMap({ joinedMembers[$0] }) else {
      throw IndexError(
        .corrupt, "the joined index \(joined?.reader.path ?? "") has a document of no store", recovery: .rebuildIndex)
    }
    return member
  }
}
