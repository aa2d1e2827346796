// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import Synchronization
import TestSupport
import Testing

@Suite(.everyStore, .overlapping) @MainActor struct ContinuousObservationTests {
  @Observable final class Counter {
    var first = 0
    var second = 0
    var log: [String] = []
    @ObservationIgnored var unseen = 0
  }

  typealias Kind = ObservationTracking.Event.Kind

  @Test func `the closure runs once at first, and again after each change`() async {
    let counter = Counter()
    let runs = ConcurrentLog<(Kind, Int)>()
    let token = withContinuousObservation(options: .didSet) { event in
      MainActor.assertIsolated()
      runs.add((event.kind, counter.first))
    }
    #expect(await waitUntil { runs.all.count == 1 })
    for number in 1...3 {
      counter.first = number
      #expect(await waitUntil { runs.all.count == number + 1 })
    }
    #expect(runs.all.map(\.0) == [.initial, .didSet, .didSet, .didSet])
    #expect(runs.all.map(\.1) == [0, 1, 2, 3])
    token.cancel()
  }

  @Test func `several changes in one turn cause one event, which sees the last value`() async {
    let counter = Counter()
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: [.willSet, .didSet]) { _ in runs.add(counter.first) }
    #expect(await waitUntil { runs.all == [0] })
    for number in 1...100 { counter.first = number }
    #expect(await waitUntil { runs.all == [0, 100] })
    counter.first = 101
    #expect(await waitUntil { runs.all == [0, 100, 101] })
    token.cancel()
  }

  @Test func `an observation of willSet only gets willSet events`() async {
    let counter = Counter()
    let runs = ConcurrentLog<(Kind, Int)>()
    let token = withContinuousObservation(options: .willSet) { runs.add(($0.kind, counter.first)) }
    #expect(await waitUntil { runs.all.count == 1 })
    counter.first = 1
    #expect(await waitUntil { runs.all.count == 2 })
    #expect(runs.all.map(\.0) == [.initial, .willSet])
    #expect(runs.all.map(\.1) == [0, 1])
    token.cancel()
  }

  @Test func `an event matches the properties that changed`() async {
    let counter = Counter()
    let runs = ConcurrentLog<[Bool]>()
    let token = withContinuousObservation(options: .didSet) { event in
      _ = (counter.first, counter.second)
      runs.add([event.matches(\Counter.first), event.matches(\Counter.second)])
    }
    #expect(await waitUntil { runs.all.count == 1 })
    counter.first = 1
    #expect(await waitUntil { runs.all.count == 2 })
    counter.second = 1
    #expect(await waitUntil { runs.all.count == 3 })
    counter.first = 2
    counter.second = 2
    #expect(await waitUntil { runs.all.count == 4 })
    #expect(runs.all == [[false, false], [true, false], [false, true], [true, true]])
    token.cancel()
  }

  @Test func `only properties that the last run read are observed`() async {
    let counter = Counter()
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { _ in
      runs.add(counter.first)
      if counter.first == 0 { _ = counter.second }
    }
    #expect(await waitUntil { runs.all == [0] })
    counter.second = 1
    #expect(await waitUntil { runs.all == [0, 0] })
    counter.first = 1
    #expect(await waitUntil { runs.all == [0, 0, 1] })
    counter.second = 2
    counter.unseen = 1
    counter.first = 2
    #expect(await waitUntil { runs.all.last == 2 })
    #expect(runs.all == [0, 0, 1, 2])
    token.cancel()
  }

  @Test func `changes by the closure itself do not run it again`() async {
    let counter = Counter()
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { _ in
      counter.log.append("\(counter.first)")
      runs.add(counter.log.count)
    }
    #expect(await waitUntil { runs.all == [1] })
    counter.first = 1
    #expect(await waitUntil { runs.all == [1, 2] })
    counter.first = 2
    #expect(await waitUntil { runs.all == [1, 2, 3] })
    #expect(counter.log == ["0", "1", "2"])
    token.cancel()
  }

  /// The run that a change causes would come before that of a later change of something else.
  private func settle() async {
    let other = Counter()
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { _ in runs.add(other.first) }
    #expect(await waitUntil { runs.all == [0] })
    other.first = 1
    #expect(await waitUntil { runs.all == [0, 1] })
    token.cancel()
  }

  @Test func `a token that is cancelled or released ends the observation`() async {
    let counter = Counter()
    let (cancelled, released) = (ConcurrentLog<Int>(), ConcurrentLog<Int>())
    let token = withContinuousObservation(options: .didSet) { _ in cancelled.add(counter.first) }
    var kept: ObservationTracking.Token? = withContinuousObservation(options: .didSet) { _ in
      released.add(counter.first)
    }
    #expect(await waitUntil { cancelled.all == [0] && released.all == [0] })
    #expect(kept != nil)
    token.cancel()
    kept = nil
    counter.first = 1
    await settle()
    #expect(cancelled.all == [0] && released.all == [0])
  }

  @Test func `an event can end the observation`() async {
    let counter = Counter()
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { event in
      runs.add(counter.first)
      if counter.first == 2 { event.cancel() }
    }
    for number in 1...4 {
      counter.first = number
      await settle()
    }
    #expect(runs.all.last == 2)
    token.cancel()
  }

  @Test func `a released observation keeps neither the closure nor what it holds`() async {
    weak var weakly: Counter?
    let counter = Counter()
    do {
      let held = Counter()
      weakly = held
      let runs = ConcurrentLog<Int>()
      let token = withContinuousObservation(options: .didSet) { _ in runs.add(counter.first + held.first) }
      #expect(await waitUntil { runs.all.count == 1 })
      counter.first = 1
      #expect(await waitUntil { runs.all.count == 2 })
      token.cancel()
    }
    #expect(await waitUntil { weakly == nil })
  }

  /// A value that every thread may change.
  private final class Shared: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let content = Atomic(0)
    var value: Int {
      registrar.access(self, keyPath: \.value)
      return content.load(ordering: .sequentiallyConsistent)
    }
    func increase() {
      registrar.withMutation(of: self, keyPath: \.value) { _ = content.add(1, ordering: .sequentiallyConsistent) }
    }
  }

  /// Runs `body` on a thread of its own, and keeps the caller until it is done.
  private nonisolated static func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      body()
      isDone.signal()
    }.start()
    isDone.wait()
  }

  @Test func `a change by another thread while the closure runs again is not lost`() async {
    let shared = Shared()
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { event in
      let value = shared.value
      if value == 1 { Self.elsewhere { shared.increase() } }
      runs.add(value)
    }
    #expect(await waitUntil { runs.all == [0] })
    shared.increase()
    #expect(await waitUntil { runs.all == [0, 1, 2] })
    token.cancel()
  }

  @Test func `changes of this module's observers during the first run of the closure are not lost`() async throws {
    let container = try newContainer(Entry.self, Comment.self)
    for round in 0..<20 {
      let observer = try await Self.observer(container)
      let (runs, failures) = (ConcurrentLog<Int>(), ConcurrentLog<String>())
      let token = withContinuousObservation(options: .didSet) { event in
        let count = observer.eventCounter
        if count == 0 {
          Self.elsewhere {
            do { try write("meanwhile", in: container) } catch { failures.add("\(error)") }
            if !eventually({ observer.eventCounter == 1 }) { failures.add("the transaction was not counted") }
          }
        }
        runs.add(count)
      }
      #expect(await waitUntil { runs.all == [0, 1] }, "round \(round): \(runs.all) \(failures.all)")
      token.cancel()
    }
  }

  /// An observer of no actor.
  private nonisolated static func observer(_ container: ModelContainer) async throws -> HistoryObserver {
    try HistoryObserver(modelContainer: container)
  }

  @Test func `the last of concurrent changes by many threads is always seen`() async {
    for _ in 0..<20 {
      let shared = Shared()
      let last = ConcurrentLog<Int>()
      let token = withContinuousObservation(options: .didSet) { _ in last.add(shared.value) }
      #expect(await waitUntil { last.all == [0] })
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { for _ in 0..<250 { shared.increase() } } }
      }
      #expect(await waitUntil { last.all.last == 1_000 })
      #expect(last.all == last.all.sorted())
      token.cancel()
    }
  }
}
