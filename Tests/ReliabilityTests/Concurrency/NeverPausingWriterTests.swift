// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import Store
import TestSupport
import Testing

/// An ordinary database whose writer never pauses: each verb ends, each answer shows one state, and the writer continues.
@Suite(.overlapping, .temporaryDirectory)
struct NeverPausingWriterTests {
  private let directory = TemporaryDirectory()

  private struct Scene {
    let shell: Shell
    let writer: Shell.Running

    init(_ directory: TemporaryDirectory, mode: String) throws {
      shell = Shell(in: directory, store: "busy.sqlite")
      writer = try Shell(in: directory).start(
        [directory.file("busy.sqlite"), mode], program: Shell.products + "/LoadWriter")
      let (path, running) = (writer, writer)
      let isThere = eventually(within: 60) { Load.acknowledged(path.output) > 0 || !running.isRunning }
      try #require(isThere && writer.isRunning, "\(writer.errors)")
    }

    /// A verb that ends by itself. Where the database was locked for too long, it says so.
    @discardableResult
    func run(_ verb: String...) throws -> Shell.Outcome {
      let outcome = try shell.runInContract(verb, codes: [0, 75], "a writer that never pauses")
      if outcome.code == 75 {
        let holders = ["another process is writing", "LoadWriter (process \(writer.pid)) is using it"]
        #expect(holders.contains { outcome.errors.contains("is busy: " + $0) }, "\(outcome)")
      }
      return outcome
    }

    /// A writer without a pause may keep the database locked for as long as a verb waits.
    func attach() throws {
      for _ in 0..<20 where try run("attach").code == 0 { return }
      Issue.record("attach never got the database")
    }

    /// All rows have the number of one transaction.
    func expectOneMoment(_ options: String...) throws {
      let found = try run(
        "search", "lamp", "-n", "0", "--format", "tsv", "--fields", "number", options.first ?? "--no-pager")
      guard found.code == 0 else { return }
      #expect(found.lines.count == 4 && Set(found.lines).count == 1, "\(found)")
    }

    func expectWriterGoesOn() {
      let before = Load.acknowledged(writer.output)
      #expect(eventually(within: 30) { Load.acknowledged(writer.output) > before }, "\(writer.errors)")
    }
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `every verb ends, and every answer shows one state`(_ mode: String) throws {
    let scene = try Scene(directory, mode: mode)
    defer { _ = scene.writer.end(SIGKILL) }
    for round in 0..<2 {
      try scene.run("index")
      for _ in 0..<5 { try scene.expectOneMoment() }
      try scene.run("status")
      try scene.run("count", "*")
      scene.expectWriterGoesOn()
      if round == 0 { try scene.attach() }
    }
    let follower = try scene.shell.start(["index", "--follow"])
    #expect(follower.waitForError("following "), "\(follower.errors)")
    let index = IndexDirectory(path: directory.file("busy.sqlite.index"))
    func indexed() throws -> Int64? { try index.serving().flatMap { try IndexState.read(path: $0.path).token?.number } }
    let before = try #require(try indexed())
    #expect(try eventually(within: 60) { try indexed() ?? 0 > before }, "\(follower.errors)")
    for _ in 0..<5 { try scene.expectOneMoment() }
    scene.expectWriterGoesOn()
    let ended = follower.end()
    #expect(ended.code == 0, "\(ended)")
    try scene.run("detach")
    scene.expectWriterGoesOn()
  }
}
