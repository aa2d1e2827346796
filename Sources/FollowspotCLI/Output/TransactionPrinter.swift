internal import Followspot
internal import PersistentStore

/// Prints one transaction in the formats of `history`.
struct TransactionPrinter {
  let transaction: StoredTransaction
  /// The number of the last transaction, if several neighbouring ones are printed as one.
  var last: Int64?
  let store: PersistentStore

  init(transaction: StoredTransaction, last: Int64? = nil, store: PersistentStore) {
    (self.transaction, self.last, self.store) = (transaction, last, store)
  }

  private var time: String { DateText.formatTime(secondsSince1970: transaction.secondsSince1970) }

  private func identifier(_ change: StoredChange) -> RecordURI {
    let name = store.layout.entity(number: change.row.entity)?.entity.name ?? "?"
    return RecordURI(storeUUID: store.uuid, entityName: name, key: change.row.key)
  }

  private func updated(_ change: StoredChange) -> [String] {
    guard let entity = store.layout.entity(number: change.row.entity), let bitmap = change.bitmap else { return [] }
    return entity.names(of: bitmap) ?? []
  }

  // MARK: On a terminal

  /// Prints `Transaction 2 by me, 5 minutes ago, changed 1 record.`, then each change.
  func printSentences() {
    let isMigration = transaction.author?.hasPrefix(PersistentStore.migrator) == true
    let author = isMigration ? "" : transaction.author.map { " by \($0)" } ?? ""
    let when = HumanText.moment(transaction.secondsSince1970)
    let what =
      (isMigration ? ["changed the model"] : [])
      + [ChangeKind.insert, .update, .delete].compactMap { kind in
        let count = transaction.changes.count { $0.kind == kind }
        return count == 0 ? nil : "\(Self.verb(kind)) \(HumanText.count(count, "record"))"
      }
    let number = last.map { "Changes \(transaction.number) to \($0)" } ?? "Transaction \(transaction.number)"
    let head = "\(number)\(author), \(when), \(Self.list(what))."
    for line in WordWrap.paragraph(Visible.line(head)) { Console.write(Style.bold(line) + "\n") }
    for change in transaction.changes {
      let detail = change.kind == .delete ? tombstone(change) : updated(change)
      let text = "\(Self.verb(change.kind)) \(identifier(change).short)" + (detail.isEmpty ? "" : ": ")
      for line in WordWrap.paragraph(Visible.line(text + detail.joined(separator: ", ")), indent: "  ") {
        Console.write(line + "\n")
      }
    }
  }

  private static func verb(_ kind: ChangeKind) -> String {
    switch kind {
    case .insert: "added"
    case .update: "changed"
    case .delete: "deleted"
    }
  }

  /// The words as `a, b and c`.
  private static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "changed nothing" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }

  /// The tombstone: the values that the history keeps of a deleted record.
  private func tombstone(_ change: StoredChange) -> [String] {
    guard let entity = store.layout.entity(number: change.row.entity) else { return [] }
    return zip(entity.tombstoneOrder, change.tombstone).map { attribute, value in
      ValueText.plain(value, as: entity.entity.attributes[attribute].type)
    }.filter { !$0.isEmpty }
  }

  // MARK: For pipes

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

  var document: TransactionDocument {
    TransactionDocument(
      number: transaction.number, timestamp: time, author: transaction.author, bundle: transaction.bundle,
      process: transaction.process,
      changes: transaction.changes.map { change in
        TransactionDocument.Change(
          change: change.kind.name, id: identifier(change).uri, updated: updated(change),
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
