// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// The checks of `doctor`, each on a set-up that it must report.
@Suite(.overlapping, .temporaryDirectory)
struct DoctorTests {
  private struct Report: Decodable {
    struct Check: Decodable, Equatable {
      let check: String
      let outcome: String
      let message: String
      let hint: String?
    }
    let format: Int
    let healthy: Bool
    let checks: [Check]

    subscript(check: String) -> Check? { checks.first { $0.check == check } }
    var faults: [String] { checks.filter { $0.outcome != "ok" }.map { "\($0.outcome) \($0.check)" } }
  }

  private func examine(_ bench: ShellFixture, _ options: String...) throws -> Report {
    let outcome = try bench.shell.run(["doctor", "--format", "json"] + options)
    #expect(outcome.errors == "")
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    #expect(report.format == 2)
    #expect(outcome.code == (report.healthy ? 0 : 1))
    #expect(report.healthy == !report.checks.contains { $0.outcome == "fail" })
    return report
  }

  @Test func `a valid set-up passes all checks, and nothing is changed`() throws {
    let bench = try ShellFixture()
    let before = try FileManager.default.subpathsOfDirectory(atPath: bench.directory.path).filter {
      !$0.hasPrefix(".run")
    }
    let report = try examine(bench)
    #expect(report.faults == [])
    #expect(
      report.checks.map(\.check) == [
        "sqlite", "xapian", "locale", "configuration", "store", "history", "journal", "permissions",
        "store file system", "inotify", "index", "lag", "follower", "index file system", "disk",
      ])
    #expect(report["history"]?.message == "1 transaction, 8 changes")
    #expect(report["lag"]?.message == "none, the index is up to date")
    #expect(report["index"]?.message.hasPrefix("\(bench.index), generation 1, format ") == true)
    let text = try bench.shell.succeed("doctor")
    #expect(text.lines.count == report.checks.count)
    for (line, check) in zip(text.lines, report.checks) where check.check != "disk" {
      #expect(line == "ok    \(check.check): \(check.message)")
    }
    let after = try FileManager.default.subpathsOfDirectory(atPath: bench.directory.path).filter {
      !$0.hasPrefix(".run")
    }
    #expect(after.sorted() == before.sorted())
  }

  @Test(arguments: [false, true], ["DELETE", "WAL"])
  func `an ordinary database passes all checks, with and without a history`(_ isAttached: Bool, _ mode: String) throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      "PRAGMA journal_mode = \(mode); CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')")
    if isAttached { #expect(try bench.shell.run("attach").code == 0) }
    #expect(try bench.shell.run("index").code == 0)
    let report = try examine(bench)
    #expect(report.faults == [])
    #expect(!report.checks.contains { $0.message.contains("Apple") })
    #expect(
      report["history"]?.message
        == (isAttached
          ? "no change yet; changes from now on are recorded"
          : "none: changes are found by comparing rows with the index"))
    #expect(report["permissions"]?.message == "the database can be read, and its rows are never changed")
  }

  @Test func `a missing store or index causes a failure or a warning with a hint`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let report = try examine(bench)
    #expect(report.faults == ["warn index"])
    #expect(report["index"]?.hint == "followspot index builds it")
    let missing = try examine(bench, "--store", "nowhere.store")
    #expect(missing.faults == ["fail store"])
    #expect(missing["store"]?.message == "no store at nowhere.store")
    var nameless = bench
    nameless.shell.environment["FOLLOWSPOT_STORE"] = nil
    let unnamed = try nameless.shell.run("doctor")
    #expect(unnamed.code == 1)
    #expect(unnamed.output.contains("\nfail  store: no store is named\n      hint: --store FILE"))
    _ = try bench.directory.write("no database", to: "notes.txt")
    #expect(try examine(bench, "--store", "notes.txt").faults == ["fail store"])
  }

  @Test func `lag causes a warning, and a running follower is named`() throws {
    let bench = try ShellFixture()
    #expect(try bench.shell.run("set", "Film/p1", "year=1996").code == 0)
    let behind = try examine(bench)
    #expect(behind.faults == ["warn lag"])
    #expect(behind["lag"]?.message.hasPrefix("1 transaction behind") == true)
    #expect(behind["lag"]?.hint == "followspot index, or index --follow")
    let follower = try bench.follow()
    let followed = try examine(bench)
    #expect(followed.faults == [])
    #expect(followed["follower"]?.message.hasPrefix("process \(follower.pid), ") == true)
    bench.stop(follower)
  }

  @Test func `a damaged index, an index of another store, and a store without a log are reported`() throws {
    let bench = try ShellFixture()
    try bench.sql("PRAGMA journal_mode = DELETE")
    #expect(try examine(bench).faults == ["warn journal"])
    try bench.sql("PRAGMA journal_mode = WAL")
    let second = bench.directory.file("second.store")
    #expect(
      try bench.shell.run("--store", second, "import", bench.directory.file("new.jsonl"), "--kind", "Film").code == 0)
    let foreign = try examine(bench, "--store", second, "--index", bench.index)
    #expect(foreign.faults == ["warn lag"])
    #expect(foreign["lag"]?.hint == "followspot --store \(second) --index \(bench.index) index reconciles it")
    _ = try bench.directory.write("nothing of Xapian's", to: "films.store.index/gen-0001/iamglass")
    let damaged = try examine(bench)
    // The index is also a history consumer, and purges wait for it.
    #expect(damaged.faults == ["warn consumers", "fail index"])
    #expect(damaged["index"]?.hint == "followspot rebuild")
  }

  @Test func `a locale without Unicode and an invalid configuration are reported`() throws {
    let bench = try ShellFixture()
    var other = bench
    other.shell.environment["LC_ALL"] = nil
    #expect(try examine(other).faults == ["warn locale"])
    other.shell.environment["LC_ALL"] = "de_DE@euro"
    #expect(try examine(other)["locale"]?.message == "LC_ALL=de_DE@euro is not UTF-8")
    other.shell.environment["LC_ALL"] = "de_DE.utf8"
    other.shell.environment["HOME"] = bench.directory.path
    try FileManager.default.createDirectory(
      atPath: bench.directory.file(".config/followspot"), withIntermediateDirectories: true)
    _ = try bench.directory.write("[store \"a\"]\npath = /a\n", to: ".config/followspot/config")
    let file = bench.directory.file(".config/followspot/config")
    #expect(try examine(other)["configuration"]?.message == "\(file), 1 store")
    _ = try bench.directory.write("[stores]\n", to: ".config/followspot/config")
    let wrong = try examine(other)
    #expect(wrong.faults == ["fail configuration"])
    #expect(wrong["configuration"]?.message == "\(file), line 1: there is no section '[stores]'")
  }

  @Test(.enabled(if: getuid() == 0, "permissions are not tried: this is not the superuser, who may become another"))
  func `a read-only store causes a warning`() throws {
    let bench = try ShellFixture()
    var other = bench
    other.shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bench.directory.path)
    let faults = try examine(other).faults
    #expect(faults.contains("warn permissions"), "\(faults)")
  }
}
