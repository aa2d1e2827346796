// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

/// The transactions that `history` prints, of one store or of several in the order of their times.
struct HistorySelection {
  /// One store, and the titles of its records.
  struct Member {
    /// The name of the store in its group; nil if there is no group.
    let name: String?
    let store: PersistentStore
    let titles: ChangeTitles
  }

  private let members: [Member]
  /// nil if the option was not given.
  private let after: StoreTokens?
  private let condition: HistoryCondition
  private let kind: String?
  /// nil for all.
  private let limit: Int?
  /// The number of transactions that are read at once.
  private static let page = 200

  /// - Parameter stores: The names of all stores of the group.
  init(
    _ members: [Member], of stores: [String], after: StoreTokens?, author: String?, kind: String?, limit: Int?
  ) throws {
    (self.members, self.after, condition, self.kind, self.limit) = (members, after, .by(author), kind, limit)
    try after?.check(in: stores)
    guard let kind, !members.contains(where: { $0.store.layout.entity(matching: kind) != nil }) else { return }
    var names: Set<String> = []
    let known = members.flatMap(\.store.layout.entities).map(\.entity.name).filter { names.insert($0).inserted }
    throw CommandError("the store has no entity \(kind); it has \(known.joined(separator: ", "))")
  }

  /// Whether a row is of the kind, in one of the stores; nil for all rows.
  private func isWanted(_ member: Member) -> ((RowIdentifier) -> Bool)? {
    guard let kind else { return nil }
    let number = member.store.layout.entity(matching: kind)?.number
    return { $0.entity == number }
  }

  private func start(_ member: Member) -> Int64 { after?.number(of: member.name) ?? 0 }

  /// Runs `body` in a snapshot of all stores.
  func withSnapshots<Result>(_ body: () throws -> Result) throws -> Result {
    func run(_ rest: ArraySlice<Member>) throws -> Result {
      guard let first = rest.first else { return try body() }
      return try first.store.withSnapshot { try run(rest.dropFirst()) }
    }
    return try run(members[...])
  }

  /// Says which transactions are gone.
  func sayMissing() throws {
    for member in members {
      let missing = try member.store.missingTransactions(after: start(member))
      guard !missing.isEmpty else { continue }
      let label = member.name.map { $0 + ": " } ?? ""
      Console.say("\(label)\(missing.subject) not in the history any more")
    }
  }

  /// Prints the transactions for programs, oldest first, and returns their number.
  func print(_ format: ListFormat) throws -> Int {
    var count = 0
    var list = JSONList(isDocument: format == .json)
    try list.begin([:], "transactions")
    let pages = members.map { member in
      { (last: StoredTransaction?) in
        var found: [StoredTransaction] = []
        try member.store.transactions(
          after: last?.number ?? start(member), where: condition, limit: Self.page, of: isWanted(member)
        ) {
          found.append($0)
          return true
        }
        return found
      }
    }
    var merged = TimeMerge(pages, isNewestFirst: false, time: \.timestamp)
    while count != limit, let (index, transaction) = try merged.next() {
      let printer = TransactionPrinter(transaction, members[index].titles, of: members[index].name)
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
  func printList() throws -> Int {
    let isNewestFirst = after == nil
    let pages = members.map { member in
      { (last: NeighbouringChanges?) in
        var found: [NeighbouringChanges] = []
        try NeighbouringChanges.each(
          in: member.store, after: isNewestFirst ? 0 : last?.numbers.upperBound ?? start(member),
          through: isNewestFirst ? last.map { $0.numbers.lowerBound - 1 } ?? .max : .max, where: condition,
          isNewestFirst: isNewestFirst, of: isWanted(member)
        ) {
          found.append($0)
          return found.count < Self.page
        }
        return found
      }
    }
    var merged = TimeMerge(pages, isNewestFirst: isNewestFirst, time: \.transaction.timestamp)
    let lists = members.map { TransactionList(titles: $0.titles, store: $0.name) }
    var count = 0
    while count != limit, let (index, group) = try merged.next() {
      try lists[index].print(group, isFirst: count == 0)
      count += 1
    }
    return count
  }
}
