// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// A build of many rows that is stopped or killed while its threads work.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct RebuildStopTests {
  private let directory = TemporaryDirectory()

  private static let seeds = Rounds.seeds(4, long: 40)

  /// The temporary files of builds in the index directory.
  private func runs(_ bench: IndexedStore) -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: bench.index.path)) ?? []
    return Set(names.filter { $0.hasPrefix("followspot-runs-") })
  }

  /// Starts a build, waits until it reads rows, and for a random time.
  private func start(_ verb: String..., on bench: IndexedStore, _ shell: Shell) throws -> Shell.Running {
    let building = try shell.start(verb)
    while building.isRunning {
      let lock = try? String(contentsOfFile: bench.index.path + "/rebuild.lock", encoding: .utf8)
      if lock?.contains("\(building.pid)\n") == true, lock?.contains("building") == true { break }
      usleep(2_000)
    }
    usleep(UInt32(bench.catalogue.number(0...1_500)) * 1_000)
    return building
  }

  @Test(arguments: seeds)
  func `a stopped build leaves no files, and the next build works`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 2_500)
    let shell = Shell(in: directory)
    let isFirst = seed % 2 == 0
    if !isFirst { #expect(try shell.run("index").code == 0) }
    let building = try start(isFirst ? "index" : "rebuild", on: bench, shell)
    let signal = seed / 2 % 2 == 0 ? SIGTERM : SIGINT
    building.signal(signal)
    let outcome = building.wait()
    // It may have been quicker than the signal.
    #expect([0, 128 + signal].contains(outcome.code), "\(outcome)")
    if outcome.code != 0 {
      #expect(outcome.errors == "followspot: stopped by a signal\n")
      // No generation beyond the serving one, which may be new if the signal came behind the switch.
      let serving = try bench.index.serving()?.number ?? 0
      #expect(bench.index.generations().filter { $0 > serving } == [])
    }
    #expect(runs(bench) == [])
    #expect(try shell.run(isFirst ? "index" : "rebuild").code == 0)
    #expect(try shell.run("verify", "--quick").code == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a search that is stopped while it builds the index leaves no files`(signal: Int32) throws {
    let bench = try IndexedStore(in: directory, seed: Int(signal), films: 2_500)
    let shell = Shell(in: directory)
    let building = try start("search", "--build", "*", on: bench, shell)
    building.signal(signal)
    let outcome = building.wait()
    // It may have been quicker than the signal.
    #expect([0, 128 + signal].contains(outcome.code), "\(outcome)")
    if outcome.code != 0 { #expect(outcome.errors.hasSuffix("\nfollowspot: stopped by a signal\n"), "\(outcome)") }
    #expect(runs(bench) == [])
    #expect(try shell.run("search", "--build", "*").code == 0)
    #expect(try shell.run("verify", "--quick").code == 0)
  }

  @Test(arguments: seeds)
  func `the next build removes the files of a killed build`(seed: Int) throws {
    let bench = try IndexedStore(in: directory, seed: seed, films: 2_500)
    let shell = Shell(in: directory)
    let building = try start("index", on: bench, shell)
    building.signal(SIGKILL)
    _ = building.wait()
    #expect(try shell.run("rebuild").code == 0)
    #expect(runs(bench) == [])
    #expect(try shell.run("verify", "--quick").code == 0)
    #expect(bench.index.generations().count <= 2)
  }
}
