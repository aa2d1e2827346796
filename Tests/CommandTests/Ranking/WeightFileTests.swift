// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// `FOLLOWSPOT_WEIGHTS` names a file of weights for the ranking.
@Suite(.overlapping, .temporaryDirectory) struct WeightFileTests {
  private let directory = TemporaryDirectory()

  /// A store with the index of two films.
  private func films() throws -> Shell {
    let shell = Shell(in: directory)
    let titles = ["Red Moon over a Quiet Harbour", "Moon Red"]
    let lines = titles.map { "{\"title\":\"\($0)\"}\n" }.joined()
    try shell.succeed("import", try directory.write(lines, to: "films.jsonl"), "--kind", "Film")
    try shell.succeed("index")
    return shell
  }

  private func search(_ shell: Shell, weights: String?) throws -> Shell.Outcome {
    var shell = shell
    shell.environment["FOLLOWSPOT_WEIGHTS"] = try weights.map { try directory.write($0, to: "weights") }
    return try shell.run("search", "red moon", "--format", "tsv", "--fields", "title")
  }

  @Test func `a weight of the file changes the order of hits`() throws {
    let shell = try films()
    let standard = ["Red Moon over a Quiet Harbour", "Moon Red"]
    #expect(try search(shell, weights: nil).lines == standard)
    #expect(try search(shell, weights: "# Nothing is set.\n\n").lines == standard)
    #expect(try search(shell, weights: "adjacency = 0.75\n").lines == standard)
    #expect(try search(shell, weights: "adjacency = 0\n").lines == standard.reversed())
  }

  @Test(arguments: [
    ("adjacensy = 0\n", "line 1: no weight is named 'adjacensy'\nhint: did you mean adjacency?\n"),
    ("\ncode = high\n", "line 2: code: 'high' is not a number\n"),
    ("code = 1\ncode = 2\n", "line 2: code is set twice\n"), ("code\n", "line 1: 'code' is not 'name = value'\n"),
  ])
  func `a line that sets no weight is refused`(weights: String, message: String) throws {
    let outcome = try search(try films(), weights: weights)
    #expect(outcome.code == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors == "followspot: \(directory.file("weights")), \(message)")
  }

  @Test func `a file that is missing is refused`() throws {
    var shell = try films()
    shell.environment["FOLLOWSPOT_WEIGHTS"] = directory.file("nowhere")
    let outcome = try shell.run("search", "red moon")
    #expect(outcome.code == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors == "followspot: the file of weights '\(directory.file("nowhere"))' cannot be read\n")
  }
}
