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
    let selection = try selection(query, author)
    return try await searching { try Self.log(selection, in: $0, number, limit, isNewestFirst) }
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
      return try Self.log(selection, in: searcher, number, limit, isNewestFirst)
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
    let selection = try selection(query, author)
    return try await searching { searcher in
      ChangeSummary(
        try HitDifference.read(selection, in: searcher, from: StoreTokens(from), to: to.map(StoreTokens.init)))
    }
  }

  /// An answer that lags could miss objects, so more changes than usual are covered.
  private func selection(_ query: SearchQuery, _ author: String?) throws -> HitSelection {
    var request = try query.request()
    request.mostLag = 0
    (request.overlayLimits.changes, request.overlayLimits.milliseconds) = (10_000, 60_000)
    var selection = HitSelection(request)
    selection.author = author
    return selection
  }

  private static func log(
    _ selection: HitSelection, in searcher: Searcher, _ number: Int64, _ limit: Int?, _ isNewestFirst: Bool
  ) throws -> ChangeLog {
    var log: HitLog?
    var transactions: [ChangeLog.Transaction] = []
    try HitLog.read(selection, in: searcher, after: StoreTokens(number), isReversed: isNewestFirst) {
      log = $0
    } _: { transaction in
      guard limit != 0 else { return false }
      transactions.append(ChangeLog.Transaction(transaction))
      return transactions.count != limit
    }
    return ChangeLog(
      transactions: transactions, objects: log?.records ?? 0, token: log?.stores.first?.token ?? 0,
      missing: log?.stores.first?.missing ?? [])
  }
}

extension ChangeLog.Transaction {
  fileprivate init(_ transaction: LoggedTransaction) {
    (number, author) = (transaction.number, transaction.author)
    date = Date(timeIntervalSince1970: transaction.secondsSince1970)
    changes = transaction.changes.map(ObjectChange.init)
  }
}

extension ChangeSummary {
  fileprivate init(_ difference: HitDifference) {
    (from, to) = (difference.ranges.first?.from ?? 0, difference.ranges.first?.to ?? 0)
    changes = difference.changes.map {
      Change(
        change: ObjectChange($0.change), transaction: $0.transaction, author: $0.author, transactions: $0.transactions)
    }
  }
}
