internal import Followspot
internal import PersistentStore

extension CommandDescription {
  static func listHistory(_ call: Invocation) throws -> ExitCode {
    let format = try call.choice("--format", HistoryFormat.self) ?? .text
    // The types of an ordinary database's preserved values are those of its columns in the index.
    let store = try PersistentStore.open(try call.storePath(), readings: call.indexDirectory().readings)
    let entity = try call.value("--kind").map { kind in
      guard let found = store.layout.entity(matching: kind) else {
        let known = store.layout.entities.map(\.entity.name).joined(separator: ", ")
        throw CommandError("the store has no entity \(kind); it has \(known)")
      }
      return found
    }
    let after = Int64(try call.integer("--after") ?? 0)
    let limit = try call.integer("-n").flatMap { $0 == 0 ? nil : $0 }
    var count = 0
    var group: NeighbouringChanges?
    var groups = 0
    func printGroup() {
      guard let group else { return }
      if groups > 0 { Console.write("\n") }
      groups += 1
      let last = group.last == group.transaction.number ? nil : group.last
      TransactionPrinter(transaction: group.transaction, last: last, store: store).printSentences()
    }
    if format == .json { Console.write("{\"format\":1,\"transactions\":[") }
    try store.withSnapshot {
      let missing = try store.missingTransactions(after: after)
      if !missing.isEmpty { Console.say("transactions \(missing.text) are not in the history any more") }
      try store.transactions(after: after, author: call.value("--author"), entity: entity, limit: limit) {
        let printer = TransactionPrinter(transaction: $0, store: store)
        switch format {
        case .text where Console.isOutputTerminal:
          if store.tracking != .attached || group?.add($0) != true {
            printGroup()
            group = NeighbouringChanges($0)
          }
        case .text: printer.printText()
        case .tsv: printer.printTable()
        case .ndjson: try Console.write(json: printer.document)
        case .json:
          if count > 0 { Console.write(",") }
          Console.write(bytes: try OrderedEncoder.encode(printer.document))
        }
        count += 1
      }
    }
    printGroup()
    if format == .json { Console.write("]}\n") }
    return count > 0 ? .success : .negative
  }
}
