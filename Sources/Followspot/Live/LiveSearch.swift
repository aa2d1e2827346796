// SPDX-License-Identifier: MIT

package import SearchIndex
internal import Store

/// The result of a search and how it changes as records are saved. Not thread-safe.
package final class LiveSearch {
  package struct Event: Sendable {
    package let kind: ResultChange
    /// The hit of before if the record left the result.
    package let hit: Hit
    /// The transaction as of which the result was found.
    package let token: Int64
  }

  private let request: SearchRequest
  private let open: () throws -> any RecordSearch
  private var search: any RecordSearch
  private var hits: [Identity: Hit]?
  private var versions: [(searcher: Searcher, version: Int64)] = []
  /// Whether the last answer did not include the newest save.
  private var isBehind = false

  /// - Parameters:
  ///   - search: For the first searches.
  ///   - open: Opens the stores and the indexes again, if a store was replaced or migrated.
  package init(_ request: SearchRequest, _ search: any RecordSearch, open: @escaping () throws -> any RecordSearch) {
    self.request = request
    self.search = search
    self.open = open
  }

  private struct Identity: Hashable {
    let store: String?
    let record: RecordURI

    init(_ hit: Hit) { (store, record) = (hit.store, hit.identifier) }
  }

  /// Searches, and gives what differs from the last call: hits that left, then the others in the order of the result.
  /// The first call gives all hits.
  ///
  /// - Throws: As `Searcher.search`.
  package func next() throws -> (events: [Event], result: SearchResult) {
    let result = try answer()
    let states = result.stores.isEmpty ? [result.index] : result.stores.map(\.index)
    isBehind = states.contains { !$0.isOfThisStore || $0.isNewest == false }
    let tokens = Dictionary(result.stores.map { ($0.name, $0.index.answersAt) }) { first, _ in first }
    func event(_ kind: ResultChange, _ hit: Hit) -> Event {
      Event(kind: kind, hit: hit, token: hit.store.flatMap { tokens[$0] } ?? result.index.answersAt)
    }
    let now = Dictionary(result.hits.map { (Identity($0), $0) }) { first, _ in first }
    // Records of a store that does not answer have not left.
    let silent = Set(result.missing.map(\.name))
    let kept = (hits ?? [:]).filter { $0.key.store.map(silent.contains) == true }
    defer { hits = now.merging(kept) { found, _ in found } }
    guard let before = hits else { return (result.hits.map { event(.match, $0) }, result) }
    let left = before.filter { now[$0.key] == nil && kept[$0.key] == nil }.values.sorted {
      ($0.identifier.short, $0.store ?? "") < ($1.identifier.short, $1.store ?? "")
    }
    let others = result.hits.compactMap { hit in
      ResultChange(from: before[Identity(hit)], to: hit) { $0.hasSameContent(as: $1) }.map { event($0, hit) }
    }
    return (left.map { event(.leave, $0) } + others, result)
  }

  private func answer() throws -> SearchResult {
    if versions.contains(where: \.searcher.isOutdated) { search = try open() }
    do { return try searched() } catch let error as StoreError where error.asksForOpening {
      search = try open()
      return try searched()
    }
  }

  private func searched() throws -> SearchResult {
    // A store that was missing may be there again.
    if !search.missing.isEmpty { search = try open() }
    versions = try search.searchers().map { ($0, try $0.version()) }
    return try search.search(request)
  }

  /// The paths of the stores.
  package func storePaths() throws -> [String] { try search.searchers().map(\.store.path) }

  /// Waits until another process has saved since the last search.
  ///
  /// - Returns: Whether to search again: it has, or the last answer did not include all saves. false after a second
  ///   without a save, or at a stop signal.
  package func wait(_ waiter: ChangeWaiter) throws -> Bool {
    try waiter.wait(for: versions.map { ($0.searcher.store, $0.version) })
    return try isBehind || !search.missing.isEmpty
      || versions.contains { try $0.searcher.hasChanged(since: $0.version) }
  }
}

extension LiveSearch {
  /// Whether a search that already has a result waits and tries again: the store or the index is missing while it is
  /// replaced, or cannot be read for another reason that may pass.
  package static func passes(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: error.passesByItself || error.code == .replaced
    case let error as IndexError:
      [.missing, .building, .corrupt, .changed, .unreadable, .full, .limit, .other].contains(error.code)
    case let part as MissingPart: part.error.map(passes) ?? true
    default: false
    }
  }
}

extension Hit {
  /// Whether a person sees the same record. Scores and freshness do not count.
  fileprivate func hasSameContent(as other: Hit) -> Bool {
    values == other.values && title == other.title && fields == other.fields && section == other.section
  }
}
