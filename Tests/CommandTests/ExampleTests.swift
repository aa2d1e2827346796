// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// The examples at the start of each help text, run unchanged by a shell.
@Suite(.overlapping, .temporaryDirectory)
struct ExampleTests {
  /// Examples that are not run: they never end, write outside the directory, or need a terminal.
  private static let untried = [
    "--follow", "--live", "--watch", " pick", "saved watch comedies --exec", "/etc/systemd", "tour", "man -l",
    "replicate serve", "--index movies.replica", "movies.store serve", "--store 10.0.0.1:7740",
  ]

  private static let films = (1...60).map { number in
    let title = number == 12 ? "Toy Story" : "Film \(number)"
    return #"{"title": "\#(title)", "year": \#(1940 + number), "rating": \#(number % 9).5, "isFavorite": false, "#
      + #""genres": ["Comedy"], "cast": ["Tom Hanks"], "href": "film\#(number)", "plot": "A toy and friendship."}"#
  }.joined(separator: "\n")

  @Test func `every example of every verb succeeds`() throws {
    let bench = ShellFixture.empty()
    var shell = bench.shell
    shell.environment["FOLLOWSPOT_STORE"] = bench.directory.file("movies.store")
    shell.environment["HOME"] = bench.directory.path
    shell.environment["PATH"] = Shell.programDirectory + ":/usr/bin:/bin"
    let manager = FileManager.default
    for place in [
      ".config/systemd/user", ".config/fish/completions", ".config/followspot",
      ".local/share/bash-completion/completions",
    ] {
      try manager.createDirectory(atPath: bench.directory.file(place), withIntermediateDirectories: true)
    }
    _ = try bench.directory.write("[store \"movies\"]\npath = ~/movies.store\n", to: ".config/followspot/config")
    _ = try bench.directory.write(Self.films, to: "movies.jsonl")
    _ = try bench.directory.write("title,year,href\nUp,2009,film13\nCoco,2017,film14\n", to: "new.csv")
    try Connection(path: bench.directory.file("library.sqlite"), access: .create).execute(
      "CREATE TABLE books (isbn TEXT, title TEXT); INSERT INTO books VALUES ('1', 'Toy Story')")
    // One film a transaction: the examples mention transaction 42.
    #expect(try shell.run("import", "movies.jsonl", "--kind", "Movie", "--key", "href", "--batch", "1").code == 0)
    #expect(try shell.run("index").code == 0)
    let schema = try shell.run("schema")
    _ = try bench.directory.write(schema.output, to: "movies.json")

    var tried = 0
    for verb in try verbs(shell) {
      let help = try shell.run("help", verb).lines
      let examples = help.dropFirst().prefix { $0.hasPrefix("  followspot ") }.map { String($0.dropFirst(2)) }
      #expect(help.first == "Examples:" && examples.count >= 2, "\(verb)")
      for example in examples where !Self.untried.contains(where: example.contains) {
        let outcome = try shell.run(["-c", example], program: "/bin/sh")
        // Exit code 1 is also an answer: no failed rows, or no older generation.
        #expect(outcome.code == 0 || outcome.code == 1, "\(example)\n\(outcome)")
        tried += 1
      }
    }
    #expect(tried >= 40)
    try shell.succeed("verify")
  }

  private func verbs(_ shell: Shell) throws -> [String] {
    let lines = try shell.run("help").output.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { $0 != "Verbs:" }.dropFirst().prefix { !$0.isEmpty }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
  }
}
