// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// A truncated, damaged or missing write-ahead log: SQLite returns to an earlier transaction. The index reports that and
/// follows without skipping anything.
@Suite(.overlapping, .temporaryDirectory)
struct LogDamageTests {
  private enum Fate: String, CaseIterable { case asItIs, anotherPast }

  /// The damage of the log in a round: first named truncations, then random damage.
  private func damage(_ seed: Int, size: Int) -> Damage {
    var generator = SeededGenerator(seed: seed)
    return switch seed % 8 {
    case 0: .cut(size - 1)
    case 1: .cut(size / 2)
    case 2: .cut(33)
    case 3: .cut(0)
    case 4: .removed
    case 5: Damage.random(size: size, seed: seed)
    default: .cut(Int.random(in: 0..<size, using: &generator))
    }
  }

  /// Makes saves other than the lost ones, up to a higher number.
  private func goOn(_ path: String, past number: Int64, seed: Int) throws {
    let store = try PersistentStore.open(path, access: .readWrite)
    var catalogue = Catalogue(seed: seed + 1)
    while try store.newest() <= number {
      var film = catalogue.film()
      // What is unique may be taken already.
      if let code = store.layout.entities[0].entity.index(of: "code") { film[code] = .null }
      try store.save { save in try save.insert(store.layout.entities[0], film) }
    }
  }

  /// Expects that the next pass reports a restored store and ends equal. Returns whether the store was restored.
  private func expectFollowed(_ copy: Specimen.Copy, token: Int64, seed: Int, _ what: String) throws -> Bool {
    let isBack = try PersistentStore.open(copy.store).newest() < token
    let fate = Fate.allCases[seed / 8 % 2]
    if isBack, fate == .anotherPast { try goOn(copy.store, past: token, seed: seed) }
    let pass = try copy.shell.runInContract(["index"], codes: [0], what)
    if isBack {
      let sentence = fate == .asItIs ? "the store is older than the index" : "the history has diverged"
      #expect(pass.errors.contains(sentence) && pass.errors.contains("reconciled: "), "\(what): \(pass)")
    } else {
      #expect(pass.errors == "", "\(what): \(pass)")
    }
    #expect(try copy.dump() == (try copy.rebuiltDump()), "\(what): \(pass)")
    try copy.shell.runInContract(["verify"], codes: [0], what)
    return isBack
  }

  @Test(arguments: Rounds.groups(12, full: 48, long: 500))
  func `a store whose log lost its end is reported and reconciled`(seeds: [Int]) throws {
    let specimen = try Specimen(seed: seeds[0], films: 20, pending: 0)
    let bench = specimen.bench
    for _ in 0..<8 { try bench.saveRandomly() }
    try Indexer(bench.options()).catchUp()
    for _ in 0..<(seeds[0] % 5) { try bench.saveRandomly() }
    let size = try #require(FileManager.default.contents(atPath: bench.storePath + "-wal")).count
    let token = try #require(try bench.state().token).number
    var back = 0
    for seed in seeds {
      // The -shm of a store that was open elsewhere is worth nothing.
      try specimen.withCopy(["-wal", ".index"] + (seed % 2 == 0 ? ["-shm"] : [])) { copy in
        let damage = self.damage(seed, size: size)
        try damage.happen(to: copy.store + "-wal")
        if try expectFollowed(copy, token: token, seed: seed, "seed \(seed): log \(damage)") { back += 1 }
      }
    }
    print("seeds \(seeds[0])-\(seeds[seeds.count - 1]): \(back) of \(seeds.count) stores went back")
  }

  @Test func `a follower notices that the store was reset to an older state`() throws {
    let specimen = try Specimen(seed: 9, pending: 0)
    try specimen.withCopy { copy in
      let follower = try copy.shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "))
      // The older state is put in the place of the newer one, log and all.
      let older = copy.directory.file("older.store")
      for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: copy.store + suffix) {
        try FileManager.default.copyItem(atPath: copy.store + suffix, toPath: older + suffix)
      }
      #expect(try copy.shell.run("set", "Film/p1", "title=never was").code == 0)
      #expect(try copy.shell.run("wait", "--timeout", "60s").code == 0)
      for suffix in ["-wal", "-shm", ""] {
        unlink(copy.store + suffix)
        if suffix != "-shm" { _ = rename(older + suffix, copy.store + suffix) }
      }
      #expect(follower.waitForError("reconciled: "), "\(follower.errors)")
      #expect(try copy.shell.run("wait", "--timeout", "60s").code == 0)
      follower.signal(SIGTERM)
      #expect(follower.wait().code == 0)
      #expect(try copy.dump() == specimen.whole)
    }
  }
}
