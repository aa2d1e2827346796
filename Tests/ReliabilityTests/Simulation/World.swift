// SPDX-License-Identifier: MIT

import Base
import Followspot
import Foundation
import SQLite
import Store
import TestSupport

@testable import SearchIndex

/// A promise that did not hold.
struct Broken: Error, CustomStringConvertible {
  let description: String
}

func require(_ isKept: Bool, _ claim: @autoclosure () -> String) throws {
  guard isKept else { throw Broken(description: claim()) }
}

/// A store, its index and those who work on them, moved step by step in one process: nothing in it waits, and the same
/// schedule brings the same content.
final class World {
  let directory: TemporaryDirectory
  let bench: RelatedCatalogue
  /// What became of the content, step by step; the stamps of saves, which are random, leave no mark in it.
  private(set) var trace: [String] = []
  /// How often each step had something to do.
  private(set) var done: [Step.Kind: Int] = [:]

  private var follower: Indexer?
  private var said: [String] = []
  private var variant = Variant.plain
  private var checks = 0

  init(in directory: TemporaryDirectory) throws {
    self.directory = directory
    bench = try RelatedCatalogue(in: directory, seed: 0)
  }

  var storePath: String { bench.storePath }
  var index: IndexDirectory { bench.index }

  /// Takes one step and looks whether what is promised holds.
  ///
  /// - Throws: `Broken`, and every error that a user would see.
  func take(_ step: Step) throws {
    var random = SeededGenerator(seed: step.seed)
    said = []
    if try perform(step, &random) { done[step.kind, default: 0] += 1 }
    let state = try serving().map { try IndexState.read(path: $0.path) }
    let what = said.map { $0.replacingOccurrences(of: storePath, with: "STORE") }
    trace.append("\(step) \(state?.token?.number ?? -1) \(state?.checksumText ?? "-") \(what)")
  }

  private func perform(_ step: Step, _ random: inout SeededGenerator) throws -> Bool {
    switch step.kind {
    case .save: try save(step.seed)
    case .saveAtOddTime: try saveAtOddTime(step.seed, &random)
    case .pass: try pass(&random)
    case .follow: try follow(&random)
    case .crashBetweenParts: try crash(batches: random.number(1...3), writesLast: true)
    case .crashInPart: try crash(batches: random.number(1...2), writesLast: false)
    case .rebuild: try rebuild(.null)
    case .replay: try rebuild(.replay)
    case .killedRebuild: try killRebuild(&random)
    case .rollback: try rollBack()
    case .purge: try purge(.before(Int64(random.number(1...Int(try bench.store.newest()) + 2))))
    case .purgeByAge: try purge(.keep(seconds: [0, 86_400, 500 * 86_400].randomElement(using: &random) ?? 0))
    case .purgePast: try purgePast(&random)
    case .consumer: try moveConsumer(&random)
    case .copy: try copy()
    case .restore: try restore()
    case .migrate: try migrate(&random)
    case .mend: try mend(&random)
    case .search: try search()
    }
  }

  // MARK: Saves

  private func save(_ seed: Int) throws -> Bool {
    let before = try bench.store.newest()
    bench.reseed(seed)
    for _ in 0..<bench.number(1...3) { try bench.saveRandomly() }
    return try bench.store.newest() > before
  }

  private func saveAtOddTime(_ seed: Int, _ random: inout SeededGenerator) throws -> Bool {
    let newest = try bench.store.newest()
    bench.reseed(seed)
    try bench.saveRandomly()
    guard try bench.store.newest() == newest + 1 else { return false }
    let years: [Double] = [-1, -1, 10]
    let shift = (years.randomElement(using: &random) ?? 0) * 365 * 86_400
    try edit("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + (\(shift)) WHERE Z_PK = \(newest + 1)")
    return true
  }

  private func edit(_ sql: String) throws {
    try Connection(path: storePath, access: .readWrite).execute(sql)
  }

  // MARK: Indexing

  private func options(_ random: inout SeededGenerator) throws -> Indexer.Options {
    var options = bench.options()
    // Asked for once; what the index has is followed through migrations.
    if try serving() != nil { options.definition = nil }
    options.limits = HistoryTail.Limits(
      documents: [2, 5, 20, 2_000].randomElement(using: &random) ?? 5, milliseconds: 3_600_000,
      transactions: [1, 3, .max].randomElement(using: &random) ?? 1)
    options.burstPause = 0
    options.report = { [unowned self] in said.append($0) }
    return options
  }

  private func pass(_ random: inout SeededGenerator) throws -> Bool {
    follower = nil
    return try catchUp(Indexer(try options(&random)))
  }

  private func follow(_ random: inout SeededGenerator) throws -> Bool {
    let indexer = try follower ?? Indexer(try options(&random))
    follower = indexer
    return try catchUp(indexer)
  }

  private func catchUp(_ indexer: Indexer) throws -> Bool {
    let history = try History(storePath)
    let state = try serving().map { try IndexState.read(path: $0.path) }
    // What was read beyond the token has to be in the store's past too.
    let expected = state.flatMap { state in
      state.token.map { token in
        history.loss(of: token)
          ?? state.highWaterMark.flatMap { mark in
            history.loss(of: mark).flatMap { $0 == .expired ? nil : $0 }
          }
      }
    }
    repeat { try indexer.catchUp() } while indexer.state == nil
    if let expected {
      let heard = History.Loss.allCases.filter { loss in said.contains { $0.contains(loss.rawValue) } }
      try require(heard == [expected].compactMap { $0 }, "expected to hear \(expected?.rawValue ?? "nothing"): \(said)")
    }
    try checkEqual()
    return state?.token?.number != indexer.state?.token?.number
  }

  /// A process that reads batches of three documents and ends. What it committed keeps its worth, the rest is gone.
  private func crash(batches: Int, writesLast: Bool) throws -> Bool {
    follower = nil
    guard let serving = try serving() else { return false }
    let store = try PersistentStore.open(storePath)
    let writer = try GenerationWriter(path: serving.path)
    guard try store.withSnapshot({ try store.verdict(on: writer.state.token) }) == .valid else { return false }
    let mapper = try DocumentMapper(definition: writer.state.definition, layout: store.layout)
    let tail = HistoryTail(store: store, mapper: mapper, limits: .init(documents: 3, milliseconds: 3_600_000))
    for number in 1...batches {
      guard let token = writer.state.token,
        let batch = try store.withSnapshot({ try tail.next(after: token, in: writer) })
      else { return number > 1 }
      if number < batches || writesLast {
        try writer.write(batch)
      } else {
        for document in batch.upserts { try writer.upsert(document) }
        for removal in batch.removals { try writer.remove(entity: removal.entity, key: removal.key) }
      }
    }
    return true
  }

  // MARK: Generations

  func serving() throws -> IndexDirectory.Generation? { try index.serving() }

  private func token() throws -> StoreToken? {
    try serving().flatMap { try IndexState.read(path: $0.path).token }
  }

  private func rebuild(_ origin: IndexState.Origin) throws -> Bool {
    guard try serving() != nil else { return false }
    let isWhole = try History(storePath).beginsWithTheFirst
    do {
      let outcome = try Rebuild(
        storePath: storePath, directory: index, origin: origin, report: { [unowned self] in said.append($0) }
      ).run()
      try require(origin == .null || isWhole, "a replay of half a history went well")
      try require(try serving()?.number == outcome.generation, "the new generation does not serve")
      try checkEqual()
      return true
    } catch let error as OperationError {
      try require(error.code == .historyGone && origin == .replay && !isWhole, "\(error)")
      return false
    }
  }

  private func killRebuild(_ random: inout SeededGenerator) throws -> Bool {
    guard let serving = try serving() else { return false }
    let store = try PersistentStore.open(storePath)
    var state = try IndexState.read(path: serving.path)
    (state.token, state.checksum) = (nil, 0)
    let mapper = try DocumentMapper(definition: state.definition, layout: store.layout)
    let writer = try GenerationWriter(
      newAt: index.path(ofGeneration: (index.generations().last ?? 0) + 1), state: state)
    var left = random.number(0...10)
    try store.withSnapshot {
      try Comparison(store: store, mapper: mapper, progress: Progress()).eachRow { mapped in
        if left > 0 { try writer.add(mapped) }
        left -= 1
      }
    }
    if random.number(0...1) == 0 { try writer.commit(token: nil) }
    return true
  }

  private func rollBack() throws -> Bool {
    guard let before = try serving() else { return false }
    let earlier = index.generations().last { $0 < before.number }
    let now = try Rollback.run(in: index)
    try require(now == earlier, "rolled back from \(before.number) to \(now ?? 0), not to \(earlier ?? 0)")
    return now != nil
  }

  // MARK: History

  private static let reader = "reader"

  private func purge(_ bound: Purge.Bound) throws -> Bool {
    let waiting = try waiting()
    let outcome = try Purge(Purge.Options(storePath: storePath, bound: bound)).run()
    let history = try History(storePath)
    for (who, token) in waiting {
      try require(history.loss(of: token) == nil, "a purge took history from \(who) at \(token.number)")
    }
    try require(outcome.oldest == history.oldest, "the oldest is \(history.oldest ?? 0), not \(outcome.oldest ?? 0)")
    return !outcome.removed.isEmpty
  }

  /// Those for whom the history must not be purged, if they can read it now: all generations to which the index may
  /// return, and the other reader.
  private func waiting() throws -> [(String, StoreToken)] {
    guard let serving = try serving() else { return [] }
    let history = try History(storePath)
    let current = try token()?.number ?? 0
    var waiting: [(String, StoreToken)] = []
    for number in index.generations() where number <= serving.number {
      let state = try? IndexState.read(path: index.path(ofGeneration: number))
      if let token = state?.token, number == serving.number || token.number < current {
        waiting.append(("generation \(number)", token))
      }
    }
    let statuses = try bench.store.withSnapshot {
      try Consumers(storePath: storePath).statuses(in: bench.store)
    }
    if let number = statuses.first(where: { $0.name == Self.reader })?.token, let stamp = history.stamps[number] {
      let digest = bench.store.modelDigest
      waiting.append(
        (Self.reader, StoreToken(storeUUID: bench.store.uuid, number: number, stamp: stamp, modelDigest: digest)))
    }
    return waiting.filter { history.loss(of: $0.1) == nil }
  }

  private func purgePast(_ random: inout SeededGenerator) throws -> Bool {
    let bound = Int64(random.number(1...Int(try bench.store.newest()) + 2))
    var options = Purge.Options(storePath: storePath, bound: .before(bound))
    options.ignored = try Set(
      bench.store.withSnapshot { try Consumers(storePath: storePath).statuses(in: bench.store).map(\.name) })
    let outcome = try Purge(options).run()
    return !outcome.removed.isEmpty
  }

  private func moveConsumer(_ random: inout SeededGenerator) throws -> Bool {
    let consumers = Consumers(storePath: storePath)
    let isThere = try bench.store.withSnapshot {
      try consumers.statuses(in: bench.store).contains { $0.name == Self.reader }
    }
    let newest = try bench.store.newest()
    do {
      if !isThere {
        _ = try consumers.add(Self.reader, token: Int64(random.number(0...Int(newest))))
      } else if random.number(0...2) > 0 {
        _ = try consumers.move(Self.reader, token: Int64(random.number(0...Int(newest))))
      } else {
        try consumers.drop(Self.reader)
      }
      return true
    } catch let error as OperationError where error.code == .usage && error.message.contains("not complete any more") {
      return false
    }
  }

  // MARK: The store as a file

  private var copyPath: String { directory.file("copy.store") }

  private func copy() throws -> Bool {
    unlink(copyPath)
    try edit("VACUUM INTO '\(copyPath)'")
    return true
  }

  private func restore() throws -> Bool {
    guard rename(copyPath, storePath) == 0 else { return false }
    for suffix in ["-wal", "-shm"] { unlink(storePath + suffix) }
    try bench.reopen()
    variant = Variant.allCases.first { $0.model == bench.store.model } ?? variant
    return true
  }

  private func migrate(_ random: inout SeededGenerator) throws -> Bool {
    // The definition that is asked for is one for the first model.
    guard try serving() != nil else { return false }
    for _ in 0...random.number(0...1) {
      let next = variant.next.randomElement(using: &random) ?? variant
      let newest = try bench.store.newest()
      let outcome = try bench.store.migrate(to: next.model)
      try require(outcome.transaction == newest + 1, "the migration is not the next transaction: \(outcome)")
      variant = next
      try bench.reopen()
    }
    return true
  }

  // MARK: Promises

  /// The index says what the store says, to the word and in all its sums.
  private func checkEqual() throws {
    checks += 1
    guard let serving = try serving() else { throw Broken(description: "there is no index") }
    let state = try IndexState.read(path: serving.path)
    let newest = try bench.store.newest()
    try require(state.token?.number == newest, "the token is \(state.token?.number ?? -1), not \(newest)")
    let verdict = try bench.store.withSnapshot { try bench.store.verdict(on: state.token) }
    try require(verdict == .valid, "the token of an index that has caught up is worth \(verdict)")
    let verified = try Verify(storePath: storePath, directory: index).run(isQuick: false)
    try require(verified.isEqual && verified.checksum == state.checksumText, "\(verified)")
    let dump = try CanonicalDump(of: index)
    trace.append(ContentDigest(of: Array(dump.description.utf8)).hexadecimal)
    try checkWords(dump)
    if checks % 4 == 0 { try checkRebuilt(dump, definition: state.definition) }
  }

  private func checkWords(_ dump: CanonicalDump) throws {
    let words = try Reading(bench.store).words()
    try require(
      Set(dump.documents.keys) == Set(words.keys),
      "documents \(dump.documents.keys.sorted()), rows \(words.keys.sorted())")
    for (name, expected) in words {
      let found = Reading.words(ofDescription: dump.documents[name] ?? "")
      try require(found == expected, "\(name) says \(found.sorted()), its row \(expected.sorted())")
    }
  }

  private func checkRebuilt(_ dump: CanonicalDump, definition: IndexDefinition) throws {
    let fresh = IndexDirectory(path: directory.file("fresh.index"))
    defer { try? FileManager.default.removeItem(atPath: fresh.path) }
    // What a migration took away, a definition may still name: it is not asked for anew.
    guard (try? definition.validate(against: bench.store.layout.shape)) != nil else { return }
    _ = try Rebuild(storePath: storePath, directory: fresh, definition: definition, isComplete: true, keep: 0).run()
    try require(try CanonicalDump(of: fresh) == dump, "an index that is built anew is another one")
  }

  /// A row is changed and the history does not tell: `verify` names it, `verify --repair` mends it.
  private func mend(_ random: inout SeededGenerator) throws -> Bool {
    guard try pass(&random), let film = bench.store.layout.entity(named: "Film"),
      let row = try bench.store.rows(of: film, attributes: []).next().map(\.key)
    else { return false }
    let title = "mended m" + String(repeating: "e", count: checks) + "nded"
    try edit("UPDATE ZFILM SET ZTITLE = '\(title)' WHERE Z_PK = \(row)")
    let verify = Verify(storePath: storePath, directory: index)
    for isQuick in [false, true] {
      try require(
        try verify.run(isQuick: isQuick).stale.contains("Film/p\(row)"), "the change of Film/p\(row) is missed")
    }
    let healed = try verify.repair()
    try require(healed.updated > 0 && healed.added + healed.removed == 0, "\(healed)")
    try checkEqual()
    return true
  }

  /// A search never fails, however far the index is behind; what it shows is there, as it is now, and where it can make
  /// up for what came since, all of it.
  private func search() throws -> Bool {
    guard let token = try token(), let serving = try index.serving() else { return false }
    let definition = try IndexState.read(path: serving.path).definition
    var request = SearchRequest(query: "*")
    request.limit = nil
    let result = try Searcher(storePath: storePath, directory: index).search(request)
    try require(result.index.token == token.number, "the token is \(result.index.token), not \(token.number)")
    let newest = try bench.store.newest()
    if let lag = result.index.lagTransactions {
      try require(lag == max(0, newest - token.number), "the lag is \(lag) with \(token.number) of \(newest)")
    }
    if result.index.answersAt == newest {
      let indexed = bench.store.layout.entities.filter { definition.entities[$0.entity.name] != nil }
      let rows = try indexed.reduce(0) { $0 + (try bench.store.count(of: $1)) }
      try require(result.hits.count == rows, "\(result.hits.count) hits of \(rows) rows")
    }
    for hit in result.hits {
      let values = try bench.store.values(of: hit.entity, key: hit.identifier.key)
      try require(values == hit.values, "\(hit.identifier.short) is not what it is shown as")
    }
    return !result.hits.isEmpty
  }
}

extension SeededGenerator {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
