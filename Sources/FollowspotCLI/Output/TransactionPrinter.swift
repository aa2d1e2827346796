// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import ShellInterface
internal import Values

/// Prints one transaction in the formats of `history` for programs.
struct TransactionPrinter {
  let transaction: StoredTransaction
  let store: PersistentStore

  /// Without the entry of `attach` in the log, which belongs to no table.
  private var changes: [StoredChange] { transaction.changes.filter { $0.row.entity != 0 } }

  private var time: String { DateText.formatTime(secondsSince1970: transaction.secondsSince1970) }

  private func updated(_ change: StoredChange) -> [String] {
    guard let entity = store.layout.entity(number: change.row.entity), let bitmap = change.bitmap else { return [] }
    return entity.names(of: bitmap) ?? []
  }

  func printText() throws {
    let author = transaction.author.map { " by \($0)" } ?? ""
    Console.write("transaction \(transaction.number)  \(time)\(author.printable)\n")
    if changes.count < transaction.changes.count {
      Console.write("  attach renewed the triggers; changes before it may be missing\n")
    }
    for change in changes {
      let names = updated(change)
      let what = names.isEmpty ? "" : "  " + names.joined(separator: ", ")
      Console.write("  \(change.kind.name)  \(try store.identifier(of: change).short)\(what.printable)\n")
    }
  }

  func printTable() throws {
    for change in changes {
      let cells = [
        String(transaction.number), time, transaction.author ?? "", change.kind.name,
        try store.identifier(of: change).uri,
      ]
      Console.write(cells.map(\.printable).joined(separator: "\t") + "\n")
    }
  }

  func document() throws -> TransactionDocument {
    try TransactionDocument(
      number: transaction.number, timestamp: time, author: transaction.author, bundle: transaction.bundle,
      process: transaction.process,
      changes: changes.map { change in
        TransactionDocument.Change(
          change: change.kind.name, id: try store.identifier(of: change).uri, updated: updated(change),
          tombstone: tombstoneMembers(change))
      })
  }

  private func tombstoneMembers(_ change: StoredChange) -> JSONFragment? {
    guard change.kind == .delete, let entity = store.layout.entity(number: change.row.entity) else { return nil }
    return .members(Array(zip(entity.tombstoneOrder, change.tombstone))) { member, json in
      let attribute = entity.entity.attributes[member.0]
      json.key(attribute.name)
      json.value(member.1, as: attribute.type)
    }
  }
}
