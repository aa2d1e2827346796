// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Copied, restored, replaced and vacuumed stores: each has the right verdict and then an equal index.
@Suite(.overlapping, .temporaryDirectory)
struct ReplacedStoreTests {
  private let directory = TemporaryDirectory()

  /// Runs one pass. Returns its reports and the number of written documents.
  private func pass(_ store: String, _ index: IndexDirectory) throws -> (said: [String], touched: Int) {
    var said: [String] = []
    var options = Indexer.Options(storePath: store, directory: index)
    options.report = { said.append($0) }
    let indexer = Indexer(options)
    try indexer.catchUp()
    return (said, indexer.touched)
  }

  private func sql(_ path: String, _ text: String) throws {
    try Connection(path: path, access: .readWrite).execute(text)
  }

  private func put(_ path: String, at store: String) {
    for suffix in ["-wal", "-shm"] { unlink(store + suffix) }
    #expect(rename(path, store) == 0)
  }

  @Test func `VACUUM changes no identifier, no token and no document`() throws {
    let specimen = try Specimen(seed: 1, films: 120)
    let bench = specimen.bench
    for _ in 0..<30 { try bench.saveRandomly() }
    try specimen.withCopy { copy in
      try sql(copy.store, "VACUUM")
      let first = try pass(copy.store, copy.index)
      #expect(first.said == [])
      #expect(try copy.dump() == (try bench.expectedDump()))
      try sql(copy.store, "VACUUM")
      let second = try pass(copy.store, copy.index)
      #expect(second.said == [] && second.touched == 0)
      try copy.shell.runInContract(["verify"], codes: [0], "vacuumed")
    }
  }

  @Test func `a follower continues during VACUUM`() throws {
    let specimen = try Specimen(seed: 2)
    try specimen.withCopy { copy in
      let follower = try copy.shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "))
      for round in 0..<3 {
        #expect(try copy.shell.run("delete", "Film/p\(round + 1)").code <= 1)
        try sql(copy.store, "VACUUM")
        #expect(try copy.shell.run("set", "Film/p\(round + 20)", "title=vacuumed \(round)").code <= 1)
        #expect(try copy.shell.run("wait", "--timeout", "60s").code == 0)
      }
      follower.signal(SIGTERM)
      let ended = follower.wait()
      #expect(ended.code == 0)
      #expect(ended.errors.split(separator: "\n").count == 1, "\(ended)")
      #expect(try copy.dump() == (try copy.rebuiltDump()))
    }
  }

  @Test func `a file of VACUUM INTO that replaces the store is the same store`() throws {
    let specimen = try Specimen(seed: 3)
    try specimen.withCopy { copy in
      let small = copy.directory.file("small.store")
      try sql(copy.store, "VACUUM INTO '\(small)'")
      put(small, at: copy.store)
      #expect(try pass(copy.store, copy.index).said == [])
      #expect(try copy.dump() == specimen.whole)
      #expect(try pass(copy.store, copy.index).touched == 0)
    }
  }

  @Test func `a copy diverges with its index, and an index beside the other store reports that`() throws {
    let specimen = try Specimen(seed: 4, pending: 0)
    try specimen.withCopy { one in
      try specimen.withCopy { other in
        for (copy, title) in [(one, "first past"), (other, "second past")] {
          #expect(try copy.shell.run("set", "Film/p1", "title=\(title)").code == 0)
          #expect(try pass(copy.store, copy.index).said == [])
          #expect(try copy.dump() == (try copy.rebuiltDump()))
        }
        let crossed = try pass(one.store, other.index)
        #expect(crossed.said.first?.hasPrefix("the history has diverged") == true, "\(crossed)")
        #expect(crossed.touched == 1)
        #expect(try other.dump() == (try one.rebuiltDump()))
        try one.shell.runInContract(["verify", "--index", other.index.path], codes: [0], "crossed")
      }
    }
  }

  @Test func `an older file copied over the store beside its newer log is an error or is reconciled`() throws {
    let specimen = try Specimen(seed: 5)
    try specimen.checkpoint()
    let older = try #require(FileManager.default.contents(atPath: specimen.bench.storePath))
    for _ in 0..<12 { try specimen.bench.saveRandomly() }
    for isCheckpointed in [false, true] {
      if isCheckpointed { try specimen.checkpoint() }
      for _ in 0..<3 { try specimen.bench.saveRandomly() }
      try Indexer(specimen.bench.options()).catchUp()
      let before = try specimen.bench.dump()
      try specimen.withCopy { copy in
        try older.write(to: URL(fileURLWithPath: copy.store))
        let pass = try copy.shell.runInContract(["index"], codes: [0, 2], "older file, newer log")
        if pass.code == 0 {
          let verified = try copy.shell.runInContract(["verify"], codes: [0, 1, 2], "older file, newer log")
          if verified.code == 0 { #expect(try copy.dump() == (try copy.rebuiltDump())) }
          #expect(try copy.dump().documents.count > before.documents.count / 2)
        } else {
          #expect(try copy.dump() == before)
        }
      }
    }
  }

  @Test(arguments: Rounds.seeds(3, full: 10, long: 200))
  func `after any change of the file, the next pass reports it and ends equal`(seed: Int) throws {
    let specimen = try Specimen(seed: seed, films: 15)
    let bench = specimen.bench
    let index = bench.index
    var backups: [String] = []
    var names = 0
    var log: [String] = []
    for _ in 0..<8 {
      names += 1
      let path = directory.file("backup-\(names).store")
      switch bench.catalogue.number(0...5) {
      case 0, 1:
        try bench.saveRandomly()
        log.append("save")
      case 2:
        try sql(bench.storePath, "VACUUM INTO '\(path)'")
        backups.append(path)
        log.append("backup \(names)")
      case 3:
        try sql(bench.storePath, "VACUUM")
        log.append("vacuum")
      case 4:
        guard let backup = bench.catalogue.pick(backups) else { continue }
        try FileManager.default.copyItem(atPath: backup, toPath: path)
        put(path, at: bench.storePath)
        bench.store = try PersistentStore.open(bench.storePath, access: .readWrite)
        log.append("restore \(backup.split(separator: "-").last ?? "")")
      default:
        let other = try Specimen(seed: seed + 1_000 + names, films: 5, pending: 1)
        try sql(other.bench.storePath, "VACUUM INTO '\(path)'")
        put(path, at: bench.storePath)
        bench.store = try PersistentStore.open(bench.storePath, access: .readWrite)
        log.append("another store")
      }
      guard bench.catalogue.chance(2) else { continue }
      log.append("index")
      let before = try bench.state().token
      let verdict = try PersistentStore.open(bench.storePath).withSnapshot { try bench.store.verdict(on: before) }
      let said = try pass(bench.storePath, index).said
      #expect((verdict == .valid) == said.isEmpty, "\(log): \(verdict), \(said)")
      let fresh = IndexDirectory(path: directory.file("fresh-\(names)"))
      let definition = try bench.state().definition
      _ = try Rebuild(
        storePath: bench.storePath, directory: fresh, definition: definition, isComplete: true, keep: 0
      ).run()
      #expect(try bench.dump() == CanonicalDump(of: fresh), "\(log)")
    }
  }
}
