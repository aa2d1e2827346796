// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Reads the values of some fields of all matches of a query.
struct MatchReader {
  let readers: [FieldReader]
  private let view: SearchView
  private let readsSlots: Bool

  /// - Parameter readsSlots: Whether values may be read from the slots of documents. Otherwise they are read from rows.
  init(_ readers: [FieldReader], _ view: SearchView, readsSlots: Bool) {
    (self.readers, self.view, self.readsSlots) = (readers, view, readsSlots)
  }

  /// Gives all matches of a query to a visitor, each with the values of the fields.
  ///
  /// The values come from the slots of the documents if those are as new as the rows. Fields without slots, and fields
  /// whose slots do not hold every value, are read from the rows.
  ///
  /// - Throws: `OperationError.usage` if a replica does not have the values that would be read from the rows.
  func eachMatch(of query: Query, _ visitor: some MatchVisitor) throws {
    guard readsSlots, hasCurrentDocuments else { return try eachRow(of: query, readers.map { _ in nil }, visitor) }
    let slots = readers.map { $0.slot(in: view.fields) }
    let whole = try slots.map { slot in
      try slot?.exceptions.map { try view.reader.frequency(of: $0) == 0 } ?? true ? slot : nil
    }
    let exceptions = zip(slots, whole).compactMap { $1 == nil ? $0?.exceptions : nil }.map(Query.term)
    guard !exceptions.isEmpty else { return try eachSlot(of: query, slots, visitor) }
    try eachSlot(of: .andNot(query, .or(exceptions)), slots, visitor)
    try eachRow(of: .filter(query, by: .or(exceptions)), whole, visitor)
  }

  /// Whether every match has the values of its row in the snapshot.
  private var hasCurrentDocuments: Bool {
    let (rows, freshness) = (view.rows, view.freshness)
    // An index without the store has nothing newer than its documents.
    return rows.stored != nil
      || freshness.status.isOfThisStore && freshness.isWhole && !view.index.hasGrown && rows.deletions == nil
        && (view.hasOverlay || freshness.status.lagTransactions == 0)
  }

  /// Gives matches whose values are all in slots while the index is read; others by `eachRow`.
  private func eachSlot(of query: Query, _ slots: [FieldSlot?], _ visitor: some MatchVisitor) throws {
    guard !slots.contains(where: { $0 == nil }) else { return try eachRow(of: query, slots, visitor) }
    let state = SlotState(slots.compactMap(\.self))
    // The identity comes last, so that the value of each field has the field's index.
    let readsIdentities = visitor.readsIdentities
    let numbers = state.slots.map(\.number) + (readsIdentities ? [DocumentLayout.Slot.identity] : [])
    try view.reader.eachMatch(query, slots: numbers) { values in
      visitor.begin(readsIdentities ? values[state.slots.count] : UnsafeRawBufferPointer(start: nil, count: 0))
      for field in state.slots.indices {
        state.slots[field].eachValue(in: values[field], to: visitor, field: field)
      }
      visitor.end()
      return true
    }
  }

  /// Gives matches in the order of their rows, and reads the fields without a slot from the rows.
  private func eachRow(of query: Query, _ slots: [FieldSlot?], _ visitor: some MatchVisitor) throws {
    let matches = try view.matches(of: query, slots: slots.compactMap { $0?.number })
    guard !matches.isEmpty else { return }
    for (reader, slot) in zip(readers, slots) where slot == nil { try reader.refuseUnstored(in: view) }
    var slots = slots
    for match in matches.sorted(by: { $0.row < $1.row }) {
      match.identity.withUnsafeBytes { visitor.begin($0) }
      var content = match.slots.makeIterator()
      for (field, reader) in readers.enumerated() {
        if slots[field] == nil {
          guard try reader.isReadable(match.row) else { throw reader.refusal(in: view) }
          for value in try reader.values(of: match.row) { visitor.add(value, field: field) }
        } else {
          content.next()?.withUnsafeBytes { slots[field]?.eachValue(in: $0, to: visitor, field: field) }
        }
      }
      visitor.end()
    }
  }
}

private final class SlotState {
  var slots: [FieldSlot]
  init(_ slots: [FieldSlot]) { self.slots = slots }
}
