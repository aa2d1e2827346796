// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

/// Options of verbs that change the records of a query.
struct SelectionOptions: OptionGroup {
  @Option("-n", "N", "only the best N hits") var limit: Int?
  @Option("--author", "NAME", "author of the transaction in the history") var author: String?
  @Option("--yes", "do not ask before several records are changed") var isConfirmed: Bool
}

/// The records that `set` and `delete` change: records named by their identifiers, or the hits of a query.
struct SelectedRecords {
  let identifiers: [RecordURI]
  /// The transaction at which a query found the records; nil for records named by identifier.
  let token: Int64?

  /// Changes the records that the words select in one transaction, and prints the result.
  ///
  /// - Parameter change: Changes one record, and returns whether its row changed.
  static func change(
    _ words: [String], _ call: Call, _ options: SelectionOptions,
    _ change: (Save, EntityLayout, Int64) throws -> Bool
  ) throws -> ExitCode {
    guard let selection = try of(words, call, options) else { return .failure }
    let (result, found, unchanged) = try selection.save(call, author: options.author, change)
    var outcome = Importer.Outcome()
    outcome.token = result.transaction
    (outcome.updated, outcome.deleted, outcome.skipped) = (result.updated, result.deleted, unchanged)
    try SavedRecords.print(outcome)
    if found == 0 { Console.say("nothing matches") }
    return found == 0 ? .negative : .success
  }

  /// - Returns: nil if there are several records and the user does not confirm the change.
  private static func of(_ words: [String], _ call: Call, _ options: SelectionOptions) throws -> SelectedRecords? {
    guard !words.isEmpty else { throw call.usageError("\(call.name) takes a query or an identifier") }
    if let direct = try call.records(named: words) { return try agreed(direct, token: nil, call, options) }
    if words.count == 1, words[0].wholeMatch(of: /p-?[0-9]+/) != nil { throw try ambiguous(words[0], call) }
    var request = SearchRequest(query: words.joined(separator: " "))
    request.words = .all
    request.mayApproximate = false
    request.isStrict = true
    request.limit = options.limit == 0 ? nil : options.limit
    let result = try call.upToDate(request) { try $0.search($1) }
    for note in result.notes { Console.say(note) }
    if let nearest = result.nearest { Console.hint(nearest.hint) }
    return try agreed(result.hits.map(\.identifier), token: result.index.answersAt, call, options)
  }

  /// The error for `p1`, which is part of an identifier and probably not meant as a word.
  private static func ambiguous(_ word: String, _ call: Call) throws -> CommandError {
    let kind = try StoreFile.open(try call.storePath()).layout.entities.first?.entity.name ?? "Kind"
    return CommandError(
      "'\(word)' is not an identifier: it does not say of which kind; nothing was changed",
      hint: "\(kind)/\(word) is a record, '\"\(word)\"' the word")
  }

  private static func agreed(
    _ identifiers: [RecordURI], token: Int64?, _ call: Call, _ options: SelectionOptions
  ) throws -> SelectedRecords? {
    if identifiers.count > 1, !options.isConfirmed {
      guard Console.isInputTerminal, Console.isErrorTerminal else {
        throw CommandError(
          "\(identifiers.count) records match; nothing was changed",
          hint: "--yes to \(call.name) them all, -n 1 for the best hit only")
      }
      guard Console.asks("\(call.name) \(identifiers.count) records?") else { return nil }
    }
    return SelectedRecords(identifiers: identifiers, token: token)
  }

  /// Runs `change` on each record in one transaction. Records that no longer exist are skipped.
  private func save(
    _ call: Call, author: String?, _ change: (Save, EntityLayout, Int64) throws -> Bool
  ) throws -> (result: SaveResult, found: Int, unchanged: Int) {
    let store = try StoreFile.open(try call.storePath(), access: .readWrite)
    var (found, unchanged) = (0, 0)
    let result = try store.save(author: author) { save in
      try refuseChanged(in: store)
      for identifier in identifiers {
        guard let entity = try store.entity(of: identifier) else { continue }
        found += 1
        if try !change(save, entity, identifier.key) { unchanged += 1 }
      }
    }
    return (result, found, unchanged)
  }

  /// Refuses the save if a record changed after the query found it, because it may no longer match. During the save no
  /// other process can write.
  private func refuseChanged(in store: PersistentStore) throws {
    guard let token else { return }
    let changed = try store.changedRows(after: token)
    for identifier in identifiers {
      guard let named = store.layout.entity(matching: identifier.entityName),
        let entity = try store.concreteEntity(of: named, key: identifier.key),
        changed.contains(RowIdentifier(entity: entity.number, key: identifier.key))
      else { continue }
      throw CommandError(
        "\(identifier.short) was changed by another process meanwhile; nothing was changed", hint: Hint.retry,
        code: .temporary)
    }
  }
}
