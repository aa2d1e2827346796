// SPDX-License-Identifier: MIT

internal import Following
internal import ForeignStores
internal import Indexing
internal import PersistentStore
internal import ShellInterface

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json, ndjson, tsv }

  static let failed = CommandDescription(
    name: "failed", arguments: "[--retry]", summary: "list records that the index truncated or rejected, and why",
    details: """
      A truncated record is found by the words that were kept. A rejected record is not in the index, because Xapian
      rejected its document. Standard error says how many other rows are left out of the index, and why: rows without a
      key, and kinds and tables that are not indexed. The exit code is 0 if there are failed records or rows without a
      key, and 1 if there are none. With --retry, failed records are indexed again, and the result is printed as JSON. The
      exit code is then 1 if a record fails again.
      """,
    examples: ["followspot --store movies.store failed", "followspot --store movies.store failed --retry"],
    options: [
      OptionDescription("--retry", nil, "index these records again; not possible while a follower runs"),
      OptionDescription("--format", "FORMAT", Format.self),
    ], isPaged: true
  ) { call in
    try call.noPositionals()
    let format = try call.choice("--format", Format.self)
    let failures = Failures(directory: try call.indexDirectory())
    guard call.has("--retry") else {
      let (uuid, rows, leftOut) = try failures.list()
      // The list needs the index alone. Without the store, records of databases have numbers.
      let store = try? StoreFile.open(call.storePath(), readings: call.indexDirectory().readings)
      let named = try rows.map { row in
        let known = try store.flatMap { $0.uuid == uuid ? try row.identifier(in: $0) : nil }
        return (row, known ?? RecordURI(storeUUID: uuid, entityName: row.entity, key: row.key))
      }
      try print(named, leftOut, format ?? .text)
      Console.flush()
      if format != .json { for group in leftOut.groups { Console.say(group.sentence) } }
      return rows.isEmpty && leftOut.lost == 0 ? .negative : .success
    }
    guard format == nil else { throw CommandError("--retry prints JSON and cannot be combined with --format") }
    let outcome = try failures.retry(storePath: try call.storePath()) { Console.say($0) }
    try Console.write(json: RetryDocument(retried: outcome.retried, fixed: outcome.fixed, failed: outcome.failed))
    return outcome.failed == 0 ? .success : .negative
  }

  private static func print(
    _ rows: [(row: FailedRow, record: RecordURI)], _ leftOut: LeftOutRows, _ format: Format
  ) throws {
    func document(_ row: FailedRow, _ record: RecordURI) -> FailedRowDocument {
      FailedRowDocument(id: record.uri, entity: row.entity, kind: row.kind.rawValue, reason: row.reason)
    }
    switch format {
    case .text:
      for (row, record) in rows {
        Console.write(
          [record.short, row.kind.rawValue, row.reason].map(\.printable).joined(separator: "\t") + "\n")
      }
    case .tsv:
      for (row, record) in rows {
        Console.write([record.uri, row.kind.rawValue, row.reason].map(\.printable).joined(separator: "\t") + "\n")
      }
    case .ndjson: for (row, record) in rows { try Console.write(json: document(row, record)) }
    case .json:
      try Console.write(
        json: FailedDocument(failed: rows.map(document), leftOut: leftOut.groups.map(FailedDocument.LeftOut.init)))
    }
  }
}
