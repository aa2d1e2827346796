internal import Followspot
internal import PersistentStore

extension CommandDescription {
  private enum Format: String, CaseIterable { case text, json, ndjson, tsv }

  static let history = CommandDescription(
    name: "history", arguments: "[list]", summary: "print transactions and their changes, oldest first", details: "",
    examples: [
      "followspot --store movies.store history --after 40",
      "followspot --store movies.store history --author importer --format ndjson",
    ],
    options: [
      OptionDescription("--after", "TOKEN", "only transactions after this number"),
      OptionDescription("--author", "NAME", "only transactions of this author"),
      OptionDescription("--kind", "ENTITY", "only changes of this entity"),
      OptionDescription("-n", "N", "the first N transactions"),
      OptionDescription("--format", "FORMAT", "text, json, ndjson or tsv"),
    ]
  ) { call in
    guard call.positionals.isEmpty || call.positionals == ["list"] else {
      throw FollowspotError(.usage, "history has no '\(call.positionals[0])'", hint: "followspot help history")
    }
    let format = try call.choice("--format", Format.self) ?? .text
    let store = try PersistentStore.open(try call.storePath())
    let entity = try call.value("--kind").map { kind in
      guard let found = store.layout.entity(matching: kind) else {
        let known = store.layout.entities.map(\.entity.name).joined(separator: ", ")
        throw FollowspotError(.usage, "the store has no entity \(kind); it has \(known)")
      }
      return found
    }
    let after = Int64(try call.integer("--after") ?? 0)
    let limit = try call.integer("-n").flatMap { $0 == 0 ? nil : $0 }
    var count = 0
    if format == .json { Console.write("{\"format\":1,\"transactions\":[") }
    try store.withSnapshot {
      try store.transactions(after: after, author: call.value("--author"), entity: entity, limit: limit) {
        let printer = TransactionPrinter(transaction: $0, store: store)
        switch format {
        case .text: printer.printText()
        case .tsv: printer.printTable()
        case .ndjson: Console.write(printer.json + "\n")
        case .json: Console.write((count > 0 ? "," : "") + printer.json)
        }
        count += 1
      }
    }
    if format == .json { Console.write("]}\n") }
    return count > 0 ? .success : .negative
  }
}

/// One transaction in the forms of `history`.
private struct TransactionPrinter {
  let transaction: HistoryTransaction
  let store: PersistentStore

  private var time: String { DateText.formatTime(secondsSince1970: transaction.secondsSince1970) }

  private func identifier(_ change: HistoryChange) -> PersistentIdentifier {
    let name = store.layout.entity(number: change.row.entity)?.entity.name ?? "?"
    return PersistentIdentifier(storeUUID: store.uuid, entityName: name, key: change.row.key)
  }

  private func updated(_ change: HistoryChange) -> [String] {
    guard let entity = store.layout.entity(number: change.row.entity), let bitmap = change.bitmap else { return [] }
    return entity.names(of: bitmap) ?? []
  }

  func printText() {
    let author = transaction.author.map { " by \($0)" } ?? ""
    Console.write("transaction \(transaction.number)  \(time)\(Visible.line(author))\n")
    for change in transaction.changes {
      let names = updated(change)
      let what = names.isEmpty ? "" : "  " + names.joined(separator: ", ")
      Console.write("  \(change.kind.name)  \(identifier(change).short)\(Visible.line(what))\n")
    }
  }

  func printTable() {
    for change in transaction.changes {
      let cells = [
        String(transaction.number), time, transaction.author ?? "", change.kind.name, identifier(change).uri,
      ]
      Console.write(cells.map(Visible.line).joined(separator: "\t") + "\n")
    }
  }

  var json: String {
    var json = JSONWriter()
    json.object { json in
      json.pair("number", transaction.number)
      json.pair("timestamp", time)
      json.pair("author", transaction.author)
      json.pair("bundle", transaction.bundle)
      json.pair("process", transaction.process)
      json.key("changes")
      json.array { json in for change in transaction.changes { write(change, to: &json) } }
    }
    return json.text
  }

  private func write(_ change: HistoryChange, to json: inout JSONWriter) {
    json.object { json in
      json.pair("change", change.kind.name)
      json.pair("id", identifier(change).uri)
      json.key("updated")
      json.array { json in for name in updated(change) { json.string(name) } }
      guard change.kind == .delete, let entity = store.layout.entity(number: change.row.entity) else { return }
      json.key("tombstone")
      json.object { json in
        for (attribute, value) in zip(entity.tombstoneOrder, change.tombstone) {
          json.key(entity.entity.attributes[attribute].name)
          json.value(value, as: entity.entity.attributes[attribute].type)
        }
      }
    }
  }
}
