// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The program does not load Foundation, whose tables double its size and its memory at the start.
@Suite struct FoundationTests {
  @Test func `the modules of the program import only the essentials of Foundation`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let modules = ["Base", "SQLite", "Store", "Followspot", "FollowspotCLI"]
    var count = 0
    for directory in modules.map({ root.appending(path: "Sources/" + $0) }) + [root.appending(path: "Index")] {
      let files = try #require(FileManager.default.enumerator(atPath: directory.path))
      for case let name as String in files where name.hasSuffix(".swift") {
        count += 1
        let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
        let imports = text.split(separator: "\n").filter { $0.hasSuffix("import Foundation") }
        #expect(imports.isEmpty, "\(directory.lastPathComponent)/\(name)")
      }
    }
    #expect(count > 500)
  }
}
