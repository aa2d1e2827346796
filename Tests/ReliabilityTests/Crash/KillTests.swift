// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import Store
import TestSupport
import Testing

/// kill -9 at random times: the process ends, and what it had written remains.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct KillTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: Rounds.seeds(4, full: 20, long: 200))
  func `after a kill of the follower under load the index ends equal`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 20)
    let shell = Shell(in: directory)
    for _ in 0..<3 {
      let follower = try shell.start(["index", "--follow"])
      let end = Date().addingTimeInterval(Double(bench.catalogue.number(1...120)) / 1_000)
      while Date() < end { try bench.saveRandomly() }
      follower.signal(SIGKILL)
      #expect(follower.wait().signal == SIGKILL)
    }
    #expect(try shell.run("index").code == 0)
    #expect(try bench.dump() == (try bench.expectedDump()))
    try shell.succeed("verify")
    #expect(try bench.state().token?.number == bench.store.newest())
  }

  @Test(arguments: Rounds.seeds(3, full: 10, long: 100))
  func `after a kill during a rebuild the old generation serves and the next rebuild works`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 400)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    let rebuild = try shell.start(["rebuild"])
    usleep(UInt32(bench.catalogue.number(1...200)) * 1_000)
    rebuild.signal(SIGKILL)
    let wasKilled = rebuild.wait().signal == SIGKILL
    #expect(try shell.run("count", "*").output == "400\n")
    let serving = try bench.index.serving()?.number
    // It may have been quicker than the kill.
    #expect(serving == 1 || (serving == 2 && (!wasKilled || bench.index.generations() == [1, 2])))
    try shell.succeed("rebuild")
    #expect(try bench.dump() == (try bench.expectedDump()))
    #expect(bench.index.generations().count <= 2)
  }

  @Test(arguments: Rounds.seeds(3, full: 10, long: 100))
  func `after a kill of a writer every acknowledged save exists, and no other`(seed: Int) throws {
    let writer = try Load.start(in: directory, at: directory.path, seed: seed)
    var generator = SeededGenerator(seed: seed)
    usleep(UInt32.random(in: 1...150, using: &generator) * 1_000)
    writer.signal(SIGKILL)
    let acknowledged = Load.acknowledged(writer.wait().output)
    #expect(acknowledged > 0)
    try Load.expectStore(directory.file("films.store"), seed: seed, acknowledged: acknowledged)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    try shell.succeed("verify")
  }
}
