internal import PersistentStore
package import SearchIndex

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
    guard count >= JoinedIndex.fewest else { return nil }
    if let joined = JoinedIndex(directory) {
      let current = parts.indices.count { joined.currentMember($0, parts[$0]) != nil }
      if (count - current) * Self.share <= count { return nil }
    }
    var found: [Candidate] = []
    let end = ContinuousClock.now + Self.patience
    while true {
      found = try candidates()
      if (count - found.count) * Self.share <= count || ContinuousClock.now >= end { break }
      usleep(500_000)
    }
    guard found.count >= JoinedIndex.fewest else { return nil }
    var next: UInt32 = 1
    let members = found.map { one in
      var member = one.member
      member.documents = next...(next + (one.numbers.upperBound - one.numbers.lowerBound))
      next = member.documents.upperBound + 1
      return member
    }
    try directory.join(found.map(\.path), check: check) { path in
      try verify(path, found)
      try JoinedIndex.write(members, fields: found[0].fields, in: path)
    }
    return members.count
  }

  /// A store at rest, at the token of its index.
  private struct Candidate {
    let member: JoinedMember
    let place: (store: String, directory: IndexDirectory)
    /// The path of the generation that serves.
    let path: String
    let fields: ContentDigest
    let numbers: ClosedRange<UInt32>
    let documents: Int
  }

  /// The stores that can be joined. All of them have the same fields.
  private func candidates() throws -> [Candidate] {
    var found: [Candidate] = []
    for (number, part) in parts.enumerated() {
      try check()
      // A store with a fault is reported by the search.
      if let one = try? candidate(number, part) { found.append(one) }
    }
    let sizes = Dictionary(grouping: found, by: \.fields).mapValues(\.count)
    guard let most = sizes.max(by: { ($0.value, $0.key.value) < ($1.value, $1.key.value) }) else { return [] }
    return found.filter { $0.fields == most.key }
  }

  private func candidate(_ number: Int, _ part: SearchGroup.Part) throws -> Candidate? {
    guard case .store(let name, let path, let directory) = part, let serving = try directory.serving() else {
      return nil
    }
    func marked(_ uuid: String, _ token: StoreToken) -> JoinedMember? {
      JoinedMember(
        part: number, path: path, directory: directory, generation: serving.number, uuid: uuid, token: token)
    }
    var member = try GroupMember(name: name, path: path, directory: directory)
    // The first one is opened with its store, and the fields are known then.
    if member.opened != nil { member = try GroupMember(name: name, path: path, directory: directory) }
    let index = try member.index()
    // The marks are taken before the token of the store is read.
    guard let token = index.state.token, let marked = marked(try index.uuid, token),
      try rests(member, path), index.state.token == token, index.generation == serving.number,
      marked.isCurrent(path: path, directory: directory)
    else { return nil }
    let reader = index.alone
    guard let numbers = try reader.documentNumbers() else { return nil }
    return Candidate(
      member: marked, place: (path, directory), path: serving.path, fields: index.searched.layoutDigest,
      numbers: numbers, documents: try reader.documentCount())
  }

  private func rests(_ member: GroupMember, _ path: String) throws -> Bool {
    if member.rest(SearchRequest(query: ""), opened: []) != nil { return true }
    // Its model may not be known yet.
    try RestingStore.learn(PersistentStore.open(path))
    return member.rest(SearchRequest(query: ""), opened: []) != nil
  }

  /// Checks that the documents are those of the stores, and that nobody wrote meanwhile.
  private func verify(_ path: String, _ found: [Candidate]) throws {
    let reader = try IndexReader(path: path)
    let numbers = found.reduce(0) { $0 + $1.numbers.count }
    guard try reader.documentCount() == found.reduce(0, { $0 + $1.documents }),
      try Int(reader.documentNumbers()?.upperBound ?? 0) == numbers,
      found.allSatisfy({ $0.member.isCurrent(path: $0.place.store, directory: $0.place.directory) })
    else {
      throw IndexError(.changed, "a store of the group was saved while the indexes were joined", recovery: .retry)
    }
  }
}
