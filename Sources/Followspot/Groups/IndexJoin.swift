// SPDX-License-Identifier: MIT

package import SearchIndex
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// Joins the indexes of a group into one, which searches of the group open instead of many (`JoinedIndex`).
package struct IndexJoin {
  private let parts: [SearchGroup.Part]
  private let directory: JoinedDirectory
  private let check: () throws -> Void

  /// - Parameters:
  ///   - parts: The parts of the group, in the order of its searches.
  ///   - check: Called regularly; it may throw to end the work.
  package init(_ parts: [SearchGroup.Part], in directory: JoinedDirectory, check: @escaping () throws -> Void) {
    (self.parts, self.directory, self.check) = (parts, directory, check)
  }

  /// How long to wait until stores that were just saved are at rest.
  private static let patience = Duration.seconds(5)
  /// Joins again if one store in so many changed.
  private static let share = 16

  /// Joins the indexes, unless they are joined and only few stores have changed since.
  ///
  /// - Returns: The number of stores in the new joined index; nil if it was not made.
  /// - Throws: `IndexError`; what `check` throws.
  package func run() throws -> Int? {
    let count = parts.count
    guard count >= JoinedIndex.fewest, try isOutdated() else { return nil }
    let end = ContinuousClock.now + Self.patience
    var found = try candidates(Array(parts.indices))
    while found.count < count, parts.contains(where: wasJustSaved), ContinuousClock.now < end {
      usleep(500_000)
      found = try candidates(Array(parts.indices))
    }
    guard found.count >= JoinedIndex.fewest, let members = numbered(found) else { return nil }
    try directory.join(found.map(\.path), check: check) { path in
      let uuid = try verified(path, found)
      try JoinedList(found[0].common, uuid: uuid, members: members).write(in: path)
    }
    return members.count
  }

  /// Whether a new joined index is worth it: there is none, or many stores have changed, or many more could be joined.
  private func isOutdated() throws -> Bool {
    guard let joined = JoinedIndex(directory) else { return true }
    let known = joined.parts
    let stale = known.count { !parts.indices.contains($0) || joined.currentMember($0, at: parts[$0].place) == nil }
    if stale * Self.share > known.count { return true }
    let others = parts.indices.filter { !known.contains($0) }
    return try candidates(others).count { $0.common == joined.common } * Self.share > known.count
  }

  /// Whether a store was written so recently that it cannot be joined yet, but soon.
  private func wasJustSaved(_ part: SearchGroup.Part) -> Bool {
    guard case .store(_, let path, _) = part, let mark = FileMark(path: path) else { return false }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return now.tv_sec - Int(truncatingIfNeeded: mark.modified) / 1_000_000_000 <= 4
  }

  /// The stores with the numbers of their documents in the joined index; nil if there are too many documents.
  private func numbered(_ found: [Candidate]) -> [JoinedMember]? {
    var last: UInt32 = 0
    var members: [JoinedMember] = []
    for one in found {
      let (end, isOver) = last.addingReportingOverflow(one.numbers.upperBound - one.numbers.lowerBound + 1)
      guard !isOver else { return nil }
      members.append(JoinedMember(one.member, documents: (last + 1)...end))
      last = end
    }
    return members
  }

  /// A store at rest, at the token of its index.
  private struct Candidate {
    let member: JoinedMember
    let place: (store: String, directory: IndexDirectory)
    /// The path of the generation that serves.
    let path: String
    let common: JoinedList.Common
    let numbers: ClosedRange<UInt32>
    let documents: Int
  }

  /// Those of some parts that can be joined. All of them have the same model and the same fields.
  private func candidates(_ numbers: [Int]) throws -> [Candidate] {
    var found: [Candidate] = []
    for number in numbers {
      try check()
      // A store with a fault is reported by the search.
      if let one = try? candidate(number, parts[number]) { found.append(one) }
    }
    let sizes = Dictionary(grouping: found, by: \.common).mapValues(\.count)
    guard let most = sizes.max(by: { ($0.value, $0.key.model) < ($1.value, $1.key.model) }) else { return [] }
    return found.filter { $0.common == most.key }
  }

  private func candidate(_ number: Int, _ part: SearchGroup.Part) throws -> Candidate? {
    guard case .store(let name, let path, let directory) = part, let serving = try directory.serving() else {
      return nil
    }
    func marked(_ index: OpenIndex, _ token: StoreToken) throws -> JoinedMember? {
      JoinedMember(
        part: number, path: path, directory: directory, generation: serving.number, uuid: try index.uuid,
        token: token, complete: try index.completeness(pending: 0))
    }
    var member = try GroupMember(name: name, path: path, directory: directory)
    // The first one is opened with its store, and the fields are known then.
    if member.opened != nil { member = try GroupMember(name: name, path: path, directory: directory) }
    let index = try member.index()
    // The marks are taken before the token of the store is read.
    guard let token = index.state.token, let marked = try marked(index, token),
      try rests(member, path), index.state.token == token,
      try index.completeness(pending: 0) == marked.complete, index.generation == serving.number,
      marked.isCurrent(path: path, directory: directory)
    else { return nil }
    let reader = index.reader
    guard let numbers = try reader.documentNumbers(), let common = index.searched.common,
      common.model == token.modelDigest
    else { return nil }
    return Candidate(
      member: marked, place: (path, directory), path: serving.path, common: common,
      numbers: numbers, documents: try reader.documentCount())
  }

  private func rests(_ member: GroupMember, _ path: String) throws -> Bool {
    if member.rest(SearchRequest(query: ""), opened: []) != nil { return true }
    // Its model may not be known yet.
    try CheckpointedStore.learn(StoreFile.open(path))
    return member.rest(SearchRequest(query: ""), opened: []) != nil
  }

  /// Checks that the documents are those of the stores, and that nobody wrote meanwhile. Returns the UUID of the database.
  private func verified(_ path: String, _ found: [Candidate]) throws -> String {
    let reader = try IndexReader(path: path)
    let numbers = found.reduce(0) { $0 + $1.numbers.count }
    guard try reader.documentCount() == found.reduce(0, { $0 + $1.documents }),
      try Int(reader.documentNumbers()?.upperBound ?? 0) == numbers,
      found.allSatisfy({ $0.member.isCurrent(path: $0.place.store, directory: $0.place.directory) })
    else {
      throw IndexError(.changed, "a store of the group was saved while the indexes were joined", recovery: .retry)
    }
    return try reader.uuid()
  }
}
