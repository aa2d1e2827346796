// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// Documents in memory of the changes after the token of an index. Searched together, both answer as of the newest
/// transaction of the store.
///
/// The indexed documents of all changed rows, and of the owners of changed related rows, are replaced. Rows that still
/// exist get new documents. Searching, counting and sorting run on both together.
struct Overlay {
  /// The index and the documents of the overlay.
  let reader: IndexReader
  /// The rows whose indexed documents are replaced.
  let rows: Set<RowIdentifier>
  /// Finds the replaced documents, which must not be hits.
  let replaced: Query
  /// Whether the answer is as of the store's newest transaction in every field.
  var isWhole = true

  /// Maps the changes after the index's token; nil if they exceed the limits. Call it in a snapshot of the store.
  ///
  /// - Parameter others: Rows to map again although no transaction after the token changed them.
  init?(
    over reader: IndexReader, token: Int64, including others: Set<RowIdentifier> = [], store: PersistentStore,
    mapper: DocumentMapper, limits: ChangeLimits
  ) throws {
    guard try !store.hasMoreChanges(than: limits.changes, after: token) else { return nil }
    let started = ProcessorTime.ofThread
    let changed = try store.changedRows(after: token).union(others)
    let rows = try RelatedOwners(store: store, mapper: mapper).including(changed, in: reader)
    guard rows.count <= limits.changes else { return nil }
    try self.init(
      over: reader, rows: rows, store: store, mapper: mapper, milliseconds: limits.milliseconds, since: started)
  }

  /// Maps rows as they are in the store now.
  ///
  /// - Parameters:
  ///   - milliseconds: The processor time that it may take.
  ///   - started: The processor time of this thread at which that time begins.
  /// - Returns: nil if it takes longer.
  init?(
    over reader: IndexReader, rows: Set<RowIdentifier>, store: PersistentStore, mapper: DocumentMapper,
    milliseconds: Int = .max, since started: Int = ProcessorTime.ofThread
  ) throws {
    var replaced: [Query] = []
    var documents: [Document] = []
    for row in rows.sorted() {
      try StopSignal.check()
      guard ProcessorTime.ofThread - started <= milliseconds else { return nil }
      guard let plan = mapper.plan(ofEntity: row.entity) else { continue }
      replaced.append(.term(mapper.definition.lookupTerm(entity: plan.entity.entity.name, key: row.key)))
      try store.withRow(of: plan.entity, key: row.key, attributes: plan.attributes) { found in
        guard let found else { return }
        var document = try mapper.map(found, plan, from: store).document
        document.addTerm(DocumentLayout.overlayTerm)
        documents.append(document)
      }
    }
    self.rows = rows
    self.replaced = replaced.isEmpty ? .nothing : .andNot(.or(replaced), .term(DocumentLayout.overlayTerm))
    self.reader = try reader.overlaid(with: documents, stemmer: mapper.definition.language)
  }

  /// Documents that the index is searched with, beside its own.
  init(of documents: [Document], over reader: IndexReader, stemmer: String) throws {
    (rows, replaced) = ([], .nothing)
    self.reader = try reader.overlaid(with: documents, stemmer: stemmer)
  }

  /// Maps the preserved values of deleted records. They are searched instead of the index, whose documents are all replaced.
  init(
    over reader: IndexReader, deleted deletions: [StoredDeletion], store: PersistentStore, mapper: DocumentMapper
  ) throws {
    var documents: [Document] = []
    for deletion in deletions {
      guard let plan = mapper.plan(ofEntity: deletion.row.entity) else { continue }
      try store.withTombstone(deletion, of: plan.entity, attributes: plan.attributes) { row in
        guard let row else { return }
        var document = try mapper.map(row, plan, from: nil).document
        document.addTerm(DocumentLayout.overlayTerm)
        document.setNumber(slot: DocumentLayout.Slot.deletion, SortableNumber(deletion.transaction))
        documents.append(document)
      }
    }
    self.reader = try reader.overlaid(with: documents, stemmer: mapper.definition.language)
    rows = []
    replaced = .andNot(.everything, .term(DocumentLayout.overlayTerm))
  }
}
