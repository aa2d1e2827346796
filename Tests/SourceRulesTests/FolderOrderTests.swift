// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The folders of a module stand in an order: each may use those before it only.
@Suite struct FolderOrderTests {
  struct Module: CustomTestStringConvertible {
    let name: String
    /// Below the package, if it is not `Sources/NAME`.
    var path: String?
    /// A file outside of a folder has the position of ".", unless it has one of its own.
    let folders: [String]
    /// Types with the positions of their folders, to see that types are found.
    let samples: [String: Int]
    var testDescription: String { name }

    func level(of source: SwiftSource) throws -> Int {
      let parts = source.path.split(separator: "/")
      let position = folders.firstIndex(of: String(parts[0])) ?? (parts.count > 1 ? nil : folders.firstIndex(of: "."))
      return try #require(position, "\(parts[0]) has no position in the order of folders")
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
      ],
      samples: ["FileMarks": 0, "StoreError": 1, "EntityLayout": 2, "PrivateCopy": 3, "PersistentStore": 6, "Save": 9]),
    Module(
      name: "ForeignStores",
      folders: [
        "Archives", "Apple", "Tables", "Keys", "Relations", "Readings", "ChangeLog", "Presentation", "StoreFile.swift",
      ], samples: ["KeyedArchive": 0, "DatabaseTable": 2, "TableRelation": 4, "Attachment": 6, "StoreFile": 8]),
    Module(
      name: "SwiftData",
      folders: [
        ".", "Support", "KeyPaths", "Schema", "Model", "Store", "Fetch", "History", "Context", "DefaultStore",
        "Observation",
      ], samples: ["ModelContext": 8, "Schema.Attribute": 3, "_ModelState": 4]),
    Module(name: "SearchIndex", folders: [".", "Building"], samples: ["IndexReader": 0, "IndexBuilder": 1]),
    Module(
      name: "Documents", path: "Index",
      folders: [
        "Definitions", "Text", "Documents", "State", "Inferring", "Writing", "Comparing",
        "History",
      ], samples: ["IndexDefinition": 0, "DocumentMapper": 2, "HistoryTail": 7]),
    Module(
      name: "Indexer",
      folders: [
        "Locks", "Consumers", "Service", "Building", "Updating", "Verifying", ".", "Replication",
      ], samples: ["FileLock": 0, "Rebuild": 3, "Follower": 6]),
    Module(
      name: "Search",
      folders: ["Joined", "Views", "Results", "Words", "Compiling", "Fields", "Ranking", "Page", "Facets", "."],
      samples: ["JoinedIndex": 0, "SearchView": 1, "SearchResult": 2, "QueryCompiler": 4, "Searcher": 9]),
    Module(
      name: "Followspot", folders: ["Shards", "Groups", "Live", "Saved", "SQL", ".", "Embedding"],
      samples: [
        "IndexServer": 0, "SearchGroup": 1, "LiveSearch": 2, "SavedWatch": 3, "StoreIndex": 5, "SearchQuery": 6,
      ]),
    Module(
      name: "ShellInterface", folders: ["Console", "Configuration", "Arguments", "Help", "Completion"],
      samples: ["CommandError": 0, "ParsedArguments": 2, "Completer": 4]),
    Module(
      name: "FollowspotCLI",
      folders: [
        "Hints", "Documents", "Printing", "Configuration", "Call", "Watch", "Doctor", "Tour", "Pick", "SQL", "Commands",
        "Completion", "Followspot.swift",
      ],
      samples: [
        "Hint": 0, "JSONObject": 1, "ResultPrinter": 2, "Call": 4, "SearchCommand": 10, "FollowspotCommand": 12,
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
