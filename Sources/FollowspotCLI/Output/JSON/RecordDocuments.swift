internal import Followspot
internal import PersistentStore

/// A record of `show`.
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
  /// nil of an entity without relationships.
  var related: JSONFragment?
  /// With `--terms`; the inner nil where the index does not have the record.
  var terms: [Term]??
  /// With `--deps`.
  var deps: [Dependency]?

  private enum Key: String, CodingKey { case id, entity, fields, related, terms, deps }

  func encode(to encoder: any Encoder) throws {
    var record = encoder.container(keyedBy: Key.self)
    try record.encode(id, forKey: .id)
    try record.encode(entity, forKey: .entity)
    try record.encode(fields, forKey: .fields)
    if let related { try record.encode(related, forKey: .related) }
    if let terms { try record.encodeIfPresent(terms, forKey: .terms) }
    if let deps { try record.encode(deps, forKey: .deps) }
  }
}

/// What `show --format json` prints.
struct RecordsDocument: Encodable {
  let format = 1
  let records: [RecordDocument]
}

/// A row of `failed`.
struct FailedRowDocument: Encodable {
  let id: String
  let entity: String
  let kind: String
  let reason: String
}

/// What `failed --format json` prints.
struct FailedDocument: Encodable {
  let format = 1
  let failed: [FailedRowDocument]
}

/// A transaction of `history`.
struct TransactionDocument: Encodable {
  struct Change: Encodable {
    let change: String
    let id: String
    let updated: [String]
    /// What the history keeps of a deleted record.
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
