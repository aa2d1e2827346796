// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// kill -9 at each call of `attach` and `detach` that changes a file: the database is attached completely or not at all.
@Suite(.overlapping(minutes: 60), .temporaryDirectory)
struct AttachKillTests {
  enum Verb: String, CaseIterable { case attach, detach }

  /// The content of a database, without the log of changes.
  private struct Content: Equatable {
    var schema: [String]
    var rows: [String]

    init(_ path: String) throws {
      let connection = try Connection(path: path, access: .readWrite)
      func lines(_ sql: String) throws -> [String] {
        let rows = try connection.cursor(sql)
        var lines: [String] = []
        while try rows.step() {
          lines.append((0..<Int32(rows.columnCount)).map { "\(rows.value(at: $0))" }.joined(separator: "|"))
        }
        return lines
      }
      let checked = try lines("PRAGMA integrity_check")
      #expect(checked == ["\(Value.text("ok"))"], "\(checked)")
      schema = try lines("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
      rows = try lines("SELECT * FROM authors ORDER BY id") + lines("SELECT * FROM books ORDER BY id")
    }
  }

  /// The directory that is copied for each round.
  private struct Scene {
    let template: TemporaryDirectory
    let verb: Verb
    let before: Content
    let after: Content

    init(_ verb: Verb, isWAL: Bool) throws {
      self.verb = verb
      template = TemporaryDirectory()
      let path = template.file("any.sqlite")
      try DatabaseFiles.make(path, books: 60, isWAL: isWAL)
      if verb == .detach { try #require(try Self.run(.attach, in: template).code == 0) }
      before = try Content(path)
      let done = try Self.copy(template)
      defer { done.remove() }
      try #require(try Self.run(verb, in: done).code == 0)
      after = try Content(done.file("any.sqlite"))
      try #require(before.schema != after.schema && before.rows == after.rows)
    }

    static func copy(_ template: TemporaryDirectory) throws -> TemporaryDirectory {
      let workspace = TemporaryDirectory()
      for name in try FileManager.default.contentsOfDirectory(atPath: template.path) where name.hasPrefix("any") {
        try FileManager.default.copyItem(atPath: template.file(name), toPath: workspace.file(name))
      }
      return workspace
    }

    static func run(
      _ verb: Verb, in workspace: TemporaryDirectory, environment: [String: String] = [:]
    ) throws -> Shell.Outcome {
      var shell = Shell(in: workspace, store: "any.sqlite")
      shell.environment.merge(environment) { $1 }
      return try shell.run([verb.rawValue])
    }

    /// One round on a copy. Returns the number of calls, and whether one of them went wrong.
    func play(_ fault: FaultPoint) throws -> (calls: Int, hasFired: Bool) {
      let workspace = try Self.copy(template)
      defer { workspace.remove() }
      let traces = TemporaryDirectory()
      defer { traces.remove() }
      let trace = traces.file("trace")
      let outcome = try Self.run(
        verb, in: workspace, environment: try fault.environment(directory: workspace.path, trace: trace))
      let lines = FaultPoint.trace(trace)
      let fired = lines.first(where: \.isFault)
      let what = "\(verb), \(fault): \(fired?.description ?? "no fault")\n\(outcome)"
      #expect(outcome.signal == (fired == nil ? 0 : SIGKILL), "\(what)")
      let path = workspace.file("any.sqlite")
      let content = try Content(path)
      #expect(content == before || content == after, "\(what)")
      if fired == nil { #expect(content == after, "\(what)") }
      let again = try Self.run(verb, in: workspace)
      let isDone = verb == .detach && content == after
      #expect(isDone ? again.code == 2 : again.code == 0, "\(what)\nagain: \(again)")
      #expect(try Content(path) == after, "\(what)")
      return (lines.count, fired != nil)
    }
  }

  @Test(arguments: Verb.allCases, [false, true])
  func `a kill before any call leaves a database that is attached completely or not at all`(
    _ verb: Verb, isWAL: Bool
  ) throws {
    let scene = try Scene(verb, isWAL: isWAL)
    defer { scene.template.remove() }
    let calls = try scene.play(FaultPoint(calls: FaultPoint.changes)).calls
    var cut = 0
    for point in Rounds.sample(of: calls, 15, full: 60, long: 400)
    where
      try scene.play(FaultPoint(calls: FaultPoint.changes, at: point)).hasFired
    { cut += 1 }
    let writes = try scene.play(FaultPoint(calls: [.write])).calls
    for point in Rounds.sample(of: writes, 3, full: 10, long: 400) {
      _ = try scene.play(FaultPoint(calls: [.write], at: point, fate: .torn))
    }
    print("\(verb), \(isWAL ? "WAL" : "rollback journal"): killed at \(cut) of \(calls) calls, \(writes) writes torn")
    #expect(cut >= 5)
  }
}
