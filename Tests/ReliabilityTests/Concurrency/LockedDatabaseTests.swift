// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A database that its writer keeps locked all the time, as browsers do: every answer is read from a private copy, and is
/// one committed state.
@Suite(.overlapping, .temporaryDirectory, .temporaryDirectory)
struct LockedDatabaseTests {
  private static let modes = ["WAL", "DELETE", "TRUNCATE", "PERSIST"]
  private static let rows = 40

  /// A database whose lock another program holds.
  private final class Scene {
    var shell: Shell
    let writer: Shell.Running
    let path: String
    /// Where the private copies are made.
    let temporary: String

    init(mode: String) throws {
      let directory = TemporaryDirectory()
      path = directory.file("locked.sqlite")
      temporary = directory.file("temporary")
      try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
      shell = Shell(in: directory, store: "locked.sqlite")
      shell.environment["TMPDIR"] = temporary
      writer = try shell.start([path, mode, "exclusive"], program: Shell.products + "/LoadWriter")
      let running = writer
      let isThere = eventually(within: 60) { Load.acknowledged(running.output) > 0 || !running.isRunning }
      try #require(isThere && writer.isRunning, "\(writer.errors)")
    }

    deinit { _ = writer.end(SIGKILL) }

    var holder: String { "LoadWriter (process \(writer.pid))" }

    /// Stops the writer wherever it is, also within a transaction. It keeps its lock.
    func stopWriter() { writer.signal(SIGSTOP) }
    func continueWriter() { writer.signal(SIGCONT) }

    func expectOneMoment(_ outcome: Shell.Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(outcome.code == 0, "\(outcome)", sourceLocation: sourceLocation)
      #expect(
        outcome.lines.count == LockedDatabaseTests.rows && Set(outcome.lines).count == 1, "\(outcome)",
        sourceLocation: sourceLocation)
    }

    func search() throws -> Shell.Outcome {
      try shell.run("search", "lamp", "-n", "0", "--format", "tsv", "--fields", "number")
    }

    func expectNoCopyLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
      let left = try FileManager.default.contentsOfDirectory(atPath: temporary)
      #expect(left.filter { $0.hasPrefix("followspot-copy") } == [], sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: modes)
  func `every verb that reads answers while the holder of the lock does nothing`(_ mode: String) throws {
    let scene = try Scene(mode: mode)
    scene.stopWriter()
    let before = try Data(contentsOf: URL(fileURLWithPath: scene.path))
    let indexed = try scene.shell.succeed("index")
    #expect(
      indexed.errors
        == "followspot: \(scene.holder) keeps the file locked: reading private copies of \(scene.path)\n")
    scene.expectOneMoment(try scene.search())
    let counted = try scene.shell.run("sql", "SELECT count(*), count(DISTINCT number) FROM pairs")
    #expect(counted.output == "\(Self.rows)\t1\n", "\(counted)")
    let verified = try scene.shell.run("verify")
    #expect(verified.code == 0 && verified.output.hasPrefix("equal documents=\(Self.rows) "), "\(verified)")
    let status = try scene.shell.run("status").output
    let copied = "copied: a private copy is read, because \(scene.holder) keeps the file locked"
    #expect(status.contains(copied), "\(status)")
    #expect(status.contains(/lag +none\n/), "\(status)")
    #expect(try scene.shell.run("schema").code == 0)
    let doctor = try scene.shell.run("doctor")
    #expect(doctor.code == 0 && doctor.output.contains("each opening reads a private copy"), "\(doctor)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: scene.path)) == before)
    try scene.expectNoCopyLeft()
  }

  @Test func `a verb that writes names the holder of the lock and what to do`() throws {
    let scene = try Scene(mode: "DELETE")
    let refused = try scene.shell.run("attach")
    #expect(refused.code == 75 && refused.errors.contains(" is busy: \(scene.holder) is using it"), "\(refused)")
    #expect(refused.errors.contains("\nhint: try again later, or end \(scene.holder)\n"), "\(refused)")
  }

  @Test(arguments: modes)
  func `an answer is one committed state wherever the writer stops`(_ mode: String) throws {
    let scene = try Scene(mode: mode)
    scene.stopWriter()
    #expect(try scene.shell.run("index").code == 0)
    for round in 0..<8 {
      scene.continueWriter()
      usleep(UInt32(1_000 + 1_700 * round))
      scene.stopWriter()
      scene.expectOneMoment(try scene.search())
    }
    scene.continueWriter()
    #expect(scene.writer.end(SIGKILL).signal == SIGKILL)
    scene.expectOneMoment(try scene.search())
    try scene.expectNoCopyLeft()
  }

  @Test(arguments: modes)
  func `an answer beside a writer that never pauses is one committed state, or an error that names it`(
    _ mode: String
  ) throws {
    let scene = try Scene(mode: mode)
    scene.stopWriter()
    #expect(try scene.shell.run("index").code == 0)
    scene.continueWriter()
    for _ in 0..<4 {
      let found = try scene.search()
      if found.code == 75 {
        #expect(found.errors.contains(" is busy: \(scene.holder) is using it"), "\(found)")
      } else {
        scene.expectOneMoment(found)
      }
    }
    let before = Load.acknowledged(scene.writer.output)
    #expect(eventually { Load.acknowledged(scene.writer.output) > before }, "\(scene.writer.errors)")
  }

  @Test(arguments: modes)
  func `a follower reads copies, reports it once, and reaches the last state`(_ mode: String) throws {
    let scene = try Scene(mode: mode)
    scene.stopWriter()
    let follower = try scene.shell.start(["index", "--follow"])
    #expect(follower.waitForError("following "), "\(follower.errors)")
    for _ in 0..<3 {
      scene.continueWriter()
      usleep(300_000)
      scene.stopWriter()
      let isReached = try eventually { try scene.shell.run("status").output.contains(/lag +none\n/) }
      #expect(isReached, "\(follower.errors)")
    }
    scene.expectOneMoment(try scene.search())
    let ended = follower.end()
    #expect(ended.code == 0, "\(ended)")
    #expect(ended.errors.components(separatedBy: "reading private copies").count == 2, "\(ended)")
    #expect(!ended.errors.contains("was replaced"), "\(ended)")
    try scene.expectNoCopyLeft()
  }

  @Test func `the copy of a process that was killed is removed by the next one`() throws {
    let scene = try Scene(mode: "WAL")
    scene.stopWriter()
    let left = scene.temporary + "/followspot-copy-AbCdEf"
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
    for name in ["store", "store-wal", "lock"] {
      try Data("rows of a user".utf8).write(to: URL(fileURLWithPath: left + "/" + name))
    }
    #expect(try scene.shell.run("index").code == 0)
    #expect(FileManager.default.fileExists(atPath: left), "it may be in use by a process that is just starting")
    let old = Date.now.addingTimeInterval(-3_600)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: left)
    #expect(try scene.shell.run("index").code == 0)
    try scene.expectNoCopyLeft()
  }
}
