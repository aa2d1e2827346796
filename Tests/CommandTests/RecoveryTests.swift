// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Stores whose history has expired, diverged or been replaced. The index detects each case, reports it and reconciles.
@Suite(.overlapping, .temporaryDirectory)
struct RecoveryTests {
  enum Accident: String, CaseIterable {
    case olderCopy, otherPast, otherStore, historyPurged, authorPurged

    /// The message of the next pass.
    var sentence: String {
      switch self {
      case .olderCopy: "the store is older than the index: its newest transaction is 1, the token is 3"
      case .otherPast: "the history has diverged: transaction 3 of the store is not the one that was indexed"
      case .otherStore: "the store is another one: the index followed "
      case .historyPurged: "the token 3 has expired: transactions 3-4 are not in the history"
      case .authorPurged: "the token 3 has expired: transaction 4 is not in the history"
      }
    }
  }

  private func copyStore(_ from: String, to: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: to + suffix)
      if FileManager.default.fileExists(atPath: from + suffix) {
        try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
      }
    }
  }

  /// Replaces the store by a file atomically, as a program that restores a backup does.
  private func replaceStore(_ bench: ShellFixture, by path: String) throws {
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: bench.store + suffix) }
    #expect(rename(path, bench.store) == 0)
  }

  private func happen(_ accident: Accident, _ bench: ShellFixture) throws {
    let backup = bench.directory.file("backup.store")
    switch accident {
    case .olderCopy: try replaceStore(bench, by: backup)
    case .otherPast:
      try replaceStore(bench, by: backup)
      for number in 1...3 { _ = try bench.shell.run("set", "Film/p5", "plot=Another past \(number).") }
    case .otherStore:
      let other = bench.directory.file("other.store")
      let file = try bench.directory.write(Films.lines, to: "other.jsonl")
      _ = try bench.shell.run("--store", other, "import", file, "--kind", "Film")
      try replaceStore(bench, by: other)
    case .historyPurged:
      _ = try bench.shell.run("set", "Film/p5", "plot=Unseen.")
      _ = try bench.shell.run("delete", "Film/p6")
      try bench.sql("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 5; DELETE FROM ATRANSACTION WHERE Z_PK < 5")
    case .authorPurged:
      _ = try bench.shell.run("set", "Film/p5", "plot=Unseen.", "--author", "gone")
      _ = try bench.shell.run("set", "Film/p6", "plot=Seen.")
      try bench.sql("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 4; DELETE FROM ATRANSACTION WHERE Z_PK = 4")
    }
  }

  /// An index at transaction 3, and a copy of the store at transaction 1.
  private func fixture() throws -> ShellFixture {
    let bench = try ShellFixture()
    try copyStore(bench.store, to: bench.directory.file("backup.store"))
    _ = try bench.shell.run("set", "Film/p1", "plot=Newer.")
    _ = try bench.shell.run("delete", "Film/p2")
    let pass = try bench.shell.run("index")
    try #require(pass.code == 0)
    return bench
  }

  @Test(arguments: Accident.allCases)
  func `the next pass reports the reason and reconciles the index`(_ accident: Accident) throws {
    let bench = try fixture()
    try happen(accident, bench)
    let search = try bench.shell.run("search", "toy")
    #expect(search.errors.contains(accident.sentence), "\(search)")
    let forbidden = try bench.shell.run("index", "--no-reconcile")
    #expect(forbidden.code == 6)
    #expect(forbidden.errors.contains(accident.sentence))
    #expect(forbidden.errors.contains("\nhint: followspot index"))
    let pass = try bench.shell.succeed("index")
    #expect(pass.errors.contains(accident.sentence), "\(pass)")
    #expect(pass.errors.contains("followspot: reconciled: "))
    try bench.expectEqual()
    let last = try #require(try bench.status()["lastReconcile"] as? [String: Any])
    #expect((last["reason"] as? String)?.hasPrefix(accident.sentence) == true)
    let again = try bench.shell.run("index")
    #expect(again.errors == "")
  }

  @Test(arguments: Accident.allCases)
  func `a running follower reconciles the index`(_ accident: Accident) throws {
    let bench = try fixture()
    let follower = try bench.follow()
    if accident == .historyPurged || accident == .authorPurged {
      // The follower is suspended meanwhile. Otherwise it would index the transactions before they are removed.
      follower.signal(SIGSTOP)
    }
    try happen(accident, bench)
    follower.signal(SIGCONT)
    #expect(follower.waitForError("reconciled: ", seconds: 20), "\(follower.errors)")
    #expect(try bench.shell.run("wait").code == 0)
    try bench.expectEqual()
    _ = try bench.shell.run("set", "Film/p1", "title=Afterwards")
    #expect(try bench.shell.run("wait").code == 0)
    #expect(try bench.titles("afterwards") == ["Afterwards"])
    bench.stop(follower)
    try bench.expectEqual()
  }

  @Test func `another store with another model is reported too, and --no-reconcile refuses it`() throws {
    let bench = try fixture()
    let other = bench.directory.file("other.store")
    let file = try bench.directory.write(Films.lines(["Elsewhere", "Otherwise"]), to: "other.jsonl")
    _ = try bench.shell.run("--store", other, "import", file, "--kind", "Film")
    try replaceStore(bench, by: other)
    let forbidden = try bench.shell.run("index", "--no-reconcile")
    #expect(forbidden.code == 6)
    let pass = try bench.shell.run("index")
    #expect((forbidden.errors + pass.errors).contains("the store is another one"), "\(pass)")
    try bench.expectEqual(documents: 2)
  }
}
