// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import ShellInterface

extension CommandDescription {
  static let delete = CommandDescription(
    name: "delete", arguments: "QUERY|ID", summary: "delete records in one transaction",
    details: "All words of the query are required. An identifier works without an index.",
    examples: [
      "followspot --store movies.store delete Movie/p12",
      "followspot --store movies.store delete 'year:..1971 rating:<3' --yes --author cleanup",
    ],
    options: selectionOptions
  ) { call in
    guard let selection = try SelectedRecords.of(call.positionals, call, verb: "delete") else { return .failure }
    let (result, found, unchanged) = try selection.save(call) { save, entity, key in try save.delete(entity, key: key) }
    return try finish(result, found: found, unchanged: unchanged)
  }
}
