// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// Temporary faults: a follower reports each one once, waits, and continues by itself.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct FollowerRecoveryTests {
  private let directory = TemporaryDirectory()

  private func skipping(_ reason: String) { print("not shown: \(reason)") }

  // MARK: The store goes away

  @Test func `a store that vanishes and returns is followed again`() throws {
    let scene = try FollowerScene(IndexedStore(in: directory, seed: 1, films: 30), Shell(in: directory))
    let path = scene.bench.storePath
    #expect(rename(path, path + ".aside") == 0)
    scene.expectRetrying()
    #expect(rename(path + ".aside", path) == 0)
    try scene.expectRecovered(saying: "no store at \(path)")
  }

  @Test func `the whole directory of the store may disappear and return`() throws {
    let folder = directory.file("moved")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let path = folder + "/films.store"
    let bench = try IndexedStore(in: directory, seed: 2, films: 30)
    try Connection(path: bench.storePath, access: .readWrite).execute("VACUUM INTO '\(path)'")
    bench.store = try PersistentStore.open(path, access: .readWrite)
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_STORE"] = path
    shell.environment["FOLLOWSPOT_INDEX"] = bench.index.path
    let scene = try FollowerScene(bench, shell)
    #expect(rename(folder, folder + ".aside") == 0)
    scene.expectRetrying()
    #expect(rename(folder + ".aside", folder) == 0)
    try scene.expectRecovered(saying: "no store at \(path)")
  }

  @Test func `another store that replaces a vanished one is compared and followed`() throws {
    let other = directory.file("other.store")
    let elsewhere = TemporaryDirectory()
    let second = try IndexedStore(in: elsewhere, seed: 4, films: 12)
    try Connection(path: second.storePath, access: .readWrite).execute("VACUUM INTO '\(other)'")
    let scene = try FollowerScene(IndexedStore(in: directory, seed: 3, films: 30), Shell(in: directory))
    let path = scene.bench.storePath
    for suffix in ["", "-wal", "-shm"] { _ = rename(path + suffix, path + ".aside" + suffix) }
    scene.expectRetrying()
    #expect(rename(other, path) == 0)
    #expect(scene.follower.waitForError("reconciled: "), "\(scene.follower.errors)")
    try scene.expectRecovered(saying: "no store at \(path)", isNewStore: true)
    #expect(try scene.shell.run("count", "*").output == "12\n")
  }

  // MARK: The index cannot be written

  @Test func `a follower waits until a full disk has space`() throws {
    let folder = directory.file("small")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    guard mount("tmpfs", folder, "tmpfs", 0, "size=4m") == 0 else {
      return skipping("a full disk: mount failed: \(String(cString: strerror(errno)))")
    }
    defer { umount2(folder, Int32(MNT_DETACH)) }
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_INDEX"] = folder + "/index"
    let scene = try FollowerScene(IndexedStore(in: directory, seed: 5, films: 100), shell)
    let filler = folder + "/filler"
    _ = FileManager.default.createFile(atPath: filler, contents: nil)
    let handle = try #require(FileHandle(forWritingAtPath: filler))
    while (try? handle.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
    try handle.close()
    try scene.bench.insert(400)
    scene.expectRetrying()
    let found = try scene.shell.run("count", "*", "--index-only")
    #expect(found.output == "101\n", "\(found)")
    try FileManager.default.removeItem(atPath: filler)
    try scene.expectRecovered(saying: "no space left for \(folder)/index/gen-0001")
  }

  /// A shell of a user who is not root; nil if that is not possible here.
  private func asUser(_ number: Int, _ shell: Shell, _ directory: TemporaryDirectory) -> Shell? {
    var other = shell
    other.wrapper = ["/usr/bin/setpriv", "--reuid=\(number)", "--regid=\(number)", "--clear-groups"]
    guard getuid() == 0, (try? other.run("--version"))?.code == 0 else { return nil }
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? [] {
      chown(directory.file(name), uid_t(number), gid_t(number))
    }
    chown(directory.path, uid_t(number), gid_t(number))
    return other
  }

  @Test(arguments: ["index", "store"])
  func `a follower waits until lost permissions return`(_ what: String) throws {
    let bench = try IndexedStore(in: directory, seed: 6, films: 30)
    guard let shell = asUser(65_534, Shell(in: directory), directory) else {
      return skipping("lost permissions: no other user can run the program here")
    }
    let scene = try FollowerScene(bench, shell)
    let serving = try #require(try bench.index.serving()?.path)
    // The directory's owner loses it: root, whose store this test writes, does not mind.
    let path = what == "index" ? serving : directory.path
    chown(path, 0, 0)
    chmod(path, 0o500)
    if what == "index" { try bench.insert(1) }
    scene.expectRetrying()
    chmod(path, 0o755)
    chown(path, 65_534, 65_534)
    try scene.expectRecovered(saying: what == "index" ? "is not permitted" : bench.storePath)
  }

  // MARK: Calls fail

  @Test(arguments: [(FaultPoint.Call.notice, EMFILE), (.watch, ENOSPC)])
  func `without change notices the follower polls until they return`(
    _ call: FaultPoint.Call, _ code: Int32
  ) throws {
    let bench = try IndexedStore(in: directory, seed: 7, films: 30)
    let shell = Shell(in: directory)
    let fault = try Fault(call, code, below: directory.path, in: directory)
    try fault.begin()
    var faulty = shell
    faulty.environment.merge(fault.environment) { $1 }
    let follower = try faulty.start(["index", "--follow"])
    #expect(follower.waitForError("following "), "\(follower.errors)")
    #expect(follower.waitForError("the system provides no change notifications"), "\(follower.errors)")
    for _ in 0..<3 {
      try bench.insert(1)
      try FollowerScene.expectCaughtUp(shell)
    }
    #expect(!follower.errors.contains("are back"))
    #expect(FollowerScene.openFiles(follower.pid)["anon_inode:inotify"] == nil)
    try fault.end()
    #expect(follower.waitForError("change notifications are back"), "\(follower.errors)")
    try bench.insert(1)
    try FollowerScene.expectCaughtUp(shell)
    #expect(follower.errors.split(separator: "\n").count == 3, "\(follower.errors)")
    #expect(FollowerScene.openFiles(follower.pid)["anon_inode:inotify"] == 1)
    let ended = follower.end()
    #expect(ended.code == 0, "\(ended)")
    #expect(try shell.run("verify").code == 0)
  }

  @Test(arguments: [FaultPoint.Call.write, .sync, .create])
  func `a follower waits until an error of the index's disk ends`(_ call: FaultPoint.Call) throws {
    let bench = try IndexedStore(in: directory, seed: 8, films: 30)
    let shell = Shell(in: directory)
    // The generation must be there before a fault can be laid on it; the lock file beside it stays writable.
    #expect(try shell.run("index").code == 0)
    let serving = try #require(try bench.index.serving()?.path)
    let fault = try Fault(call, EIO, below: serving, in: directory)
    try expectWaitedOut(fault, FollowerScene(bench, shell, fault: fault.environment), saying: "Input/output error")
  }

  @Test func `a follower waits until an error of the store's disk ends`() throws {
    let folder = directory.file("moved")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let bench = try IndexedStore(in: TemporaryDirectory(existing: folder), seed: 8, films: 30)
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_STORE"] = bench.storePath
    shell.environment["FOLLOWSPOT_INDEX"] = directory.file("index")
    let fault = try Fault(.read, EIO, below: folder, in: directory)
    try expectWaitedOut(fault, FollowerScene(bench, shell, fault: fault.environment), saying: "disk I/O error")
  }

  private func expectWaitedOut(
    _ fault: Fault, _ scene: FollowerScene, saying sentence: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try fault.begin()
    try scene.bench.insert(5)
    scene.expectRetrying(sourceLocation: sourceLocation)
    try fault.end()
    #expect(fault.met >= 3, sourceLocation: sourceLocation)
    try scene.expectRecovered(saying: sentence, sourceLocation: sourceLocation)
  }

  /// All calls of one kind fail from `begin` to `end`.
  private struct Fault {
    let environment: [String: String]
    private let gate: String
    private let trace: String

    init(_ call: FaultPoint.Call, _ code: Int32, below folder: String, in directory: TemporaryDirectory) throws {
      gate = directory.file("gate")
      trace = directory.file("trace")
      environment = try FaultPoint(calls: [call], at: 1, fate: .failure(code, isLasting: true), gate: gate)
        .environment(directory: folder, trace: trace)
    }

    func begin() throws { try Data().write(to: URL(fileURLWithPath: gate)) }
    func end() throws { try FileManager.default.removeItem(atPath: gate) }
    /// How many calls have failed.
    var met: Int { FaultPoint.trace(trace).count(where: \.isFault) }
  }
}
