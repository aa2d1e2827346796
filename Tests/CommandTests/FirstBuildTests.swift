// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A search on a store without an index.
@Suite(.overlapping, .temporaryDirectory)
struct FirstBuildTests {
  @Test func `without a terminal the index is built only with --build`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let search = ["search", "title:\"toy story\"", "-doll", "--format", "tsv", "--fields", "title", "-n", "5"]
    let missing = try bench.shell.run(search)
    #expect(missing.code == 3 && missing.output == "")
    #expect(
      missing.errors == """
        followspot: no index at \(bench.index)
        hint: followspot search --build -n 5 --fields title --format tsv -- 'title:"toy story"' -doll

        """)
    #expect(!FileManager.default.fileExists(atPath: bench.index))
    // The hint repeats the search.
    var shell = bench.shell
    shell.environment["PATH"] = Shell.programDirectory + ":/usr/bin:/bin"
    let hint = try #require(missing.errors.firstMatch(of: /hint: (.*)/)?.output.1)
    let built = try shell.run(["-c", String(hint)], program: "/bin/sh")
    #expect(built.code == 0)
    #expect(built.output == "Toy Story 2\n")
    let said = built.errors.replacing(/\d+\.\d seconds/, with: "N seconds").replacing(/\d+ KiB/, with: "N KiB")
    #expect(
      said == """
        followspot: \(bench.store) has no index yet; building it
        followspot: built the index \(bench.index) in N seconds: 8 records, N KiB

        """)
    // The index exists now.
    #expect(try bench.shell.run(search + ["--build"]).errors == "")
    try bench.expectEqual(documents: 8)
  }

  @Test func `the index uses the definition of the store's profile`() throws {
    let bench = try ShellFixture(isIndexed: false)
    var shell = bench.shell
    shell.environment["FOLLOWSPOT_STORE"] = "films"
    shell.environment["XDG_CONFIG_HOME"] = bench.directory.path
    try FileManager.default.createDirectory(
      atPath: bench.directory.file("followspot"), withIntermediateDirectories: false)
    let definition = #"{"entities":{"Film":{"title":"title","fields":[{"name":"title","roles":["text"]}]}}}"#
    let file = try bench.directory.write(definition, to: "films.json")
    _ = try bench.directory.write(
      "[store \"films\"]\npath = \(bench.store)\ndefinition = \(file)\n", to: "followspot/config")
    #expect(try shell.run("search", "--build", "toy").lines.count == 2)
    #expect(try shell.run("count", "robot").output == "0\n")
    #expect(try shell.run("index").errors == "")
  }

  @Test(.enabled(if: Terminal.isThere, "terminals are not shown: there is no \(Terminal.script)"))
  func `on a terminal the index is built first, with the progress of each phase`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let shown = try Terminal.run(bench, "$F search robot --color never", columns: 400)
    let steps = shown.replacing("\u{1b}[K", with: "").split(whereSeparator: \.isNewline).map(String.init)
    #expect(
      steps.map {
        $0.replacing(/\d+(\.\d)? (seconds|KiB|ms)/, with: "N").replacing(bench.directory.path + "/", with: "")
      }
        == [
          "followspot: films.store has no index yet; building it", "reading rows into the index: 0 of 8 rows",
          "reading rows into the index: 8 of 8 rows", "writing the index",
          "followspot: built the index films.store.index in N: 8 records, N", "WALL-E  Film/p5",
          "    A robot cleans the earth.", "1 record in N, up to date",
        ])
    // It is not built a second time.
    #expect(try !Terminal.run(bench, "$F search robot").contains("index"))
  }
}
