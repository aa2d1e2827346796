// SPDX-License-Identifier: MIT

import Foundation

/// A Markdown document of the repository, with the blocks that a test runs.
///
/// - A block of language `sh` is run. The block of language `output` behind it is what it prints.
/// - A comment `<!-- setup` … `-->` is run as well, and is not shown to readers.
/// - A comment `<!-- not run: REASON -->` in front of a block of language `sh` keeps it from being run.
/// - A block of language `console` is the screen of a terminal after the command in its first line.
struct Guide: CustomStringConvertible, Sendable {
  struct Command: Sendable {
    let text: String
    /// The line number of its first line in the document.
    let line: Int
    var output: String?
  }

  /// The path, relative to the root of the repository.
  let path: String
  private(set) var commands: [Command] = []
  /// Shell blocks that are not run, with their reasons.
  private(set) var skipped: [(command: String, reason: String)] = []
  private(set) var screens: [String] = []
  /// Blocks without a language, or with a language that no test runs.
  private(set) var others: [(language: String, text: String)] = []

  var description: String { path }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// README and every guide of the documentation catalogues.
  static let all: [Guide] = {
    let catalogues = ["Sources/Followspot/Documentation.docc", "Sources/SwiftData/Documentation.docc"]
    let guides = catalogues.flatMap { catalogue in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: catalogue).path)) ?? []
      return names.filter { $0.hasSuffix(".md") }.sorted().map { catalogue + "/" + $0 }
    }
    return (["README.md"] + guides).map(Guide.init)
  }()

  init(path: String) {
    self.path = path
    let text = (try? String(contentsOf: Self.root.appending(path: path), encoding: .utf8)) ?? ""
    var lines = text.components(separatedBy: "\n")[...]
    var reason: String?
    while let line = lines.popFirst() {
      let number = lines.startIndex
      if line == "<!-- setup" {
        commands.append(Command(text: Self.block(&lines, until: "-->"), line: number + 1))
      } else if line.hasPrefix("<!-- not run: "), line.hasSuffix(" -->") {
        reason = String(line.dropFirst(14).dropLast(4))
      } else if line.hasPrefix("```") {
        add(Self.block(&lines, until: "```"), language: String(line.dropFirst(3)), line: number + 1, reason: reason)
        reason = nil
      }
    }
  }

  private static func block(_ lines: inout ArraySlice<String>, until end: String) -> String {
    var block = ""
    while let line = lines.popFirst(), line != end { block += line + "\n" }
    return block
  }

  private mutating func add(_ text: String, language: String, line: Int, reason: String?) {
    switch (language, reason) {
    case ("sh", let reason?): skipped.append((text, reason))
    case ("sh", nil): commands.append(Command(text: text, line: line))
    case ("console", _): screens.append(text)
    case ("output", _) where commands.last?.output == nil && !commands.isEmpty:
      commands[commands.count - 1].output = text
    default: others.append((language, text))
    }
  }
}
