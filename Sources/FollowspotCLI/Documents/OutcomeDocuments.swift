// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

extension JSONObject {
  /// The output of `import`, `set` and `delete`. The formats are the decimal mark or the order of dates that was read,
  /// by column. They are left out if all cells are in the standard form.
  init(_ outcome: Importer.Outcome) {
    let formats = outcome.formats.map { ($0.column, $0.format.name as (any JSONValue)?) }
    self = [
      "token": outcome.token, "inserted": outcome.inserted, "updated": outcome.updated, "deleted": outcome.deleted,
      "skipped": outcome.skipped, "formats": IfPresent(formats.isEmpty ? nil : JSONObject(members: formats)),
    ]
  }

  /// The output of `index`.
  init(_ outcome: Pass.Outcome, store: String?) {
    let effects = outcome.effects
    self = [
      "store": IfPresent(store), "token": outcome.token, "inserted": effects.inserted, "updated": effects.updated,
      "deleted": effects.deleted, "skipped": effects.skipped, "leftOut": outcome.leftOut.total,
      "seconds": (outcome.duration / .milliseconds(1)).rounded() / 1_000,
    ]
  }

  /// The output of `migrate`.
  init(_ outcome: MigrationOutcome, isDryRun: Bool) {
    self = [
      "token": outcome.transaction, "added": outcome.addedEntities + outcome.addedProperties,
      "removed": outcome.removedEntities + outcome.removedProperties,
      "renamed": outcome.renamedEntities + outcome.renamedProperties, "changed": outcome.changedProperties,
      "dryRun": isDryRun,
    ]
  }

  /// The output of `history purge`.
  init(_ outcome: Purge.Outcome, isDryRun: Bool) {
    self = [
      "purged": outcome.removed.transactions, "changes": outcome.removed.changes, "oldest": outcome.oldest,
      "newest": outcome.newest, "heldBy": outcome.heldBy?.name, "dryRun": isDryRun,
    ]
  }

  /// A row in the output of `failed`.
  init(_ row: FailedRow, _ record: RecordURI) {
    self = ["id": record.uri, "entity": row.entity, "kind": row.kind.rawValue, "reason": row.reason]
  }

  /// The output of `failed --format json`.
  init(failed: [JSONObject], _ leftOut: LeftOutRows) {
    let groups = leftOut.groups.map {
      ["name": $0.name, "cause": $0.cause.rawValue, "rows": $0.rows, "sentence": $0.sentence] as JSONObject
    }
    self = ["failed": failed, "leftOut": IfPresent(groups.isEmpty ? nil : groups)]
  }

  /// A saved search in `saved add` and `saved list`.
  ///
  /// - Parameters:
  ///   - dependences: What its result depends on; nil if it cannot be evaluated, for the reason `error`.
  ///   - watcher: The process that watches it.
  init(
    _ search: SavedSearch, _ dependences: Set<SavedSearch.Dependence>?, watcher: Int? = nil, error: String? = nil
  ) {
    self = [
      "name": search.name, "query": search.query, "kinds": search.kinds, "limit": search.limit,
      "created": search.created, "evaluation": dependences.map { $0.isEmpty ? "changes" : "anew" },
      "dependsOn": SavedSearch.Dependence.allCases.filter { dependences?.contains($0) == true }.map(\.rawValue),
      "watcher": watcher, "error": error,
    ]
  }
}
