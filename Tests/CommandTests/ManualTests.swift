// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Manual pages, generated from the command descriptions.
@Suite(.overlapping, .temporaryDirectory)
struct ManualTests {
  private static let groff = "/usr/bin/groff"
  private static let mandoc = "/usr/bin/mandoc"

  private func verbs(_ shell: Shell) throws -> [String] {
    let lines = try shell.run("help").output.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { $0 != "Verbs:" }.dropFirst().prefix { !$0.isEmpty }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  /// The page as plain text, its lines joined.
  private func rendered(_ page: String, _ bench: ShellFixture) throws -> String {
    let file = try bench.directory.write(page, to: "page.1")
    let outcome = try bench.shell.run(
      ["-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=500n", file], program: Self.groff)
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome)")
    return outcome.output
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: groff), "pages are not set: there is no \(groff)"))
  func `every page is formatted without a warning and contains the help text`() throws {
    let bench = ShellFixture.empty()
    let verbs = try verbs(bench.shell)
    #expect(verbs.count >= 20)
    for verb in verbs {
      let page = try bench.shell.run("help", "--man", verb)
      #expect(page.code == 0 && page.errors == "")
      let words = try rendered(page.output, bench).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.hasPrefix("FOLLOWSPOT-\(verb.uppercased())(1) User Commands "), "\(words)")
      let help = try bench.shell.run("help", verb).lines
      for line in help where !["Examples:", "Options:"].contains(line) {
        let said = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // The synopsis has the options between verb and arguments.
        let isSynopsis = line.hasPrefix("followspot \(verb)")
        #expect(isSynopsis || words.contains(said), "\(verb): \(said)\n\(words)")
      }
    }
    let overview = try rendered(try bench.shell.run("help", "--man").output, bench)
    for verb in verbs { #expect(overview.contains("followspot \(verb)\n"), "\(verb)") }
    for section in ["NAME", "SYNOPSIS", "VERBS", "ENVIRONMENT", "EXIT STATUS", "SEE ALSO"] {
      #expect(overview.contains("\n\(section)\n"), "\(section)")
    }
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: mandoc), "pages are not checked: there is no \(mandoc)"))
  func `mandoc reports only the missing date`() throws {
    let bench = ShellFixture.empty()
    for verb in [""] + (try verbs(bench.shell)) {
      let page = try bench.shell.run(["help", "--man"] + (verb.isEmpty ? [] : [verb]))
      let file = try bench.directory.write(page.output, to: "page.1")
      let checked = try bench.shell.run(["-T", "lint", "-W", "warning", file], program: Self.mandoc)
      #expect(checked.lines.allSatisfy { $0.contains("missing date") }, "\(verb): \(checked)")
    }
  }

  @Test func `an unknown verb has no page`() throws {
    let bench = ShellFixture.empty()
    let outcome = try bench.shell.run("help", "--man", "serch")
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors == "followspot: there is no verb 'serch'\nhint: did you mean search?\n")
  }
}
