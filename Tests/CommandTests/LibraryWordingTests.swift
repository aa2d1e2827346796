// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Programs without a command line also show errors and notes of the libraries. So libraries must not name verbs or
/// options.
@Suite(.overlapping)
struct LibraryWordingTests {
  private static let libraries = [
    "Index", "Sources/Base", "Sources/SQLite", "Sources/Store", "Sources/Followspot", "Sources/SwiftData",
  ]
  /// Texts for users of the command line that are made in a library.
  private static let exempt = ["Index/Indexer/Service/ServiceUnit.swift"]

  @Test func `no text of a library names a verb or an option of the command line`() throws {
    let words = try Self.words.get()
    #expect(words.verbs.count >= 20 && words.options.count >= 40)
    var checked = 0
    for path in try Self.sources() {
      let source = try String(contentsOf: Guide.root.appending(path: path), encoding: .utf8)
      for (line, text) in Self.literals(of: source) {
        checked += 1
        #expect(words.advice(in: text) == nil, "\(path):\(line): \(text)")
      }
    }
    #expect(checked > 1_000)
  }

  @Test(arguments: [
    ("run followspot index", true), ("give --encoding latin-1", true), ("a dash -- alone", false),
    ("followspot searches it", false), ("index --follow", false), ("index --follow again", true),
    ("PRAGMA --no-such-option", false), ("the index of followspot", false), ("followspot history consumers", true),
  ])
  func `a text that names a command or an option in a sentence is advice for the command line`(
    _ text: String, _ isAdvice: Bool
  ) throws {
    let words = try Self.words.get()
    #expect((words.advice(in: text) != nil) == isAdvice)
  }

  @Test func `literals are found, and comments are not`() {
    let source = #"""
      /// A "comment" of the module.
      let a = "one \(b) two" // "not this"
      let c = """
        several "quoted" lines
        """
      let url = "https://example.org" + "x\"y"
      """#
    #expect(
      Self.literals(of: source).map(\.text)
        == [#"one \(b) two"#, #"several "quoted" lines"#, "https://example.org", #"x\"y"#])
    #expect(Self.literals(of: source).map(\.line) == [2, 4, 6, 6])
  }

  private static let words = Result { try Words(SharedFilms.bench.get().shell) }

  /// The verbs and options that `help` lists.
  private struct Words {
    let verbs: Set<String>
    let options: Set<String>

    init(_ shell: Shell) throws {
      let overview = try shell.run("help").output
      verbs = Set(overview.matches(of: /(?m)^  ([a-z]+)  +[a-z]/).map { String($0.output.1) })
      options = Set(
        try verbs.flatMap { verb in
          try shell.run("help", verb).output.matches(of: /(?m)^ +(--[a-z][a-z-]+)/).map { String($0.output.1) }
        } + overview.matches(of: /(?m)^  (--[a-z][a-z-]+)/).map { String($0.output.1) })
    }

    /// The command or option that a text names. A verb with its option alone names the work of a process.
    func advice(in text: String) -> String? {
      if text.wholeMatch(of: /[a-z]+ --[a-z-]+/) != nil { return nil }
      if let command = text.matches(of: /followspot ([a-z]+)/).first(where: { verbs.contains(String($0.output.1)) }) {
        return String(command.output.0)
      }
      return text.matches(of: /--[a-z][a-z-]+/).map { String($0.output) }.first(where: options.contains)
    }
  }

  private static func sources() throws -> [String] {
    try libraries.flatMap { library in
      try FileManager.default.subpathsOfDirectory(atPath: Guide.root.appending(path: library).path)
        .filter { $0.hasSuffix(".swift") }.map { "\(library)/\($0)" }
    }
    .filter { path in !exempt.contains { path.hasPrefix($0) } }
  }

  /// The string literals of a source file, each with its line.
  private static func literals(of source: String) -> [(line: Int, text: String)] {
    var found: [(line: Int, text: String)] = []
    var isOverLines = false
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.contains(#"""""#) {
        isOverLines.toggle()
      } else if isOverLines {
        found.append((index + 1, line.trimmingCharacters(in: .whitespaces)))
      } else {
        // A comment, or a literal.
        for match in line.matches(of: /\/\/.*|"((?:\\.|[^"\\])*)"/) {
          if let text = match.output.1 { found.append((index + 1, String(text))) }
        }
      }
    }
    return found
  }
}
