// SPDX-License-Identifier: MIT

internal import Store

struct DeleteCommand: Verb {
  static let description = CommandDescription(
    name: "delete", arguments: "QUERY|ID", summary: "delete records in one transaction",
    details: "All words of the query are required. An identifier works without an index.",
    examples: [
      "followspot --store movies.store delete Movie/p12",
      "followspot --store movies.store delete 'year:..1971 rating:<3' --yes --author cleanup",
    ])

  private let options = SelectionOptions()

  func run(_ call: Call) throws -> ExitCode {
    try SelectedRecords.change(call.positionals, call, options) { save, entity, key in
      try save.delete(entity, key: key)
    }
  }
}
