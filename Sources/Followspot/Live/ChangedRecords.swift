// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// Records that were saved between two moments, and the terms by which they can be found now.
///
/// The answer to a query can only have changed if it shows one of the records, or if one of them has a term of the query. Two
/// differences are not noticed by this: that a record that was not shown does not match any more, and that the order of others
/// changed because words became more or less frequent.
struct ChangedRecords {
  struct Record: Hashable {
    let entity: String
    let key: Int64

    init(entity: String, key: Int64) { (self.entity, self.key) = (entity, key) }
    init(_ hit: Hit) { (entity, key) = (hit.identifier.entityName, hit.identifier.key) }
  }

  private var records: Set<Record> = []
  private var terms: Set<[UInt8]> = []

  /// Maximum number of changes that are told apart.
  static let most = 200

  init() {}

  fileprivate init(_ overlay: Overlay, in layout: StoreLayout) throws {
    records = Set(
      overlay.rows.compactMap { row in
        layout.entity(number: row.entity).map { Record(entity: $0.entity.name, key: row.key) }
      })
    terms = try overlay.reader.overlayTerms()
  }

  func union(_ other: ChangedRecords) -> ChangedRecords {
    var all = self
    all.records.formUnion(other.records)
    all.terms.formUnion(other.terms)
    return all
  }

  /// Whether one of the records is among others, or has one of some terms.
  func touch(_ others: Set<Record>, _ terms: Set<[UInt8]>) -> Bool {
    !terms.isDisjoint(with: self.terms) || !records.isDisjoint(with: others)
  }
}

extension Searcher {
  /// The records that changed after a transaction, or contain text of one that did, and the newest transaction.
  ///
  /// - Parameter token: nil if it is not known.
  /// - Returns: No changes if they are not known, or if they are many.
  func changes(after token: StoreToken?) throws -> (changes: ChangedRecords?, newest: StoreToken?) {
    try withTokenView { view, verdict in
      let store = view.store
      guard store.tracking.hasHistory, verdict == .valid else { return (nil, nil) }
      let newest = try store.token()
      guard let token, try store.verdict(on: token) == .valid,
        try !store.hasMoreChanges(than: ChangedRecords.most, after: token.number)
      else { return (nil, newest) }
      let mapper = try view.mapper
      let rows = try RelatedOwners(store: store, mapper: mapper)
        .including(store.changedRows(after: token.number), in: view.reader)
      guard rows.count <= ChangedRecords.most,
        let overlay = try Overlay(over: view.reader, rows: rows, store: store, mapper: mapper)
      else { return (nil, newest) }
      return (try ChangedRecords(overlay, in: store.layout), newest)
    }
  }

  /// Terms of which every match of a request has at least one, whether it is taken as written or corrected; nil if there are
  /// none.
  func requiredTerms(of request: SearchRequest) throws -> Set<[UInt8]>? {
    try withView(request) { view in
      let parsed = try view.searched.parse(request)
      guard parsed.root.hasFixedTerms, !view.searched.usesHistory(parsed),
        !parsed.root.words.contains(where: { view.mayBeKey($0) })
      else { return nil }
      var plans = [try QueryCompiler(request, view).plan()]
      if plans[0].corrected != nil { plans.append(try QueryCompiler(request.asWritten, view).plan()) }
      return try plans.flatMap { [$0.all, $0.any] }.reduce([]) { terms, query in
        guard let terms, let others = try query.requiredTerms(view.reader.frequency) else { return nil }
        return terms.union(others)
      }
    }
  }
}

extension QueryNode {
  /// Whether words that are not in the index yet cannot be found by terms that are not known yet.
  fileprivate var hasFixedTerms: Bool {
    switch self {
    case .word, .near, .range, .everything: true
    case .prefix, .pattern: false
    case .phrase(let text), .field(_, let text, _, _): !text.contains("*")
    case .and(let nodes), .or(let nodes): nodes.allSatisfy(\.hasFixedTerms)
    case .not(let node): node.hasFixedTerms
    }
  }
}

extension SearchView {
  /// Whether a word may name a record by its key, which may not exist yet.
  fileprivate func mayBeKey(_ word: String) -> Bool {
    store.isOrdinaryDatabase ? word.contains(where: \.isNumber) : Int64(word) != nil
  }
}
