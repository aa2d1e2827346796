// SPDX-License-Identifier: MIT

import Foundation
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Runs one scenario in many rounds. Its initial state is created once and copied for each round.
final class Stage {
  /// A directory with only a store and its index, so that leftover files are noticed.
  struct Workspace {
    let root: TemporaryDirectory
    var path: String { root.file("work") }
    var store: String { path + "/films.store" }
    var index: IndexDirectory { IndexDirectory(path: store + ".index") }

    func state() throws -> State {
      State(
        content: try StoreContent(path: store),
        dump: try index.serving() == nil ? nil : CanonicalDump(of: index))
    }
  }

  /// The content of store and index.
  struct State: Equatable {
    let content: StoreContent?
    let dump: CanonicalDump?
  }

  /// One run of the verb with a fault.
  struct Round {
    let workspace: Workspace
    let fault: String
    let outcome: Shell.Outcome
    let trace: [FaultPoint.Line]
    /// The first call that failed.
    var fired: FaultPoint.Line? { trace.first(where: \.isFault) }
  }

  let scenario: Scenario
  private let template: Workspace
  private let before: State
  private let after: State
  private let contents: Set<StoreContent?>

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    template = Workspace(root: TemporaryDirectory())
    try FileManager.default.createDirectory(atPath: template.path, withIntermediateDirectories: false)
    for (name, text) in Scenario.files { _ = try template.root.write(text, to: name) }
    for verb in scenario.before {
      let outcome = try Self.run(verb, in: template)
      try #require(outcome.code == 0, "\(verb): \(outcome)")
    }
    if scenario.verb.contains("model.json") { try Self.writeModel(in: template) }
    let template = template
    func state(after verb: [String]?) throws -> State {
      let workspace = try Self.copy(template)
      defer { workspace.root.remove() }
      if let verb {
        let outcome = try Self.run(verb, in: workspace)
        try #require(outcome.code == 0, "\(verb): \(outcome)")
      }
      return try workspace.state()
    }
    before = try state(after: nil)
    after = try state(after: scenario.verb)
    contents = Set([before.content, after.content] + (try scenario.parts.map { try state(after: $0).content }))
  }

  deinit { template.root.remove() }

  /// The calls of one run without a fault.
  func trace(_ calls: [FaultPoint.Call]) throws -> [FaultPoint.Line] {
    let round = try play(FaultPoint(calls: calls))
    defer { round.workspace.root.remove() }
    try #require(round.outcome.code == 0, "\(round.outcome)")
    return round.trace
  }

  /// Runs the verb on a copy of the initial state.
  func play(_ fault: FaultPoint) throws -> Round {
    let workspace = try Self.copy(template)
    let trace = workspace.root.file("trace")
    let outcome = try Self.run(
      scenario.verb, in: workspace, environment: try fault.environment(directory: workspace.path, trace: trace))
    return Round(workspace: workspace, fault: "\(fault)", outcome: outcome, trace: FaultPoint.trace(trace))
  }

  /// Runs the verb on a copy of the state before, and sends it a signal after a while; one that was stopped goes on.
  func interrupt(by signal: Int32, afterMicroseconds pause: UInt32) throws -> Round {
    let workspace = try Self.copy(template)
    // Threads of a test block signals, and what they start inherits that.
    let running = try Self.shell(in: workspace).start(
      ["--default-signal=INT,TERM,HUP,TSTP", Shell.program] + scenario.verb, program: "/usr/bin/env")
    usleep(pause)
    running.signal(signal)
    if signal == SIGTSTP || signal == SIGSTOP {
      usleep(20_000)
      running.signal(SIGCONT)
    }
    return Round(workspace: workspace, fault: "signal \(signal) after \(pause) µs", outcome: running.wait(), trace: [])
  }

  /// The store's model with one attribute more.
  private static func writeModel(in workspace: Workspace) throws {
    var model = try PersistentStore.open(workspace.store).model
    model.entities[0].attributes.append(AttributeDescription("notes", .string, isOptional: true))
    try JSONEncoder().encode(model).write(to: URL(fileURLWithPath: workspace.root.file("model.json")))
  }

  private static func copy(_ template: Workspace) throws -> Workspace {
    let workspace = Workspace(root: TemporaryDirectory())
    try FileManager.default.copyItem(atPath: template.path, toPath: workspace.path)
    for name in Array(Scenario.files.keys) + ["model.json"] {
      try FileManager.default.createSymbolicLink(
        atPath: workspace.root.file(name), withDestinationPath: template.root.file(name))
    }
    return workspace
  }

  private static func run(
    _ verb: [String], in workspace: Workspace, environment: [String: String] = [:]
  ) throws -> Shell.Outcome {
    var shell = shell(in: workspace)
    shell.environment.merge(environment) { $1 }
    return try shell.run(verb)
  }

  private static func shell(in workspace: Workspace) -> Shell { Shell(in: workspace.root, store: "work/films.store") }

  // MARK: What must hold after every round

  /// Plays a round, lets `judge` look at how the verb ended, and checks that the state is sound. A place in which
  /// something was found wrong is kept.
  func expectSound(_ fault: FaultPoint, _ judge: (Round) throws -> Void) throws {
    try expectSound(try play(fault), judge)
  }

  func expectSound(_ round: Round, _ judge: (Round) throws -> Void) throws {
    let what = "\(scenario.name), \(round.fault): \(round.fired?.description ?? "no fault")\n\(round.outcome)"
    do {
      try judge(round)
      try expectCut(round, what)
      try expectCatchUp(round.workspace, what)
      round.workspace.root.remove()
    } catch {
      Issue.record(error, "\(what)\nkept: \(round.workspace.root.path)")
    }
  }

  /// Before anything is mended: a save is there whole or not at all, and the index reads in its old or new revision.
  private func expectCut(_ round: Round, _ what: String) throws {
    let state = try round.workspace.state()
    #expect(contents.contains(state.content) || state.content?.isEmpty == true, "\(what)")
    #expect([before.dump, after.dump].contains(state.dump), "\(what)")
    if round.outcome.code == 0 {
      #expect(state == after, "what was acknowledged is not there: \(what)")
    }
    if let serving = try round.workspace.index.serving() { try IndexReader.check(path: serving.path) }
  }

  /// The next pass ends equal, the verb can be run again, and nothing is left over.
  private func expectCatchUp(_ workspace: Workspace, _ what: String) throws {
    guard try workspace.state().content != nil else {
      let code = try Self.run(["index"], in: workspace).code
      #expect(code == 3, "\(what)")
      return try expectRepeat(workspace, what)
    }
    try expectEqual(workspace, what)
    try expectRepeat(workspace, what)
  }

  private func expectRepeat(_ workspace: Workspace, _ what: String) throws {
    let again = try Self.run(scenario.verb, in: workspace)
    #expect(scenario.codesOfRepeat.contains(again.code), "again: \(again)\n\(what)")
    expectNothingLeft(workspace, what)
  }

  private func expectEqual(_ workspace: Workspace, _ what: String) throws {
    let pass = try Self.run(["index"], in: workspace)
    #expect(pass.code == 0 && (pass.errors == "" || !scenario.isFollowedQuietly), "\(pass)\n\(what)")
    let verified = try Verify(storePath: workspace.store, directory: workspace.index).run(isQuick: false)
    #expect(verified.isEqual, "\(verified)\n\(what)")
  }

  private func expectNothingLeft(_ workspace: Workspace, _ what: String) {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: workspace.path)) ?? []
    let ordinary =
      #/
        films\.store(
          -wal | -shm | \.consumers(/(\.lock|[0-9a-f]{32}\.index\.json))? |
          \.index(/(XAPIANDB|tailer\.lock|rebuild\.lock|gen-\d+(/(\w+\.glass|iamglass|flintlock))?))?
        )?
      /#
    let left = names.filter { $0.wholeMatch(of: ordinary) == nil }
    #expect(left.isEmpty, "\(what)")
    #expect(workspace.index.generations().count <= 2, "\(what)")
    for kind in [FileLock.Kind.update, .rebuild] {
      #expect(FileLock.holder(kind, in: workspace.index) == nil, "\(what)")
    }
  }
}
