// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// Compares rows with the stored members of a saved search. Each difference changes the members and adds an event.
struct SavedComparison {
  let state: SavedState
  let view: SearchView
  /// The token as of which the search was evaluated.
  let token: StoreToken
  /// The changes since the last evaluation; nil if they are not known.
  let changed: ChangeSet?
  /// Whether members change without events.
  var isSilent = false

  /// Compares rows in the order of their identifiers, which is that of their events.
  ///
  /// - Parameters:
  ///   - gone: Members whose entity the store does not have any more.
  ///   - matches: The rows that are in the result now.
  /// - Returns: Whether there was a difference.
  func compare(
    _ rows: some Sequence<RowIdentifier>, gone: [RecordURI] = [], matches: Set<RowIdentifier>
  ) throws -> Bool {
    var found = false
    for record in gone {
      let title = try state.member(record)?.title ?? ""
      try state.remove(record)
      try add(.leave, record, title, nil, nil)
      found = true
    }
    let named = rows.compactMap { row in view.store.layout.entity(number: row.entity).map { (row, $0) } }
    for (row, entity) in named.sorted(by: { ($0.1.entity.name, $0.0.key) < ($1.1.entity.name, $1.0.key) }) {
      try StopSignal.check()
      if try compare(row, entity, matches: matches.contains(row)) { found = true }
    }
    return found
  }

  private func compare(_ row: RowIdentifier, _ entity: EntityLayout, matches: Bool) throws -> Bool {
    let member = try state.member(RecordURI(storeUUID: nil, entityName: entity.entity.name, key: row.key))
    guard matches || member != nil else { return false }
    let values = try view.store.values(of: entity, key: row.key)
    let keyText = try view.store.identifier(of: row).keyText
    let record = RecordURI(
      storeUUID: nil, entityName: entity.entity.name, key: row.key,
      keyText: values == nil ? member?.keyText ?? keyText : keyText)
    var json = JSONWriter()
    if let values { json.object { $0.members(values, of: entity) } }
    let digest = matches && values != nil ? Int64(truncatingIfNeeded: ContentDigest(of: json.bytes).value) : nil
    guard let change = ResultChange(from: member?.digest, to: digest, isSame: ==) else { return false }
    let title = values.map { view.title(of: $0, entity, key: row.key) } ?? member?.title ?? ""
    if let digest {
      try state.put(record, SavedState.Member(digest: digest, title: title, keyText: record.keyText))
    } else {
      try state.remove(record)
    }
    let author = changed?.records[row]?.lastOrigin?.author
    try add(change, record, title, author, values == nil ? nil : json.text)
    return true
  }

  private func add(
    _ kind: ResultChange, _ record: RecordURI, _ title: String, _ author: String?, _ fields: String?
  ) throws {
    guard !isSilent else { return }
    let whole = RecordURI(
      storeUUID: token.storeUUID, entityName: record.entityName, key: record.key, keyText: record.keyText)
    try state.add(kind, of: whole, token: token.number, title: title, author: author, fields: fields)
  }
}
