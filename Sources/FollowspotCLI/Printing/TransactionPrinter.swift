// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Prints one transaction in the formats of `history` for programs.
struct TransactionPrinter {
  let transaction: StoredTransaction
  let titles: ChangeTitles
  /// The name of the store in its group; nil if there is no group.
  let name: String?

  init(_ transaction: StoredTransaction, _ titles: ChangeTitles, of name: String?) {
    (self.transaction, self.titles, self.name) = (transaction, titles, name)
  }

  private var store: PersistentStore { titles.store }

  /// Without the entry of `attach` in the log, which belongs to no table.
  private var changes: [StoredChange] { transaction.changes.filter { $0.row.entity != 0 } }

  private var time: String { DateText.formatTime(secondsSince1970: transaction.secondsSince1970) }

  private func updated(_ change: StoredChange) -> [String] {
    guard let entity = store.layout.entity(number: change.row.entity), let bitmap = change.bitmap else { return [] }
    return entity.names(of: bitmap) ?? []
  }

  func printText() throws {
    let author = (name.map { " in \($0)" } ?? "") + (transaction.author.map { " by \($0)" } ?? "")
    Console.write(line: "transaction \(transaction.number)  \(time)\(author.printable)")
    if changes.count < transaction.changes.count {
      Console.write(line: "  attach renewed the triggers; changes before it may be missing")
    }
    for change in changes {
      let names = updated(change)
      let what = names.isEmpty ? "" : "  " + names.joined(separator: ", ")
      Console.write(line: "  \(change.kind.name)  \(try store.identifier(of: change).short)\(what.printable)")
    }
  }

  func printTable() throws {
    for change in changes {
      try Console.write(
        cells: (name.map { [$0] } ?? []) + [
          String(transaction.number), time, transaction.author ?? "", change.kind.name,
          store.identifier(of: change).uri, titles.title(of: change),
        ])
    }
  }

  func document() throws -> JSONObject {
    let documents = try changes.map { change in
      let deleted = change.kind == .delete ? store.layout.entity(number: change.row.entity) : nil
      return [
        "change": change.kind.name, "id": try store.identifier(of: change).uri,
        "title": try titles.title(of: change), "updated": updated(change),
        "tombstone": IfPresent(deleted.map { JSONObject(tombstone: change.tombstone, of: $0) }),
      ] as JSONObject
    }
    return [
      "store": IfPresent(name), "number": transaction.number, "timestamp": time, "author": transaction.author,
      "bundle": transaction.bundle,
      "process": transaction.process, "changes": documents,
    ]
  }
}
