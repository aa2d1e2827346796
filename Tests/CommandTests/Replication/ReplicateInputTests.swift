// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Addresses and directories with which `replicate` cannot work.
@Suite(.overlapping, .temporaryDirectory, .enabled(if: ReplicationFixture.isInstalled, "xapian-tools is not installed"))
struct ReplicateInputTests {
  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{ff}"])
  func `a stranger's port and a host that sends almost nothing are given up`(part: String) throws {
    let bench = ShellFixture.empty()
    let stranger = Stranger(Array(part.utf8))
    let started = Date()
    let outcome = try bench.shell.run(
      "replicate", "from", "127.0.0.1:\(stranger.port)", "films.replica", "--patience", "3s")
    #expect(outcome.code == 75 && outcome.errors.contains("127.0.0.1:\(stranger.port)"), "\(outcome)")
    #expect(Date().timeIntervalSince(started) < 15)
    // There is nothing to search yet.
    let found = try bench.shell.run("--index", "films.replica", "search", "toy")
    #expect(found.code == 3 && found.errors.contains("is not complete"), "\(found)")
    #expect(try bench.shell.run("--index", "films.replica", "status").code == 0)
  }

  @Test(arguments: [
    ("PIPE", "closed the connection without an answer\nhint: check that followspot replicate serve runs there"),
    ("KILL", "xapian-replicate was ended by signal 9"),
  ])
  func `a transfer that ends without a message is described`(signal: String, message: String) throws {
    let bench = ShellFixture.empty()
    // Xapian's program writes to a connection that the other side has closed, and gets SIGPIPE.
    let program = try bench.directory.write("#!/bin/sh\nkill -\(signal) $$\n", to: "xapian-replicate")
    chmod(program, 0o755)
    var shell = bench.shell
    shell.environment["PATH"] = bench.directory.path + ":/usr/bin:/bin"
    let outcome = try shell.run("replicate", "from", "127.0.0.1:7", "films.replica")
    #expect(outcome.code == 75 && outcome.errors.contains(message), "\(outcome)")
    #expect(!outcome.errors.contains("no message"), "\(outcome)")
  }

  @Test func `directories that contain something else are refused and not changed`() throws {
    let replication = try ReplicationFixture()
    let server = try replication.serve()
    let own = try replication.replicate("films.store.index")
    #expect(own.code == 2 && own.errors.contains("is an index, not a replica"), "\(own)")
    _ = try replication.bench.directory.write("mine", to: "notes.txt")
    let full = try replication.replicate(".")
    #expect(full.code == 2 && full.errors.contains("is not an index of followspot: it holds"), "\(full)")
    let file = try replication.replicate("notes.txt")
    #expect(file.code == 2, "\(file)")
    #expect(!FileManager.default.fileExists(atPath: replication.reader.directory + "/replica.json"))
    let none = try replication.reader.run("replicate", "from", "localhost", "r")
    #expect(none.code == 2 && none.errors.contains("HOST:PORT, not 'localhost'"), "\(none)")
    _ = server.end()
    try replication.bench.expectEqual()
  }

  @Test func `an index of another version is not copied`() throws {
    let replication = try ReplicationFixture()
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    let announced = replication.bench.index + "/served/announced"
    let forged = try replication.reader.run(
      ["set", announced, "followspot", "99"], program: "/usr/bin/xapian-metadata")
    #expect(forged.code == 0, "\(forged)")
    let outcome = try replication.replicate()
    #expect(outcome.code == 2 && outcome.errors.contains("serves an index of format 99"), "\(outcome)")
    // The replica answers as before.
    #expect(try replication.reader.run("--index", "films.replica", "search", "toy").code == 0)
    _ = server.end()
  }

  @Test func `the programs are looked up, and an address that is in use is named`() throws {
    let replication = try ReplicationFixture()
    var bare = replication.bench.shell
    bare.environment["PATH"] = replication.bench.directory.path
    for words in [["serve"], ["from", replication.source, "r"]] {
      let outcome = try bare.run(["replicate"] + words)
      #expect(outcome.code == 2 && outcome.errors.contains("apt-get install xapian-tools"), "\(outcome)")
    }
    let stranger = Stranger([0])
    let taken = try replication.bench.shell.run("replicate", "serve", "--listen", "127.0.0.1:\(stranger.port)")
    #expect(taken.code == 2 && taken.errors.contains("cannot be served"), "\(taken)")
  }
}
