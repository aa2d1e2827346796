// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import SearchIndex
internal import Store

extension StoreIndex {
  /// The transactions that changed the objects that match a query now.
  ///
  /// - Parameters:
  ///   - query: It is neither widened nor corrected. Its order, page and contents do not matter.
  ///   - number: Only transactions after this one.
  ///   - author: Only transactions of this author; nil for all.
  ///   - limit: Maximum number of transactions; nil = all.
  ///   - isNewestFirst: Whether the newest transactions come first.
  /// - Throws: As `search`; `.stale` if the index is too far behind to know the objects.
  public func log(
    of query: SearchQuery, after number: Int64 = 0, author: String? = nil, limit: Int? = nil,
    isNewestFirst: Bool = false
  ) async throws -> ChangeLog {
    try await log(of: selection(query, author), after: StoreTokens(number), limit, isNewestFirst)
  }

  /// The transactions that changed objects, which may be deleted.
  ///
  /// - Parameters:
  ///   - ids: Identifiers of hits or objects, also as `Film/p12`.
  ///   - number: Only transactions after this one.
  ///   - author: Only transactions of this author; nil for all.
  ///   - limit: Maximum number of transactions; nil = all.
  ///   - isNewestFirst: Whether the newest transactions come first.
  /// - Throws: As `search`; `.usage` for a text that is not an identifier of this store.
  public func log(
    ofObjects ids: [String], after number: Int64 = 0, author: String? = nil, limit: Int? = nil,
    isNewestFirst: Bool = false
  ) async throws -> ChangeLog {
    try await searching { searcher in
      var request = SearchRequest(query: "*")
      request.isIndexOnly = true
      var selection = HitSelection(request)
      selection.author = author
      selection.records = try ids.map { id in
        if let record = try searcher.record(named: id) { return NamedRecord(store: nil, record: record) }
        throw FollowspotError(usage: "'\(id)' is not an identifier")
      }
      guard !selection.records.isEmpty else { throw FollowspotError(usage: "no identifier is given") }
      return try ChangeLog(of: selection, in: searcher, after: StoreTokens(number), limit, isNewestFirst)
    }
  }

  /// What the transactions of a range inserted, updated and deleted among the objects that match now and the deleted
  /// objects whose preserved values match. An object that was inserted and deleted is left out.
  ///
  /// - Parameters:
  ///   - query: It is neither widened nor corrected. Its order, page and contents do not matter.
  ///   - from: The range begins after this transaction.
  ///   - to: The last transaction of the range; nil for the newest.
  ///   - author: Only transactions of this author; nil for all.
  /// - Throws: As `search`; `.historyGone` if the history lacks transactions of the range.
  public func difference(
    of query: SearchQuery, from: Int64, to: Int64? = nil, author: String? = nil
  ) async throws -> ChangeSummary {
    try await difference(of: selection(query, author), from: StoreTokens(from), to: to.map(StoreTokens.init))
  }
}

extension StoreGroup {
  /// The transactions of all stores that changed the objects that match a query now, as `StoreIndex.log(of:)`.
  ///
  /// - Parameters:
  ///   - query: It is neither widened nor corrected. Its order, page and contents do not matter.
  ///   - tokens: Only transactions after these, by the names of their stores.
  ///   - author: Only transactions of this author; nil for all.
  ///   - limit: Maximum number of transactions; nil = all.
  ///   - isNewestFirst: Whether the newest transactions come first.
  /// - Throws: As `StoreIndex.log(of:)`; `.usage` for a name that no store of the group has.
  public func log(
    of query: SearchQuery, after tokens: [String: Int64] = [:], author: String? = nil, limit: Int? = nil,
    isNewestFirst: Bool = false
  ) async throws -> ChangeLog {
    try await log(of: selection(query, author), after: StoreTokens(tokens), limit, isNewestFirst)
  }

  /// What the transactions of all stores inserted, updated and deleted, as `StoreIndex.difference(of:)`.
  ///
  /// - Parameters:
  ///   - query: It is neither widened nor corrected. Its order, page and contents do not matter.
  ///   - from: The ranges begin after these transactions, by the names of their stores; others with the first one.
  ///   - to: The last transactions of the ranges, by the names of their stores; others end with the newest one.
  ///   - author: Only transactions of this author; nil for all.
  /// - Throws: As `StoreIndex.difference(of:)`; `.usage` for a name that no store of the group has.
  public func difference(
    of query: SearchQuery, from: [String: Int64] = [:], to: [String: Int64] = [:], author: String? = nil
  ) async throws -> ChangeSummary {
    try await difference(of: selection(query, author), from: StoreTokens(from), to: StoreTokens(to))
  }
}

extension SearchSource {
  /// An answer that lags could miss objects, so more changes than usual are covered.
  fileprivate func selection(_ query: SearchQuery, _ author: String?) throws -> HitSelection {
    var request = try query.request()
    request.mostLag = 0
    (request.overlayLimits.changes, request.overlayLimits.milliseconds) = (10_000, 60_000)
    var selection = HitSelection(request)
    selection.author = author
    return selection
  }

  fileprivate func log(
    of selection: HitSelection, after tokens: StoreTokens, _ limit: Int?, _ isNewestFirst: Bool
  ) async throws -> ChangeLog {
    try await searching { try ChangeLog(of: selection, in: $0, after: tokens, limit, isNewestFirst) }
  }

  fileprivate func difference(
    of selection: HitSelection, from: StoreTokens, to: StoreTokens?
  ) async throws -> ChangeSummary {
    try await searching {
      ChangeSummary(try HitDifference.read(selection, in: $0, from: from, to: to), $0.missing.reasons)
    }
  }
}

extension ChangeLog {
  fileprivate init(
    of selection: HitSelection, in search: any RecordSearch, after tokens: StoreTokens, _ limit: Int?,
    _ isNewestFirst: Bool
  ) throws {
    var log: HitLog?
    var found: [Transaction] = []
    try HitLog.read(selection, in: search, after: tokens, isReversed: isNewestFirst) {
      log = $0
    } _: { transaction in
      guard limit != 0 else { return false }
      found.append(Transaction(transaction))
      return found.count != limit
    }
    (transactions, objects, missingStores) = (found, log?.records ?? 0, search.missing.reasons)
    stores = (log?.stores ?? []).map { Store(name: $0.name, token: $0.token, missing: $0.missing) }
  }
}

extension ChangeLog.Transaction {
  fileprivate init(_ transaction: LoggedTransaction) {
    (store, number, author) = (transaction.store, transaction.number, transaction.author)
    date = Date(timeIntervalSince1970: transaction.secondsSince1970)
    changes = transaction.changes.map(ObjectChange.init)
  }
}

extension ChangeSummary {
  fileprivate init(_ difference: HitDifference, _ missing: [String: String]) {
    missingStores = missing
    ranges = difference.ranges.map { Range(store: $0.store, from: $0.from, to: $0.to) }
    changes = difference.changes.map {
      Change(
        store: $0.store, change: ObjectChange($0.change), transaction: $0.transaction, author: $0.author,
        transactions: $0.transactions)
    }
  }
}
