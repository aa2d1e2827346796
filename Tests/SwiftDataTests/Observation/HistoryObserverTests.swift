// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

@Suite(.everyStore, .overlapping, .temporaryDirectory) struct HistoryObserverTests {
  let container: ModelContainer

  init() throws { container = try newContainer(Entry.self, Comment.self) }

  private func history() throws -> [DefaultHistoryTransaction] {
    try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test func `transactions that are saved from now on are reported`() async throws {
    try write("before", in: container)
    let observer = try HistoryObserver(modelContainer: container)
    #expect(observer.eventCounter == 0)
    for number in 1...3 {
      try write("after", in: container)
      #expect(await waitUntil { observer.eventCounter == number })
    }
    #expect(observer.authors.isEmpty && observer.observedModels.isEmpty)
    #expect(observer.modelContainer === container)
  }

  @Test func `transactions after a token are reported with the next save, as one event`() async throws {
    for number in 1...4 { try write("\(number)", in: container) }
    let transactions = try history()
    let token = transactions[1].token
    let observer = try HistoryObserver(
      historyTokens: [transactions[1].storeIdentifier: token], modelContainer: container)
    #expect(observer.eventCounter == 0)
    try write("5", in: container)
    #expect(await waitUntil { observer.eventCounter == 1 })
    try write("6", in: container)
    #expect(await waitUntil { observer.eventCounter == 2 })
  }

  @Test func `a token whose history was deleted is refused`() throws {
    for number in 1...4 { try write("\(number)", in: container) }
    let transactions = try history()
    let (first, third) = (transactions[0].token, transactions[2].token)
    try ModelContext(container).deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < third }))
    let store = transactions[0].storeIdentifier
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(historyTokens: [store: first], modelContainer: container)
    }
    let observer = try HistoryObserver(historyTokens: [store: transactions[1].token], modelContainer: container)
    #expect(observer.eventCounter == 0)
  }

  @Test func `only transactions of the authors count`() async throws {
    let observer = try HistoryObserver(authors: ["App", "Widget's"], modelContainer: container)
    let all = try HistoryObserver(modelContainer: container)
    let authors = ["App", nil, "Server", "Widget's", "app", "App"]
    for (index, expected) in [1, 1, 1, 2, 2, 3].enumerated() {
      try write("x", by: authors[index], in: container)
      #expect(await waitUntil { all.eventCounter == index + 1 })
      #expect(await waitUntil { observer.eventCounter == expected })
    }
  }

  @Test func `only transactions that touch the classes count`() async throws {
    let comments = try HistoryObserver(observedModels: [Comment.self], modelContainer: container)
    let both = try HistoryObserver(observedModels: [Comment.self, Entry.self], modelContainer: container)
    let context = ModelContext(container)
    let comment = Comment("first")
    context.insert(comment)
    try context.save()
    #expect(await waitUntil { (comments.eventCounter, both.eventCounter) == (1, 1) })
    try write("an entry", in: container)
    #expect(await waitUntil { (comments.eventCounter, both.eventCounter) == (1, 2) })
    comment.text = "changed"
    try context.save()
    #expect(await waitUntil { (comments.eventCounter, both.eventCounter) == (2, 3) })
    context.delete(comment)
    try context.save()
    #expect(await waitUntil { (comments.eventCounter, both.eventCounter) == (3, 4) })
  }

  @Test func `observers are notified after each increase of the count`() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let seen = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { event in
      seen.add(observer.eventCounter)
      let isMatching = event.matches(\HistoryObserver.eventCounter)
      #expect(isMatching == (event.kind != .initial))
    }
    #expect(await waitUntil { seen.all == [0] })
    for number in 1...5 {
      try write("\(number)", in: container)
      #expect(await waitUntil { seen.all.last == number })
    }
    token.cancel()
  }

  @Test func `who reads again while a change is notified finds the new count`() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let seen = ConcurrentLog<Int>()
    @Sendable func track() {
      withObservationTracking {
        seen.add(observer.eventCounter)
      } onChange: {
        track()
      }
    }
    track()
    for number in 1...20 {
      try write("\(number)", in: container)
      try #require(await waitUntil { seen.all == Array(0...number) })
    }
  }

  @Test func `a save between a read and the tracking of it is reported`() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let isTold = ConcurrentLog<Bool>()
    let isCounted = DispatchSemaphore(value: 0)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      isCounted.signal()
    }
    try withObservationTracking {
      #expect(observer.eventCounter == 0)
      return Result {
        try write("read too late", in: container)
        isCounted.wait()
      }
    } onChange: {
      isTold.add(true)
    }
    .get()
    #expect(await waitUntil { isTold.all == [true] })
  }

  @Test(arguments: Rounds.seeds(20, long: 200))
  func `a sequence of observations without an actor reports each save`(round: Int) async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let seen = ConcurrentLog<Int>()
    let task = Task { for await count in Observations({ observer.eventCounter }) { seen.add(count) } }
    defer { task.cancel() }
    for (index, author) in ["App", "Other"].enumerated() {
      try write("\(round)", by: author, in: container)
      try #require(await waitUntil { seen.all.last == index + 1 })
    }
  }

  @MainActor @Test func `an observer counts on the actor it was made on`() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let threads = ConcurrentLog<Bool>()
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      MainActor.assertIsolated()
      threads.add(true)
    }
    try await Task.detached { [container] in _ = try write("from elsewhere", in: container) }.value
    #expect(await waitUntil { threads.all == [true] })
    #expect(observer.eventCounter == 1)
  }

  @Test(arguments: Rounds.seeds(3, long: 50))
  func `every save of many tasks is kept, and the last one is announced`(seed: Int) async throws {
    let observers = try (0..<3).map { _ in try HistoryObserver(modelContainer: container) }
    let last = observers.map { _ in ConcurrentLog<Int>() }
    let tokens = zip(observers, last).map { observer, last in
      withContinuousObservation(options: .didSet) { _ in
        last.add(observer.eventCounter > 0 ? (try? history().count) ?? 0 : 0)
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var generator = SeededGenerator(seed: seed * 4 + writer)
          for number in 0..<25 {
            try write("\(writer)-\(number)", in: container)
            if Int.random(in: 0..<4, using: &generator) == 0 { await Task.yield() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await waitUntil { last.allSatisfy { $0.all.last == 100 } }, "seed \(seed)")
    for token in tokens { token.cancel() }
  }

  @Test func `an observer that ended is released`() async throws {
    weak var weakly: HistoryObserver?
    do {
      let observer = try HistoryObserver(modelContainer: container)
      weakly = observer
      try write("one", in: container)
    }
    #expect(await waitUntil { weakly == nil })
  }

  @Test func `transactions that are deleted before the observer read them are reported`() async throws {
    let directory = TemporaryDirectory()
    let container = try entryContainer(in: directory)
    let busy = Busy(modelContainer: container)
    let observer = try await busy.observer()
    let work = Task { await busy.stay() }
    #expect(await waitUntil { busy.isBusy.all == [true] })
    for number in 1...3 { try write("\(number)", in: container) }
    try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(observer.eventCounter == 0)
    busy.leave.signal()
    await work.value
    #expect(await waitUntil { observer.eventCounter == 1 })
  }
}

/// An actor on a thread of its own that can be kept busy.
@ModelActor private actor Busy {
  nonisolated let isBusy = ConcurrentLog<Bool>()
  nonisolated let leave = DispatchSemaphore(value: 0)

  func observer() throws -> HistoryObserver { try HistoryObserver(modelContainer: modelContainer) }

  func stay() {
    isBusy.add(true)
    leave.wait()
  }
}
