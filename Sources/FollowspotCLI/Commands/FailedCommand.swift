// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
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
    guard retries else { return try list(call) }
    guard format == nil else { throw CommandError("--retry prints JSON and cannot be combined with --format") }
    return try call.eachStore { call in
      let outcome = try UnindexedRows(directory: call.indexDirectory()).retry(storePath: call.storePath()) {
        call.say($0)
      }
      let object: JSONObject = ["retried": outcome.retried, "fixed": outcome.fixed, "failed": outcome.failed]
      try call.labelled(object).print()
      return outcome.failed == 0 ? .success : .negative
    }
  }

  private func list(_ call: Call) throws -> ExitCode {
    var documents = StoreDocuments("failed")
    // What is in one of the stores is found.
    var isFound = false
    let code = try call.eachStore(takesRemotes: true) { call in
      let (uuid, rows, leftOut) =
        try call.copy().map { try UnindexedRows.list(in: $0.open().reader) }
        ?? UnindexedRows(directory: call.indexDirectory()).list()
      // The list needs the index alone. Without the store, records of databases have numbers.
      let store = try? call.store()
      let named = try rows.map { row in
        let known = try store.flatMap { $0.uuid == uuid ? try row.identifier(in: $0) : nil }
        return (row, known ?? RecordURI(storeUUID: uuid, entityName: row.entity, key: row.key))
      }
      if format == .json {
        documents.add(JSONObject(failed: named.map { JSONObject($0, $1) }, leftOut), of: call.member)
      } else {
        try print(named, call)
        Console.flush()
        for sentence in leftOut.sentencesOfGroups() { call.say(sentence) }
      }
      if !rows.isEmpty || leftOut.lost > 0 { isFound = true }
      return .success
    }
    if format == .json { try documents.print() }
    return max(code, isFound ? .success : .negative)
  }

  private func print(_ rows: [(row: FailedRow, record: RecordURI)], _ call: Call) throws {
    for (row, record) in rows {
      if format == .ndjson {
        try call.labelled(JSONObject(row, record)).print()
      } else {
        let store = call.member.map { [$0] } ?? []
        Console.write(cells: store + [format == .tsv ? record.uri : record.short, row.kind.rawValue, row.reason])
      }
    }
  }
}
