// SPDX-License-Identifier: MIT

internal import SQLite

/// The identifiers of records: how they are written, and what a written one means.
extension PersistentStore {
  /// The identifier of a row. It names a deleted row if an index or a log keeps its key.
  package func identifier(of row: RowIdentifier) throws -> RecordURI {
    let entity = layout.entity(number: row.entity)
    return RecordURI(
      storeUUID: uuid, entityName: entity?.entity.name ?? "?", key: row.key,
      keyText: namesRecordsByKey ? try entity.flatMap { try keyText(of: row.key, $0) } : nil)
  }

  /// The identifier of a changed row, as it was after the change; of a deleted one, as it was before.
  package func identifier(of change: StoredChange) throws -> RecordURI {
    try identifier(of: change.row, loggedKey: change.key)
  }

  /// The identifier of a deleted row.
  package func identifier(of deletion: StoredDeletion) throws -> RecordURI {
    try identifier(of: deletion.row, loggedKey: deletion.key)
  }

  private func identifier(of row: RowIdentifier, loggedKey: [Value]) throws -> RecordURI {
    guard !loggedKey.isEmpty, let entity = layout.entity(number: row.entity), let names = rowNames[row.entity] else {
      return try identifier(of: row)
    }
    return RecordURI(storeUUID: uuid, entityName: entity.entity.name, key: row.key, keyText: names.text(loggedKey))
  }

  /// The key of a row as text; nil if it is not known.
  private func keyText(of key: Int64, _ entity: EntityLayout) throws -> String? {
    if let names = rowNames[entity.number] {
      return try Self.translating(path) { try names.name(of: key, connection) }.map(names.text)
    }
    if namedByNumber.contains(entity.entity.name) { return String(key) }
    // A replica has no columns. The kinds of the values tell theirs.
    return keptKey?(entity.entity.name, key).flatMap { RowBytes.values($0[...]) }
      .map { KeyText.text($0, affinities: $0.map(\.affinity)) }
  }

  /// Names the records of a replica of an ordinary database by their keys.
  ///
  /// - Parameter number: The entities whose rows are named by an integer key.
  package func nameRecordsByKey(number: Set<String>) {
    (namesRecordsByKey, namedByNumber) = (true, number)
  }

  // MARK: Reading

  /// The record that a text names, which may not exist; nil if the text is not an identifier.
  ///
  /// A row whose key is written in the text precedes one whose number is (`book/p22`).
  package func record(named text: String) throws -> RecordURI? {
    guard database != nil else { return RecordURI(text) }
    if let row = try row(named: text) { return try identifier(of: row) }
    if let (entity, key) = self.entity(namedIn: text), let names = rowNames[entity.number],
      let name = KeyText.keys(key, affinities: names.affinities).first
    {
      return RecordURI(
        storeUUID: uuid, entityName: entity.entity.name, key: RecordURI.noRow, keyText: names.text(name))
    }
    guard let record = RecordURI(text) else { return nil }
    guard record.storeUUID == uuid, let entity = layout.entity(named: record.entityName) else { return record }
    return try identifier(of: RowIdentifier(entity: entity.number, key: record.key))
  }

  /// The row that a text names by its entity and key, such as `book/22` or `Movie/p12`; nil for other text. It may not
  /// exist.
  package func row(named text: String) throws -> RowIdentifier? {
    guard let (entity, written) = self.entity(namedIn: text) else { return nil }
    let number = RecordURI.number(written)
    guard database != nil else { return number.map { RowIdentifier(entity: entity.number, key: $0) } }
    let keys = try Self.translating(path) { try numbers(ofKey: written, entity) } + (number.map { [$0] } ?? [])
    guard keys.count > 1 else { return keys.first.map { RowIdentifier(entity: entity.number, key: $0) } }
    let existing = try keys.first { try exists(entity, key: $0) }
    return RowIdentifier(entity: entity.number, key: existing ?? keys[0])
  }

  func entity(namedIn text: String) -> (EntityLayout, key: Substring)? {
    guard let slash = text.firstIndex(of: "/"), let entity = layout.entity(matching: String(text[..<slash])) else {
      return nil
    }
    return (entity, text[text.index(after: slash)...])
  }

  /// The numbers of the keys that a text may mean, the most probable first.
  private func numbers(ofKey text: Substring, _ entity: EntityLayout) throws -> [Int64] {
    guard let names = rowNames[entity.number] else { return Int64(text).map { [$0] } ?? [] }
    return try names.numbers(named: text, connection)
  }
}

extension Value {
  /// The affinity of a column that such values come from.
  fileprivate var affinity: String {
    switch self {
    case .text: "TEXT"
    case .blob, .null: "BLOB"
    case .integer, .real: "NUMERIC"
    }
  }
}
