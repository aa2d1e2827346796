// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
package import Store

/// Several stores that are searched as one.
///
/// Ranked hits come from one query over all indexes, so that the frequencies of words are those of the whole group and
/// scores are comparable. Sorted hits, counts and facets come from each store alone, and are merged.
package final class SearchGroup {
  /// One part of a group, as it is named.
  package enum Part {
    case store(name: String, path: String, IndexDirectory)
    case remote(RemoteIndex)

    /// nil if it is on another machine.
    var place: (store: String, directory: IndexDirectory)? {
      if case .store(_, let path, let directory) = self { (path, directory) } else { nil }
    }
  }

  /// The parts that are searched.
  var members: [GroupMember] = []
  /// The parts that cannot be searched.
  package internal(set) var missing: [MissingPart] = []
  let parts: [Part]
  /// The member of each part, or why it cannot be opened; nil for a remote index, which is connected again if it does not
  /// answer.
  var stores: [Result<GroupMember, any Error>?] = []
  /// The index with the documents of many of the stores; nil if there is none.
  var joined: JoinedIndex?
  let joinedDirectory: JoinedDirectory?
  let requiresAll: Bool
  let readsAtRest: Bool

  /// - Parameters:
  ///   - parts: At least one.
  ///   - requiresAll: Waits for the missing parts, instead of searching the others.
  ///   - directory: Where the joined index of the group is, if it has one (`IndexJoin`).
  ///   - readsAtRest: Whether the files of a store that nobody writes are read without SQLite. Reading a file drops the locks
  ///     of all other connections of the process to it.
  /// - Throws: `OperationError.usage` if two of the indexes are copies of each other, `.incomplete` or the first
  ///   `MissingPart` if no part answers; errors about the limits of this process.
  package init(
    _ parts: [Part], requiresAll: Bool = false, joined directory: JoinedDirectory? = nil, readsAtRest: Bool = true
  ) throws {
    (self.parts, self.readsAtRest) = (parts, readsAtRest)
    var joined = parts.count < JoinedIndex.fewest ? nil : directory.flatMap(JoinedIndex.init)
    let current = try joined.map { joined in
      try Parallel.map(parts.count) { joined.currentMember($0, at: parts[$0].place) }
    }
    var fields: SearchedFields?
    func opened(_ number: Int) -> Result<GroupMember, any Error>? {
      guard case .store(let name, let path, let directory) = parts[number] else { return nil }
      if let joined, let fields, let member = current?[number] {
        return .success(
          GroupMember(name: name, path: path, directory: directory, joined: joined, as: member, fields: fields))
      }
      return Result { try GroupMember(name: name, path: path, directory: directory) }
    }
    // The others often have the model and the definition of the first one.
    let first = current?.firstIndex { $0 != nil } ?? 0
    let lead = opened(first)
    fields = (try? lead?.get())?.searched
    if fields?.common != joined?.common { joined = nil }
    (self.joined, joinedDirectory, self.requiresAll) = (joined, directory, requiresAll)
    stores = try Parallel.map(parts.count) { $0 == first && joined == nil ? lead : opened($0) }
    try connect()
    try untilComplete {}
  }

  /// A group of open stores, for searches beside other reads of them.
  ///
  /// - Throws: `OperationError.usage` if two of the indexes are copies of each other.
  init(_ opened: [(name: String, searcher: Searcher)]) throws {
    (parts, joinedDirectory, requiresAll, readsAtRest) = ([], nil, false, true)
    members = opened.map { GroupMember(name: $0.name, opened: $0.searcher) }
    try refuseCopies()
  }

  package var entities: [EntityLayout] { members.flatMap(\.entities) }

  /// Whether any index has a field of that name.
  package func hasField(_ name: String) -> Bool { members.contains { $0.searched.fields[name] != nil } }

  package func findsDeleted(_ request: SearchRequest) throws -> Bool {
    try withAnsweringParts(request) {
      try members.contains { member in
        let fields = member.searched
        guard let parsed = try? fields.parse(request), fields.findsDeleted(parsed) else { return false }
        return try member.searcher().findsDeleted(request)
      }
    }
  }

  /// Searches all stores that can be read, each at its newest transaction.
  ///
  /// - Throws: As `Searcher.search`. If only some of the stores lack a field of the query, a note says so instead.
  package func search(_ request: SearchRequest) throws -> SearchResult {
    try withAnsweringParts(request) {
      try refuseToken(request)
      var result = request.sort.isEmpty ? try ranked(request) : try sorted(request)
      result.missing = missing
      return result
    }
  }

  /// The exact number of matches in all stores, and how many of them have each value of a field.
  package func count(_ request: SearchRequest, by field: String? = nil) throws -> CountResult {
    try withAnsweringParts(request) {
      try refuseToken(request)
      var request = request.asWritten
      request.facets = field.map { [$0] } ?? []
      return try counted(request)
    }
  }

  // MARK: Members

  /// The numbers of transactions belong to one store.
  private func refuseToken(_ request: SearchRequest) throws {
    guard request.atLeast == nil || members.count == 1 else {
      throw OperationError(.usage, "a transaction number belongs to one store, not to a group")
    }
  }

  /// Asks each store. A store that lacks a field of the query has no answer, and a note names it.
  ///
  /// - Throws: The first error if no store has an answer.
  func eachMember<Answer>(
    _ body: (GroupMember, GroupContext) throws -> Answer
  ) throws -> (answers: [(member: GroupMember, answer: Answer)], notes: [String]) {
    var answers: [(member: GroupMember, answer: Answer)] = []
    var failures = Failures()
    // What fails here fails again below.
    _ = try Parallel.map(members.count) { _ = try? members[$0].searcher() }
    let keys = self.keys()
    for (number, member) in members.enumerated() {
      do {
        answers.append((member, try body(member, keys.context(of: number))))
      } catch {
        try failures.note(error, of: [member.name])
      }
    }
    if answers.isEmpty { try failures.throwFirst() }
    return (answers, failures.notes)
  }

  /// The stores that cannot answer a query, because they lack what it names.
  struct Failures {
    /// What the failure means for the answer.
    private let consequence: String
    private var first: (any Error)?
    private(set) var notes: [String] = []

    init(consequence: String = "nothing is searched there") { self.consequence = consequence }

    /// - Throws: The error, if it is not about the query.
    mutating func note(_ error: any Error, of names: [String]) throws {
      let isUsage = (error as? OperationError)?.code == .usage
      guard error is QueryError || isUsage else { throw error }
      first = first ?? error
      notes.append("\(names.joined(separator: ", ")): \(error); \(consequence)")
    }

    func throwFirst() throws { if let first { throw first } }
  }
}

extension SearchGroup {
  /// The facets of a request that each store has.
  struct KnownFacets {
    private let all: [String]
    private var stores: [Int]
    private var failures: [Failures]

    init(_ names: [String]) {
      all = names
      stores = names.map { _ in 0 }
      failures = names.map { _ in Failures(consequence: "nothing is counted there") }
    }

    /// The facets whose field a store has.
    mutating func names(in view: SearchView, _ store: String) throws -> [String] {
      try all.indices.filter { number in
        do {
          _ = try FieldReader.of(all[number], in: view, readsSlots: true)
          stores[number] += 1
          return true
        } catch {
          try failures[number].note(error, of: [store])
          return false
        }
      }.map { all[$0] }
    }

    /// The stores that lack a field.
    ///
    /// - Throws: The first error if no store has the field.
    func notes() throws -> [String] {
      for number in all.indices where stores[number] == 0 { try failures[number].throwFirst() }
      return failures.flatMap(\.notes)
    }
  }
}

extension Facet {
  /// The facets of several stores: values that differ in case only are counted together, and the most frequent spelling is
  /// shown.
  ///
  /// - Parameter order: The names of the first ones.
  static func merged(_ facets: [Facet], in order: [String] = []) -> [Facet] {
    var known: Set<String> = []
    let names = (order + facets.map(\.field)).map { $0.lowercased() }.filter { known.insert($0).inserted }
    return names.compactMap { name in
      let same = facets.filter { $0.field.lowercased() == name }
      guard let first = same.first else { return nil }
      var counter = FacetCounter()
      for value in same.flatMap(\.values) { counter.add(value.text, count: value.count) }
      let isOneScale = same.allSatisfy { $0.scale == first.scale }
      return Facet(field: first.field, scale: isOneScale ? first.scale : .text, values: counter.values)
    }
  }
}
