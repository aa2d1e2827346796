// SPDX-License-Identifier: MIT

internal import ForeignStores
internal import Indexing
internal import PersistentStore
internal import Searching
internal import ShellInterface
internal import Watching

extension CommandDescription {
  /// The options of a query that is neither widened nor corrected.
  static let exactQueryOptions = queryOptions.filter { ["--kind", "--any", "--literal"].contains($0.name) }
}

extension Invocation {
  /// The records that a query or identifiers select.
  func hitSelection(_ words: some Sequence<String>) throws -> HitSelection {
    let words = Array(words)
    guard !words.isEmpty else {
      throw CommandError("\(command.name) takes a query or an identifier", hint: "followspot help \(command.name)")
    }
    var selection = HitSelection(try CommandDescription.request(self, words))
    selection.author = value("--author")
    if let records = try records(named: words) {
      if has("--kind") { throw CommandError("--kind and identifiers cannot be combined") }
      selection.records = records
    }
    return selection
  }

  /// The records that words name; nil if one of them is not an identifier.
  func records(named words: [String]) throws -> [RecordURI]? {
    guard words.allSatisfy({ $0.contains("/") }) else { return nil }
    let store = try StoreFile.open(try storePath(), readings: indexDirectory().readings)
    let records = try words.compactMap(store.record(named:))
    return records.count == words.count ? records : nil
  }

  /// Runs `body` at the store's newest transaction. Identifiers need no index that is up to date.
  func upToDate(_ selection: HitSelection, _ body: (Searcher, HitSelection) throws -> Void) throws {
    var selection = selection
    guard selection.records.isEmpty else {
      selection.request.isIndexOnly = true
      return try body(Searcher(storePath: try storePath(), directory: try indexDirectory()), selection)
    }
    try upToDate(selection.request) { searcher, request in
      selection.request = request
      try body(searcher, selection)
    }
  }
}
