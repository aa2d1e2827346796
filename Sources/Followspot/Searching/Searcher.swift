internal import FoundationEssentials
internal import IndexDefinitions
package import PersistentStore
package import SQLite
package import SearchIndex

/// What to search for, and how much of it.
package struct SearchRequest: Sendable {
  package enum Words: Sendable {
    /// All words, widened to any where that finds too little.
    case widening
    case all
    case any
  }

  package var query: String
  package var words = Words.widening
  /// Takes the text as words only.
  package var isLiteral = false
  package var kinds: [String] = []
  package var offset = 0
  /// Hits at most; nil for all.
  package var limit: Int? = 20

  package init(query: String) { self.query = query }
}

/// One hit, joined with its live row.
package struct Hit: Sendable {
  package enum Freshness: String, Sendable {
    case indexed
    /// The row was changed after the transaction that the index has reached.
    case changed
  }

  package let identifier: PersistentIdentifier
  package let entity: EntityLayout
  package let score: Double
  package let freshness: Freshness
  /// By attribute index, as the row is now.
  package let values: [Value]
  package let title: String
}

package struct SearchResult: Sendable {
  package var hits: [Hit] = []
  /// Documents that match what was run.
  package var estimated = 0
  package var isWidened = false
  /// For people: what was done beside the ordinary.
  package var notes: [String] = []
  package var index: IndexStanding
}

/// How far the index that answered has read.
package struct IndexStanding: Sendable {
  package var uuid: String
  package var generation: Int
  package var token: Int64
  package var lagTransactions: Int64
  package var lagSeconds: Double
  /// Whether the token lies in the store's own past; else the answer may be about other rows.
  package var isOfThisStore = true
}

/// Answers queries from an index and its store. Not thread-safe.
package final class Searcher {
  private let store: PersistentStore
  private let index: OpenIndex

  /// Matches up to which their number is exact.
  private static let exactUpTo = 10_000
  /// Fewer full matches than this are widened.
  private static let fewMatches = 5
  /// More plain words than this are always widened.
  private static let fewWords = 4

  /// - Throws: Errors of the store; `IndexError.missing`, `.corrupt`, `.foreign`.
  package init(storePath: String, directory: IndexDirectory) throws {
    store = try PersistentStore.open(storePath)
    index = try OpenIndex(directory: directory, layout: store.layout)
  }

  package var entities: [EntityLayout] { store.layout.entities }

  /// Whether another file lies at the store's path than the one that is open.
  var isOutdated: Bool { store.isReplaced }

  /// Searches and joins each hit with its live row.
  ///
  /// - Throws: `QueryError`; errors of store and index, `StoreError.replaced` where the store was migrated meanwhile.
  package func search(_ request: SearchRequest) throws -> SearchResult {
    try index.refresh(layout: store.layout)
    var plan = try plan(request)
    return try store.withSnapshot {
      try store.refuseReplaced()
      let (standing, changed, note) = try self.standing()
      plan.excluded += try gone(changed)
      var result = SearchResult(index: standing)
      result.notes = plan.notes + (note.map { [$0] } ?? [])
      let page = try run(plan, request)
      result.estimated = page.estimated
      result.isWidened = page.isWidened
      result.hits = try page.hits.compactMap { try join($0, changed: changed) }
      return result
    }
  }

  /// The exact number of matches, at the index's token. Never widened.
  package func count(_ request: SearchRequest) throws -> (count: Int, standing: IndexStanding, notes: [String]) {
    try index.refresh(layout: store.layout)
    let plan = try plan(request)
    let documents = try index.reader.documentCount()
    let query = request.words == .any ? plan.any : plan.all
    let found = try index.reader.search(
      query, offset: 0, limit: 0, exactUpTo: documents, identitySlot: DocumentLayout.Slot.identity)
    let (standing, _, note) = try store.withSnapshot { try self.standing() }
    return (found.matches, standing, plan.notes + (note.map { [$0] } ?? []))
  }

  // MARK: Query

  private func plan(_ request: SearchRequest) throws -> QueryCompiler.Plan {
    let parsed =
      request.isLiteral ? try QueryParser.literal(request.query) : try QueryParser.parse(request.query)
    var compiler = try QueryCompiler(query: request.query, parsed: parsed, index: index)
    var plan = try compiler.plan(parsed)
    if !request.kinds.isEmpty { plan.required.append(Query.or(try request.kinds.map { try kindTerm($0) })) }
    return plan
  }

  private func kindTerm(_ kind: String) throws -> Query {
    let known = index.state.definition.entities.keys.sorted()
    guard let name = known.first(where: { $0.lowercased() == kind.lowercased() }) else {
      throw FollowspotError(.usage, "no kind is named '\(kind)'", hint: "there is \(known.joined(separator: ", "))")
    }
    return .term(DocumentLayout.entityTerm(name))
  }

  private func run(
    _ plan: QueryCompiler.Plan, _ request: SearchRequest
  ) throws -> (hits: [Hits.Hit], estimated: Int, isWidened: Bool) {
    let documents = try index.reader.documentCount()
    let limit = request.limit ?? documents
    func page(_ query: Query, _ offset: Int, _ limit: Int) throws -> Hits {
      try index.reader.search(
        query, offset: offset, limit: limit, exactUpTo: max(Self.exactUpTo, request.limit == nil ? documents : 0),
        identitySlot: DocumentLayout.Slot.identity)
    }
    if request.words == .any {
      let found = try page(plan.any, request.offset, limit)
      return (found.hits, found.matches, false)
    }
    let full = try page(plan.all, request.offset, limit)
    let few = min(request.limit ?? .max, Self.fewMatches)
    let mayWiden = request.words == .widening && !plan.isExplicit && plan.words.count > 1
    guard mayWiden, full.matches < few || plan.plainWords > Self.fewWords else {
      return (full.hits, full.matches, false)
    }
    // The full matches come first, then what has any of the words.
    let rest = Query.andNot(plan.any, plan.all)
    let exact = try index.reader.search(
      plan.all, offset: 0, limit: 0, exactUpTo: documents, identitySlot: DocumentLayout.Slot.identity
    ).matches
    let others = try page(rest, max(0, request.offset - exact), limit - full.hits.count)
    return (full.hits + others.hits, exact + others.matches, true)
  }

  // MARK: Standing

  /// How far the index has read, the rows changed since (nil where that is not known), and what is to be said about
  /// it. Inside a snapshot.
  private func standing() throws -> (IndexStanding, changed: Set<RowIdentifier>?, note: String?) {
    let token = index.state.token
    let newest = try store.newest()
    let number = token?.number ?? 0
    var standing = IndexStanding(
      uuid: try index.reader.uuid(), generation: index.generation, token: number,
      lagTransactions: max(0, newest &- number), lagSeconds: 0)
    let verdict = try index.state.verdict(in: store)
    guard verdict == .goOn else {
      standing.isOfThisStore = false
      return (standing, nil, index.state.sentence(of: verdict) + "; run followspot index")
    }
    guard newest > number else { return (standing, [], nil) }
    if let time = try store.timeOfFirstTransaction(after: number) {
      standing.lagSeconds = max(0, Date().timeIntervalSince1970 - time)
    }
    return (standing, try changed(after: number), "\(standing.lagTransactions) transactions behind")
  }

  /// The rows that changed, and those whose documents hold text of them.
  private func changed(after number: Int64) throws -> Set<RowIdentifier> {
    let rows = try store.changedRows(after: number)
    let mapper = try DocumentMapper(definition: index.state.definition, layout: store.layout)
    return try RelatedOwners(store: store, mapper: mapper).including(rows, in: index.reader)
  }

  // MARK: Rows

  /// Rows that pages leave out beforehand, so that they stay full.
  private static let mostGone = 1_000

  /// The documents of rows that were deleted after the token.
  private func gone(_ changed: Set<RowIdentifier>?) throws -> [Query] {
    var terms: [Query] = []
    for row in (changed ?? []).sorted() where terms.count < Self.mostGone {
      guard let entity = store.layout.entity(number: row.entity), try !store.exists(entity, key: row.key) else {
        continue
      }
      terms.append(.term(index.state.definition.lookupTerm(entity: entity.entity.name, key: row.key)))
    }
    return terms
  }

  /// The hit with its row; nil where the row was deleted after the index's token.
  private func join(_ hit: Hits.Hit, changed: Set<RowIdentifier>?) throws -> Hit? {
    guard let (name, key) = DocumentLayout.parseIdentity(hit.identity),
      let entity = store.layout.entity(named: name), let values = try store.values(of: entity, key: key)
    else { return nil }
    let isChanged = changed?.contains(RowIdentifier(entity: entity.number, key: key)) ?? true
    return Hit(
      identifier: PersistentIdentifier(storeUUID: store.uuid, entityName: name, key: key), entity: entity,
      score: hit.score, freshness: isChanged ? .changed : .indexed, values: values,
      title: title(of: values, entity))
  }

  private func title(of values: [Value], _ entity: EntityLayout) -> String {
    let definition = index.state.definition.entities[entity.entity.name]
    let field = definition?.title.flatMap { title in definition?.fields.first { $0.name == title } }
    guard let attribute = field.flatMap({ entity.entity.index(of: $0.path) }) ?? firstText(entity) else { return "" }
    return ValueText.plain(values[attribute], as: entity.entity.attributes[attribute].type)
  }

  private func firstText(_ entity: EntityLayout) -> Int? {
    for case .attribute(let index) in entity.bitmapOrder where entity.entity.attributes[index].type == .string {
      return index
    }
    return nil
  }
}
