// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Stores of Apple's software and ordinary databases with random damage: `DamageReader` reads them as the
/// verbs do.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct DatabaseDamageTests {
  private let directory = TemporaryDirectory()

  /// The output of one reader.
  private struct Rounds {
    var outcomes: [String: Int] = [:]
    /// The last line that it began.
    var last = ""
    var peakMebibytes = 0

    init(_ output: String) {
      var lines = output.split(separator: "\n").map(String.init)
      if let peak = lines.last, peak.hasPrefix("peak ") {
        peakMebibytes = Int(peak.dropFirst(5)) ?? 0
        lines.removeLast()
      }
      for line in lines {
        if line.hasPrefix("seed ") { last = line } else { outcomes[String(line.prefix { $0 != " " }), default: 0] += 1 }
      }
    }
  }

  /// Damages copies of a file, one for each seed.
  private func expectHeld(_ file: String, _ name: String) throws {
    let seeds = TestSupport.Rounds.seeds(2, full: 4, long: 200)
    try TemporaryDirectory.with { directory in
      let scratch = TemporaryDirectory(inMemory: true)
      defer { scratch.remove() }
      let reader = try Shell(in: directory).start(
        [file, scratch.path, "\(seeds[0])", "\(seeds.count)"], program: Shell.products + "/DamageReader")
      // A round that takes longer than a minute hangs.
      var seen = ""
      while reader.isRunning {
        let before = seen
        _ = eventually(within: 60) {
          seen = reader.output
          return seen != before || !reader.isRunning
        }
        if seen == before, reader.isRunning { reader.signal(SIGKILL) }
      }
      let output = reader.output
      let rounds = Rounds(output)
      let outcome = reader.wait()
      #expect(outcome.code == 0, "\(name), \(rounds.last): exit \(outcome.code), signal \(outcome.signal)")
      #expect(rounds.outcomes["unclear"] == nil, "\(name): \(output)")
      #expect(rounds.outcomes.values.reduce(0, +) == seeds.count, "\(name): \(output)")
      #expect(rounds.peakMebibytes < 400, "\(name)")
      let counts = rounds.outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      print("\(name), seeds \(seeds[0])-\(seeds[seeds.count - 1]): \(counts); at most \(rounds.peakMebibytes) MiB")
    }
  }

  @Test(
    .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
    arguments: AppleStore.all)
  func `a damaged store of Apple's software causes no crash, and errors are clear`(_ real: AppleStore) throws {
    try expectHeld((Shell.dataDirectory ?? "") + "/stores/" + real.file, real.file)
  }

  @Test func `a change log that lost the end of its last page is refused, and the pass ends`() throws {
    let path = directory.file("any.sqlite")
    try DatabaseFiles.make(path, isAttached: true)
    let size = try #require(FileManager.default.contents(atPath: path)).count
    // SQLite reads the missing records as zeros: their number comes after greater ones.
    try Damage.cut(size - 3_300).happen(to: path)
    let pass = try Shell(in: directory).start(["--store", path, "index"])
    if !eventually(within: 60, { !pass.isRunning }) { pass.signal(SIGKILL) }
    let outcome = pass.wait()
    #expect(outcome.code == 2 && outcome.signal == 0, "\(outcome)")
    #expect(outcome.errors.contains("is damaged: in the history, transaction 0 follows transaction"), "\(outcome)")
  }

  @Test(arguments: ["compared", "attached"])
  func `a damaged database causes no crash, and errors are clear`(_ way: String) throws {
    let path = directory.file("any.sqlite")
    try DatabaseFiles.make(path, isAttached: way == "attached")
    try expectHeld(path, "\(way) database")
  }
}
