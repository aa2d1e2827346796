internal import PersistentStore
internal import SearchIndex

/// Receives the matches of a query, in no particular order, with the values of some fields.
protocol MatchVisitor: AnyObject {
  /// - Parameter identity: The identity of the document, valid during the call only.
  func begin(_ identity: UnsafeRawBufferPointer)
  /// - Parameter field: The index of the field in the request.
  func add(_ value: FieldReader.FieldValue, field: Int)
  func end()
}

extension Searcher {
  /// Gives all matches of a query to a visitor, each with the values of some fields.
  ///
  /// The values come from the slots of the documents if those are as new as the rows. Otherwise, and for the documents
  /// whose slots do not hold every value, they come from the rows.
  func eachMatch(
    of query: Query, _ readers: [FieldReader], _ snapshot: Snapshot, _ visitor: some MatchVisitor
  ) throws {
    let slots = readers.map { $0.slot(in: index.fields) }
    guard readsSlots, hasCurrentDocuments(snapshot), !slots.contains(where: { $0 == nil }) else {
      return try eachRow(of: query, readers, visitor)
    }
    let exceptions = try slots.compactMap { $0?.exceptions }.filter { try index.reader.frequency(of: $0) > 0 }
    if exceptions.isEmpty { return try eachSlot(of: query, slots.compactMap(\.self), visitor) }
    let read = Query.or(exceptions.map(Query.term))
    try eachSlot(of: .andNot(query, read), slots.compactMap(\.self), visitor)
    try eachRow(of: .filter(query, by: read), readers, visitor)
  }

  /// Whether every match has the values of its row in the snapshot.
  private func hasCurrentDocuments(_ snapshot: Snapshot) -> Bool {
    // A replica without the store has nothing newer than its documents.
    isReplica
      || snapshot.indexStatus.isOfThisStore && snapshot.isWhole && !index.hasGrown && rows.deletions == nil
        && (index.overlay != nil || snapshot.indexStatus.lagTransactions == 0)
  }

  private func eachSlot(of query: Query, _ slots: [FieldSlot], _ visitor: some MatchVisitor) throws {
    let state = SlotState(slots)
    try index.reader.eachMatch(query, slots: [DocumentLayout.Slot.identity] + slots.map(\.number)) { values in
      visitor.begin(values[0])
      for field in state.slots.indices {
        state.slots[field].eachValue(in: values[field + 1]) { visitor.add($0, field: field) }
      }
      visitor.end()
      return true
    }
  }

  private func eachRow(of query: Query, _ readers: [FieldReader], _ visitor: some MatchVisitor) throws {
    for (row, identity) in try matches(of: query).sorted(by: { $0.row < $1.row }) {
      identity.withUnsafeBytes { visitor.begin($0) }
      for (field, reader) in readers.enumerated() {
        for value in try reader.values(of: row) { visitor.add(value, field: field) }
      }
      visitor.end()
    }
  }
}

private final class SlotState {
  var slots: [FieldSlot]
  init(_ slots: [FieldSlot]) { self.slots = slots }
}
