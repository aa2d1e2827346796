// SPDX-License-Identifier: MIT

package import SearchIndex
internal import Store

/// What live searches read: stores and indexes, which are opened again when a store is replaced, migrated or missing. Not
/// thread-safe.
package final class LiveReader {
  /// A store, and how far it was read.
  private struct Reading {
    let searcher: Searcher
    let version: DataVersion
    /// nil if it is not known.
    var token: StoreToken?
  }

  private let open: () throws -> any RecordSearch
  private var search: any RecordSearch
  private var readings: [Reading] = []
  /// Whether the stores were not opened again since `begin`.
  private var isCurrent = false

  /// - Parameters:
  ///   - search: For the first searches.
  ///   - open: Opens the stores and the indexes again.
  package init(_ search: any RecordSearch, open: @escaping () throws -> any RecordSearch) {
    (self.search, self.open) = (search, open)
  }

  /// The paths of the stores.
  package func storePaths() throws -> [String] { try search.searchers().map(\.store.path) }

  /// Notes the present state of the stores, whose later changes are to be noticed.
  package func begin() throws {
    // A store that was missing may be there again.
    if !search.missing.isEmpty || readings.contains(where: \.searcher.isOutdated) { try reopen() }
    do { try note() } catch let error as StoreError where error.asksForOpening {
      try reopen()
      try note()
    }
    isCurrent = true
  }

  private func note() throws {
    readings = try search.searchers().map { searcher in
      let known = readings.first { $0.searcher === searcher }
      return Reading(searcher: searcher, version: try searcher.version(), token: known?.token)
    }
  }

  private func reopen() throws {
    search = try open()
    (readings, isCurrent) = ([], false)
  }

  /// - Throws: As `Searcher.search`.
  package func search(_ request: SearchRequest) throws -> SearchResult {
    do { return try search.search(request) } catch let error as StoreError where error.asksForOpening {
      // What was searched before is to be searched again.
      try reopen()
      try note()
      return try search.search(request)
    }
  }

  /// The records that changed since the last call; nil if that is not known, or if they are many.
  func changes() throws -> ChangedRecords? {
    var all: ChangedRecords? = ChangedRecords()
    for number in readings.indices {
      let reading = readings[number]
      let (changes, token) = try reading.searcher.changes(after: reading.token)
      readings[number].token = token
      all = changes.flatMap { all?.union($0) }
    }
    return search.missing.isEmpty ? all : nil
  }

  /// Terms of which every match of a request has at least one; nil if there are none.
  func requiredTerms(of request: SearchRequest) throws -> Set<[UInt8]>? {
    guard !readings.isEmpty else { return nil }
    return try readings.reduce([]) { terms, reading in
      guard let terms, let others = try reading.searcher.requiredTerms(of: request) else { return nil }
      return terms.union(others)
    }
  }

  /// Whether a store of the group does not answer. Then a query may name what only that store has.
  var lacksStores: Bool { !search.missing.isEmpty }

  /// Whether private copies are read, and the next ones are made later.
  var isResting: Bool {
    !readings.isEmpty && readings.allSatisfy { $0.searcher.store.nextCopy.map { $0 > .now } == true }
  }

  /// Whether a store has changed since `begin`. Always, while a store of the group does not answer.
  package func hasChanged() throws -> Bool {
    try !isCurrent || !search.missing.isEmpty || readings.contains { try $0.searcher.hasChanged(since: $0.version) }
  }

  /// Waits until a store changes, for a second at most, or until a stop signal.
  ///
  /// - Returns: As `hasChanged`.
  package func wait(_ waiter: ChangeWaiter) throws -> Bool {
    try waiter.wait(for: readings.map { ($0.searcher.store, $0.version) })
    return try hasChanged()
  }
}
