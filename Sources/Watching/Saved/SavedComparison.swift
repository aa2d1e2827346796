// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import SearchIndex
internal import Searching

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
      try leave(record, title: state.member(record)?.title ?? "", author: nil, fields: nil)
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
    let unnamed = RecordURI(storeUUID: nil, entityName: entity.entity.name, key: row.key)
    let member = try state.member(unnamed)
    guard matches || member != nil else { return false }
    guard let values = try view.store.values(of: entity, key: row.key) else {
      let keyText = try member?.keyText ?? view.store.identifier(of: row).keyText
      let gone = RecordURI(storeUUID: nil, entityName: entity.entity.name, key: row.key, keyText: keyText)
      try leave(gone, title: member?.title ?? "", author: author(of: row), fields: nil)
      return true
    }
    let record = try view.store.identifier(of: row)
    var json = JSONWriter()
    json.object { $0.members(values, of: entity) }
    let title = view.title(of: values, entity, key: row.key)
    guard matches else {
      try leave(record, title: title, author: author(of: row), fields: json.text)
      return true
    }
    let digest = Int64(truncatingIfNeeded: ContentDigest(of: json.bytes).value)
    guard member?.digest != digest else { return false }
    try state.put(record, SavedState.Member(digest: digest, title: title, keyText: record.keyText))
    try add(member == nil ? .enter : .change, record, title, author(of: row), json.text)
    return true
  }

  private func leave(_ record: RecordURI, title: String, author: String?, fields: String?) throws {
    try state.remove(record)
    try add(.leave, record, title, author, fields)
  }

  private func add(
    _ kind: SavedEvent.Kind, _ record: RecordURI, _ title: String, _ author: String?, _ fields: String?
  ) throws {
    guard !isSilent else { return }
    let whole = RecordURI(
      storeUUID: token.storeUUID, entityName: record.entityName, key: record.key, keyText: record.keyText)
    try state.add(kind, of: whole, token: token.number, title: title, author: author, fields: fields)
  }

  /// The author of the last transaction that changed a row; nil if it is not known.
  private func author(of row: RowIdentifier) -> String? { changed?.records[row]?.lastOrigin?.author }
}
