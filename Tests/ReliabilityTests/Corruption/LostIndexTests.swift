// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// An index directory that is deleted or moved while a process writes to it.
@Suite(.overlapping, .temporaryDirectory)
struct LostIndexTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: Rounds.seeds(2, full: 6, long: 50))
  func `a follower whose index is removed ends with an error, and the next start works`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 50)
    let shell = Shell(in: directory)
    let follower = try shell.start(["index", "--follow"])
    #expect(follower.waitForError("following "))
    let end = Date().addingTimeInterval(Double(bench.catalogue.number(0...150)) / 1_000)
    while Date() < end { try bench.saveRandomly() }
    let aside = directory.file("aside")
    #expect(rename(bench.index.path, aside) == 0)
    if seed % 3 == 0 { try FileManager.default.removeItem(atPath: aside) }
    // Sometimes it comes back before the follower looks: then nothing has happened.
    let isBack = seed % 3 == 2 && rename(aside, bench.index.path) == 0
    for _ in 0..<3 { try bench.saveRandomly() }
    if isBack, !Self.ends(follower, within: 3) {
      #expect(try shell.run("wait", "--timeout", "60s").code == 0, "\(follower.errors)")
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0)
    } else {
      let ended = follower.wait()
      #expect(ended.signal == 0 && [2, 7].contains(ended.code), "seed \(seed): \(ended)")
      #expect(
        ended.errors.contains(bench.index.path) && ended.errors.contains("\nhint: "), "seed \(seed): \(ended)")
    }
    // What lies there now is nothing, or a whole index, never half of one.
    let searched = try shell.run("count", "*")
    #expect(searched.code == 0 || searched.code == 3, "seed \(seed): \(searched)")
    let pass = try shell.run("index")
    #expect(pass.code == 0, "seed \(seed): \(pass)")
    #expect(try bench.dump() == (try bench.expectedDump()), "seed \(seed)")
    let verified = try shell.run("verify")
    #expect(verified.code == 0, "seed \(seed): \(verified)")
  }

  private static func ends(_ follower: Shell.Running, within seconds: Double) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while follower.isRunning, Date() < end { usleep(10_000) }
    return !follower.isRunning
  }

  @Test(arguments: Rounds.seeds(2, full: 5, long: 50))
  func `an index that is removed during a pass or a rebuild is never left incomplete`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 300)
    let shell = Shell(in: directory)
    let isRebuild = seed % 2 == 0
    if isRebuild { #expect(try shell.run("index").code == 0) }
    let worker = try shell.start([isRebuild ? "rebuild" : "index"])
    usleep(UInt32(bench.catalogue.number(1...250)) * 1_000)
    if rename(bench.index.path, directory.file("aside")) == 0 {
      try FileManager.default.removeItem(atPath: directory.file("aside"))
    }
    let ended = worker.wait()
    #expect(ended.signal == 0 && [0, 2, 7].contains(ended.code), "seed \(seed): \(ended)")
    let searched = try shell.run("count", "*")
    #expect(searched.code == 3 || searched.output == "300\n", "seed \(seed): \(searched)")
    #expect(try shell.run("index").code == 0)
    #expect(try bench.dump() == (try bench.expectedDump()), "seed \(seed)")
  }
}
