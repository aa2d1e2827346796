// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// kill -9 of `feed --follow` while a store is written: no change is missing, and repeats have the same position.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct FeedKillTests {
  private func line(_ text: String) throws -> (position: String, what: String) {
    let line = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let what = try ["operation", "id", "token"].map { "\(try #require(line[$0]))" }.joined(separator: " ")
    return (try #require(line["position"] as? String), what)
  }

  @Test(arguments: Rounds.seeds(1, long: 10))
  func `a consumer misses nothing after many kills`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let shell = Shell(in: directory, store: "films.store")
    let films = (1...40).map { "{\"title\": \"Film \($0)\", \"year\": \(1950 + $0)}\n" }.joined()
    let file = try directory.write(films, to: "films.jsonl")
    try #require(try shell.run("import", file, "--kind", "Film").code == 0)
    try #require(try shell.run("index").code == 0)
    // Later saves follow the feed's snapshot of the consumer.
    try #require(try shell.run("feed", "--consumer", "mirror").code == 0)
    let rounds = Rounds.count(25, full: 100, long: 100)
    var received: [String] = []
    var kills = 0
    for round in 0..<rounds {
      let feed = try shell.start(["feed", "--consumer", "mirror", "--follow"])
      let query = "year:\(1950 + Int.random(in: 1...20, using: &generator))..1980"
      if round % 3 > 0 { #expect(try shell.run("set", query, "title=Title \(round)", "--yes").code <= 1) }
      usleep(UInt32.random(in: 0...120_000, using: &generator))
      feed.signal(SIGKILL)
      let outcome = feed.wait()
      if outcome.signal == SIGKILL { kills += 1 }
      // The last line may be cut: a receiver ignores what has no line break.
      received += outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    received += try shell.run("feed", "--consumer", "mirror").lines
    #expect(kills == rounds)
    var seen: [String: String] = [:]
    var distinct: [String] = []
    for text in received {
      let (position, what) = try line(text)
      if let known = seen.updateValue(what, forKey: position) {
        #expect(known == what)
      } else {
        distinct.append(position)
      }
    }
    let all = try shell.run("feed", "--from", "1").lines.map { try line($0).position }
    print("seed \(seed): \(received.count) lines for \(all.count) changes, \(kills) kills")
    #expect(distinct == all, "seed \(seed)")
    #expect(all.count > 5 * rounds)
  }
}
