// SPDX-License-Identifier: MIT

internal import Following
internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex
internal import Searching

#if canImport(Glibc)
  internal import Glibc
#endif

/// Ranked answers of a group.
extension SearchGroup {
  /// One answer over all stores.
  func ranked(_ request: SearchRequest) throws -> SearchResult {
    try withSnapshots(request) { snapshots in
      let all = try GroupReaders(members, joined: joined)
      let readers = all.readers
      let hidden = try hidden(snapshots, all)
      let failures = FailureList()
      let parts = try parts(isPerStore: usesHistory(request))
      let isOnly = parts.count == 1
      let group = try IndexReader.group(of: readers, stemmer: parts[0].lead.index.definition.language)
      return try together(parts.map(\.lead), group, readers, hidden) {
        var answering: [(part: GroupPart, ranked: Ranker.Part)] = []
        for part in parts {
          do { answering.append((part, try ranked(part, request, hidden: hidden, isOnly: isOnly))) } catch {
            try failures.list.note(error, of: part.members.map { members[$0].name })
          }
        }
        if answering.isEmpty { try failures.list.throwFirst() }
        let ranking = GroupRanking(self, answering.map(\.part), answering.map(\.ranked), all)
        return try answer(ranking, request, snapshots, failures.list.notes)
      }
    }
  }

  private final class Begun { var snapshots: [Searcher.Snapshot] = [] }
  private final class FailureList { var list = Failures() }

  /// Runs `body` while every lead searches the whole group.
  private func together<Result>(
    _ leads: [Searcher], _ group: IndexReader, _ readers: [IndexReader], _ hidden: Query, _ body: () throws -> Result
  ) throws -> Result {
    guard let lead = leads.first else { return try body() }
    let language = lead.index.definition.language
    let own = language == leads.last?.index.definition.language ? group : nil
    let reader = try own ?? IndexReader.group(of: readers, stemmer: language)
    return try lead.index.together(with: reader, hidden: hidden) {
      try together(Array(leads.dropFirst()), group, readers, hidden, body)
    }
  }

  private func ranked(
    _ part: GroupPart, _ request: SearchRequest, hidden: Query, isOnly: Bool
  ) throws -> Ranker.Part {
    // Indexes with the same definition are read as one, so that all their keys are known.
    var plan =
      try isOnly ? part.lead.plan(request) : GroupKeys(members).shared(with: part.lead) { try $0.plan(request) }
    if !isOnly {
      let others = Set(members.indices).subtracting(part.members).sorted().map { members[$0] }
      plan.excluded.append(
        .databases(
          try Set(others.map { try $0.searchedUUID }).sorted(), withRemote: others.contains(where: \.isRemote))
      )
    }
    if hidden != .nothing { plan.excluded.append(hidden) }
    if request.expands { try part.lead.expand(&plan) }
    try part.lead.boost(&plan, request)
    return try Ranker.Part(part.lead, plan)
  }

  /// The documents that overlays replace, in their own databases only, and those of the joined index that are not searched.
  private func hidden(_ snapshots: [Searcher.Snapshot], _ readers: GroupReaders) throws -> Query {
    var hidden = try zip(members, snapshots).flatMap { member, snapshot -> [Query] in
      // Nothing is hidden in an index that is searched without its store.
      guard let searcher = member.opened else { return [] }
      let uuid = try member.uuid
      return try searcher.hidden(snapshot).map { Query.filter($0, by: .databases([uuid], withRemote: false)) }
    }
    if readers.hidden != .nothing { hidden.append(readers.hidden) }
    return hidden.isEmpty ? .nothing : hidden.count == 1 ? hidden[0] : .or(hidden)
  }

  private func answer(
    _ ranking: GroupRanking, _ request: SearchRequest, _ snapshots: [Searcher.Snapshot], _ failures: [String]
  ) throws -> SearchResult {
    var result = SearchResult(index: snapshots[0].indexStatus)
    result.stores = zip(members, snapshots).map { StoreStatus(name: $0.name, index: $1.indexStatus) }
    result.corrected = ranking.plans.lazy.compactMap(\.corrected).first
    var known: Set<String> = []
    result.notes = failures + ranking.plans.flatMap(\.notes).filter { known.insert($0).inserted }
    // Another store may have a word that one has not.
    let unknown = ranking.plans[0].unknownWords.filter { word in
      ranking.plans.allSatisfy { $0.unknownWords.contains(word) }
    }
    if let note = QueryPlan.note(ofUnknown: unknown) { result.notes.append(note) }
    for (member, snapshot) in zip(members, snapshots) {
      if let note = snapshot.note { result.notes.append("\(member.name): \(note)") }
    }
    let page = try ranking.page(request)
    (result.estimated, result.isWidened) = (page.estimated, page.isWidened)
    if page.estimated == 0 {
      let part = ranking.parts[0]
      result.nearest = try part.lead.nearest(
        to: request, corrected: ranking.plans[0].corrected, snapshots[part.members[0]])
    }
    var details: [Int: HitDetails] = [:]
    result.hits = try page.hits.compactMap { hit in
      let number = try ranking.readers.member(of: hit)
      let shown =
        try details[number]
        ?? HitDetails(
          members[number].current(), request, snapshots[number], query: ranking.plan(of: number).map(page.query),
          omitsUnknown: true)
      details[number] = shown
      var joined = try shown.hit(hit)
      joined?.store = members[number].name
      return joined
    }
    let (facets, notes) = try facets(of: request, ranking, page, snapshots)
    result.facets = facets
    result.notes += notes
    return result
  }

  /// The facets of all stores that have the field. A note names the others.
  ///
  /// - Throws: The first error if no store has a field.
  private func facets(
    of request: SearchRequest, _ ranking: GroupRanking, _ page: Ranker.Page, _ snapshots: [Searcher.Snapshot]
  ) throws -> ([Facet], notes: [String]) {
    var known = KnownFacets(request.facets)
    var facets: [Facet] = []
    let keys = GroupKeys(members)
    for number in members.indices where !request.facets.isEmpty {
      guard let plan = ranking.plan(of: number) else { continue }
      facets += try keys.shared(with: members[number].currentAlone()) { searcher in
        let names = try known.names(in: searcher, members[number].name)
        return try searcher.index.withoutGroup {
          let hidden = try searcher.hidden(snapshots[number])
          let query = page.query(plan)
          return try searcher.facets(names, of: hidden.isEmpty ? query : .andNot(query, .or(hidden)), snapshots[number])
        }
      }
    }
    return (Facet.merged(facets, in: request.facets), try known.notes())
  }

  /// An index changed faster than the group could read it.
  private struct Overtaken: Error { let error: IndexError }

  /// Runs `body` with every store at one transaction.
  ///
  /// If an index changes too much while `body` reads it, all of them are opened again. A single `withSnapshot` would open
  /// only its own index again.
  private func withSnapshots<Answer>(
    _ request: SearchRequest, _ body: ([Searcher.Snapshot]) throws -> Answer
  ) throws -> Answer {
    let begun = Begun()
    var resting: [Searcher.Snapshot?] = []
    func begin(_ first: Int) throws -> Answer {
      // An attempt may be repeated.
      begun.snapshots.removeSubrange(first...)
      var number = first
      while number < members.count, let snapshot = resting[number] {
        begun.snapshots.append(snapshot)
        number += 1
      }
      guard number < members.count else {
        do {
          let answer = try body(begun.snapshots)
          if members.contains(where: \.isOvertaken) { throw Searcher.overtaken }
          return answer
        } catch let error as IndexError where error.code == .changed {
          throw Overtaken(error: error)
        } catch {
          throw members.contains(where: \.isOvertaken) ? Overtaken(error: Searcher.overtaken) : error
        }
      }
      return try members[number].searcher().withSnapshot(request) { snapshot in
        begun.snapshots.removeSubrange(number...)
        begun.snapshots.append(snapshot)
        return try begin(number + 1)
      }
    }
    var overtaken = 0
    while true {
      defer { for member in members { member.release() } }
      resting = try rest(request)
      do { return try begin(0) } catch let change as Overtaken {
        overtaken += 1
        guard overtaken < Searcher.mostAttempts else { throw change.error }
        // Nobody writes a joined index: if it seems to change, it is damaged.
        if overtaken == Self.mostJoinedAttempts { leaveJoined() }
        usleep(UInt32(min(overtaken, 10)) * 500)
      } catch let error as IndexError
        where [.corrupt, .unreadable, .other].contains(error.code) && members.contains(where: \.isJoined)
      {
        // If the fault is in the index of a store, it is found again.
        leaveJoined()
      }
    }
  }

  /// How often a search is repeated with a joined index.
  private static let mostJoinedAttempts = 5

  private func leaveJoined() {
    guard members.contains(where: \.isJoined) else { return }
    joined = nil
    joinedDirectory?.clear()
  }

  /// Checks each store. nil for those that have to be opened.
  private func rest(_ request: SearchRequest) throws -> [Searcher.Snapshot?] {
    // Reading a file to which this process has a connection would drop its locks.
    let opened = Set(members.compactMap(\.openedFile))
    func rest(joins: Bool) throws -> [Searcher.Snapshot?] {
      try Parallel.map(members.count) { members[$0].rest(request, opened: opened, joins: joins) }
    }
    guard let joined, !usesHistory(request) else { return try rest(joins: false) }
    let resting = try rest(joins: true)
    // Several databases share the numbers of documents in turn. A database may have an overlay.
    let databases = 1 + 2 * members.count { !$0.isJoined }
    guard Int(joined.last) * databases > Int(UInt32.max) else { return resting }
    for member in members { member.release() }
    return try rest(joins: false)
  }
}
