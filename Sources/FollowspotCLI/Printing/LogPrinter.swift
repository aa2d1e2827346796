// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Store

/// Prints the transactions of `log`.
struct LogPrinter {
  let format: ListFormat
  /// Maximum number of transactions; nil for all.
  let limit: Int?
  /// The number of printed transactions, or groups of changes of an attached database.
  private(set) var count = 0
  /// Neighbouring changes of an attached database, newest first.
  private var group: [LoggedTransaction] = []
  private var list: JSONList

  init(format: ListFormat, limit: Int?) {
    (self.format, self.limit, list) = (format, limit, JSONList(isDocument: format == .json))
  }

  func begin(query: String, _ log: HitLog) throws {
    let tokens = JSONObject(members: log.stores.compactMap { store in store.name.map { ($0, store.token) } })
    let single = log.stores.first { $0.name == nil }?.token
    try list.begin(
      ["query": query, "token": IfPresent(single), "tokens": IfPresent(single == nil ? tokens : nil)], "transactions")
  }

  /// - Returns: Whether more transactions are wanted.
  mutating func print(_ transaction: LoggedTransaction) throws -> Bool {
    if format == .text {
      if let newest = group.first, !transaction.belongs(to: newest) { printGroup() }
      guard count != limit else { return false }
      group.append(transaction)
      return true
    }
    if format == .tsv { printTable(transaction) } else { try list.print(JSONObject(transaction)) }
    count += 1
    return count != limit
  }

  mutating func end() {
    printGroup()
    list.end()
  }

  // MARK: Text

  private mutating func printGroup() {
    guard let newest = group.first, let oldest = group.last, count != limit else { return }
    if count > 0 { Console.write("\n") }
    count += 1
    let number =
      group.count == 1 ? "transaction \(newest.number)" : "changes \(oldest.number) to \(newest.number)"
    let author = (newest.store.map { " in \($0)" } ?? "") + (newest.author.map { " by \($0)" } ?? "")
    let time =
      Console.isOutputTerminal
      ? HumanText.moment(newest.secondsSince1970) : DateText.formatTime(secondsSince1970: newest.secondsSince1970)
    Console.write(Style.bold("\(number)  \(time)\(author)".printable) + "\n")
    for transaction in group.reversed() {
      for change in transaction.changes {
        let names = change.updated.isEmpty ? "" : "  (\(change.updated.joined(separator: ", ")))"
        let title = change.title.isEmpty ? "" : "  \(change.title)"
        Console.write("  \(change.kind.name)  \(change.identifier.short)\(title)\(names)".printable + "\n")
      }
    }
    group = []
  }

  // MARK: Tables

  private func printTable(_ transaction: LoggedTransaction) {
    for change in transaction.changes {
      Console.write(
        cells: (transaction.store.map { [$0] } ?? []) + [
          String(transaction.number), DateText.formatTime(secondsSince1970: transaction.secondsSince1970),
          transaction.author ?? "", change.kind.name, change.identifier.uri, change.title,
          change.updated.joined(separator: "; "),
        ])
    }
  }
}

extension LoggedTransaction {
  /// Whether this change of an attached database was probably saved together with a neighbouring one. Triggers cannot
  /// know the transaction of a change.
  fileprivate func belongs(to other: LoggedTransaction) -> Bool {
    isOneChange && other.isOneChange && store == other.store && author == other.author
      && NeighbouringChanges.areEqual(secondsSince1970, other.secondsSince1970)
  }
}
