// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The program that the guide Embedding shows completely and README in part. It is built here.
@Suite(.overlapping, .temporaryDirectory)
struct ReadmeProgramTests {
  private let directory = TemporaryDirectory()

  private func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test func `the guide shows the program and its output, and README shows a part of the program`() throws {
    let guide = try text("Sources/Followspot/Documentation.docc/Embedding.md")
    let program = String(
      try text("Tests/EmbeddingTests/Program/main.swift").trimmingPrefix("// SPDX-License-Identifier: MIT\n\n"))
    #expect(guide.contains("```swift\n" + program + "```\n"))
    let parts = try text("README.md").components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(parts.count == 1)
    for part in parts { #expect(program.contains(part)) }
    let shell = Shell(in: directory)
    let outcome = try shell.run([], program: Shell.products + "/EmbeddedSearch")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(
      outcome.output == """
        Up 2009
        WALL-E 2008
        left: ["Up"]
        transaction 1 by me: 2
        transaction 2 by me: 1

        """)
    #expect(guide.contains("```\n" + outcome.output + "```\n"))
    let verified = try shell.run("verify")
    #expect(verified.output.hasPrefix("equal documents=1 token=2 "), "\(verified)")
  }
}
