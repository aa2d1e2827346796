internal import Followspot
internal import PersistentStore

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json, ndjson, tsv }

  static let failed = CommandDescription(
    name: "failed", arguments: "[--retry]", summary: "list rows that the index truncated or rejected, and why",
    details: """
      A truncated row is found by the words that were kept. A rejected row is not in the index, because Xapian refused its
      document. The exit code is 0 if there are such rows, and 1 if there are none. With --retry these rows are indexed
      again, and the result is printed as JSON; the exit code is then 1 if a row fails again.
      """,
    examples: ["followspot --store movies.store failed", "followspot --store movies.store failed --retry"],
    options: [
      OptionDescription("--retry", nil, "index these rows again; not possible while a follower runs"),
      OptionDescription("--format", "FORMAT", Format.self),
    ], isPaged: true
  ) { call in
    try call.noPositionals()
    let format = try call.choice("--format", Format.self)
    let failures = Failures(directory: try call.indexDirectory())
    guard call.has("--retry") else {
      let (uuid, rows) = try failures.list()
      print(rows, uuid, format ?? .text)
      return rows.isEmpty ? .negative : .success
    }
    guard format == nil else { throw CommandError("--retry prints JSON: it takes no --format") }
    let outcome = try failures.retry(storePath: try call.storePath()) { Console.say($0) }
    var json = JSONWriter()
    json.object { json in
      json.pair("retried", outcome.retried)
      json.pair("fixed", outcome.fixed)
      json.pair("failed", outcome.failed)
    }
    Console.write(json.text + "\n")
    return outcome.failed == 0 ? .success : .negative
  }

  private static func print(_ rows: [FailedRow], _ storeUUID: String?, _ format: Format) {
    func uri(_ row: FailedRow) -> String {
      PersistentIdentifier(storeUUID: storeUUID, entityName: row.entity, key: row.key).uri
    }
    func write(_ row: FailedRow, to json: inout JSONWriter) {
      json.object { json in
        json.pair("id", uri(row))
        json.pair("entity", row.entity)
        json.pair("kind", row.kind.rawValue)
        json.pair("reason", row.reason)
      }
    }
    var json = JSONWriter()
    switch format {
    case .text:
      for row in rows {
        let kind = row.kind == .truncated ? "cut" : "left out"
        Console.write([row.identifier.short, kind, row.reason].map(Visible.line).joined(separator: "\t") + "\n")
      }
    case .tsv:
      for row in rows {
        Console.write([uri(row), row.kind.rawValue, row.reason].map(Visible.line).joined(separator: "\t") + "\n")
      }
    case .ndjson:
      for row in rows {
        json.removeAll()
        write(row, to: &json)
        Console.write(json.text + "\n")
      }
    case .json:
      json.object { json in
        json.pair("format", 1)
        json.key("failed")
        json.array { json in for row in rows { write(row, to: &json) } }
      }
      Console.write(json.text + "\n")
    }
  }
}
