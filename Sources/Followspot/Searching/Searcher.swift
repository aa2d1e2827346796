internal import FoundationEssentials
internal import IndexDefinitions
package import PersistentStore
internal import SQLite
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

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

  /// Searches and joins each hit with its live row. The answer is as of the store's newest transaction, unless the
  /// index is too far behind.
  ///
  /// - Throws: `QueryError`; `FollowspotError.stale`; errors of store and index, `StoreError.replaced` where the store
  ///   was migrated meanwhile.
  package func search(_ request: SearchRequest) throws -> SearchResult {
    try atOneMoment(request) { view in
      var plan = try plan(request)
      plan.excluded += try hidden(view)
      var result = SearchResult(index: view.standing)
      result.notes = plan.notes + (view.note.map { [$0] } ?? [])
      let page = try run(plan, request)
      result.estimated = page.estimated
      result.isWidened = page.isWidened
      result.hits = try page.hits.compactMap { try join($0, view) }
      return result
    }
  }

  /// The exact number of matches. Never widened.
  package func count(_ request: SearchRequest) throws -> (count: Int, standing: IndexStanding, notes: [String]) {
    try atOneMoment(request) { view in
      var plan = try plan(request)
      if index.overlay != nil { plan.excluded += try hidden(view) }
      let documents = try index.reader.documentCount()
      let query = request.words == .any ? plan.any : plan.all
      let found = try index.reader.search(
        query, offset: 0, limit: 0, exactUpTo: documents, identitySlot: DocumentLayout.Slot.identity)
      return (found.matches, view.standing, plan.notes + (view.note.map { [$0] } ?? []))
    }
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

  /// Store and index at one moment, as an answer sees them.
  private struct View {
    var standing: IndexStanding
    /// What is to be said about it.
    var note: String?
    /// The rows of an overlay, or those that changed after the token; nil where that is not known.
    var changed: Set<RowIdentifier>? = []
  }

  /// How often an answer is begun anew because commits overtook it.
  private static let mostAttempts = 200

  /// Runs `body` while the index stays at one revision and the store at one transaction, none of them older than at
  /// the time of the call.
  private func atOneMoment<Answer>(_ request: SearchRequest, _ body: (View) throws -> Answer) throws -> Answer {
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(request.patience)
    var overtaken = 0
    while true {
      do {
        try index.refresh(layout: store.layout)
        let answer: Answer? = try store.withSnapshot {
          try store.refuseReplaced()
          let view = try view(request)
          // A purge may have taken what the index has read since it was opened.
          if !view.standing.isOfThisStore, overtaken == 0 { throw Self.overtaken }
          guard view.standing.answersAt >= request.atLeast ?? .min else { return nil }
          return try body(view)
        }
        if let answer { return answer }
        guard clock.now < deadline else {
          throw FollowspotError(
            .stale, "transaction \(request.atLeast ?? 0) is not there yet", hint: "followspot status tells what is")
        }
        usleep(5_000)
      } catch let error as IndexError {
        guard error.code == .changed, overtaken < Self.mostAttempts else { throw error }
        overtaken += 1
        usleep(UInt32(min(overtaken, 10)) * 500)
      }
    }
  }

  private static var overtaken: IndexError {
    IndexError(.changed, "the index changes faster than it can be searched", hint: "try again")
  }

  private func view(_ request: SearchRequest) throws -> View {
    let token = index.state.token?.number ?? 0
    let newest = try store.newest()
    var view = View(
      standing: IndexStanding(
        uuid: try index.uuid, generation: index.generation, token: token,
        lagTransactions: max(0, newest &- token), lagSeconds: 0, answersAt: token))
    let verdict = try index.state.verdict(in: store)
    guard verdict == .goOn else {
      index.searchAlone()
      view.standing.isOfThisStore = false
      view.changed = nil
      view.note = index.state.sentence(of: verdict) + "; run followspot index"
      return try checked(view, request)
    }
    guard newest > token else {
      index.searchAlone()
      return view
    }
    if let time = try store.timeOfFirstTransaction(after: token) {
      view.standing.lagSeconds = max(0, Date().timeIntervalSince1970 - time)
    }
    if !request.isIndexOnly, try index.bringUpToDate(with: store, newest: newest, limits: request.overlayLimits) {
      view.standing.answersAt = newest
      view.changed = index.overlay?.rows
      return view
    }
    index.searchAlone()
    view.changed = request.isIndexOnly ? [] : try index.changed(in: store)
    view.note = "\(view.standing.lagTransactions) transactions behind"
    return try checked(view, request)
  }

  /// Refuses an answer that is older than was asked for.
  private func checked(_ view: View, _ request: SearchRequest) throws -> View {
    guard let most = request.mostLag, !view.standing.isOfThisStore || view.standing.lagSeconds > most else {
      return view
    }
    throw FollowspotError(
      .stale, "the index is too old for this answer: \(view.note ?? "")",
      hint: "followspot index brings it up to date; followspot wait waits for a follower")
  }

  // MARK: Rows

  /// Rows that pages leave out beforehand, so that they stay full.
  private static let mostGone = 1_000

  /// What the answer leaves out: the documents that an overlay replaces; without one, those of rows that are known to
  /// be gone.
  private func hidden(_ view: View) throws -> [Query] {
    if let overlay = index.overlay { return overlay.hidden == .nothing ? [] : [overlay.hidden] }
    var terms: [Query] = []
    for row in (view.changed ?? []).sorted() where terms.count < Self.mostGone {
      guard let entity = store.layout.entity(number: row.entity), try !store.exists(entity, key: row.key) else {
        continue
      }
      terms.append(.term(index.state.definition.lookupTerm(entity: entity.entity.name, key: row.key)))
    }
    return terms
  }

  /// The hit with its row; nil where the row was deleted after the index's token.
  private func join(_ hit: Hits.Hit, _ view: View) throws -> Hit? {
    guard let (name, key) = DocumentLayout.parseIdentity(hit.identity),
      let entity = store.layout.entity(named: name), let values = try store.values(of: entity, key: key)
    else { return nil }
    let isChanged = view.changed?.contains(RowIdentifier(entity: entity.number, key: key)) ?? true
    let freshness: Hit.Freshness = !isChanged ? .indexed : index.overlay == nil ? .changed : .overlay
    return Hit(
      identifier: PersistentIdentifier(storeUUID: store.uuid, entityName: name, key: key), entity: entity,
      score: hit.score, freshness: freshness, values: values,
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
