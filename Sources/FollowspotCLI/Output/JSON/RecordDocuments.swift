// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore

/// A record in the output of `show`.
struct RecordDocument: Encodable {
  struct Term: Encodable {
    let kind: String
    let field: String?
    let text: String
    let weight: Int
  }

  struct Dependency: Encodable {
    let id: String
    let path: String
    let indexed: Bool
  }

  let id: String
  let entity: String
  let fields: JSONFragment
  /// The related records by relationship; nil for an entity without relationships.
  var related: JSONFragment?
  /// The terms, with `--terms`; the inner nil if the index does not have the record.
  var terms: [Term]??
  /// The records that the document depends on, with `--deps`.
  var deps: [Dependency]?
  /// Who deleted the record, when and in which transaction; nil if it exists.
  var deleted: JSONFragment?

  private enum Key: String, CodingKey { case id, entity, fields, related, terms, deps, deleted }

  func encode(to encoder: any Encoder) throws {
    var record = encoder.container(keyedBy: Key.self)
    try record.encode(id, forKey: .id)
    try record.encode(entity, forKey: .entity)
    try record.encode(fields, forKey: .fields)
    if let related { try record.encode(related, forKey: .related) }
    if let terms { try record.encodeIfPresent(terms, forKey: .terms) }
    if let deps { try record.encode(deps, forKey: .deps) }
    if let deleted { try record.encode(deleted, forKey: .deleted) }
  }
}

/// The output of `show --format json`.
struct RecordsDocument: Encodable {
  let format = FormatVersion.current
  let records: [RecordDocument]
}

/// A row in the output of `failed`.
struct FailedRowDocument: Encodable {
  let id: String
  let entity: String
  let kind: String
  let reason: String
}

/// The output of `failed --format json`.
struct FailedDocument: Encodable {
  /// The rows of a kind or table that have no document.
  struct LeftOut: Encodable {
    let name: String
    let cause: String
    let rows: Int
    let sentence: String

    init(_ group: LeftOutRows.Group) {
      (name, cause, rows, sentence) = (group.name, group.cause.rawValue, group.rows, group.sentence)
    }
  }

  let failed: [FailedRowDocument]
  let leftOut: [LeftOut]

  private enum Key: String, CodingKey { case format, failed, leftOut }

  func encode(to encoder: any Encoder) throws {
    var document = encoder.container(keyedBy: Key.self)
    try document.encode(FormatVersion.current, forKey: .format)
    try document.encode(failed, forKey: .failed)
    if !leftOut.isEmpty { try document.encode(leftOut, forKey: .leftOut) }
  }
}

/// A transaction in the output of `history`.
struct TransactionDocument: Encodable {
  struct Change: Encodable {
    let change: String
    let id: String
    let updated: [String]
    /// The tombstone: the values that the history keeps of a deleted record.
    let tombstone: JSONFragment?

    private enum Key: String, CodingKey { case change, id, updated, tombstone }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(change, forKey: .change)
      try container.encode(id, forKey: .id)
      try container.encode(updated, forKey: .updated)
      if let tombstone { try container.encode(tombstone, forKey: .tombstone) }
    }
  }

  let number: Int64
  let timestamp: String
  let author: String?
  let bundle: String?
  let process: String?
  let changes: [Change]
}
