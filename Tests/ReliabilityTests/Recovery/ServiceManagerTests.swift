// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Notifications to a service manager. The absence of one is checked between other events, never for a short time.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct ServiceManagerTests {
  private let directory = TemporaryDirectory()

  /// A follower with a watchdog that must be fed ten times a second.
  private func follow(
    _ directory: TemporaryDirectory, _ socket: NotifySocket, store: String = "films.store"
  ) throws -> Shell.Running {
    var shell = Shell(in: directory, store: store)
    shell.environment["NOTIFY_SOCKET"] = socket.name
    shell.environment["WATCHDOG_USEC"] = "200000"
    let follower = try shell.start(["index", "--follow"])
    try #require(socket.wait(for: "READY=1"), "\(follower.errors)")
    return follower
  }

  private func end(_ follower: Shell.Running) {
    let ended = follower.end()
    #expect(ended.code == 0, "\(ended)")
  }

  @Test(arguments: [false, true])
  func `a follower notifies that it is ready, of its progress, and that it stops`(isAbstract: Bool) throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 20)
    let socket = try NotifySocket(in: directory, isAbstract: isAbstract)
    let follower = try follow(directory, socket)
    #expect(try bench.state().token?.number == 1)
    try bench.insert(1)
    #expect(socket.wait(for: "STATUS=token 2, nothing pending"))
    // Fed at rest.
    let before = socket.count("WATCHDOG=1")
    #expect(socket.wait(for: "WATCHDOG=1", times: before + 5))
    #expect(socket.count("STOPPING=1") == 0)
    end(follower)
    #expect(socket.count("STOPPING=1") == 1)
    #expect(socket.count("READY=1") == 1)
    #expect(socket.lines().contains("STATUS=token 1, nothing pending"))
  }

  @Test func `a missing socket, or one that nobody reads, does not block a follower`() throws {
    let bench = try IndexedStore(in: directory, seed: 2, films: 20)
    for name in [directory.file("none"), "@none-\(UUID().uuidString)", "relative", String(repeating: "/x", count: 99)] {
      var shell = Shell(in: directory)
      shell.environment["NOTIFY_SOCKET"] = name
      shell.environment["WATCHDOG_USEC"] = "1000"
      let follower = try shell.start(["index", "--follow"])
      #expect(follower.waitForError("following"))
      try bench.insert(1)
      #expect(try shell.run("wait").code == 0)
      end(follower)
    }
  }

  enum Trouble: String, CaseIterable { case storeGone, indexUnwritable }

  /// The watchdog of a follower without progress is not fed until the fault ends.
  @Test(arguments: Trouble.allCases)
  func `a stuck follower does not feed the watchdog`(_ trouble: Trouble) throws {
    let bench = try IndexedStore(in: directory, seed: 3, films: 20)
    let path = directory.file("copy.store")
    try Connection(path: bench.storePath, access: .readWrite).execute("VACUUM INTO '\(path)'")
    bench.store = try PersistentStore.open(path, access: .readWrite)
    let index = IndexDirectory(path: path + ".index")
    let socket = try NotifySocket(in: directory)
    let follower = try follow(directory, socket, store: "copy.store")
    #expect(socket.wait(for: "WATCHDOG=1", times: 3))
    var end: () throws -> Void = {}
    switch trouble {
    case .storeGone:
      let aside = directory.file("aside")
      #expect(rename(path, aside) == 0)
      end = { #expect(rename(aside, path) == 0) }
    case .indexUnwritable:
      // A directory in place of the file that each commit writes anew: root may write anywhere else.
      let serving = try #require(try index.serving()?.path)
      try FileManager.default.createDirectory(atPath: serving + "/v.tmp", withIntermediateDirectories: false)
      try bench.insert(1)
      end = { #expect(rmdir(serving + "/v.tmp") == 0) }
    }
    #expect(socket.wait(for: "STATUS=retrying: "))
    let fed = socket.count("WATCHDOG=1")
    // Tries come and go: each opens the store, or the index, anew. Other saves are events too.
    for _ in 0..<2 {
      if trouble == .indexUnwritable { try bench.insert(1) }
      #expect(FollowerScene.triesAgain(1, in: index), "\(follower.errors)")
    }
    #expect(socket.count("WATCHDOG=1") == fed)
    try end()
    #expect(follower.waitForError("resumed"), "\(follower.errors)")
    #expect(socket.wait(for: "WATCHDOG=1", times: fed + 3))
    self.end(follower)
    #expect(try Shell(in: directory, store: "copy.store").run("verify").code == 0)
  }

  // MARK: Rules, without a process

  private func manager(_ socket: NotifySocket, _ environment: [String: String] = [:]) -> ServiceManager {
    let standard = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "2"]
    return ServiceManager(environment: standard.merging(environment) { $1 }, pid: 7)
  }

  @Test func `long work feeds the watchdog only while it makes progress`() throws {
    let socket = try NotifySocket(in: directory)
    let manager = manager(socket)
    func fed(_ body: () -> Void) -> Int {
      let before = socket.count("WATCHDOG=1")
      body()
      return socket.count("WATCHDOG=1") - before
    }
    #expect(fed { for done in [100, 200, 300] { manager.progressed("building", done, of: 900) } } == 3)
    // A try that fails is begun again: it comes no further.
    #expect(fed { for done in [0, 100, 200, 300] { manager.progressed("building", done, of: 900) } } == 0)
    #expect(fed { manager.retrying("no space left") } == 0)
    #expect(fed { manager.progressed("building", 400, of: 900) } == 1)
    #expect(fed { manager.progressed("comparing", 10, of: 900) } == 1)
    #expect(fed { manager.committed(5, touched: 10) } == 1)
    #expect(fed { manager.committed(5, touched: 0) } == 0)
    #expect(fed { manager.committed(5, touched: 3) } == 1)
    #expect(fed { manager.committed(6, touched: 0) } == 1)
    // After the token moved, the next comparison begins from nothing.
    #expect(fed { manager.progressed("comparing", 5, of: 900) } == 1)
    #expect(fed { manager.idle(6) } == 1)
    #expect(fed { manager.idle(6) } == 1)
  }

  @Test func `a follower that makes progress before it is ready asks for more time`() throws {
    let socket = try NotifySocket(in: directory)
    let manager = manager(socket)
    manager.progressed("building", 0, of: 900)
    #expect(socket.count("EXTEND_TIMEOUT_USEC=90000000") == 0)
    manager.progressed("building", 100, of: 900)
    #expect(socket.count("EXTEND_TIMEOUT_USEC=90000000") == 1)
    manager.ready(1)
    manager.progressed("comparing", 100, of: 900)
    #expect(socket.count("EXTEND_TIMEOUT_USEC=90000000") == 1)
    #expect(socket.count("STATUS=building 100 of 900 rows") == 1)
  }

  @Test func `a follower does not feed the watchdog of another process`() throws {
    let socket = try NotifySocket(in: directory)
    for environment in [["WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"]] {
      let manager = manager(socket, environment)
      manager.ready(1)
      manager.idle(1)
      #expect(manager.sleep(atMost: 1_000) == 1_000)
    }
    #expect(socket.count("WATCHDOG=1") == 0)
    #expect(socket.count("READY=1") == 3)
    let ours = manager(socket, ["WATCHDOG_PID": "7", "WATCHDOG_USEC": "2000000"])
    #expect(ours.sleep(atMost: 1_000) == 500)
    ours.idle(1)
    #expect(socket.count("WATCHDOG=1") == 1)
  }
}
