// SPDX-License-Identifier: MIT

package import Base
internal import FoundationEssentials
package import Store

/// Builds a new generation from the store, verifies it, and makes it the serving one.
///
/// It runs beside readers, and beside a follower, which then continues with the new generation.
package struct Rebuild {
  package struct Outcome: Sendable {
    package let generation: Int
    package let documents: Int
    package let token: StoreToken
    package let checksum: String
    let effects: WriteEffects
  }

  private let storePath: String
  private let directory: IndexDirectory
  /// The definition to use; nil for that of the serving generation, or the default one.
  let definition: IndexDefinition?
  let isComplete: Bool
  private let infers: Bool
  let origin: IndexState.Origin
  private let keep: Int
  private let limits: IndexBuilder.Limits
  private let progress: (Progress) -> Void
  let report: (String) -> Void
  private let busyMilliseconds: Int32

  /// - Parameters:
  ///   - isComplete: Does not measure typical lengths that the definition lacks.
  ///   - infers: Infers the default definition again from the present values.
  ///   - keep: The number of earlier generations to keep for `rollback`.
  package init(
    storePath: String, directory: IndexDirectory, definition: IndexDefinition? = nil, isComplete: Bool = false,
    infers: Bool = false, origin: IndexState.Origin = .null, keep: Int = 1, limits: IndexBuilder.Limits = .init(),
    progress: @escaping (Progress) -> Void = { _ in },
    report: @escaping (String) -> Void = { _ in }, busyMilliseconds: Int32 = 10_000
  ) {
    self.storePath = storePath
    self.directory = directory
    self.definition = definition
    self.isComplete = isComplete
    self.infers = infers
    self.origin = origin
    self.keep = keep
    self.limits = limits
    self.progress = progress
    self.report = report
    self.busyMilliseconds = busyMilliseconds
  }

  /// Builds, catches up, compares checksums in one snapshot, and flips the stub.
  ///
  /// The old generation serves until the flip; if anything throws before, nothing has changed.
  ///
  /// - Throws: `OperationError.locked`, `.historyGone` (replay without transaction 1), `.unequal`; errors of store
  ///   and index.
  package func run() throws -> Outcome {
    // Report errors of the store before errors of the index.
    let store = try StoreFile.open(storePath, busyMilliseconds: busyMilliseconds)
    try directory.make(rightsOf: storePath)
    let lock = try FileLock(.rebuild, in: directory, verb: "rebuild")
    let serving = try servingOrNewest()
    // A number is never reused, so that generations cannot be confused.
    let number = (directory.generations().last ?? 0) + 1
    removeUnfinished(serving: serving?.number)
    if store.unreadSentence != nil, let state = try serving.flatMap({ try tryState(path: $0.path) }) {
      try store.refuseUnreadRecords(in: state.definition)
    }
    let known = try definition == nil && !infers ? serving.flatMap { try readState(of: $0) } : nil
    do {
      let outcome = try build(number, known: known, lock: lock)
      try directory.flip(to: number)
      prune(serving: number)
      return outcome
    } catch {
      if (try? directory.serving())?.number != number { directory.removeGeneration(number) }
      throw error
    }
  }

  // MARK: Steps

  /// The maximum number of builds if new rows of an ordinary database do not fit the types of its columns.
  private static let mostBuilds = 3

  /// - Parameter known: The state of the previous generation, whose definition is kept.
  private func build(_ number: Int, known: IndexState?, lock: FileLock) throws -> Outcome {
    let own = definition ?? (known?.isStandardDefinition == false ? known?.definition : nil)
    let given = try ColumnReadings(names: own?.columns ?? [:])
    var builds = 0
    while true {
      let store = try open(.surveyed(given: given, relations: own?.relations ?? [:]))
      // In one snapshot, because each read of a sample would lock the file otherwise.
      let state = try store.withSnapshot { try chooseDefinition(known: known, store: store) }
      let outcome = try build(number, from: store, state: state, lock: lock)
      builds += 1
      if Database.of(store)?.mismatchedColumns.isEmpty != false || builds == Self.mostBuilds { return outcome }
      directory.removeGeneration(number)
    }
  }

  private func open(_ readings: ReadingChoice) throws -> PersistentStore {
    let store = try StoreFile.open(storePath, busyMilliseconds: busyMilliseconds, readings: readings)
    if let sentence = store.ignoredValuesSentence { report(sentence) }
    // Those of a definition that was given now are refused.
    if definition == nil { store.relationFaultSentences.forEach(report) }
    return store
  }

  /// Builds in bulk. If Xapian rejects a document, builds again with commits, which skip rejected documents.
  private func build(
    _ number: Int, from store: PersistentStore, state: IndexState, lock: FileLock
  ) throws -> Outcome {
    let path = directory.path(ofGeneration: number)
    do {
      return try build(GenerationWriter(newAt: path, state: state, limits: limits), number, from: store, lock: lock)
    } catch {
      guard (error as? IndexError)?.code == .rejected else { throw error }
      report("Xapian rejected a document, or the disk failed: building again with more commits, which takes longer")
      directory.removeGeneration(number)
    }
    return try build(GenerationWriter(newAt: path, state: state, mode: .durable), number, from: store, lock: lock)
  }

  private func build(
    _ writer: GenerationWriter, _ number: Int, from store: PersistentStore, lock: FileLock
  ) throws -> Outcome {
    defer { writer.cancel() }
    let mapper = try DocumentMapper(definition: writer.state.definition, layout: store.layout)
    func watch(_ phase: String) -> Progress {
      Progress(phase) { [progress] in
        lock.note(state: phase, done: $0.done, total: $0.total)
        progress($0)
      }
    }
    func comparison(_ phase: String) -> Comparison {
      Comparison(store: store, mapper: mapper, progress: watch(phase))
    }
    let start: (token: StoreToken, mark: WriteMark?, version: DataVersion?) =
      switch origin {
      case .null: try takeSnapshot(of: store, comparison("building"), into: writer)
      case .replay: (try tokenBeforeHistory(of: store), nil, nil)
      }
    try writer.seal()
    let outcome = try store.withSnapshot {
      let isBuilding = writer.isBuilding
      // The rows from which the documents were made are still the rows of the store: they need not be mapped again. A
      // connection without locks does not notice changes, so the file decides, too.
      let isSame = try isBuilding && start.version == store.dataVersion() && !store.isReplaced
      // A bulk build skips no document, so the rows are compared while the generation is joined.
      let early = isBuilding && !isSame ? try comparison("comparing").checksum(of: nil) : nil
      watch("writing").begin(total: 0)
      let leftOut = try LeftOutRows(of: store, mapper)
      // What was written meanwhile is in the log, or found below by the checksum.
      try writer.updateState {
        $0.leftOut = leftOut
        try $0.noteComparison(in: store)
      }
      try writer.commit(token: start.token)
      if try hasChanged(store, writer, since: start.mark) {
        let reason = TokenVerdict.mayHaveChanged.sentence(token: start.token)
        _ = try comparison("comparing").reconcile(writer, reason: reason, now: DateText.now)
      } else {
        try catchUp(store, mapper, writer)
      }
      try RowDigests.keep(of: store, generation: writer.path, state: writer.state)
      if isSame {
        return Comparison.Outcome(
          rows: writer.effects.documents, checksum: try IndexReader(path: writer.path).checksum())
      }
      return try early ?? comparison("comparing").checksum(of: writer)
    }
    let documents = try writer.documentCount()
    guard outcome.checksum == writer.state.checksum, outcome.rows == documents, let token = writer.state.token
    else {
      throw OperationError(
        .unequal, "the new generation does not equal the store (\(documents) documents, \(outcome.rows) rows)",
        recovery: .retryAndCheckDisk)
    }
    try directory.sync(generation: number)
    for row in writer.rejected.rows { report(try row.sentence(in: store)) }
    return Outcome(
      generation: number, documents: documents, token: token, checksum: outcome.checksumText,
      effects: writer.effects)
  }

  /// Returns the token and the mark of the rows, and the version of the file that contains them.
  private func takeSnapshot(
    of store: PersistentStore, _ comparison: Comparison, into writer: GenerationWriter
  ) throws -> (StoreToken, WriteMark?, DataVersion?) {
    try store.withSnapshot(settled: true) {
      let (token, mark, version) = (try store.token(), try store.writeMark(), try store.dataVersion())
      try comparison.eachRow {
        try writer.add($0)
        if writer.isFull { try writer.commit(token: nil) }
      }
      return (token, mark, version)
    }
  }

  private func tokenBeforeHistory(of store: PersistentStore) throws -> StoreToken {
    try store.withSnapshot {
      let oldest = try store.oldest()
      let newest = try store.newest()
      guard oldest == 1 || (oldest == nil && newest == 0) else {
        throw OperationError(
          .historyGone, "the history of \(store.path) does not begin with its first transaction",
          recovery: .rebuildIndex)
      }
      return StoreToken(storeUUID: store.uuid, number: 0, stamp: nil, modelDigest: store.modelDigest)
    }
  }

  /// Whether a database may have been changed while it was indexed, and no history tells it.
  private func hasChanged(
    _ store: PersistentStore, _ writer: GenerationWriter, since mark: WriteMark?
  ) throws -> Bool {
    if let mark, try !store.explainsWrites(since: mark) { return true }
    return try writer.state.token.map { try store.verdict(on: $0) == .mayHaveChanged } ?? false
  }

  private func catchUp(_ store: PersistentStore, _ mapper: DocumentMapper, _ writer: GenerationWriter) throws {
    let tail = HistoryTail(store: store, mapper: mapper)
    guard let token = writer.state.token, try store.verdict(on: token) == .valid else {
      throw OperationError(
        .historyGone, "the history of \(store.path) was purged while the index was being built",
        recovery: .rebuildIndex)
    }
    while let token = writer.state.token, let batch = try tail.next(after: token, in: writer) {
      try StopSignal.check()
      try writer.write(batch)
    }
  }

  /// The serving generation; the newest one if the stub is damaged, because its definition may be readable.
  private func servingOrNewest() throws -> IndexDirectory.Generation? {
    do {
      return try directory.serving()
    } catch {
      guard error.code == .corrupt else { throw error }
      report(error.message)
      return directory.newest()
    }
  }

  /// The state of the serving generation; that of the newest earlier one if it cannot be read.
  private func readState(of serving: IndexDirectory.Generation) throws -> IndexState? {
    if let state = try tryState(path: serving.path) { return state }
    for number in directory.generations().reversed() where number < serving.number {
      if let state = try tryState(path: directory.path(ofGeneration: number)) {
        report("the definition is taken from generation \(number): the serving one cannot be read")
        return state
      }
    }
    report("the definition of the old index cannot be read: the default definition is used")
    return nil
  }

  /// The state of a generation; nil if it cannot be read, because a rebuild must work with any damage. A lack of memory or
  /// open files is thrown: then the definition must not be replaced by the default one.
  private func tryState(path: String) throws -> IndexState? {
    guard IndexReader.survives(path: path) else { return nil }
    do {
      return try IndexState.read(IndexReader(path: path), isOfAnyFormat: true)
    } catch let error as IndexError where error.code == .limit {
      throw error
    } catch {
      return nil
    }
  }

  // MARK: Old generations

  /// Removes what an interrupted rebuild left: generations newer than the serving one.
  private func removeUnfinished(serving: Int?) {
    for number in directory.generations() where number > (serving ?? 0) {
      // After a rollback, the newer generation is complete, but it is not wanted either.
      directory.removeGeneration(number)
    }
  }

  private func prune(serving: Int) {
    let earlier = directory.generations().filter { $0 < serving }
    for number in earlier.dropLast(keep) { directory.removeGeneration(number) }
  }
}

extension IndexError {
  /// There is no index in `directory`, or not yet.
  package static func missing(_ directory: IndexDirectory) -> IndexError {
    guard !directory.isReplica else {
      return IndexError(
        .missing, "the first copy of the replica \(directory.path) is not complete", recovery: .copyAgain)
    }
    guard let builder = FileLock.holder(.rebuild, in: directory), builder.verb == "rebuild" else {
      if (try? directory.serving()) != nil {
        return IndexError(
          .building, "another process has just finished building the index \(directory.path)", recovery: .retry)
      }
      return IndexError(.missing, "no index at \(directory.path)", recovery: .buildIndex)
    }
    let done = builder.total > 0 ? ", \(builder.done) of \(builder.total) rows" : ""
    let left = builder.state == "building" ? builder.secondsLeft.map { ", about \($0) s left" } ?? "" : ""
    return IndexError(
      .building, "the index \(directory.path) is being built by process \(builder.pid)\(done)\(left)",
      recovery: .waitForIndex)
  }
}
