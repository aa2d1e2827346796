// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The programs that measure, as commands.
@Suite(.overlapping) struct MeasuringProgramTests {
  private func run(_ program: String, _ arguments: [String]) throws -> Shell.Outcome {
    try TemporaryDirectory.with { directory in
      // Beside this link there is no program to measure.
      let link = directory.file(program)
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: Shell.products + "/" + program)
      return try Shell(in: directory).run(arguments, program: link)
    }
  }

  @Test(arguments: [
    ("Benchmarks", ["import", "rebuild", "save", "attach", "search", "hit", "loop", "queries", "ranked", "follow"]),
    ("RetrievalBenchmark", ["docs.jsonl", "queries.tsv", "--catalogue", "RETRIEVAL_PARTNER"]),
    ("ModelBenchmarks", ["memory", "insert and save", "fetch of the objects alone", "count", "identifiers"]),
  ])
  func `help lists the targets and measures nothing`(program: String, names: [String]) throws {
    for arguments in [["--help"], ["count", "--help"]] {
      let outcome = try run(program, arguments)
      #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
      #expect(outcome.output.hasPrefix("usage: \(program) "), "\(outcome)")
      for name in names { #expect(outcome.output.contains(name), "\(outcome)") }
      #expect(!outcome.output.contains("| ---"), "\(outcome)")
    }
  }

  @Test(arguments: [
    (
      "Benchmarks", ["tour"],
      "there is no target 'tour': targets are import, rebuild, save, attach, search, hit\nhint: Benchmarks --help"
    ),
    ("Benchmarks", ["--row", "3"], "there is no option '--row'\nhint: Benchmarks --help"),
    (
      "Benchmarks", ["--rows", "3"], "--into needs one of --rows and --packages, which need it\nhint: Benchmarks --help"
    ),
    ("Benchmarks", ["--into", "x", "--rows"], "--rows needs a value\nhint: Benchmarks --help"),
    (
      "Benchmarks", ["--rows", "few", "--into", "x"],
      "--rows must be an integer above 0, not 'few'\nhint: Benchmarks --help"
    ),
    (
      "Benchmarks", ["--rows", "3", "--into", "x", "hit"],
      "there is no part 'hit': parts are rebuild, loop, queries, ranked, follow\nhint: Benchmarks --help"
    ),
    (
      "Benchmarks", ["--packages", "3", "--into", "x", "rebuild"],
      "there is no part 'rebuild': parts are build, search, prefix, typed\nhint: Benchmarks --help"
    ),
    ("RetrievalBenchmark", [], "the directory of a test collection is missing\nhint: RetrievalBenchmark --help"),
    (
      "RetrievalBenchmark", ["--catalogue", "x"],
      "--catalogue needs RECORDS.jsonl, QUERIES.tsv and IDENTIFIER\nhint: RetrievalBenchmark --help"
    ),
    ("ModelBenchmarks", ["0"], "ROWS must be an integer above 0, not '0'\nhint: ModelBenchmarks --help"),
    ("ModelBenchmarks", ["9", "tour"], "no target begins with 'tour'\nhint: ModelBenchmarks --help"),
  ])
  func `an invalid call is refused with a hint`(program: String, arguments: [String], message: String) throws {
    let outcome = try run(program, arguments)
    #expect(outcome.code == 2 && outcome.signal == 0 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors == "\(program): \(message)\n")
  }

  @Test func `an error of a measurement is printed, and ends no program by a signal`() throws {
    let build = try run("Benchmarks", ["--rows", "3", "--into", "rows", "rebuild"])
    #expect(build.code == 2 && build.signal == 0, "\(build)")
    #expect(build.errors.hasPrefix("Benchmarks: ") && build.errors.hasSuffix("/followspot cannot build the index\n"))
    let collection = try run("RetrievalBenchmark", ["nowhere"])
    #expect(collection.code == 2 && collection.signal == 0, "\(collection)")
    #expect(collection.errors.hasPrefix("RetrievalBenchmark: ") && collection.errors.contains("nowhere"))
  }

  @Test func `a chosen target is measured alone`() throws {
    let outcome = try run("ModelBenchmarks", ["20", "count", "1"])
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.lines.map { $0.prefix(8) } == ["| 20 obj", "| --- | ", "| count "])
  }
}
