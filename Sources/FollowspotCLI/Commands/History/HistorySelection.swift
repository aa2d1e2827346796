// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import ShellInterface

/// The transactions that `history` prints.
struct HistorySelection {
  let store: PersistentStore
  /// nil if the option was not given.
  let after: Int64?
  let author: String?
  let entity: EntityLayout?
  /// nil for all.
  let limit: Int?

  init(_ store: PersistentStore, after: Int64?, author: String?, kind: String?, limit: Int?) throws {
    (self.store, self.after, self.author, self.limit) = (store, after, author, limit)
    entity = try kind.map { kind in
      guard let found = store.layout.entity(matching: kind) else {
        let known = store.layout.entities.map(\.entity.name).joined(separator: ", ")
        throw CommandError("the store has no entity \(kind); it has \(known)")
      }
      return found
    }
  }

  /// Prints the transactions for programs, oldest first, and returns their number.
  func print(_ format: ListFormat) throws -> Int {
    var count = 0
    var list = JSONList(isDocument: format == .json)
    try list.begin([:], "transactions")
    try store.transactions(after: after ?? 0, author: author, entity: entity, limit: limit) {
      let printer = TransactionPrinter(transaction: $0, store: store)
      switch format {
      case .text: try printer.printText()
      case .tsv: try printer.printTable()
      case .json, .ndjson: try list.print(printer.document())
      }
      count += 1
    }
    list.end()
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
