// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What programs use is explained where it is declared.
@Suite struct DocumentationTests {
  /// Public declarations; extensions, imports and the access of setters are none.
  private static var declaration: Regex<Substring> {
    #/^\s*(?:@\S+ )*(?:[a-z]+(?:\(\w+\))? )*?(?:public (?!import |extension )|open (?=class |func |var ))/#
  }

  @Test(arguments: [("Sources/SwiftData", 100), ("Sources/Followspot", 100), ("Sources/FollowspotModels", 3)])
  func `every public declaration has a documentation comment`(_ directory: String, _ least: Int) throws {
    var count = 0
    for source in try SwiftSource.files(below: directory) {
      for (index, line) in source.lines.enumerated() where isDeclaration(line) {
        count += 1
        let before = lineBefore(attributesOf: index, source.lines)
        #expect(before.hasPrefix("///"), "\(source.path):\(index + 1): \(line.trimmingCharacters(in: .whitespaces))")
      }
    }
    #expect(count > least, "\(directory) has \(count) public declarations")
  }

  /// What a protocol asks for, which a program does not name.
  private static let unnamed: Set<String> = [
    "Element", "Failure", "Iterator", "makeAsyncIterator", "next", "description", "errorDescription", "failureReason",
    "rawValue",
  ]

  @Test func `the guide Embedding names every public member of Followspot`() throws {
    let guide = try #require(
      SwiftSource.text(of: "Sources/Followspot/Documentation.docc/Embedding.md"))
    let declaration =
      #/^(?:\s*public (?:[a-z]+(?:\(\w+\))? )*(?:let|var|func)|public (?:final )?(?:struct|enum|class)) (\w+)/#
    var names: Set<String> = []
    for directory in ["Sources/Followspot", "Sources/FollowspotModels"] {
      for line in try SwiftSource.files(below: directory).flatMap(\.lines) {
        if let name = line.firstMatch(of: declaration)?.output.1 { names.insert(String(name)) }
      }
    }
    try #require(names.count > 100)
    for name in names.subtracting(Self.unnamed).sorted() {
      #expect(try guide.contains(Regex("\\b\(name)\\b")), "\(name) is not in the guide")
    }
  }

  private func isDeclaration(_ line: String) -> Bool {
    line.firstMatch(of: Self.declaration) != nil
  }

  /// The line before a declaration and its attributes, which may take several lines each.
  private func lineBefore(attributesOf index: Int, _ lines: [String]) -> String {
    var isInside = false
    for line in lines[..<index].reversed() {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("@") || text.hasPrefix("// swift-format-ignore") {
        isInside = false
      } else if text == ")" {
        isInside = true
      } else if !isInside {
        return text
      }
    }
    return ""
  }
}
