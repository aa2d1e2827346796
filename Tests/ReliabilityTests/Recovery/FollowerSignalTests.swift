// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import TestSupport
import Testing

/// Signals, and a standard error that nobody reads, while a follower is retrying.
@Suite(.overlapping, .temporaryDirectory)
struct FollowerSignalTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP], [false, true])
  func `a follower that is retrying stops at a signal`(signal: Int32, isLocked: Bool) throws {
    let bench = try IndexedStore(in: directory, seed: 9, films: 10)
    // A copy is in rollback mode: a writer can lock readers out.
    let path = directory.file("copy.store")
    try Connection(path: bench.storePath, access: .readWrite).execute("VACUUM INTO '\(path)'")
    let shell = Shell(in: directory, store: "copy.store")
    let follower = try shell.start(["index", "--follow"])
    #expect(follower.waitForError("following "))
    let writer = try Connection(path: path, access: .readWrite)
    if isLocked {
      try writer.execute("BEGIN EXCLUSIVE")
    } else {
      #expect(rename(path, directory.file("aside")) == 0)
    }
    #expect(follower.waitForError("retrying until it succeeds"), "\(follower.errors)")
    let ended = follower.end(signal)
    #expect(ended.code == 0, "\(ended)")
    #expect(FileLock.holder(.update, in: IndexDirectory(path: path + ".index")) == nil)
  }

  @Test func `under nohup a follower ignores the end of the terminal`() throws {
    let bench = try IndexedStore(in: directory, seed: 10, films: 10)
    var shell = Shell(in: directory)
    shell.wrapper = ["/usr/bin/nohup"]
    let follower = try shell.start(["index", "--follow"])
    #expect(follower.waitForError("following "))
    follower.signal(SIGHUP)
    try bench.insert(1)
    try FollowerScene.expectCaughtUp(Shell(in: directory))
    #expect(follower.isRunning)
    let ended = follower.end()
    #expect(ended.code == 0, "\(ended)")
  }

  @Test func `a follower continues if nobody reads its standard error`() throws {
    let bench = try IndexedStore(in: directory, seed: 11, films: 10)
    var shell = Shell(in: directory)
    shell.wrapper = ["/bin/bash", "-c", #"exec "$0" "$@" 2> >(exec true)"#]
    let follower = try shell.start(["index", "--follow"])
    let reader = Shell(in: directory)
    try FollowerScene.expectCaughtUp(reader)
    // What it says now meets a pipe without a reader.
    #expect(rename(bench.storePath, directory.file("aside")) == 0)
    #expect(eventually { FileLock.holder(.update, in: bench.index)?.state == "retrying" })
    #expect(FollowerScene.triesAgain(1, in: bench.index))
    #expect(rename(directory.file("aside"), bench.storePath) == 0)
    try bench.insert(1)
    try FollowerScene.expectCaughtUp(reader)
    #expect(follower.isRunning)
    let ended = follower.end()
    #expect(ended.code == 0, "\(ended)")
  }

  /// With a blocked SIGTERM, the other tests of signals would end in SIGKILL.
  @Test func `programs are started with no signal blocked`() throws {
    let status = try Shell(in: directory).run(["/proc/self/status"], program: "/bin/cat")
    #expect(status.lines.contains("SigBlk:\t0000000000000000"), "\(status)")
  }
}
