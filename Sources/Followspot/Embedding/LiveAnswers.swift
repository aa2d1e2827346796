// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store
internal import Synchronization

/// Searches for all iterators of a source that wait for a new answer. They share one thread, which reads each save once and
/// ends when nobody waits.
final class LiveAnswers: @unchecked Sendable {
  // Unchecked: the variables belong to the thread.

  /// An iterator that waits.
  private struct Turn: Sendable {
    let answer: LiveAnswer
    /// Turned on if the task of the iterator is cancelled.
    let stop: StopSwitch
    let reply: CheckedContinuation<SearchUpdate, any Error>
  }

  private let source: any SearchSource
  private let turns = Mutex<(waiting: [Turn], hasThread: Bool)>(([], false))
  /// Ends the wait for a save, because iterators came or left.
  private let wake = StopSwitch()
  /// Never turned on: what all wait for cannot be stopped for one of them.
  private let never = StopSwitch()

  /// nil until the stores were read.
  private var reader: LiveReader?
  private var changeWaiter: ChangeWaiter?
  /// The number of the last reading of the stores, and what changed since the one before, if that is known.
  private var reading: (number: Int, changes: ChangedRecords?) = (0, nil)
  /// Whether at least `many` iterators wait.
  private var areMany = false
  private var hasFailed = false
  /// The failures that were reported, and have not passed.
  private var said: Set<String> = []

  /// With fewer iterators, all searches take less time than to read what changed.
  private static let many = 4

  init(of source: any SearchSource) { self.source = source }

  /// Waits until the answer of an iterator differs from the last one.
  ///
  /// - Throws: `FollowspotError`; `CancellationError`.
  func next(of answer: LiveAnswer) async throws -> SearchUpdate {
    try Task.checkCancellation()
    let stop = StopSwitch()
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { add(Turn(answer: answer, stop: stop, reply: $0)) }
      } onCancel: {
        stop.turnOn()
        wake.turnOn()
      }
    } catch { throw source.translated(error) }
  }

  private func add(_ turn: Turn) {
    let isFirst = turns.withLock { turns in
      turns.waiting.append(turn)
      defer { turns.hasThread = true }
      return !turns.hasThread
    }
    wake.turnOn()
    guard isFirst else { return }
    do { try OwnThread.start { self.run() } } catch {
      let refused = turns.withLock { turns in
        defer { turns = ([], false) }
        return turns.waiting
      }
      for turn in refused { turn.reply.resume(throwing: error) }
    }
  }

  private func finish(_ turn: Turn, _ result: Result<SearchUpdate, any Error>) {
    let isWaiting = turns.withLock { turns in
      guard let index = turns.waiting.firstIndex(where: { $0.stop === turn.stop }) else { return false }
      turns.waiting.remove(at: index)
      return true
    }
    if isWaiting { turn.reply.resume(with: result) }
  }

  /// Those who wait; nil if there are none, and the thread ends.
  private func waiting() -> [Turn]? {
    turns.withLock { turns in
      turns.hasThread = !turns.waiting.isEmpty
      return turns.hasThread ? turns.waiting : nil
    }
  }

  // MARK: The thread

  private func run() {
    while true {
      // Whoever comes from now on ends the wait below.
      wake.turnOff()
      guard let waiting = waiting() else { return }
      areMany = waiting.count >= Self.many
      do {
        let reader = try StopSignal.$ownSwitch.withValue(never) { try read(for: waiting) }
        hasFailed = false
        for turn in waiting where turn.stop.isOn || turn.answer.isDue(reading) { serve(turn, reader) }
        if !hasFailed { said = [] }
        guard turns.withLock({ !$0.waiting.isEmpty }) else { continue }
        try StopSignal.$ownSwitch.withValue(wake) { _ = try reader.wait(waiter()) }
      } catch {
        // Nobody is told before the stores were opened anew.
        let wasRead = reader != nil
        reader = nil
        if wasRead { continue }
        for turn in turns.withLock(\.waiting) { handle(error, of: turn) }
        StopSignal.$ownSwitch.withValue(wake) { waiter().pause() }
      }
    }
  }

  private func waiter() -> ChangeWaiter {
    if let known = changeWaiter { return known }
    let made = ChangeWaiter(storePaths: source.storePaths)
    changeWaiter = made
    return made
  }

  /// Reads what has changed.
  private func read(for waiting: [Turn]) throws -> LiveReader {
    if let reader {
      if try !reader.hasChanged() { return reader }
      if reader.isResting, waiting.allSatisfy(\.answer.isShown) { return reader }
    }
    let source = source
    let reader = try self.reader ?? LiveReader(source.open()) { try source.open() }
    try reader.begin()
    reading = (reading.number + 1, areMany ? try reader.changes() : nil)
    self.reader = reader
    return reader
  }

  private func serve(_ turn: Turn, _ reader: LiveReader) {
    do {
      let update = try StopSignal.$ownSwitch.withValue(turn.stop) {
        try StopSignal.check()
        return try turn.answer.update(from: reader, reading: reading.number, readsTerms: areMany)
      }
      if let update { finish(turn, .success(update)) }
    } catch { handle(error, of: turn) }
  }

  /// Ends a turn with an error, unless the error may pass.
  private func handle(_ error: any Error, of turn: Turn) {
    let passes = LiveSearch.passes(error) || reader?.lacksStores == true
    guard !turn.stop.isOn, turn.answer.isShown, passes else {
      return finish(turn, .failure(turn.stop.isOn ? CancellationError() : error))
    }
    hasFailed = true
    let sentence = String(describing: error)
    if said.insert(sentence).inserted { source.report("\(sentence); retrying until it succeeds") }
  }
}
