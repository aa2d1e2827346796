// SPDX-License-Identifier: MIT

internal import ShellInterface
internal import Store

/// The transactions that `history` prints.
struct HistorySelection {
  let store: PersistentStore
  /// nil if the option was not given.
  let after: Int64?
  private let condition: HistoryCondition
  private let isWanted: ((RowIdentifier) -> Bool)?
  /// nil for all.
  let limit: Int?

  init(_ store: PersistentStore, after: Int64?, author: String?, kind: String?, limit: Int?) throws {
    (self.store, self.after, condition, self.limit) = (store, after, .by(author), limit)
    isWanted = try kind.map { kind in
      guard let found = store.layout.entity(matching: kind) else {
        let known = store.layout.entities.map(\.entity.name).joined(separator: ", ")
        throw CommandError("the store has no entity \(kind); it has \(known)")
      }
      return { $0.entity == found.number }
    }
  }

  /// Prints the transactions for programs, oldest first, and returns their number.
  func print(_ format: ListFormat, _ titles: ChangeTitles) throws -> Int {
    var count = 0
    var list = JSONList(isDocument: format == .json)
    try list.begin([:], "transactions")
    try store.transactions(after: after ?? 0, where: condition, limit: limit, of: isWanted) {
      let printer = TransactionPrinter($0, titles: titles)
      switch format {
      case .text: try printer.printText()
      case .tsv: try printer.printTable()
      case .json, .ndjson: try list.print(printer.document())
      }
      count += 1
      return true
    }
    list.end()
    return count
  }

  /// Prints the transactions on a terminal, and returns their number: the newest first or, after a token, the oldest
  /// first. Neighbouring changes of an attached database count as one.
  func print(_ list: TransactionList) throws -> Int {
    var count = 0
    try NeighbouringChanges.each(
      in: store, after: after ?? 0, where: condition, isNewestFirst: after == nil, of: isWanted
    ) {
      try list.print($0)
      count += 1
      return count != limit
    }
    return count
  }
}
