// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The folders of a module stand in an order: each may use those before it only.
@Suite struct FolderOrderTests {
  struct Module: CustomTestStringConvertible {
    let name: String
    /// Below the package, if it is not `Sources/NAME`.
    var path: String?
    /// The most specific one counts. A file outside of them has the position of ".".
    let folders: [String]
    /// Types with the positions of their folders, to see that types are found.
    let samples: [String: Int]
    var testDescription: String { name }

    func level(of source: SwiftSource) throws -> Int {
      let named = folders.filter { source.path == $0 || source.path.hasPrefix($0 + "/") }.max { $0.count < $1.count }
      let position = folders.firstIndex(of: named ?? (source.path.contains("/") ? "" : "."))
      return try #require(position, "\(source.path) has no position in the order of folders")
    }
  }

  private static let modules = [
    Module(
      name: "Base", folders: ["Values", "Errors", "Progress", "Files", "Processes"],
      samples: ["CalendarDay": 0, "QueryError": 1, "FileStates": 3]),
    Module(
      name: "Store",
      folders: [
        "Files", "Errors", "Model", "Copying", "Notice", "External", "Store", "Rows", "History", "Saving", "Migration",
        "Foreign/Archives", "Foreign/Apple", "Foreign/Tables", "Foreign/Keys", "Foreign/Relations", "Foreign/Readings",
        "Foreign/ChangeLog", "Foreign/Presentation", "Foreign",
      ],
      samples: [
        "FileMarks": 0, "StoreError": 1, "EntityLayout": 2, "PrivateCopy": 3, "PersistentStore": 6, "Save": 9,
        "KeyedArchive": 11, "DatabaseTable": 13, "TableRelation": 15, "Attachment": 17, "StoreFile": 19,
      ]),
    Module(
      name: "SwiftData",
      folders: [
        ".", "Support", "KeyPaths", "Schema", "Model", "Store", "Fetch", "History", "Context", "DefaultStore",
        "Observation",
      ], samples: ["ModelContext": 8, "Schema.Attribute": 3, "_ModelState": 4]),
    Module(
      name: "SearchIndex", path: "Index",
      folders: [
        "Xapian", "Xapian/Building", "Definitions", "Text", "Documents", "State", "Inferring", "Writing", "Comparing",
        "History", "Indexer/Locks", "Indexer/Consumers", "Indexer/Service", "Indexer/Building", "Indexer/Updating",
        "Indexer/Verifying", "Indexer", "Indexer/Replication",
      ],
      samples: [
        "IndexReader": 0, "IndexBuilder": 1, "IndexDefinition": 2, "DocumentMapper": 4, "HistoryTail": 9,
        "FileLock": 10,
        "Rebuild": 13, "Follower": 16,
      ]),
    Module(
      name: "Followspot",
      folders: [
        "Importing", "QueryLanguage", "Searching/Joined", "Searching/Views", "Searching/Results", "Searching/Words",
        "Searching/Compiling", "Searching/Fields", "Searching/Ranking", "Searching/Page", "Searching/Facets",
        "Searching",
        "Shards", "Groups", "Live", "Saved", "SQL", ".", "Embedding",
      ],
      samples: [
        "JoinedIndex": 2, "SearchView": 3, "SearchResult": 4, "QueryCompiler": 6, "Searcher": 11, "IndexServer": 12,
        "SearchGroup": 13, "LiveSearch": 14, "SavedWatch": 15, "StoreIndex": 17, "SearchQuery": 18,
      ]),
    Module(
      name: "FollowspotCLI",
      folders: [
        "Interface/Console", "Interface/Configuration", "Interface/Arguments", "Interface/Help", "Interface/Completion",
        "Hints", "Documents", "Printing", "Configuration", "Call", "Watch", "Doctor", "Tour", "Pick", "SQL", "Commands",
        "Completion", "Followspot.swift",
      ],
      samples: [
        "CommandError": 0, "ParsedArguments": 2, "Completer": 4, "Hint": 5, "JSONObject": 6, "ResultPrinter": 7,
        "Call": 9,
        "SearchCommand": 15, "FollowspotCommand": 17,
      ]),
  ]

  /// The types, and the functions outside of types, that a file declares for the whole module. What is nested in an
  /// extension has the name of the extended type before its own.
  private func declared(in code: String) -> [String] {
    let line =
      #/^(?:(?:public|package|open|final|indirect) )*(?:class|struct|enum|protocol|actor|typealias|func) (\w+)/#
    let nested = #/^  (?:(?:public|package|open|final|indirect) )*(?:class|struct|enum|protocol|actor) (\w+)/#
    var (found, extended) = ([String](), String?.none)
    for text in code.components(separatedBy: "\n") {
      if let name = text.firstMatch(of: line)?.output.1 { found.append(String(name)) }
      if let name = text.firstMatch(of: #/^extension ([\w.]+)/#)?.output.1 { extended = String(name) }
      if text.hasPrefix("}") { extended = nil }
      if let extended, let name = text.firstMatch(of: nested)?.output.1 { found.append("\(extended).\(name)") }
    }
    return found
  }

  @Test(arguments: modules)
  func `a folder does not name a type of a folder above it`(_ module: Module) throws {
    let sources = try SwiftSource.files(below: module.path ?? "Sources/" + module.name).map {
      (source: $0, code: $0.code)
    }
    var levels: [Substring: Int] = [:]
    for (source, code) in sources {
      let level = try module.level(of: source)
      for name in declared(in: code) { levels[name[...]] = min(level, levels[name[...]] ?? .max) }
    }
    for (name, level) in module.samples { try #require(levels[name[...]] == level, "\(name)") }
    for (source, code) in sources {
      let own = try module.level(of: source)
      // A qualified name counts as a whole too: `Schema.Unique` stands higher than `Schema`.
      let names = Set(code.matches(of: #/(?:^|[^\w.])([A-Za-z_]\w*(?:\.[A-Z]\w*)?)/#).map(\.output.1))
      for name in names {
        for used in [name, name.prefix { $0 != "." }] {
          guard let other = levels[used], other > own else { continue }
          Issue.record("\(source.path) names \(used) of \(module.folders[other]), a folder above it")
        }
      }
    }
  }
}
