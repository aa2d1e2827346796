// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `replicate serve` and `replicate from` on the loopback interface.
@Suite(.overlapping, .temporaryDirectory, .enabled(if: ReplicationFixture.isInstalled, "xapian-tools is not installed"))
struct ReplicateTests {
  private func set(_ bench: ShellFixture, _ title: String, _ edits: String...) throws {
    try bench.shell.succeed(["set", "title:\"\(title)\"", "--yes", "-n", "1"] + edits)
    #expect(try bench.shell.run("index").code == 0)
  }

  @Test func `a replica is copied, follows commits, and is copied again after a rebuild or when it is late`() throws {
    let replication = try ReplicationFixture()
    let bench = replication.bench
    let server = try replication.serve("--changesets", "3")
    let first = try replication.replicate()
    #expect(first.code == 0 && first.errors.hasPrefix("followspot: copied the index: token 1"), "\(first)")
    try replication.expectEqual()
    let second = try replication.replicate()
    #expect(second.errors.hasPrefix("followspot: nothing has changed"), "\(second)")
    // The writer keeps the changes of its commits from the second one on that the server saw.
    try set(bench, "Up", "year=2010")
    try set(bench, "Up", "year=2011")
    #expect(try replication.replicate().code == 0)
    try set(bench, "Up", "year=2012")
    let third = try replication.replicate()
    #expect(third.errors.hasPrefix("followspot: applied the changes: token 4"), "\(third)")
    try replication.expectEqual()
    // Later than the changes that are kept.
    for year in 2013...2019 { try set(bench, "Up", "year=\(year)") }
    let late = try replication.replicate()
    #expect(late.errors.hasPrefix("followspot: copied the index: token 11"), "\(late)")
    try replication.expectEqual()
    #expect(try bench.shell.run("rebuild").code == 0)
    let rebuilt = try replication.replicate()
    #expect(rebuilt.errors.hasPrefix("followspot: copied the index: token 11"), "\(rebuilt)")
    try replication.expectEqual()
    #expect(try bench.shell.run("rollback").code == 0)
    #expect(try replication.replicate().code == 0)
    try replication.expectEqual()
    let ended = server.end()
    #expect(ended.code == 0, "\(ended)")
    // Nobody listens any more.
    #expect(try replication.replicate().code == 75)
    try replication.expectEqual()
  }

  @Test func `changes are kept only for an index that is served, and no more than its size`() throws {
    let replication = try ReplicationFixture()
    let bench = replication.bench
    func changesets() throws -> [String] {
      let generation = bench.index + "/gen-0002"
      return try FileManager.default.contentsOfDirectory(atPath: generation).filter { $0.hasPrefix("changes") }
    }
    try set(bench, "Up", "year=2010")
    #expect(try changesets() == [])
    let server = try replication.serve("--changesets", "2")
    for year in 2011...2016 { try set(bench, "Up", "year=\(year)") }
    #expect(try changesets().count == 2)
    let second = try bench.shell.run("replicate", "serve", "--listen", "127.0.0.1:\(ReplicationFixture.freePort())")
    #expect(second.code == 5, "\(second)")
    _ = server.end()
    try bench.shell.succeed("replicate", "off")
    #expect(try changesets() == [])
    try set(bench, "Up", "year=2017")
    #expect(try changesets() == [])
    #expect(!FileManager.default.fileExists(atPath: bench.index + "/served"))
    try bench.expectEqual()
  }

  @Test func `a damaged replica is copied again, also while it is searched`() throws {
    let replication = try ReplicationFixture()
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    func database() throws -> String {
      let copies = try FileManager.default.contentsOfDirectory(atPath: replication.reader.directory + "/films.replica")
      let copy = try #require(copies.first { $0.hasPrefix("copy-") })
      let place = replication.reader.directory + "/films.replica/" + copy
      let names = try FileManager.default.contentsOfDirectory(atPath: place)
      return place + "/" + (try #require(names.first { $0.hasPrefix("replica_") }))
    }
    let garbage = Data((0..<16_384).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    for name in ["iamglass", "postlist.glass", "termlist.glass", "position.glass"] {
      try garbage.write(to: URL(fileURLWithPath: try database() + "/" + name))
      try set(replication.bench, "Up", "year=\(2000 + name.count)")
      let outcome = try replication.replicate()
      let again = try replication.replicate()
      #expect(again.code == 0, "\(name) \(outcome) \(again)")
      try replication.expectEqual()
    }
    try FileManager.default.removeItem(atPath: replication.reader.directory + "/films.replica/XAPIANDB")
    #expect(try replication.replicate().code == 0)
    try replication.expectEqual()
    _ = server.end()
  }

  /// Every transaction gives all films the same year: a state between two transactions shows two years.
  @Test func `a reader of a replica sees whole transactions, while it is updated, killed and copied again`() throws {
    let films = (0..<60).map { #"{"title": "Film \#($0)", "year": 1000, "plot": "toy"}"# }.joined(separator: "\n")
    let replication = try ReplicationFixture(films)
    let bench = replication.bench
    let indexer = try bench.follow()
    let server = try replication.serve("--changesets", "20")
    var follower = try replication.follow()
    let deadline = Date(timeIntervalSinceNow: Double(Rounds.count(5, full: 15, long: 120)))
    var (round, answers, years) = (0, 0, Set<String>())
    while Date() < deadline {
      round += 1
      let lines = (0..<60).map { #"{"title": "Film \#($0)", "year": \#(1000 + round)}"# }.joined(separator: "\n")
      let saved = try bench.importRecords(lines, options: ["--kind", "Film", "--key", "title"])
      #expect(saved.code == 0, "\(saved)")
      for _ in 0..<3 {
        let counted = try replication.reader.run("count", "*", "--by", "year", "--index", "films.replica")
        #expect(counted.code == 0 && counted.lines.count == 1, "\(counted)")
        #expect(counted.output.hasPrefix("60\t"), "\(counted)")
        years.insert(counted.output)
        answers += 1
      }
      if round % 7 == 0 {
        follower.signal(SIGKILL)
        _ = follower.wait()
        follower = try replication.follow()
      }
      if round % 15 == 0 { #expect(try bench.shell.run("rebuild").code == 0) }
    }
    #expect(years.count > 3 && answers > 10)
    #expect(try bench.shell.run("wait").code == 0)
    let own = try replication.checksumOfWriter()
    #expect(try eventually(within: 30) { try replication.checksum() == own })
    for process in [follower, server, indexer] { #expect(process.end().code == 0) }
  }
}
