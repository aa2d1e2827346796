// SPDX-License-Identifier: MIT

internal import Search
internal import ShellInterface
internal import Store

struct ShowCommand: Verb {
  static let description = CommandDescription(
    name: "show", arguments: "ID…", summary: "print records from the store",
    details:
      """
      Print all attributes of records, and the identifiers and titles of related records. Of a deleted record, print what the history
      still contains: when and by whom it was deleted, the transaction and the preserved values. The exit code is 1 if a
      record does not exist.
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

  func run(_ call: Call) throws -> ExitCode {
    guard !call.positionals.isEmpty else { throw call.usageError("show takes identifiers such as Movie/p12") }
    let store = try call.store()
    let directory = try call.indexDirectory()
    lazy var titles = RecordTitles(store: store, directory: directory)
    let dependencies = hasDependencies ? try Dependencies(store: store, directory: directory) : nil
    var documents: [JSONObject] = []
    var (shown, missing) = (0, 0)
    func show(_ document: @autoclosure () throws -> JSONObject, _ print: () throws -> Void) throws {
      guard format ?? .text == .text else { return documents.append(try document()) }
      if shown > 0 { Console.write("\n") }
      shown += 1
      try print()
    }
    for text in call.positionals {
      let identifier = try identifier(text, in: store)
      if let record = try StoredRecord(identifier, in: store) {
        let index = hasTerms ? directory : nil
        try show(record.document(dependencies, termsIn: index)) {
          try record.print(titles, dependencies, termsIn: index)
        }
      } else {
        missing += 1
        guard let deleted = try DeletedRecord(identifier, in: store) else {
          Console.say("there is no \(identifier.short)")
          continue
        }
        Console.say("\(deleted.identifier.short) was deleted")
        try show(deleted.document, deleted.print)
      }
    }
    switch format ?? .text {
    case .text: break
    case .ndjson: for document in documents { try document.print() }
    case .json: try JSONObject.document(["records": documents]).print()
    }
    return missing == 0 ? .success : .negative
  }

  private func identifier(_ text: String, in store: PersistentStore) throws -> RecordURI {
    guard let identifier = try store.record(named: text) else {
      throw CommandError("'\(text)' is not an identifier", hint: "identifiers look like \(store.exampleIdentifier)")
    }
    if let uuid = identifier.storeUUID, uuid != store.uuid {
      throw CommandError("\(text) belongs to another store; this one is \(store.uuid)")
    }
    return identifier
  }
}
