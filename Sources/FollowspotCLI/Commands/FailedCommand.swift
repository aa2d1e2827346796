internal import Followspot
internal import PersistentStore

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json, ndjson, tsv }

  static let failed = CommandDescription(
    name: "failed", arguments: "[--retry]", summary: "print the rows that are cut or left out of the index, and why",
    details: """
      A cut row is found by the words that were kept. A row is left out where Xapian refuses its document; the index
      goes on without it. Exit 0 where there are such rows, 1 where there is none. With --retry they are read and
      written again, and the result is printed as JSON: exit 0 where none remains, else 1.
      """,
    examples: ["followspot --store movies.store failed", "followspot --store movies.store failed --retry"],
    options: [
      OptionDescription("--retry", nil, "write those rows again; not beside a follower"),
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
    guard format == nil else { throw FollowspotError(.usage, "--retry prints JSON: it takes no --format") }
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
        let kind = row.kind == .cut ? "cut" : "left out"
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
