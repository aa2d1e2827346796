// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import Store
import TestSupport
import Testing

/// Power cuts: a file system stops at a random moment under load, and loses everything that was not synced.
@Suite(
  .serialized, .overlapping(minutes: 600), .temporaryDirectory,
  .enabled(if: Volume.obstacle == nil, "\(Volume.obstacle ?? "")"))
struct PowerCutTests {
  private let directory = TemporaryDirectory()

  /// One power cut beside a writer and an indexer, on one disk or on two.
  private struct Cut {
    let directory: TemporaryDirectory
    let seed: Int
    let storeDisk: Volume
    let indexDisk: Volume
    var shell: Shell
    var store: String { storeDisk.path + "/films.store" }
    var index: IndexDirectory { IndexDirectory(path: indexDisk.path + "/films.store.index") }

    init(_ kind: Volume.Kind, in directory: TemporaryDirectory, seed: Int, disks: Int) throws {
      self.directory = directory
      self.seed = seed
      storeDisk = try Volume(kind, in: directory)
      indexDisk = disks == 1 ? storeDisk : try Volume(kind, in: directory, name: "other")
      shell = Shell(in: directory)
      shell.environment["FOLLOWSPOT_STORE"] = store
      shell.environment["FOLLOWSPOT_INDEX"] = index.path
    }

    /// Lets writer and indexer work until `disk` dies. Returns the last save that the store must have, and the last
    /// that a pass called indexed before.
    ///
    /// A save that is acknowledged while its own disk dies counts for nothing: ext4 can answer a `fdatasync` that is
    /// under way when it is shut down as if it had been done, though a power failure answers nobody.
    func run(until disk: Volume, isForeign: Bool = false) throws -> (saved: Int64, indexed: Int64) {
      var generator = SeededGenerator(seed: seed)
      let writer = try Load.start(in: directory, at: storeDisk.path, seed: seed, isForeign: isForeign)
      let end = Date().addingTimeInterval(Double.random(in: 0.2...1.5, using: &generator))
      var indexed: Int64 = 0
      // Passes tell what they have made durable; a follower commits more often.
      let follows = isForeign || Bool.random(using: &generator)
      var indexer = try shell.start(follows ? ["index", "--follow"] : ["index"])
      var saved = Load.acknowledged(writer.output)
      while Date() < end {
        if !follows, !indexer.isRunning {
          let pass = indexer.wait()
          #expect(pass.code == 0, "\(pass)")
          indexed = saved
          saved = Load.acknowledged(writer.output)
          indexer = try shell.start(["index"])
        }
        usleep(1_000)
      }
      if isForeign {
        // The index is to know saves that nobody synced.
        writer.signal(SIGSTOP)
        let reached = try shell.run("wait", "--timeout", "60s")
        #expect(reached.code == 0, "seed \(seed): \(reached)")
      }
      saved = Load.acknowledged(writer.output)
      try disk.cut()
      // For a moment work goes on beside the dead disk.
      usleep(UInt32.random(in: 0...20, using: &generator) * 1_000)
      for process in [indexer, writer] { process.signal(SIGKILL) }
      _ = indexer.wait()
      let last = Load.acknowledged(writer.wait().output)
      if disk !== storeDisk { saved = last }
      try disk.remount()
      return (saved, indexed)
    }

    /// Store and index are sound after the cut, and the next pass ends equal. Returns what it had to say.
    func expectHealed(indexed: Int64, _ meanwhile: () throws -> Void = {}) throws -> Shell.Outcome {
      if let serving = try index.serving() {
        try IndexReader.check(path: serving.path)
        let token = try IndexState.read(path: serving.path).token?.number ?? 0
        #expect(token >= indexed, "seed \(seed): the index lost what it had called durable")
      } else {
        #expect(indexed == 0, "seed \(seed): the index is gone")
      }
      try meanwhile()
      let pass = try shell.run("index")
      #expect(pass.code == 0, "seed \(seed): \(pass)")
      let verified = try shell.run("verify")
      #expect(verified.code == 0, "seed \(seed): \(verified)")
      return pass
    }

    func token() throws -> Int64 {
      guard let serving = try index.serving() else { return 0 }
      return try IndexState.read(path: serving.path).token?.number ?? 0
    }
  }

  @Test(arguments: Volume.kinds, Rounds.seeds(1, full: 3, long: 1_000))
  func `after a power cut every acknowledged save exists and the index continues`(
    _ kind: Volume.Kind, seed: Int
  ) throws {
    let cut = try Cut(kind, in: directory, seed: seed, disks: 1)
    let (saved, indexed) = try cut.run(until: cut.storeDisk)
    try Load.expectStore(cut.store, seed: seed, acknowledged: saved)
    // Every transaction that the index has seen was durable: there is nothing to heal.
    let pass = try cut.expectHealed(indexed: indexed)
    #expect(pass.errors == "", "seed \(seed): \(pass)")
    print("\(kind.rawValue) seed \(seed): \(saved) saves acknowledged")
  }

  enum Dead: String, CaseIterable, Sendable { case store, index }

  @Test(arguments: Volume.kinds, Rounds.seeds(1, full: 2, long: 200))
  func `a store and an index on two disks are equal again after a power cut of one disk`(
    _ kind: Volume.Kind, seed: Int
  ) throws {
    let dead = Dead.allCases[seed % 2]
    let cut = try Cut(kind, in: directory, seed: seed, disks: 2)
    let (saved, indexed) = try cut.run(until: dead == .store ? cut.storeDisk : cut.indexDisk)
    try Load.expectStore(cut.store, seed: seed, acknowledged: saved)
    let isAhead = try cut.token() > PersistentStore.open(cut.store).newest()
    // Only by the one save that was acknowledged while the store's disk died.
    #expect(!isAhead || dead == .store, "seed \(seed)")
    let pass = try cut.expectHealed(indexed: indexed)
    #expect(isAhead ? pass.errors.contains("reconciled: ") : pass.errors == "", "seed \(seed): \(pass)")
  }

  @Test(arguments: Volume.kinds, Rounds.seeds(1, full: 2, long: 200))
  func `an index ahead of a store that lost saves is detected, reported and reconciled`(_ kind: Volume.Kind, seed: Int)
    throws
  {
    let cut = try Cut(kind, in: directory, seed: seed, disks: 2)
    let (saved, _) = try cut.run(until: cut.storeDisk, isForeign: true)
    _ = try #require(try StoreContent(path: cut.store))
    let found = try PersistentStore.open(cut.store).newest()
    let token = try cut.token()
    let isPastRewritten = seed % 2 == 1
    let pass = try cut.expectHealed(indexed: 0) {
      guard isPastRewritten else { return }
      // The lost numbers are handed out again.
      while try PersistentStore.open(cut.store).newest() < token + 2 {
        let number = try PersistentStore.open(cut.store).newest()
        #expect(try cut.shell.run("set", "Film/p\(number % 20 + 1)", "title=after \(number)").code == 0)
      }
    }
    print("\(kind.rawValue) seed \(seed): saved \(saved), found \(found), index at \(token)")
    #expect(token >= saved, "seed \(seed)")
    if token > found {
      let sentence = isPastRewritten ? "the history has diverged" : "the store is older than the index"
      #expect(pass.errors.contains(sentence) && pass.errors.contains("reconciled: "), "seed \(seed): \(pass)")
    } else {
      #expect(pass.errors == "", "seed \(seed): \(pass)")
    }
  }
}
