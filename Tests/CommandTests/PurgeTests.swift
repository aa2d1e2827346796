// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `history purge`, `history consumers`, `index --follow --purge-after`, and their output in `status`.
@Suite(.overlapping, .temporaryDirectory)
struct PurgeTests {
  /// An index at transaction 1 of a store with six.
  private static func fixture() throws -> (ShellFixture, String) {
    let bench = try ShellFixture()
    for year in 2001...2005 { _ = try bench.shell.run("set", "Film/p1", "year=\(year)") }
    return (bench, "index:" + bench.index)
  }

  private static let shared = Result { try TemporaryDirectory.shared(fixture) }

  private func line(
    _ purged: Int, _ changes: Int, oldest: Int, heldBy: String? = nil, isDry: Bool = false, newest: Int = 6
  ) -> String {
    let holder = heldBy.map { "\"\($0)\"" } ?? "null"
    return "{\"purged\":\(purged),\"changes\":\(changes),\"oldest\":\(oldest),\"newest\":\(newest),"
      + "\"heldBy\":\(holder),\"dryRun\":\(isDry)}\n"
  }

  private func hint(_ name: String) -> String {
    "hint: followspot history consumers drop '\(name)' removes it, --ignore '\(name)' ignores it once\n"
  }

  @Test func `a purge stops at the index's token, names the index, and continues after the next pass`() throws {
    let (bench, name) = try Self.fixture()
    let held = try bench.shell.succeed("history", "purge", "--before", "5")
    #expect(held.output == line(0, 0, oldest: 1, heldBy: name))
    #expect(
      neutral(held.errors) == "followspot: the history from transaction 1 on is kept for consumer '\(name)': "
        + "current, last moved at TIME\n" + hint(name))
    #expect(try bench.shell.run("index").errors == "")
    let dry = try bench.shell.run("history", "purge", "--before", "5", "--dry-run")
    #expect(dry.output == line(4, 11, oldest: 5, isDry: true))
    #expect(try bench.shell.run("history", "--format", "tsv", "-n", "1").output.hasPrefix("1\t"))
    let done = try bench.shell.run("history", "purge", "--before", "5")
    #expect(done.output == line(4, 11, oldest: 5))
    #expect(done.errors == "")
    try bench.expectEqual(documents: 8)
  }

  @Test func `after a purge, conditions on the history say that earlier saves are not known`() throws {
    let (bench, name) = try Self.fixture()
    func notes(_ query: String) throws -> String {
      let outcome = try bench.shell.run("search", query, "-n", "1")
      return outcome.errors.replacing(/on \d{4}-\d\d-\d\d/, with: "on DATE")
    }
    #expect(try bench.shell.run("index").code == 0)
    for query in ["author:me", "tx:2", "changed:2d.."] { #expect(try !notes(query).contains("not known"), "\(query)") }
    #expect(try bench.shell.run("history", "purge", "--before", "4", "--ignore", name).code == 0)
    let note = "followspot: the history begins on DATE with transaction 4; earlier saves are not known\n"
    for query in ["author:me", "tx:2", "tx:<6", "changed:2d..", "NOT tx:>2", "changed:1800s"] {
      #expect(try notes(query).contains(note), "\(query)")
    }
    for query in ["tx:4", "tx:>3", "tx:>=5", "changed:3000..", "toy"] {
      #expect(try !notes(query).contains("not known"), "\(query)")
    }
    #expect(try bench.shell.run("history", "purge", "--keep", "0s", "--ignore", name).code == 0)
    #expect(try bench.shell.run("count", "author:me").errors.contains("earlier saves are not known\n"))
  }

  @Test func `after a purge every verb works, and history reports the missing transactions`() throws {
    let (bench, name) = try Self.fixture()
    #expect(try bench.shell.run("history", "purge", "--keep", "0s", "--ignore", name).output == line(5, 12, oldest: 6))
    let listed = try bench.shell.run("history", "--format", "tsv", "--after", "2")
    #expect(listed.errors == "followspot: transactions 3-5 are not in the history any more\n")
    #expect(listed.lines.count == 1)
    let gone = try bench.shell.run("history", "--after", "5")
    #expect(gone.errors == "")
    let waited = try bench.shell.run("wait", "--timeout", "10ms")
    #expect(waited.code == 4)
    #expect(try bench.shell.run("index", "--no-reconcile").code == 6)
    let healed = try bench.shell.run("index")
    #expect(
      healed.errors == "followspot: the token 1 has expired: transactions 1-5 are not in the history: "
        + "comparing index and store\nfollowspot: reconciled: 0 added, 1 updated, 0 removed\n")
    #expect(try bench.shell.run("wait").code == 0)
    #expect(try bench.shell.run("rebuild", "--replay").code == 6)
    #expect(try bench.titles("year:2005") == ["Toy Story"])
    _ = try bench.shell.run("set", "Film/p1", "year=2006")
    #expect(try bench.shell.run("index").errors == "")
    try bench.expectEqual(documents: 8)
  }

  @Test(arguments: [
    (["purge"], "one of --keep AGE and --before N"), (["purge", "--keep", "7d", "--before", "3"], "one of --keep"),
    (["purge", "--keep", "7"], "--keep takes an age such as 7d"), (["purge", "--keep", "-1d"], "--keep takes an age"),
    (["purge", "--keep", "x7d"], "--keep takes an age"), (["purge", "--keep", "1e300d"], "--keep takes an age"),
    (["purge", "--keep", "nand"], "--keep takes an age"), (["purge", "--before", "x"], "--before takes a whole"),
    (["purge", "--before", "3", "--after", "2"], "history purge does not take --after"),
    (["purge", "--before", "3", "extra"], "history purge does not take 'extra'"),
    (["purge", "--before", "3", "--ignore", "nobody"], "there is no consumer 'nobody'"),
    (["--dry-run"], "history does not take --dry-run"),
    (["list", "--keep", "7d"], "history list does not take --keep"),
    (["prune"], "history has no subcommand 'prune'"),
    (["consumers", "remove", "x"], "history consumers has no subcommand 'remove'"),
    (["consumers", "add"], "takes the name"), (["consumers", "add", "a", "b"], "does not take 'b'"),
    (["consumers", "add", "a/b"], "cannot be called 'a/b'"), (["consumers", "move", "a"], "needs --token N"),
    (["consumers", "drop", "a"], "there is no consumer 'a'"),
    (["consumers", "drop", "a", "--token", "1"], "does not take --token"),
    (["consumers", "add", "a", "--token", "7"], "transaction 7 does not exist yet; the newest is 6"),
  ])
  func `an invalid purge is refused, and nothing is removed`(_ arguments: [String], _ part: String) throws {
    let (bench, _) = try Self.shared.get()
    let outcome = try bench.shell.run(["history"] + arguments)
    #expect(outcome.code == 2, "\(outcome)")
    #expect(outcome.errors.contains(part), "\(outcome)")
    #expect(outcome.output == "")
    #expect(try bench.number("oldest") == 1)
  }

  @Test func `consumers are listed in every format`() throws {
    let (bench, name) = try Self.fixture()
    let added = try bench.shell.run("history", "consumers", "add", "backup", "--token", "4")
    let backup =
      #"{"name":"backup","token":4,"lag":2,"holds":4,"seen":"TIME","state":"current","reason":null}"#
    #expect(neutral(added.output) == backup + "\n")
    let index =
      "{\"name\":\"\(name)\",\"token\":1,\"lag\":5,\"holds\":1,\"seen\":\"TIME\",\"state\":\"current\",\"reason\":null}"
    func list(_ format: String) throws -> String {
      neutral(try bench.shell.run("history", "consumers", "--format", format).output)
    }
    #expect(try list("json") == "{\"format\":2,\"consumers\":[\(backup),\(index)]}\n")
    #expect(try list("ndjson") == "\(backup)\n\(index)\n")
    #expect(try list("tsv") == "backup\t4\t2\tTIME\tcurrent\n\(name)\t1\t5\tTIME\tcurrent\n")
    #expect(
      try list("text") == "backup  at 4, 2 behind  current, last moved at TIME\n"
        + "\(name)  at 1, 5 behind  current, last moved at TIME\n")
    #expect(try bench.shell.run("history", "consumers", "move", "backup", "--token", "6").code == 0)
    #expect(try bench.shell.run("history", "consumers", "drop", "backup").code == 0)
    #expect(try bench.shell.run("history", "consumers", "drop", name).code == 0)
    let none = try bench.shell.run("history", "consumers")
    #expect(none.code == 1)
    #expect(none.output == "")
  }

  @Test func `status prints sizes and consumers`() throws {
    let (bench, name) = try Self.fixture()
    let status = try bench.status()
    let store = try #require(status["store"] as? [String: Any])
    let history = try #require(store["history"] as? [String: Any])
    #expect(history["transactions"] as? Int == 6)
    #expect(history["changes"] as? Int == 13)
    let size = try #require(FileManager.default.attributesOfItem(atPath: bench.store)[.size] as? Int)
    #expect(store["bytes"] as? Int == size)
    let consumers = try #require(status["consumers"] as? [[String: Any]])
    #expect(consumers.map { $0["name"] as? String } == [name])
    let text = try bench.shell.run("status").output
    #expect(text.contains("  store size  \(size) bytes\n"))
    #expect(text.contains("  history     6 transactions, 13 changes"))
    #expect(neutral(text).contains("  consumer    \(name), at 1, current, last moved at TIME\n"))
  }

  @Test func `an idle follower purges old transactions, and continues`() throws {
    let (bench, _) = try Self.fixture()
    #expect(try bench.shell.run("index").code == 0)
    try bench.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 864000 WHERE Z_PK <= 4")
    let follower = try bench.follow("--purge-after", "7d")
    #expect(follower.waitForError("purged 4 transactions, 11 changes"), "\(follower.errors)")
    #expect(try bench.number("oldest") == 5)
    _ = try bench.shell.run("set", "Film/p1", "year=2010")
    #expect(try bench.shell.run("wait").code == 0)
    #expect(try bench.titles("year:2010") == ["Toy Story"])
    #expect(try bench.status()["lastReconcile"] is NSNull)
    bench.stop(follower)
  }

  @Test func `a follower does not purge past the slowest consumer, and reports it once`() throws {
    let (bench, _) = try Self.fixture()
    _ = try bench.shell.run("history", "consumers", "add", "backup", "--token", "2")
    let follower = try bench.follow("--purge-after", "0s")
    #expect(follower.waitForError("kept for consumer 'backup'"), "\(follower.errors)")
    #expect(follower.errors.contains("purged 1 transactions"))
    #expect(try bench.number("oldest") == 2)
    bench.stop(follower)
  }

  @Test func `--purge-after needs --follow`() throws {
    let (bench, _) = try Self.fixture()
    let outcome = try bench.shell.run("index", "--purge-after", "7d")
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("--purge-after needs --follow"))
  }
}
