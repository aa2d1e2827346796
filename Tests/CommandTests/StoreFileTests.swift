// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The file at a store's path: other kinds of files, hard links, and directories without access.
@Suite(.overlapping, .temporaryDirectory)
struct StoreFileTests {
  private static let verbs = [["status"], ["count", "*"], ["index"], ["index", "--follow"], ["rebuild"], ["verify"]]

  @Test func `a pipe or a device as a store is refused at once`() throws {
    let bench = ShellFixture.empty()
    let pipe = bench.directory.file("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    for (path, kind) in [(pipe, "a pipe"), ("/dev/null", "a device"), (bench.directory.path, "a directory")] {
      for verb in Self.verbs {
        let running = try bench.shell.start(["--store", path, "--index", bench.directory.file("x")] + verb)
        #expect(eventually(within: 60) { !running.isRunning }, "\(verb) waits for \(kind)")
        let outcome = running.end(SIGKILL)
        #expect(outcome.code == 2 && outcome.errors.contains("\(path) is \(kind)\n"), "\(verb): \(outcome)")
      }
    }
  }

  @Test func `SIGTERM ends a rebuild that waits for its definition from a pipe`() throws {
    let bench = try ShellFixture()
    let pipe = bench.directory.file("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    for verb in [["rebuild"], ["index"], ["index", "--follow"]] {
      let running = try bench.shell.start(verb + ["--definition", pipe])
      usleep(300_000)
      #expect(running.end(SIGTERM, within: 30).signal == SIGTERM, "\(verb)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "closed directories are not tried: only root may become another user"))
  func `a store in a directory without access is not reported as missing`() throws {
    let bench = try ShellFixture()
    chmod(bench.directory.path, 0o700)
    let elsewhere = TemporaryDirectory()
    chmod(elsewhere.path, 0o777)
    var shell = Shell(in: elsewhere)
    shell.environment["FOLLOWSPOT_STORE"] = bench.store
    shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for verb in [["status"], ["count", "*"], ["index"], ["set", "Film/p1", "year=1"]] {
      let outcome = try shell.run(verb)
      #expect(outcome.code == 2, "\(outcome)")
      #expect(outcome.errors.contains("\(bench.store) cannot be reached: Permission denied"), "\(outcome)")
    }
  }

  @Test func `every verb warns once about a store with two hard links, and doctor reports it`() throws {
    let bench = try ShellFixture()
    let sentence = "films.store has 2 names (hard links)"
    #expect(try !bench.shell.run("count", "*").errors.contains("names"))
    try #require(link(bench.store, bench.directory.file("other.store")) == 0)
    for verb in [["count", "*"], ["status"], ["set", "Film/p1", "year=1"], ["index"]] {
      let outcome = try bench.shell.succeed(verb)
      #expect(outcome.errors.ranges(of: sentence).count == 1, "\(outcome)")
    }
    let doctor = try bench.shell.run("doctor")
    #expect(doctor.output.contains("warn  names: ") && doctor.output.contains(sentence), "\(doctor)")
    let completed = try bench.shell.run("__complete", "bash", "followspot search ")
    #expect(completed.errors.isEmpty, "\(completed)")
  }

  @Test(.enabled(if: geteuid() == 0, "a full disk is not shown without root: a small file system cannot be mounted"))
  func `a consumer that cannot be saved on a full disk is a temporary error`() throws {
    let bench = try ShellFixture()
    let disk = try SmallDisk(in: bench.directory, megabytes: 2)
    let store = disk.path + "/films.store"
    try #require(
      try bench.shell.run("--store", store, "import", bench.directory.file("new.jsonl"), "--kind", "Film").code == 0)
    // While a reader has the store open, its -wal and -shm exist and need no more space.
    try bench.shell.run("--store", store, "set", "Film/p1", "year=1")
    let reader = try bench.shell.start(["--store", store, "--index", bench.directory.file("i"), "index", "--follow"])
    try #require(reader.waitForError("following "), "\(reader.errors)")
    try disk.fill()
    let outcome = try bench.shell.run("--store", store, "history", "consumers", "add", "backup")
    _ = reader.end()
    #expect(outcome.code == 75, "\(outcome)")
    #expect(outcome.errors.contains("No space left on device"), "\(outcome)")
  }
}
