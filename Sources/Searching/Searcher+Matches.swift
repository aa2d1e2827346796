// SPDX-License-Identifier: MIT

internal import Importing
internal import Indexing
internal import PersistentStore
internal import SearchIndex

extension Searcher {
  /// Gives all matches of a query to a visitor, each with the values of some fields.
  ///
  /// The values come from the slots of the documents if those are as new as the rows. Fields without slots, and fields
  /// whose slots do not hold every value, are read from the rows.
  ///
  /// - Throws: `OperationError.usage` if a replica does not store the values that would be read from the rows.
  func eachMatch(
    of query: Query, _ readers: [FieldReader], _ snapshot: Snapshot, _ visitor: some MatchVisitor
  ) throws {
    guard readsSlots, hasCurrentDocuments(snapshot) else {
      return try eachRow(of: query, readers, readers.map { _ in nil }, visitor)
    }
    let slots = readers.map { $0.slot(in: index.fields) }
    let whole = try slots.map { slot in
      try slot?.exceptions.map { try index.reader.frequency(of: $0) == 0 } ?? true ? slot : nil
    }
    let exceptions = zip(slots, whole).compactMap { $1 == nil ? $0?.exceptions : nil }.map(Query.term)
    guard !exceptions.isEmpty else { return try eachSlot(of: query, readers, slots, visitor) }
    try eachSlot(of: .andNot(query, .or(exceptions)), readers, slots, visitor)
    try eachRow(of: .filter(query, by: .or(exceptions)), readers, whole, visitor)
  }

  /// Whether every match has the values of its row in the snapshot.
  private func hasCurrentDocuments(_ snapshot: Snapshot) -> Bool {
    // An index without the store has nothing newer than its documents.
    storeless != nil
      || snapshot.indexStatus.isOfThisStore && snapshot.isWhole && !index.hasGrown && rows.deletions == nil
        && (index.overlay != nil || snapshot.indexStatus.lagTransactions == 0)
  }

  /// Gives matches whose values are all in slots while the index is read; others by `eachRow`.
  private func eachSlot(
    of query: Query, _ readers: [FieldReader], _ slots: [FieldSlot?], _ visitor: some MatchVisitor
  ) throws {
    guard !slots.contains(where: { $0 == nil }) else { return try eachRow(of: query, readers, slots, visitor) }
    let state = SlotState(slots.compactMap(\.self))
    // The identity comes last, so that the value of each field has the field's index.
    let readsIdentities = visitor.readsIdentities
    let numbers = state.slots.map(\.number) + (readsIdentities ? [DocumentLayout.Slot.identity] : [])
    try index.reader.eachMatch(query, slots: numbers) { values in
      visitor.begin(readsIdentities ? values[state.slots.count] : UnsafeRawBufferPointer(start: nil, count: 0))
      for field in state.slots.indices {
        state.slots[field].eachValue(in: values[field], to: visitor, field: field)
      }
      visitor.end()
      return true
    }
  }

  /// Gives matches in the order of their rows, and reads the fields without a slot from the rows.
  private func eachRow(
    of query: Query, _ readers: [FieldReader], _ slots: [FieldSlot?], _ visitor: some MatchVisitor
  ) throws {
    let matches = try matches(of: query, slots: slots.compactMap { $0?.number })
    guard !matches.isEmpty else { return }
    for (reader, slot) in zip(readers, slots) where slot == nil { try refuseUnstored(reader) }
    var slots = slots
    for match in matches.sorted(by: { $0.row < $1.row }) {
      match.identity.withUnsafeBytes { visitor.begin($0) }
      var content = match.slots.makeIterator()
      for (field, reader) in readers.enumerated() {
        if slots[field] == nil {
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
