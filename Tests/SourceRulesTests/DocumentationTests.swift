// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What programs use is explained where it is declared.
@Suite struct DocumentationTests {
  /// Public declarations; extensions, imports and the access of setters are none.
  private static var declaration: Regex<Substring> {
    #/^\s*(?:@\S+ )*(?:[a-z]+(?:\(\w+\))? )*?(?:public|open) (?!import |extension )/#
  }

  @Test(arguments: ["Sources/SwiftData"])
  func `every public declaration has a documentation comment`(_ directory: String) throws {
    var count = 0
    for source in try SwiftSource.files(below: directory) {
      for (index, line) in source.lines.enumerated() where isDeclaration(line) {
        count += 1
        let before = lineBefore(attributesOf: index, source.lines)
        #expect(before.hasPrefix("///"), "\(source.path):\(index + 1): \(line.trimmingCharacters(in: .whitespaces))")
      }
    }
    #expect(count > 100, "\(directory) has \(count) public declarations")
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
