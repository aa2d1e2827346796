import Followspot
import Foundation
import PersistentStore
import SearchIndex
import TestSupport
import Testing

/// Where one scenario is played: its state before is made once and copied for each round.
final class Stage {
  /// A store and its index, apart from everything else, so that what is left over is seen.
  struct Place {
    let root: TemporaryDirectory
    var path: String { root.file("place") }
    var store: String { path + "/films.store" }
    var index: IndexDirectory { IndexDirectory(path: store + ".index") }

    func state() throws -> State {
      State(
        content: try StoreContent(path: store),
        dump: try index.serving() == nil ? nil : CanonicalDump(of: index))
    }
  }

  /// What store and index say.
  struct State: Equatable {
    let content: StoreContent?
    let dump: CanonicalDump?
  }

  /// One run of the verb with a fault in it.
  struct Round {
    let place: Place
    let fault: String
    let outcome: Shell.Outcome
    let trace: [FaultPoint.Line]
    /// The call that went wrong first.
    var fired: FaultPoint.Line? { trace.first(where: \.isFault) }
  }

  let scenario: Scenario
  private let template: Place
  private let before: State
  private let after: State
  private let contents: Set<StoreContent?>

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    template = Place(root: try TemporaryDirectory())
    try FileManager.default.createDirectory(atPath: template.path, withIntermediateDirectories: false)
    for (name, text) in Scenario.files { _ = try template.root.write(text, to: name) }
    for verb in scenario.before {
      let outcome = try Self.run(verb, in: template)
      try #require(outcome.code == 0, "\(verb): \(outcome)")
    }
    if scenario.verb.contains("model.json") { try Self.writeModel(in: template) }
    let template = template
    func state(after verb: [String]?) throws -> State {
      let place = try Self.copy(template)
      defer { place.root.remove() }
      if let verb {
        let outcome = try Self.run(verb, in: place)
        try #require(outcome.code == 0, "\(verb): \(outcome)")
      }
      return try place.state()
    }
    before = try state(after: nil)
    after = try state(after: scenario.verb)
    contents = Set([before.content, after.content] + (try scenario.parts.map { try state(after: $0).content }))
  }

  deinit { template.root.remove() }

  /// The calls of one run in which nothing goes wrong.
  func trace(_ calls: [FaultPoint.Call]) throws -> [FaultPoint.Line] {
    let round = try play(FaultPoint(calls: calls))
    defer { round.place.root.remove() }
    try #require(round.outcome.code == 0, "\(round.outcome)")
    return round.trace
  }

  /// Runs the verb on a copy of the state before.
  func play(_ fault: FaultPoint) throws -> Round {
    let place = try Self.copy(template)
    let trace = place.root.file("trace")
    let outcome = try Self.run(
      scenario.verb, in: place, environment: try fault.environment(directory: place.path, trace: trace))
    return Round(place: place, fault: "\(fault)", outcome: outcome, trace: FaultPoint.trace(trace))
  }

  /// Runs the verb on a copy of the state before, and sends it a signal after a while; one that was stopped goes on.
  func interrupt(by signal: Int32, afterMicroseconds pause: UInt32) throws -> Round {
    let place = try Self.copy(template)
    // Threads of a test block signals, and what they start inherits that.
    let running = try Self.shell(in: place).start(
      ["--default-signal=INT,TERM,HUP,TSTP", Shell.program] + scenario.verb, program: "/usr/bin/env")
    usleep(pause)
    running.signal(signal)
    if signal == SIGTSTP || signal == SIGSTOP {
      usleep(20_000)
      running.signal(SIGCONT)
    }
    return Round(place: place, fault: "signal \(signal) after \(pause) µs", outcome: running.wait(), trace: [])
  }

  /// The store's model with one attribute more.
  private static func writeModel(in place: Place) throws {
    var model = try PersistentStore.open(place.store).model
    model.entities[0].attributes.append(AttributeDescription("notes", .string, isOptional: true))
    try JSONEncoder().encode(model).write(to: URL(fileURLWithPath: place.root.file("model.json")))
  }

  private static func copy(_ template: Place) throws -> Place {
    let place = Place(root: try TemporaryDirectory())
    try FileManager.default.copyItem(atPath: template.path, toPath: place.path)
    for name in Array(Scenario.files.keys) + ["model.json"] {
      try FileManager.default.createSymbolicLink(
        atPath: place.root.file(name), withDestinationPath: template.root.file(name))
    }
    return place
  }

  private static func run(
    _ verb: [String], in place: Place, environment: [String: String] = [:]
  ) throws -> Shell.Outcome {
    var shell = shell(in: place)
    shell.environment.merge(environment) { $1 }
    return try shell.run(verb)
  }

  private static func shell(in place: Place) -> Shell { Shell(in: place.root, store: "place/films.store") }

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
      try expectCatchUp(round.place, what)
      round.place.root.remove()
    } catch {
      Issue.record(error, "\(what)\nkept: \(round.place.root.path)")
    }
  }

  /// Before anything is mended: a save is there whole or not at all, and the index reads in its old or new revision.
  private func expectCut(_ round: Round, _ what: String) throws {
    let state = try round.place.state()
    #expect(contents.contains(state.content) || state.content?.isEmpty == true, "\(what)")
    #expect([before.dump, after.dump].contains(state.dump), "\(what)")
    if round.outcome.code == 0 {
      #expect(state == after, "what was acknowledged is not there: \(what)")
    }
    if let serving = try round.place.index.serving() { try IndexReader.check(path: serving.path) }
  }

  /// The next pass ends equal, the verb can be run again, and nothing is left over.
  private func expectCatchUp(_ place: Place, _ what: String) throws {
    guard try place.state().content != nil else {
      let code = try Self.run(["index"], in: place).code
      #expect(code == 3, "\(what)")
      return try expectRepeat(place, what)
    }
    try expectEqual(place, what)
    try expectRepeat(place, what)
  }

  private func expectRepeat(_ place: Place, _ what: String) throws {
    let again = try Self.run(scenario.verb, in: place)
    #expect(scenario.codesOfRepeat.contains(again.code), "again: \(again)\n\(what)")
    expectNothingLeft(place, what)
  }

  private func expectEqual(_ place: Place, _ what: String) throws {
    let pass = try Self.run(["index"], in: place)
    #expect(pass.code == 0 && (pass.errors == "" || !scenario.isFollowedQuietly), "\(pass)\n\(what)")
    let verified = try Verify(storePath: place.store, directory: place.index).run(isQuick: false)
    #expect(verified.isEqual, "\(verified)\n\(what)")
  }

  private func expectNothingLeft(_ place: Place, _ what: String) {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: place.path)) ?? []
    let ordinary =
      #/
        films\.store(
          -wal | -shm | \.consumers(/(\.lock|[0-9a-f]{32}\.index\.json))? |
          \.index(/(XAPIANDB|tailer\.lock|rebuild\.lock|gen-\d+(/(\w+\.glass|iamglass|flintlock))?))?
        )?
      /#
    let left = names.filter { $0.wholeMatch(of: ordinary) == nil }
    #expect(left.isEmpty, "\(what)")
    #expect(place.index.generations().count <= 2, "\(what)")
    for kind in [FileLock.Kind.tailer, .rebuild] {
      #expect(FileLock.holder(kind, in: place.index) == nil, "\(what)")
    }
  }
}
