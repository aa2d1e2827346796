// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `search --live`: the changes of a result as records are saved.
@Suite(.overlapping, .temporaryDirectory)
struct LiveSearchTests {
  /// Starts a live search, runs `body` once the first result is printed, and ends it by SIGTERM.
  private func live(
    _ bench: ShellFixture, _ arguments: [String], first: Int, _ body: (Shell.Running) throws -> Void
  ) throws -> Shell.Outcome {
    let running = try bench.shell.start(["search", "--live"] + arguments)
    #expect(eventually { lines(running).count >= first }, "\(running.output)\(running.errors)")
    try body(running)
    let outcome = running.end()
    #expect(outcome.code == 0, "\(outcome)")
    return outcome
  }

  private func lines(_ running: Shell.Running) -> [Substring] { running.output.split(separator: "\n") }

  @Test(arguments: [true, false])
  func `records that enter, change and leave the result are printed with a marker`(_ isFollowed: Bool) throws {
    let bench = try ShellFixture()
    let follower = isFollowed ? try bench.follow() : nil
    let outcome = try live(bench, ["title:story", "--fields", "@id,title,year"], first: 3) { running in
      func expect(_ count: Int) { #expect(eventually { lines(running).count == count }, "\(running.output)") }
      try bench.shell.run("set", "Film/p4", "title=Up story")
      expect(4)
      try bench.shell.run("set", "Film/p4", "year:=2010")
      expect(5)
      try bench.shell.run("set", "Film/p5", "year:=2010")
      try bench.shell.run("delete", "Film/p1")
      expect(6)
      try bench.shell.run("set", "Film/p4", "title=Up")
      expect(7)
    }
    #expect(
      outcome.lines.dropFirst(3) == [
        "+ Film/p4\tUp story\t2009", "~ Film/p4\tUp story\t2010", "- Film/p1\tToy Story\t1995",
        "- Film/p4\tUp story\t2010",
      ])
    if let follower { bench.stop(follower) }
  }

  @Test func `a live search waits while the store is missing, and goes on`() throws {
    let bench = try ShellFixture()
    let running = try bench.shell.start(["search", "--live", "title:story", "--fields", "@id,title,year"])
    #expect(eventually { lines(running).count == 3 }, "\(running.output)\(running.errors)")
    let files = ["", "-wal", "-shm"].map { bench.store + $0 }
      .filter(FileManager.default.fileExists(atPath:))
    for file in files { try FileManager.default.moveItem(atPath: file, toPath: file + ".away") }
    #expect(running.waitForError("no store at \(bench.store); retrying until it succeeds\n"), "\(running.errors)")
    usleep(500_000)
    #expect(running.isRunning)
    // The store itself last, so that nobody opens it without its log.
    for file in files.reversed() { try FileManager.default.moveItem(atPath: file + ".away", toPath: file) }
    #expect(running.waitForError("followspot: resumed\n"), "\(running.errors)")
    try bench.shell.run("set", "Film/p1", "year:=2010")
    #expect(eventually { lines(running).count == 4 }, "\(running.output)\(running.errors)")
    let outcome = running.end()
    #expect(outcome.code == 0 && outcome.lines.last == "~ Film/p1\tToy Story\t2010", "\(outcome)")
    // The reason is said once.
    #expect(outcome.errors.components(separatedBy: "retrying").count == 2, "\(outcome)")
  }

  @Test func `a live search waits while the index is missing, and goes on with a new one`() throws {
    let bench = try ShellFixture()
    let running = try bench.shell.start(["search", "--live", "title:story", "--fields", "@id,title,year"])
    #expect(eventually { lines(running).count == 3 }, "\(running.output)\(running.errors)")
    try FileManager.default.removeItem(atPath: bench.index)
    try bench.shell.run("set", "Film/p1", "year:=2010")
    #expect(running.waitForError("retrying until it succeeds\n"), "\(running.errors)")
    usleep(500_000)
    #expect(running.isRunning)
    #expect(try bench.shell.run("index").code == 0)
    #expect(eventually { lines(running).count == 4 }, "\(running.output)\(running.errors)")
    // A generation that is built beside it replaces the one that it searches.
    #expect(try bench.shell.run("rebuild").code == 0)
    try bench.shell.run("set", "Film/p1", "year:=2011")
    #expect(eventually { lines(running).count == 5 }, "\(running.output)\(running.errors)")
    let outcome = running.end()
    #expect(
      outcome.code == 0
        && outcome.lines.suffix(2) == ["~ Film/p1\tToy Story\t2010", "~ Film/p1\tToy Story\t2011"], "\(outcome)")
  }

  @Test func `a live search follows every match unless -n is given`() throws {
    let bench = try ShellFixture(Films.lines((1...30).map { "film \($0)" }))
    let titles = (1...25).map { "new film \($0)" }
    let all = try live(bench, ["film", "--fields", "title"], first: 30) { running in
      try bench.importRecords(Films.lines(titles), options: ["--kind", "Film", "--again"])
      #expect(eventually { lines(running).count == 55 }, "\(running.output)")
    }
    #expect(all.lines.dropFirst(30).sorted() == titles.map { "+ " + $0 }.sorted())
    let best = try live(bench, ["film", "--sort", "title", "-n", "5", "--fields", "title"], first: 5) { running in
      try bench.importRecords(Films.lines(["a film", "z film"]), options: ["--kind", "Film", "--again"])
      #expect(eventually { lines(running).count == 7 }, "\(running.output)")
    }
    #expect(Set(best.lines.dropFirst(5).map { $0.prefix(1) }) == ["+", "-"], "\(best)")
    #expect(!best.output.contains("z film"))
  }

  @Test func `a live search without a first result ends with the error`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let outcome = try bench.shell.run("search", "--live", "up")
    #expect(outcome.code == 3 && outcome.output.isEmpty, "\(outcome)")
  }

  @Test(arguments: Rounds.seeds(1, full: 3, long: 30))
  func `the changes applied to the first result give the last result`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = try ShellFixture()
    let query = "year:2000.. OR title:new"
    let outcome = try live(bench, ["-n", "0", "--format", "ndjson", "--", query], first: 1) { running in
      for round in 0..<15 {
        let key = Int.random(in: 1...12, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: try bench.importRecords(Films.additions(["New \(round)"]), options: ["--kind", "Film", "--again"])
        case 1: try bench.shell.run("set", "Film/p\(key)", "year:=\(Int.random(in: 1990...2010, using: &generator))")
        case 2: try bench.shell.run("set", "Film/p\(key)", "title=Title \(round)")
        default: try bench.shell.run("delete", "Film/p\(key)")
        }
      }
      // A last record whose event shows that the earlier ones have arrived.
      try bench.importRecords(Films.additions(["New last"]), options: ["--kind", "Film", "--again"])
      #expect(eventually { running.output.contains("New last") }, "\(running.output)")
    }
    var titles: [String: String] = [:]
    for line in outcome.lines {
      let event = try object(line)
      let hit = try #require(event["hit"] as? [String: Any])
      let identifier = try #require(hit["id"] as? String)
      let title = (hit["fields"] as? [String: Any])?["title"] as? String
      titles[identifier] = event["event"] as? String == "leave" ? nil : title
    }
    let last = try bench.shell.run("search", "-n", "0", "--format", "tsv", "--fields", "@id,title", "--", query)
    let wanted = Dictionary(
      uniqueKeysWithValues: last.lines.map { line in
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
        return (String(cells[0]), String(cells[1]))
      })
    #expect(titles == wanted, "seed \(seed)")
  }

  @Test(arguments: [
    (["--format", "json"], "--live prints text or ndjson"),
    (["--offset", "2"], "--live and --offset cannot be combined"),
    (["--facet", "year"], "--live and --facet cannot be combined"),
  ])
  func `options without a meaning for a changing result are refused`(_ options: [String], _ message: String) throws {
    let bench = try ShellFixture()
    let outcome = try bench.shell.run(["search", "up", "--live"] + options)
    #expect(outcome.code == 2 && outcome.errors.hasPrefix("followspot: \(message)\n"), "\(outcome)")
  }
}
