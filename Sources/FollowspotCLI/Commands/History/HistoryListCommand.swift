// SPDX-License-Identifier: MIT

internal import ForeignStores
internal import Indexing
internal import PersistentStore
internal import Searching
internal import ShellInterface

extension CommandDescription {
  static func listHistory(_ call: Invocation) throws -> ExitCode {
    let format = try call.choice("--format", HistoryFormat.self) ?? .text
    // The types of an ordinary database's preserved values are those of its columns in the index.
    let store = try StoreFile.open(try call.storePath(), readings: call.indexDirectory().readings)
    try store.requireHistory()
    let selection = try HistorySelection(call, store)
    let count = try store.withSnapshot {
      let missing = try store.missingTransactions(after: selection.after ?? 0)
      if !missing.isEmpty { Console.say("transactions \(missing.text) are not in the history any more") }
      if format == .text, Console.isOutputTerminal {
        let titles = RecordTitles(store: store, directory: try call.indexDirectory())
        return try selection.print(TransactionList(store: store, titles: titles))
      }
      return try selection.print(format)
    }
    return count > 0 ? .success : .negative
  }
}

/// The transactions that `history` prints.
private struct HistorySelection {
  let store: PersistentStore
  /// nil if the option was not given.
  let after: Int64?
  let author: String?
  let entity: EntityLayout?
  /// nil for all.
  let limit: Int?

  init(_ call: Invocation, _ store: PersistentStore) throws {
    self.store = store
    entity = try call.value("--kind").map { kind in
      guard let found = store.layout.entity(matching: kind) else {
        let known = store.layout.entities.map(\.entity.name).joined(separator: ", ")
        throw CommandError("the store has no entity \(kind); it has \(known)")
      }
      return found
    }
    after = try call.integer("--after").map(Int64.init)
    author = call.value("--author")
    limit = try call.integer("-n").flatMap { $0 == 0 ? nil : $0 }
  }

  /// Prints the transactions for programs, oldest first, and returns their number.
  func print(_ format: CommandDescription.HistoryFormat) throws -> Int {
    var count = 0
    if format == .json { Console.write("{\"format\":\(FormatVersion.current),\"transactions\":[") }
    try store.transactions(after: after ?? 0, author: author, entity: entity, limit: limit) {
      let printer = TransactionPrinter(transaction: $0, store: store)
      switch format {
      case .text: try printer.printText()
      case .tsv: try printer.printTable()
      case .ndjson: try Console.write(json: printer.document())
      case .json:
        if count > 0 { Console.write(",") }
        Console.write(bytes: try OrderedEncoder.encode(printer.document()))
      }
      count += 1
    }
    if format == .json { Console.write("]}\n") }
    return count
  }

  /// Prints the transactions on a terminal, and returns their number: the newest first or, after a token, the oldest
  /// first. Neighbouring changes of an attached database count as one.
  func print(_ list: TransactionList) throws -> Int {
    var count = 0
    var group: NeighbouringChanges?
    func add(_ transaction: StoredTransaction) throws -> Bool {
      if store.tracking == .attached, group?.add(transaction) == true { return true }
      if let group {
        try list.print(group)
        count += 1
      }
      group = count == limit ? nil : NeighbouringChanges(transaction)
      return group != nil
    }
    try store.transactions(
      after: after ?? 0, author: author, entity: entity, isNewestFirst: after == nil, while: add)
    guard let group else { return count }
    try list.print(group)
    return count + 1
  }
}
