internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// What was saved after an index's token, lying over the index as documents in memory, so that an answer is as of the
/// store's newest transaction.
///
/// The documents of all rows that changed, and of the owners of changed related rows, are hidden; those that are still
/// there are made anew. Everything that is searched, counted or sorted runs on both together.
package struct Overlay {
  /// How much is made up for; beyond, an answer is as of the index's token and says so.
  package struct Limits: Sendable {
    package var changes = 2_000
    /// Of the thread's own processor time, so that a busy machine does not make answers old.
    package var milliseconds = 100

    package init() {}
  }

  /// The index and the documents over it.
  let reader: IndexReader
  /// The rows whose documents are hidden or made anew.
  let rows: Set<RowIdentifier>
  /// What no hit may be: the hidden documents.
  let hidden: Query
  /// Whether the answer is as of the store's newest transaction in every field.
  var isWhole = true

  /// The overlay of what came after the index's token; nil where that is more than the limits allow. Call it inside a
  /// snapshot of the store.
  ///
  /// - Parameter others: Rows to map anew though no transaction after the token changed them.
  init?(
    over reader: IndexReader, token: Int64, including others: Set<RowIdentifier> = [], store: PersistentStore,
    mapper: DocumentMapper, limits: Limits
  ) throws {
    guard try !store.hasMoreChanges(than: limits.changes, after: token) else { return nil }
    let started = Self.processorTime
    let changed = try store.changedRows(after: token).union(others)
    let rows = try RelatedOwners(store: store, mapper: mapper).including(changed, in: reader)
    guard rows.count <= limits.changes else { return nil }
    var hidden: [Query] = []
    var documents: [Document] = []
    for row in rows.sorted() {
      guard Self.processorTime - started <= limits.milliseconds else { return nil }
      guard let plan = mapper.plan(ofEntity: row.entity) else { continue }
      hidden.append(.term(mapper.definition.lookupTerm(entity: plan.entity.entity.name, key: row.key)))
      try store.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { found in
        guard let found else { return }
        var document = try mapper.map(found, plan, from: store).document
        document.addTerm(DocumentLayout.overlayTerm)
        documents.append(document)
      }
    }
    self.rows = rows
    self.hidden = hidden.isEmpty ? .nothing : .andNot(.or(hidden), .term(DocumentLayout.overlayTerm))
    self.reader = try reader.joined(with: documents, stemmer: mapper.definition.language)
  }

  /// Milliseconds that this thread has worked.
  static var processorTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
  }
}
