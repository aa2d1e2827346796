// SPDX-License-Identifier: MIT

internal import SQLite

/// The identifiers of records: how they are written, and what a written one means.
extension PersistentStore {
  /// Whether records are named by their keys.
  package var namesRecordsByKey: Bool { naming != nil }

  /// The identifier of a row. It names a deleted row if an index or a log keeps its key.
  package func identifier(of row: RowIdentifier) throws -> RecordURI { try identifier(of: row, loggedKey: []) }

  /// The identifier of a changed row, as it was after the change; of a deleted one, as it was before.
  package func identifier(of change: StoredChange) throws -> RecordURI {
    try identifier(of: change.row, loggedKey: change.key)
  }

  /// The identifier of a deleted row.
  package func identifier(of deletion: StoredDeletion) throws -> RecordURI {
    try identifier(of: deletion.row, loggedKey: deletion.key)
  }

  private func identifier(of row: RowIdentifier, loggedKey: [Value]) throws -> RecordURI {
    let entity = layout.entity(number: row.entity)
    var keyText: String?
    if let entity, let naming {
      keyText = loggedKey.isEmpty ? nil : tables?.text(ofKey: loggedKey, entity)
      keyText = try keyText ?? Self.translating(path) { try naming.keyText(of: row.key, entity) }
    }
    return RecordURI(storeUUID: uuid, entityName: entity?.entity.name ?? "?", key: row.key, keyText: keyText)
  }

  // MARK: Reading

  /// The record that a text names, which may not exist; nil if the text is not an identifier.
  ///
  /// A row whose key is written in the text precedes one whose number is (`book/p22`).
  package func record(named text: String) throws -> RecordURI? {
    guard let tables else { return try RecordURI(text) ?? row(named: text).map(identifier) }
    if let row = try row(named: text) { return try identifier(of: row) }
    if let (entity, key) = entity(namedIn: text), let keyText = tables.normalizedKey(key, entity) {
      return RecordURI(storeUUID: uuid, entityName: entity.entity.name, key: RecordURI.noRow, keyText: keyText)
    }
    guard let record = RecordURI(text) else { return nil }
    guard record.storeUUID == uuid, let entity = layout.entity(named: record.entityName) else { return record }
    return try identifier(of: RowIdentifier(entity: entity.number, key: record.key))
  }

  /// The row that a text names by its entity and key, such as `book/22` or `Movie/p12`; nil for other text. It may not
  /// exist.
  package func row(named text: String) throws -> RowIdentifier? {
    guard let (entity, written) = entity(namedIn: text) else { return nil }
    let number = RecordURI.number(written)
    guard let tables else {
      let isNumbered = naming?.namedByNumber.contains(entity.entity.name) == true
      return (number ?? (isNumbered ? Int64(written) : nil)).map { RowIdentifier(entity: entity.number, key: $0) }
    }
    let keys =
      try Self.translating(path) { try tables.numbers(ofKey: written, entity) } + (number.map { [$0] } ?? [])
    guard keys.count > 1 else { return keys.first.map { RowIdentifier(entity: entity.number, key: $0) } }
    let existing = try keys.first { try exists(entity, key: $0) }
    return RowIdentifier(entity: entity.number, key: existing ?? keys[0])
  }

  /// The keys that a text may name in an entity of an ordinary database, in its form as typed or in capitals. There may be
  /// no row with such a key.
  package func keys(of entity: String, named text: String) throws -> [Int64] {
    guard let layout = layout.entity(named: entity) else { return [] }
    guard let tables else {
      return naming?.namedByNumber.contains(entity) == true ? Int64(text).map { [$0] } ?? [] : []
    }
    return try Self.translating(path) {
      try [text, text.uppercased()].reduce(into: []) { keys, text in
        for key in try tables.numbers(ofKey: text[...], layout) where !keys.contains(key) { keys.append(key) }
      }
    }
  }

  /// The keys of two values, of which the first is one of a few, that a text for the second may name in an entity of an
  /// ordinary database, such as `4326` for `EPSG:4326`.
  package func keys(of entity: String, endingIn text: String) throws -> [Int64] {
    guard let layout = layout.entity(named: entity), let tables else { return [] }
    return try Self.translating(path) { try tables.numbers(ofKeyEndingIn: text[...], layout) }
  }

  private func entity(namedIn text: String) -> (EntityLayout, key: Substring)? {
    guard let slash = text.firstIndex(of: "/"), let entity = layout.entity(matching: String(text[..<slash])) else {
      return nil
    }
    return (entity, text[text.index(after: slash)...])
  }

  // MARK: Completing

  /// The identifiers that begin with a text such as `book/2`, in the order of the table. The kind keeps its spelling.
  ///
  /// - Returns: At most `limit` identifiers; empty for a text without an entity and a slash.
  package func identifiers(beginning text: String, limit: Int) throws -> [String] {
    guard let (entity, written) = entity(namedIn: text) else { return [] }
    let found = try Self.translating(path) {
      try tables?.keys(beginning: written, entity, limit: limit) ?? numbers(beginning: written, entity, limit)
    }
    return found.filter { $0.hasPrefix(written) }.map { "\(text.dropLast(written.count))\($0)" }
  }

  private func numbers(beginning text: Substring, _ entity: EntityLayout, _ limit: Int) throws -> [String] {
    guard text.isEmpty || text.hasPrefix("p") else { return [] }
    let statement = try connection.statement(
      """
      SELECT Z_PK FROM \(entity.quotedTable)
      WHERE substr(CAST(Z_PK AS TEXT), 1, length(?1)) = ?1\(entity.entityCondition) LIMIT \(limit)
      """)
    defer { statement.reset() }
    try statement.bind(String(text.dropFirst()), at: 1)
    var found: [String] = []
    while try statement.step() { found.append("p\(statement.integer(at: 0))") }
    return found
  }

  /// An identifier as an example: that of a row, if there is one.
  package var exampleIdentifier: String {
    let examples = layout.entities.lazy.compactMap {
      try? self.identifiers(beginning: $0.entity.name + "/", limit: 1).first
    }
    return examples.first ?? "Movie/p12"
  }
}
