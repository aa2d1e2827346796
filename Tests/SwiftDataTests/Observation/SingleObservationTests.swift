// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// `withObservationTracking(options:_:onChange:)`.
struct SingleObservationTests {
  @Observable final class Counter: @unchecked Sendable {
    // Unchecked: one thread at a time uses it.
    var first = 0
    var second = 0
  }

  struct Failure: Error, Equatable {}
  struct Unique: ~Copyable { let number: Int }

  private let counter = Counter()
  private let events = ConcurrentLog<String>()

  private func note(_ event: borrowing ObservationTracking.Event) {
    events.add("\(event.kind) \(event.matches(\Counter.first)) \(event.matches(\Counter.second)) \(counter.first)")
  }

  @Test func `the first change is reported before and after it is made, and no later one`() {
    let read = withObservationTracking(options: [.willSet, .didSet]) {
      counter.first + counter.second
    } onChange: { [self] in
      note($0)
    }
    #expect(read == 0)
    for number in 1...3 { counter.first = number }
    #expect(events.all == ["willSet true false 0", "didSet true false 1"])
  }

  @Test(arguments: [
    (ObservationTracking.Options.willSet, ["willSet false true 0"]), (.didSet, ["didSet false true 0"]),
    (ObservationTracking.Options(), [String]()),
  ])
  func `only the requested kind of event is reported`(options: ObservationTracking.Options, expected: [String]) {
    withObservationTracking(options: options) {
      _ = counter.second
    } onChange: { [self] in
      note($0)
    }
    counter.first = 1
    counter.first = 0
    for number in 1...3 { counter.second = number }
    #expect(events.all == expected)
  }

  @Test func `a cancelled event is the last one`() {
    withObservationTracking(options: [.willSet, .didSet]) {
      _ = counter.first
    } onChange: { [self] event in
      note(event)
      event.cancel()
    }
    counter.first = 1
    #expect(events.all == ["willSet true false 0"])
  }

  @Test func `the closure returns a value that cannot be copied, or throws an error of its own type`() throws {
    let made = withObservationTracking(options: .didSet) {
      Unique(number: counter.first + 7)
    } onChange: { _ in
    }
    #expect(made.number == 7)
    func fail() throws(Failure) {
      try withObservationTracking(options: .didSet) { () throws(Failure) in
        _ = counter.first
        throw Failure()
      } onChange: { [self] in
        note($0)
      }
    }
    #expect(throws: Failure()) { try fail() }
    counter.first = 1
    #expect(events.all == [])
  }

  @Test func `results of an observer are tracked`() throws {
    let container = try newContainer(Film.self)
    let observer = try ResultsObserver<Film, Never>(modelContext: ModelContext(container))
    withObservationTracking(options: .didSet) {
      _ = observer.results
    } onChange: { [events] in
      events.add("\($0.kind)")
    }
    let other = ModelContext(container)
    other.insert(Film("x", year: 1))
    try other.save()
    #expect(observer.results.count == 1)
    #expect(events.all == ["didSet"])
  }
}
