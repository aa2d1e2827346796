// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Addresses and indexes that cannot be part of a group, and calls that `serve` refuses.
@Suite(.overlapping, .temporaryDirectory, .enabled(if: ShardFixture.isInstalled, "xapian-tools is not installed"))
struct ShardInputTests {
  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{ff}", ""])
  func `a stranger's port and a host that sends almost nothing are given up`(part: String) throws {
    let bench = try ShardFixture(seed: 31, records: 10)
    let stranger = Stranger(Array(part.utf8))
    let started = Date()
    let found = try bench.shell.run("--store", "one", "--store", "127.0.0.1:\(stranger.port)", "count", "*")
    #expect(Date().timeIntervalSince(started) < 20)
    #expect(found.code == 8 && found.errors.contains("127.0.0.1:\(stranger.port) does not answer"), "\(found)")
    let own = try bench.shell.run("--store", "one", "count", "*")
    #expect(found.output == own.output)
  }

  @Test func `an index of another version, of another program and of other fields are not searched`() throws {
    let bench = try ShardFixture(seed: 32, records: 10)
    let server = try bench.serve(0)
    let index = bench.group.path("two") + ".index/gen-0001"
    func search() throws -> Shell.Outcome {
      try bench.shell.run("--store", "one", "--store", bench.address(0), "search", "*")
    }
    #expect(try search().code == 0)
    for (format, sentence) in [("99", "serves an index of format 99"), ("", "does not serve an index of this version")]
    {
      #expect(try bench.shell.run(["set", index, "followspot", format], program: "/usr/bin/xapian-metadata").code == 0)
      let found = try search()
      #expect(found.code == 8 && found.errors.contains(sentence) && !found.output.isEmpty, "\(found)")
    }
    _ = server.end()
    let books = try bench.shell.start(["--store", "books", "serve", "--listen", bench.address(0)])
    try #require(books.waitForError("serving "))
    let third = try bench.serve(1)
    let mixed = try bench.search(["*", "-n", "0", "--format", "ids"])
    #expect(mixed.code == 8 && mixed.errors.contains("the fields of \(bench.address(1)) differ from"), "\(mixed)")
    // A remote index may have other fields than the stores.
    let both = try bench.shell.run("--store", "one", "--store", bench.address(0), "count", "*")
    let films = try bench.group.rows("ZFILM", of: "one")
    #expect(both.code == 0 && both.output == "\(films + 2)\n", "\(both)")
    let maker = try bench.shell.run(
      "--store", "one", "--store", bench.address(0), "search", "pages:120", "--format", "ids")
    #expect(maker.code == 0 && maker.lines.count == 1, "\(maker)")
    for server in [books, third] { _ = server.end() }
  }

  @Test func `a store beside its own server is refused, and so are groups of groups`() throws {
    let bench = try ShardFixture(seed: 33, records: 10)
    let server = try bench.serve(0)
    let twice = try bench.shell.run("--store", "two", "--store", bench.address(0), "search", "toy")
    #expect(twice.code == 2 && twice.errors.contains("are copies of each other"), "\(twice)")
    _ = server.end()
    let file = bench.group.directory.file("settings/followspot/config")
    var text = try String(contentsOfFile: file, encoding: .utf8)
    text += "[group \"shards\"]\nstores = one, \(bench.address(0))\n"
    text += "[group \"left\"]\nstores = right\n[group \"right\"]\nstores = left\n[group \"no\"]\nstores = one, host:x\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let left = try bench.shell.run("--store", "left", "search", "toy")
    #expect(left.code == 2 && left.errors.contains("\"right\" is a group, not a store"), "\(left)")
    let port = try bench.shell.run("--store", "no", "search", "toy")
    #expect(port.code == 2 && port.errors.contains("there is no store \"host:x\""), "\(port)")
    #expect(try bench.shell.run("--store", "shards", "count", "*").code == 8)
    let writing = try bench.shell.run("--store", bench.address(0), "index")
    #expect(writing.code == 2 && writing.errors.contains("the index of another machine"), "\(writing)")
  }

  @Test func `serve names what is missing, and ends with its program`() throws {
    let bench = try ShardFixture(seed: 34, records: 10)
    var bare = bench.shell
    bare.environment["PATH"] = bench.group.directory.path
    let program = try bare.run("--store", "two", "serve")
    #expect(program.code == 2 && program.errors.contains("apt-get install xapian-tools"), "\(program)")
    let stranger = Stranger([0])
    let taken = try bench.shell.run("--store", "two", "serve", "--listen", "127.0.0.1:\(stranger.port)")
    #expect(taken.code == 2 && taken.errors.contains("cannot be served"), "\(taken)")
    let address = try bench.shell.run("--store", "two", "serve", "--listen", "7740")
    #expect(address.code == 2 && address.errors.contains("ADDRESS:PORT, not '7740'"), "\(address)")
    try FileManager.default.moveItem(
      atPath: bench.group.path("two") + ".index", toPath: bench.group.path("two") + ".gone")
    #expect(try bench.shell.run("--store", "two", "serve").code == 3)
  }
}
