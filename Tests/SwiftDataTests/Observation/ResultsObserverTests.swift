// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

@Suite(.everyStore, .overlapping, .temporaryDirectory) @MainActor struct ResultsObserverTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Entry.self, Comment.self)
    context = ModelContext(container)
  }

  private func titles<Title>(_ observer: ResultsObserver<Entry, Title>) -> [String] { observer.results.map(\.title) }

  private func insert(_ titles: String...) throws {
    for (day, title) in titles.enumerated() { context.insert(Entry(title, day: day)) }
    try context.save()
  }

  @Test func `results are those of the fetch`() throws {
    try insert("one", "two", "three")
    let observer = try ResultsObserver<Entry, Never>(modelContext: context)
    #expect(titles(observer) == ["one", "two", "three"])
    #expect(observer.sections == nil)
    #expect(observer.modelContext === context)
    #expect(observer.debugDescription == "ResultsObserver of Entry: 3 objects")
  }

  @Test func `a container's observer has its own context`() throws {
    try insert("one")
    let observer = try ResultsObserver<Entry, Never>(modelContainer: container)
    #expect(titles(observer) == ["one"])
    #expect(observer.modelContext !== context)
  }

  @Test func `a class that is in none of the stores is refused`() throws {
    #expect(throws: SwiftDataError.unknownSchema) {
      try ResultsObserver<Film, Never>(modelContext: context)
    }
  }

  @Test func `unsaved changes of the observer's own context are seen at once`() throws {
    let observer = try ResultsObserver<Entry, Never>(modelContext: context)
    let entry = Entry("one")
    context.insert(entry)
    #expect(titles(observer) == ["one"])
    context.delete(entry)
    #expect(titles(observer) == [])
    context.insert(Entry("two"))
    #expect(titles(observer) == ["two"])
    context.rollback()
    #expect(titles(observer) == [])
  }

  @Test func `without pending changes only saves count`() throws {
    var descriptor = FetchDescriptor<Entry>()
    descriptor.includePendingChanges = false
    let observer = try ResultsObserver<Entry, Never>(fetchDescriptor: descriptor, modelContext: context)
    context.insert(Entry("one"))
    #expect(titles(observer) == [])
    try context.save()
    #expect(titles(observer) == ["one"])
  }

  @Test func `saves of another context of the container are seen`() async throws {
    let observer = try ResultsObserver<Entry, Never>(modelContext: context)
    let identifier = try write("one", in: container)
    #expect(titles(observer) == ["one"])
    let other = ModelContext(container)
    let entry = try #require(other.model(for: identifier) as? Entry)
    entry.title = "another"
    try other.save()
    #expect(titles(observer) == ["another"])
    other.delete(entry)
    try other.save()
    #expect(titles(observer) == [])
  }

  @Test func `saves of another container are seen`() async throws {
    let directory = TemporaryDirectory()
    let (here, there) = (try entryContainer(in: directory), try entryContainer(in: directory))
    let observer = try ResultsObserver<Entry, Never>(modelContainer: here)
    try write("one", in: there)
    #expect(await waitUntil { titles(observer) == ["one"] })
  }

  @Test func `observers are notified of every kind of change, on the actor`() async throws {
    let observer = try ResultsObserver<Entry, Never>(modelContext: context)
    let seen = ConcurrentLog<[String]>()
    let token = withContinuousObservation(options: .didSet) { _ in
      MainActor.assertIsolated()
      seen.add(observer.results.map(\.title))
    }
    #expect(await waitUntil { seen.all.last == [] })
    try write("one", in: container)
    #expect(await waitUntil { seen.all.last == ["one"] })
    let own = Entry("two")
    context.insert(own)
    #expect(await waitUntil { seen.all.last == ["one", "two"] })
    own.title = "deux"
    #expect(await waitUntil { seen.all.last == ["one", "deux"] })
    try context.save()
    context.delete(own)
    #expect(await waitUntil { seen.all.last == ["one"] })
    token.cancel()
  }

  @Test func `a save that changes none of the results notifies nobody`() async throws {
    try insert("one")
    let observer = try ResultsObserver<Entry, Never>(modelContext: context)
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { _ in runs.add(observer.results.count) }
    #expect(await waitUntil { runs.all == [1] })
    let other = ModelContext(container)
    other.insert(Comment("unrelated"))
    try other.save()
    try write("two", in: container)
    #expect(await waitUntil { runs.all.last == 2 })
    #expect(runs.all == [1, 2])
    token.cancel()
  }

  @Test func `a save of an object among the results notifies observers`() async throws {
    try insert("one")
    let observer = try ResultsObserver<Entry, Never>(modelContext: context)
    let runs = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { event in
      runs.add(observer.results.count)
      let isMatching = event.matches(\ResultsObserver<Entry, Never>.results)
      #expect(isMatching == (event.kind == .didSet))
    }
    #expect(await waitUntil { runs.all == [1] })
    let other = ModelContext(container)
    try #require(other.fetch(FetchDescriptor<Entry>()).first).title = "uno"
    try other.save()
    #expect(await waitUntil { runs.all == [1, 1] })
    #expect(titles(observer) == ["uno"])
    token.cancel()
  }

  @Test func `an observer that ended leaves no trace in its container`() async throws {
    weak var weakly: ResultsObserver<Entry, Never>?
    do {
      let observer = try ResultsObserver<Entry, Never>(modelContext: context)
      weakly = observer
      try write("one", in: container)
      #expect(titles(observer) == ["one"])
    }
    #expect(weakly == nil)
    try insert("two")
    #expect(weakly == nil)
  }
}

/// Observers on other actors than the main one, and on none.
@Suite(.everyStore, .overlapping, .temporaryDirectory) struct ResultsObserverIsolationTests {
  private actor Keeper {
    private var observer: ResultsObserver<Entry, Never>?
    private var token: ObservationTracking.Token?
    let seen = ConcurrentLog<[String]>()

    func start(_ container: ModelContainer) throws {
      let observer = try ResultsObserver<Entry, Never>(modelContainer: container)
      self.observer = observer
      token = withContinuousObservation(options: .didSet) { _ in
        self.assertIsolated()
        self.seen.add(observer.results.map(\.title))
      }
    }

    var titles: [String] { observer?.results.map(\.title) ?? [] }
    func stop() { (observer, token) = (nil, nil) }
  }

  @Test func `an actor's observer refreshes itself on the actor`() async throws {
    let container = try newContainer(Entry.self, Comment.self)
    let keeper = Keeper()
    try await keeper.start(container)
    for number in 1...20 { try write("\(number)", in: container) }
    let all = (1...20).map(String.init)
    #expect(await waitUntil { keeper.seen.all.last == all })
    #expect(await keeper.titles == all)
    await keeper.stop()
  }

  @Test func `an actor retains its observer, and the observer does not retain the actor`() async throws {
    let container = try newContainer(Entry.self, Comment.self)
    actor Holder {
      var observer: ResultsObserver<Entry, Never>?
      func start(_ container: ModelContainer) throws { observer = try ResultsObserver(modelContainer: container) }
    }
    weak var weakly: Holder?
    do {
      let holder = Holder()
      weakly = holder
      try await holder.start(container)
      try write("one", in: container)
    }
    #expect(await waitUntil { weakly == nil })
  }

  @Test func `an observer without an actor is refreshed when its results are read`() throws {
    let container = try newContainer(Entry.self, Comment.self)
    let observer = try ResultsObserver<Entry, Never>(modelContainer: container)
    #expect(observer.results.isEmpty)
    try write("one", in: container)
    #expect(observer.results.map(\.title) == ["one"])
  }

  @Test func `an observer without an actor notifies its observers after each save`() throws {
    let container = try newContainer(Entry.self, Comment.self)
    let observer = try ResultsObserver<Entry, Never>(modelContainer: container)
    let told = ConcurrentLog<Int>()
    for round in 1...3 {
      withObservationTracking {
        #expect(observer.results.count == round - 1)
      } onChange: {
        told.add(round)
      }
      try write("\(round)", in: container)
      #expect(told.all.last == round)
    }
    #expect(told.all == [1, 2, 3])
  }

  @Test func `a save before the tracking began does not silence the later ones`() throws {
    let container = try newContainer(Entry.self, Comment.self)
    let observer = try ResultsObserver<Entry, Never>(modelContainer: container)
    let told = ConcurrentLog<Bool>()
    _ = try withObservationTracking {
      #expect(observer.results.isEmpty)
      return Result { try write("read too late", in: container) }
    } onChange: {
      told.add(true)
    }
    .get()
    try write("later", in: container)
    #expect(told.all == [true])
  }

  @Test(arguments: Rounds.seeds(3, long: 50))
  func `every reader ends at the last of many concurrent saves`(seed: Int) async throws {
    let container = try newContainer(Entry.self, Comment.self)
    let keepers = (0..<3).map { _ in Keeper() }
    for keeper in keepers { try await keeper.start(container) }
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
    let expected = try Set(ModelContext(container).fetch(FetchDescriptor<Entry>()).map(\.title))
    #expect(expected.count == 100)
    for keeper in keepers {
      #expect(await waitUntil { keeper.seen.all.last.map(Set.init) == expected }, "seed \(seed)")
      await keeper.stop()
    }
  }
}
