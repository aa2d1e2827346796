// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Damaged store files: an error, or the rows that SQLite reads. The index is kept and never emptied.
@Suite(.overlapping, .temporaryDirectory)
struct StoreDamageTests {
  private static let verbs = [
    ["search", "co", "--format", "json"], ["history"], ["status"], ["show", "Film/p3"], ["count", "*"], ["schema"],
    ["verify", "--quick"], ["set", "Film/p5", "year=1990"], ["delete", "Film/p6"],
    ["history", "purge", "--keep", "0s"],
  ]

  /// Runs a pass, a verify and another verb on a damaged store. Returns the outcome of the pass.
  private func expectHeld(_ specimen: Specimen, _ copy: Specimen.Copy, verb: [String], _ what: String) throws -> Int32 {
    let before = try copy.dump()
    try copy.shell.runInContract(verb, codes: [0, 1, 2, 75], what)
    let pass = try copy.shell.runInContract(["index"], codes: [0, 2, 75], what)
    let after = try copy.dump()
    #expect(after.documents.count > before.documents.count / 2, "the index was emptied: \(what)\n\(pass)")
    if pass.code != 0 { #expect(after == before, "the index was touched: \(what)\n\(pass)") }
    let verified = try copy.shell.runInContract(["verify"], codes: [0, 1, 2], what)
    if pass.code == 0, verified.code == 0 {
      #expect(try copy.rebuiltDump() == after, "skipped silently: \(what)\n\(pass)")
    }
    return pass.code
  }

  @Test func `a truncated or missing store is reported, and the index is kept`() throws {
    let specimen = try Specimen(seed: 1)
    try specimen.checkpoint()
    let size = try #require(FileManager.default.contents(atPath: specimen.bench.storePath)).count
    let header = [Damage.cut(15), .cut(99), .cut(100), .cut(4095), .cut(4096)]
    for (round, damage) in (Damage.cuts(size: size) + header).enumerated() {
      try specimen.withCopy([".index"]) { copy in
        try damage.happen(to: copy.store)
        let code = try expectHeld(specimen, copy, verb: Self.verbs[round % Self.verbs.count], "store \(damage)")
        // SQLite reads a page that lost its last byte as though a zero stood there.
        if case .cut(let left) = damage, left < size - 1 { #expect(code != 0, "store \(damage)") }
      }
    }
  }

  @Test(arguments: Rounds.groups(16, full: 60, long: 1_000))
  func `flipped bits and garbage in a store cause no crash and never empty the index`(seeds: [Int]) throws {
    let specimen = try Specimen(seed: seeds[0], films: 30)
    // Pages that are free, and a history of several pages.
    for _ in 0..<20 { try specimen.bench.saveRandomly() }
    try specimen.checkpoint()
    let size = try #require(FileManager.default.contents(atPath: specimen.bench.storePath)).count
    var refused = 0
    for seed in seeds {
      try specimen.withCopy([".index"]) { copy in
        // One in three hits the header and the table of tables.
        let damage = Damage.random(size: seed % 3 == 0 ? 4096 : size, seed: seed)
        try damage.happen(to: copy.store)
        let verb = Self.verbs[seed % Self.verbs.count]
        if try expectHeld(specimen, copy, verb: verb, "seed \(seed): \(damage)") != 0 { refused += 1 }
      }
    }
    print("seeds \(seeds[0])-\(seeds[seeds.count - 1]): \(refused) of \(seeds.count) damaged stores refused")
    #expect(refused > 0 || seeds.count < 10)
  }

  @Test func `a follower reports a damaged store, keeps the index, and continues with a good copy`() throws {
    let specimen = try Specimen(seed: 2)
    try specimen.checkpoint()
    try specimen.withCopy([".index"]) { copy in
      let good = copy.directory.file("good")
      try FileManager.default.copyItem(atPath: copy.store, toPath: good)
      let follower = try copy.shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "))
      #expect(try copy.dump() == specimen.whole)
      for round in 0..<3 {
        let bad = copy.directory.file("bad")
        try FileManager.default.copyItem(atPath: good, toPath: bad)
        for page in (1 + round)..<60 { try Damage.garbage(at: page * 4096, seed: page).happen(to: bad) }
        for suffix in ["-wal", "-shm"] { unlink(copy.store + suffix) }
        #expect(rename(bad, copy.store) == 0)
        let said = "is damaged: "
        let end = Date().addingTimeInterval(60)
        while follower.errors.components(separatedBy: said).count < round + 2, Date() < end { usleep(5_000) }
        #expect(follower.errors.components(separatedBy: said).count == round + 2, "\(follower.errors)")
        #expect(try copy.dump() == specimen.whole)
        let again = copy.directory.file("again")
        try FileManager.default.copyItem(atPath: good, toPath: again)
        for suffix in ["-wal", "-shm"] { unlink(copy.store + suffix) }
        #expect(rename(again, copy.store) == 0)
        while follower.errors.components(separatedBy: "resumed\n").count < round + 2, Date() < end { usleep(5_000) }
        #expect(follower.errors.components(separatedBy: "resumed\n").count == round + 2, "\(follower.errors)")
      }
      follower.signal(SIGTERM)
      let ended = follower.wait()
      #expect(ended.code == 0, "\(ended)")
      try copy.shell.runInContract(["verify"], codes: [0], "after three damaged stores")
    }
  }
}
