// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// Searches deleted records by their tombstones: the values that the history preserves of them.
///
/// The tombstones become documents in memory, by the definition of the index. A condition on a value that is not
/// preserved does not match, as for a record without this value.
struct TombstoneSearch {
  /// Documents in memory at once.
  private static let mostDocuments = 10_000
  /// The same by their size in bytes.
  private static let mostBytes = 64 << 20

  private let request: SearchRequest
  private let view: SearchView

  init(_ request: SearchRequest, _ view: SearchView) { (self.request, self.view) = (request.asWritten, view) }

  /// The records that were deleted after a transaction, do not exist now, and match. Call it in a snapshot.
  func matches(after number: Int64) throws -> Set<RowIdentifier> {
    let (mapper, store) = (try view.mapper, view.store)
    var found: Set<RowIdentifier> = []
    var documents: [Document] = []
    var bytes = 0
    func search() throws {
      guard !documents.isEmpty else { return }
      let view = try view.with(documents)
      var plan = try QueryCompiler(request, view).plan()
      plan.required.append(.term(DocumentLayout.tombstoneTerm))
      found.formUnion(try view.matches(of: request.words == .any ? plan.any : plan.all).map(\.row))
      documents.removeAll(keepingCapacity: true)
      bytes = 0
    }
    for plan in mapper.plans {
      try store.deletedRows(of: plan.entity, attributes: plan.attributes, after: number) { row in
        try StopSignal.check()
        guard try !store.exists(plan.entity, key: row.key) else { return }
        var document = try mapper.map(row, plan, from: store).document
        // Two deleted records may have had the same unique value.
        document.setUniqueTerm(DocumentLayout.uniqueTerm(entity: plan.entity.entity.name, key: row.key))
        document.addTerm(document.uniqueTerm)
        document.addTerm(DocumentLayout.tombstoneTerm)
        documents.append(document)
        bytes += document.size
        if documents.count >= Self.mostDocuments || bytes > Self.mostBytes { try search() }
      }
    }
    try search()
    return found
  }
}
