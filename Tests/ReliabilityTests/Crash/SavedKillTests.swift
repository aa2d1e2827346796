// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// kill -9 of `saved watch` at random times: nothing is missing, and repeated events are recognisable.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct SavedKillTests {
  private let directory = TemporaryDirectory()

  /// A receiver that keeps the number of the last event of each search.
  private final class Receiver {
    private var lines: [String: [Int: String]] = [:]
    private(set) var results: [String: Set<String>] = [:]
    private(set) var repeats = 0
    private(set) var events = 0

    /// Takes what a watch has printed. The last line may be cut off.
    func take(_ output: String) throws {
      guard let end = output.lastIndex(of: "\n") else { return }
      for line in output[..<end].split(separator: "\n").map(String.init) {
        let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let search = try #require(event["search"] as? String)
        let number = try #require(event["number"] as? Int)
        let identifier = try #require(event["identifier"] as? String)
        let last = lines[search]?.count ?? 0
        if number <= last {
          // A repeated event is the same line.
          #expect(lines[search]?[number] == line)
          repeats += 1
          continue
        }
        #expect(number == last + 1, "events of \(search) before \(identifier) are missing")
        lines[search, default: [:]][number] = line
        events += 1
        let record = String(try #require(identifier.split(separator: "/", maxSplits: 1).last))
        if event["event"] as? String == "leave" {
          #expect(results[search]?.remove(record) != nil, "\(line)")
        } else {
          let isNew = results[search, default: []].insert(record).inserted
          #expect(isNew == (event["event"] as? String == "enter"), "\(line)")
        }
      }
    }
  }

  @Test(arguments: Rounds.seeds(1, long: 10))
  func `a receiver that keeps the last number sees each event once over many kills`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 60)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    let queries = ["old": "year:..1960", "rest": "-year:..1960", "best": "rating:>2 OR is:favorite"]
    for (name, query) in queries { #expect(try shell.run("saved", "add", name, query).code == 0) }
    let receiver = Receiver()
    let arguments = ["saved", "watch", "--format", "ndjson", "--initial"] + queries.keys.sorted()
    let kills = Rounds.count(25, full: 100, long: 100)
    for round in 0..<kills {
      let watch = try shell.start(arguments)
      // Half of them are killed while they begin, the others while they follow.
      if bench.catalogue.chance(2) { #expect(eventually { watch.errors.contains("watching 'rest'") }) }
      let end = Date().addingTimeInterval(Double(bench.catalogue.number(0...40)) / 1_000)
      repeat { try bench.saveRandomly() } while Date() < end
      watch.signal(SIGKILL)
      let outcome = watch.wait()
      #expect(outcome.signal == SIGKILL, "\(outcome)")
      try receiver.take(outcome.output)
      if round % 10 == 9 { #expect(try shell.run("index").code == 0) }
    }
    let last = try shell.run(arguments + ["--once"])
    #expect(last.code <= 1, "\(last)")
    try receiver.take(last.output)
    for (name, query) in queries {
      let lines = try shell.run("search", "--all", "--format", "ids", "--", query).lines
      let wanted = Set(lines.map { $0.split(separator: "/").suffix(2).joined(separator: "/") })
      #expect(receiver.results[name] == wanted, "\(query), seed \(seed)")
    }
    print("seed \(seed): \(kills) kills, \(receiver.events) events, \(receiver.repeats) repeated")
    #expect(receiver.events > 5 * kills)
  }

  @Test func `a kill before any call that changes a file loses no event`() throws {
    let template = TemporaryDirectory()
    defer { template.remove() }
    let bench = try IndexedStore(in: template, seed: 0, films: 40)
    let shell = Shell(in: template)
    #expect(try shell.run("index").code == 0)
    #expect(try shell.run("saved", "add", "old", "year:..1960").code == 0)
    let arguments = ["saved", "watch", "old", "--once", "--format", "ndjson"]
    let first = try shell.succeed(arguments + ["--initial"])
    for _ in 0..<12 { try bench.saveRandomly() }
    let ids = try shell.run("search", "year:..1960", "--format", "ids").lines
    let wanted = Set(ids.map { $0.split(separator: "/").suffix(2).joined(separator: "/") })

    /// - Returns: The calls, whether the process was killed, and the number of events that came twice.
    func play(at point: Int) throws -> (calls: Int, isKilled: Bool, repeats: Int) {
      let workspace = TemporaryDirectory()
      defer { workspace.remove() }
      for name in try FileManager.default.contentsOfDirectory(atPath: template.path) where name.hasPrefix("films") {
        try FileManager.default.copyItem(atPath: template.file(name), toPath: workspace.file(name))
      }
      let traces = TemporaryDirectory()
      defer { traces.remove() }
      let fault = FaultPoint(calls: FaultPoint.changes, at: point)
      var faulty = Shell(in: workspace)
      faulty.environment.merge(
        try fault.environment(directory: workspace.path, trace: traces.file("trace"))
      ) { $1 }
      let outcome = try faulty.run(arguments)
      let lines = FaultPoint.trace(traces.file("trace"))
      let isKilled = lines.contains(where: \.isFault)
      #expect(outcome.signal == (isKilled ? SIGKILL : 0), "\(point): \(outcome)")
      let again = try Shell(in: workspace).run(arguments)
      #expect(again.code <= 1, "\(point): \(again)")
      let receiver = Receiver()
      for output in [first.output, outcome.output, again.output] { try receiver.take(output) }
      #expect(
        receiver.results["old"] == wanted, "\(point): \(lines.first(where: \.isFault)?.description ?? "no fault")")
      return (lines.count, isKilled, receiver.repeats)
    }

    let calls = try play(at: 0).calls
    let rounds = try Rounds.sample(of: calls, 40, full: 120).map { try play(at: $0) }
    let repeats = rounds.reduce(0) { $0 + $1.repeats }
    print("killed at \(rounds.count(where: \.isKilled)) of \(calls) calls, \(repeats) events repeated")
    #expect(rounds.count(where: \.isKilled) >= 10)
    #expect(repeats > 0)
  }
}
