import Foundation
import Testing

/// The folders of the module stand in an order, which its article tells: each may use those before it only.
@Suite struct FolderOrderTests {
  /// Files outside of a folder count to the first.
  private static let folders = [
    "Support", "KeyPaths", "Schema", "Model", "Store", "Fetch", "History", "Context", "DefaultStore", "Observation",
  ]

  private func level(of source: SwiftSource) throws -> Int {
    let parts = source.path.split(separator: "/")
    guard parts.count > 1 else { return 0 }
    return try #require(
      Self.folders.firstIndex(of: String(parts[0])), "\(parts[0]) has no position in the order of folders")
  }

  /// The types, and the functions outside of types, that a file declares for the whole module. What is nested in an
  /// extension has the name of the extended type before its own.
  private func declared(in code: String) -> [String] {
    let line = #/^(?:(?:public|open|final|indirect) )*(?:class|struct|enum|protocol|actor|typealias|func) (\w+)/#
    let nested = #/^  (?:(?:public|open|final|indirect) )*(?:class|struct|enum|protocol|actor) (\w+)/#
    var (found, extended) = ([String](), String?.none)
    for text in code.components(separatedBy: "\n") {
      if let name = text.firstMatch(of: line)?.output.1 { found.append(String(name)) }
      if let name = text.firstMatch(of: #/^extension ([\w.]+)/#)?.output.1 { extended = String(name) }
      if text.hasPrefix("}") { extended = nil }
      if let extended, let name = text.firstMatch(of: nested)?.output.1 { found.append("\(extended).\(name)") }
    }
    return found
  }

  @Test func `a folder does not name a type of a folder above it`() throws {
    let sources = try SwiftSource.files(below: "Sources/SwiftData").map { (source: $0, code: $0.code) }
    var levels: [Substring: Int] = [:]
    for (source, code) in sources {
      let level = try self.level(of: source)
      for name in declared(in: code) { levels[name[...]] = min(level, levels[name[...]] ?? .max) }
    }
    try #require(levels["ModelContext"] == 7 && levels["Schema.Attribute"] == 2 && levels["_ModelState"] == 3)
    for (source, code) in sources {
      let own = try level(of: source)
      // A qualified name counts as a whole too: `Schema.Unique` stands higher than `Schema`.
      let names = Set(code.matches(of: #/(?:^|[^\w.])([A-Za-z_]\w*(?:\.[A-Z]\w*)?)/#).map(\.output.1))
      for name in names {
        for used in [name, name.prefix { $0 != "." }] {
          guard let other = levels[used], other > own else { continue }
          Issue.record("\(source.path) names \(used) of \(Self.folders[other]), a folder above it")
        }
      }
    }
  }
}
