// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The imports of a file say what it depends on.
@Suite struct ImportTests {
  private static let modules = [
    "Index": "Documents", "Sources/Base": "Base", "Sources/SQLite": "SQLite", "Sources/Store": "Store",
    "Sources/ForeignStores": "ForeignStores", "Sources/SearchIndex": "SearchIndex", "Sources/Importing": "Importing",
    "Sources/Indexer": "Indexer", "Sources/QueryLanguage": "QueryLanguage", "Sources/Search": "Search",
    "Sources/Followspot": "Followspot", "Sources/ShellInterface": "ShellInterface",
  ]

  /// Names of types, functions, properties, cases and labels of initializers that a module declares, at any depth.
  private static func names(below directory: String) throws -> Set<Substring> {
    let declaration =
      #/\b(?:class|struct|enum|protocol|actor|typealias|func|let|var|case)\s+`?(\w+)|\binit[?<(].*?(\w+)[ :]/#
    return try SwiftSource.files(below: directory).reduce(into: []) { names, source in
      for match in source.code.matches(of: declaration) {
        if let name = match.output.1 ?? match.output.2 { names.insert(name) }
      }
      // Further cases of the same line.
      for match in source.code.matches(of: #/(?m)^\s*case (?!.*[:(])(.+)$/#) {
        names.formUnion(match.output.1.matches(of: #/\w+/#).map(\.output))
      }
    }
  }

  @Test func `a file names something of each module that it imports`() throws {
    let names = try Self.modules.reduce(into: [String: Set<Substring>]()) { names, module in
      names[module.value] = try Self.names(below: module.key)
    }
    #expect(names["Store"]?.contains("PersistentStore") == true)
    for directory in ["Sources", "Index", "Tests"] {
      for source in try SwiftSource.files(below: directory) {
        let used = Set(source.code.matches(of: #/[A-Za-z_]\w*/#).map(\.output))
        for line in source.lines {
          guard let module = line.wholeMatch(of: #/(?:@?\w+ )*import (\w+)/#)?.output.1,
            let declared = names[String(module)]
          else { continue }
          #expect(!declared.isDisjoint(with: used), "\(directory)/\(source.path) names nothing of \(module)")
        }
      }
    }
  }
}
