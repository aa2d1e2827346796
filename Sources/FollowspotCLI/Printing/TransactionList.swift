// SPDX-License-Identifier: MIT

internal import Store

/// Prints transactions on a terminal: a summary of each one, then its first changes with the titles of the records.
final class TransactionList {
  /// Maximum number of changes of a transaction that are printed.
  private static let mostChanges = 10
  /// Maximum number of entities that a summary names.
  private static let mostEntities = 3

  private let store: PersistentStore
  private let titles: ChangeTitles
  /// The name of the store in its group; nil if there is no group.
  private let name: String?

  init(titles: ChangeTitles, store name: String? = nil) {
    (store, self.titles, self.name) = (titles.store, titles, name)
  }

  func print(_ group: NeighbouringChanges, isFirst: Bool) throws {
    if !isFirst { Console.write("\n") }
    for line in WordWrap.paragraph(summary(of: group).printable) { Console.write(line: Style.bold(line)) }
    let changes = group.transaction.changes
    for change in changes.prefix(Self.mostChanges) { try print(change) }
    guard changes.count > Self.mostChanges else { return }
    for line in WordWrap.paragraph("and \(changes.count - Self.mostChanges) more", indent: "  ") {
      Console.write(line: Style.dim(line))
    }
  }

  /// `Transaction 42 · 3 inserted, 1 updated · Movie · by importer · 2 minutes ago`.
  func summary(of group: NeighbouringChanges) -> String {
    let transaction = group.transaction
    let numbers = group.numbers
    let name =
      numbers.count == 1
      ? "Transaction \(numbers.lowerBound)" : "Changes \(numbers.lowerBound) to \(numbers.upperBound)"
    let isMigration = transaction.author?.hasPrefix(PersistentStore.migrator) == true
    let counts = ChangeKind.allCases.compactMap { kind in
      let count = transaction.changes.count { $0.kind == kind }
      return count == 0 ? nil : "\(count) \(Self.participle(kind))"
    }
    let what = (isMigration ? ["model changed"] : []) + (counts.isEmpty ? [] : [counts.joined(separator: ", ")])
    let author = isMigration ? nil : transaction.author.map { "by \($0)" }
    let parts =
      [name] + (what.isEmpty ? ["no changes"] : what)
      + [
        self.name.map { "in \($0)" }, entities(of: transaction), author, HumanText.moment(transaction.secondsSince1970),
      ].compactMap(\.self)
    return parts.joined(separator: " · ")
  }

  private static func participle(_ kind: ChangeKind) -> String {
    switch kind {
    case .insert: "inserted"
    case .update: "updated"
    case .delete: "deleted"
    }
  }

  private func entities(of transaction: StoredTransaction) -> String? {
    let names = Set(transaction.changes.map(\.row.entity)).compactMap { store.layout.entity(number: $0)?.entity.name }
      .sorted()
    guard names.count > Self.mostEntities else { return names.isEmpty ? nil : names.joined(separator: ", ") }
    return names.prefix(Self.mostEntities).joined(separator: ", ") + " and \(names.count - Self.mostEntities) more"
  }

  /// Prints `+ Toy Story  Movie/p1`, or `~ Up  Movie/p3  title, year`.
  private func print(_ change: StoredChange) throws {
    let entity = store.layout.entity(number: change.row.entity)
    let updated = change.bitmap.flatMap { entity?.names(of: $0) } ?? []
    let parts = [try titles.title(of: change), try store.identifier(of: change).short, updated.joined(separator: ", ")]
    let mark = ChangeMark(change.kind)
    let text = ([mark.rawValue] + [parts.filter { !$0.isEmpty }.joined(separator: "  ")]).joined(separator: " ")
    for (index, line) in WordWrap.paragraph(text.printable, indent: "  ").enumerated() {
      Console.write(
        (index == 0 ? "  " + (mark == .changed ? mark.rawValue : mark.styled) + line.dropFirst(3) : line) + "\n")
    }
  }
}
