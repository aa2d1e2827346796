// SPDX-License-Identifier: MIT

internal import Documents
internal import Indexer
internal import ShellInterface
internal import Store

struct FailedCommand: Verb {
  static let description = CommandDescription(
    name: "failed", arguments: "[--retry]", summary: "list records that the index truncated or rejected, and why",
    details: """
      A truncated record is found by the words that were kept. A rejected record is not in the index, because Xapian
      rejected its document. Standard error says how many other rows are left out of the index, and why: rows without a
      key, and kinds and tables that are not indexed. The exit code is 0 if there are failed records or rows without a
      key, and 1 if there are none. With --retry, failed records are indexed again, and the result is printed as JSON. The
      exit code is then 1 if a record fails again.
      """,
    examples: ["followspot --store movies.store failed", "followspot --store movies.store failed --retry"],
    isPaged: true)

  @Option("--retry", "index these records again; not possible while a follower runs") var retries: Bool
  @Option("--format", "FORMAT") var format: ListFormat?

  func run(_ call: Call) throws -> ExitCode {
    try call.noPositionals()
    let failures = UnindexedRows(directory: try call.indexDirectory())
    guard retries else {
      let (uuid, rows, leftOut) = try failures.list()
      // The list needs the index alone. Without the store, records of databases have numbers.
      let store = try? call.store()
      let named = try rows.map { row in
        let known = try store.flatMap { $0.uuid == uuid ? try row.identifier(in: $0) : nil }
        return (row, known ?? RecordURI(storeUUID: uuid, entityName: row.entity, key: row.key))
      }
      try print(named, leftOut)
      Console.flush()
      if format != .json { for sentence in leftOut.sentencesOfGroups() { Console.say(sentence) } }
      return rows.isEmpty && leftOut.lost == 0 ? .negative : .success
    }
    guard format == nil else { throw CommandError("--retry prints JSON and cannot be combined with --format") }
    let outcome = try failures.retry(storePath: try call.storePath()) { Console.say($0) }
    try (["retried": outcome.retried, "fixed": outcome.fixed, "failed": outcome.failed] as JSONObject).print()
    return outcome.failed == 0 ? .success : .negative
  }

  private func print(_ rows: [(row: FailedRow, record: RecordURI)], _ leftOut: LeftOutRows) throws {
    switch format ?? .text {
    case .text, .tsv:
      for (row, record) in rows {
        Console.write(cells: [format == .tsv ? record.uri : record.short, row.kind.rawValue, row.reason])
      }
    case .ndjson: for (row, record) in rows { try JSONObject(row, record).print() }
    case .json: try JSONObject(failed: rows.map { JSONObject($0, $1) }, leftOut).print()
    }
  }
}
