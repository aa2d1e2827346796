// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

struct ShowCommand: Verb {
  static let description = CommandDescription(
    name: "show", arguments: "ID…", summary: "print records from the store",
    details:
      """
      Print all attributes of records, and the identifiers and titles of related records. Of a deleted record, print what the history
      still contains: when and by whom it was deleted, the transaction and the preserved values. The exit code is 1 if a
      record does not exist. In a group, all stores that have the record print it; films:film/6 chooses one.
      """,
    examples: [
      "followspot --store movies.store show Movie/p12",
      "followspot --store movies.store show Movie/p1 Movie/p2 --format ndjson",
    ], isPaged: true)

  @Option("--format", "FORMAT") var format: RecordFormat?
  @Option(
    "--deps", "list the records that contribute text to the document, their paths, and whether they are indexed")
  var hasDependencies: Bool
  @Option("--terms", "list the terms of the document with their frequencies") var hasTerms: Bool

  enum RecordFormat: String, CaseIterable { case text, json, ndjson }

  /// The store of a record, and what its records are printed with.
  private struct Place {
    let store: PersistentStore
    let directory: IndexDirectory
    let titles: RecordTitles
    let dependencies: Dependencies?
  }

  func run(_ call: Call) throws -> ExitCode {
    guard !call.positionals.isEmpty else { throw call.usageError("show takes identifiers such as Movie/p12") }
    let group = try call.searchGroup(nil)
    let calls = try call.memberCalls(takesRemotes: true) ?? [call]
    var places: [String?: Place] = [:]
    func place(_ store: String?) throws -> Place {
      if let known = places[store] { return known }
      let made = try opened(calls.first { $0.member == store } ?? call)
      places[store] = made
      return made
    }
    var documents: [JSONObject] = []
    var (shown, missing) = (0, 0)
    func show(_ document: JSONObject, of store: String?, _ print: () throws -> Void) throws {
      let named: JSONObject = store.map { ["store": $0] } ?? [:]
      guard format ?? .text == .text else { return documents.append(document + named) }
      if shown > 0 { Console.write("\n") }
      shown += 1
      try print()
      if let store { Console.write(line: "store: \(store.printable)") }
    }
    for text in call.positionals {
      let records =
        try group?.records(named: text) ?? [NamedRecord(store: nil, record: identifier(text, in: place(nil).store))]
      guard !records.isEmpty else { throw notAnIdentifier(text, example: group?.exampleIdentifier) }
      var isFound = false
      for named in records {
        let place = try place(named.store)
        if let record = try StoredRecord(named.record, in: place.store) {
          let index = hasTerms ? place.directory : nil
          isFound = true
          try show(
            format ?? .text == .text ? [:] : record.document(place.dependencies, termsIn: index), of: named.store
          ) {
            try record.print(place.titles, place.dependencies, termsIn: index)
          }
        } else {
          guard let deleted = try DeletedRecord(named.record, in: place.store) else { continue }
          (isFound, missing) = (true, missing + 1)
          Console.say("\(NamedRecord.text(of: deleted.identifier, in: named.store)) was deleted")
          try show(deleted.document, of: named.store, deleted.print)
        }
      }
      if !isFound {
        missing += 1
        Console.say("there is no \(records.count == 1 ? records[0].text : text)")
      }
    }
    switch format ?? .text {
    case .text: break
    case .ndjson: for document in documents { try document.print() }
    case .json: try JSONObject.document(["records": documents]).print()
    }
    let code: ExitCode = missing == 0 ? .success : .negative
    return group?.sayMissing(code) ?? code
  }

  private func opened(_ call: Call) throws -> Place {
    let (store, directory) = (try call.store(), try call.indexDirectory())
    return Place(
      store: store, directory: directory, titles: RecordTitles(store: store, directory: directory),
      dependencies: hasDependencies ? try Dependencies(store: store, directory: directory) : nil)
  }

  private func identifier(_ text: String, in store: PersistentStore) throws -> RecordURI {
    guard let identifier = try store.record(named: text) else {
      throw notAnIdentifier(text, example: store.exampleIdentifier)
    }
    if let uuid = identifier.storeUUID, uuid != store.uuid {
      throw CommandError("\(text) belongs to another store; this one is \(store.uuid)")
    }
    return identifier
  }

  private func notAnIdentifier(_ text: String, example: String?) -> CommandError {
    CommandError("'\(text)' is not an identifier", hint: "identifiers look like \(example ?? "Movie/p12")")
  }
}
