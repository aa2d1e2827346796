// SPDX-License-Identifier: MIT

internal import Following
internal import Importing
internal import Indexing
internal import PersistentStore

/// The output of `import`, `set` and `delete`.
struct SaveDocument: Encodable {
  let token: Int64
  let inserted: Int
  let updated: Int
  let deleted: Int
  let skipped: Int
  /// The decimal mark or the order of dates that was read, by column. It is left out if all cells are in the standard
  /// form.
  let formats: [(column: String, name: String)]

  private enum CodingKeys: CodingKey { case token, inserted, updated, deleted, skipped, formats }

  init(_ outcome: Importer.Outcome) {
    (token, inserted, updated) = (outcome.token, outcome.inserted, outcome.updated)
    (deleted, skipped) = (outcome.deleted, outcome.skipped)
    formats = outcome.formats.map { ($0.column, $0.format.name) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(token, forKey: .token)
    try container.encode(inserted, forKey: .inserted)
    try container.encode(updated, forKey: .updated)
    try container.encode(deleted, forKey: .deleted)
    try container.encode(skipped, forKey: .skipped)
    guard !formats.isEmpty else { return }
    let read = JSONFragment.members(formats) { format, json in
      json.key(format.column)
      json.string(format.name)
    }
    try container.encode(read, forKey: .formats)
  }
}

/// The output of `migrate`.
struct MigrationDocument: Encodable {
  let token: Int64?
  let added: [String]
  let removed: [String]
  let renamed: [String]
  let changed: [String]
  let dryRun: Bool

  init(_ outcome: MigrationOutcome, isDryRun: Bool) {
    token = outcome.transaction
    added = outcome.addedEntities + outcome.addedProperties
    removed = outcome.removedEntities + outcome.removedProperties
    renamed = outcome.renamedEntities + outcome.renamedProperties
    changed = outcome.changedProperties
    dryRun = isDryRun
  }
}

/// The output of `failed --retry`.
struct RetryDocument: Encodable {
  let retried: Int
  let fixed: Int
  let failed: Int
}

/// The output of `history purge`.
struct PurgeDocument: Encodable {
  let purged: Int
  let changes: Int
  let oldest: Int64?
  let newest: Int64
  let heldBy: String?
  let dryRun: Bool

  init(_ outcome: Purge.Outcome, isDryRun: Bool) {
    (purged, changes) = (outcome.removed.transactions, outcome.removed.changes)
    (oldest, newest, heldBy) = (outcome.oldest, outcome.newest, outcome.heldBy?.name)
    dryRun = isDryRun
  }
}

/// The output of `doctor --format json`.
struct FindingsDocument: Encodable {
  struct Check: Encodable {
    let check: String
    let outcome: String
    let message: String
    let hint: String?
  }

  let format = FormatVersion.current
  let healthy: Bool
  let checks: [Check]
}

/// The output of `config --format json`.
struct ConfigurationDocument: Encodable {
  struct Store: Encodable {
    let name: String
    let path: String
    let index: String?
    let definition: String?
  }

  let format = FormatVersion.current
  let file: String?
  let exists: Bool
  let `default`: String?
  let stores: [Store]
  let groups: [Group]

  struct Group: Encodable {
    let name: String
    let stores: [String]
  }

  init(_ configuration: Configuration) {
    (file, exists, `default`) = (configuration.file, configuration.exists, configuration.preset)
    stores = configuration.profiles.map {
      Store(name: $0.name, path: $0.path, index: $0.index, definition: $0.definition)
    }
    groups = configuration.groups.map { Group(name: $0.name, stores: $0.stores) }
  }
}
