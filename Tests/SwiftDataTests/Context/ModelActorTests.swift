// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

@ModelActor actor Librarian {
  func add(_ title: String, day: Int = 0) throws -> PersistentIdentifier {
    let entry = Entry(title, day: day)
    modelContext.insert(entry)
    try modelContext.save()
    return entry.persistentModelID
  }

  func title(_ id: PersistentIdentifier) -> String? { self[id, as: Entry.self]?.title }
  func comment(_ id: PersistentIdentifier) -> String? { self[id, as: Comment.self]?.text }

  func rename(_ id: PersistentIdentifier, _ title: String) throws {
    self[id, as: Entry.self]?.title = title
    try modelContext.save()
  }

  func titles() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.title)])).map(\.title)
  }

  /// The context is used by one job at a time: nothing is lost between reading and writing.
  func count(_ id: PersistentIdentifier) throws {
    guard let entry = self[id, as: Entry.self] else { return }
    entry.day += 1
    try modelContext.save()
  }

  func day(_ id: PersistentIdentifier) -> Int? { self[id, as: Entry.self]?.day }
  func author(_ name: String) { modelContext.author = name }

  func stay(_ entered: ConcurrentLog<Bool>, _ leave: DispatchSemaphore) {
    entered.add(true)
    leave.wait()
  }
}

@Suite(.everyStore, .overlapping) struct ModelActorTests {
  let container: ModelContainer

  init() throws { container = try newContainer(Entry.self, Comment.self) }

  @Test func `an actor has its own context on the container`() async throws {
    let (one, other) = (Librarian(modelContainer: container), Librarian(modelContainer: container))
    #expect(one.modelContainer === container)
    #expect(one.modelExecutor.modelContext !== other.modelExecutor.modelContext)
    #expect(one.modelExecutor is DefaultSerialModelExecutor)
    let id = try await one.add("one")
    #expect(await other.title(id) == "one")
    #expect(await one.comment(id) == nil)
  }

  @Test func `an actor's next fetch includes saves of other actors`() async throws {
    let (one, other) = (Librarian(modelContainer: container), Librarian(modelContainer: container))
    let id = try await one.add("one")
    #expect(try await other.titles() == ["one"])
    try await one.rename(id, "renamed")
    #expect(try await other.titles() == ["renamed"])
    #expect(await other.title(id) == "renamed")
  }

  @Test func `jobs of one actor run one after the other`() async throws {
    let librarian = Librarian(modelContainer: container)
    let id = try await librarian.add("counter")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<25 { try await librarian.count(id) } } }
      try await group.waitForAll()
    }
    #expect(await librarian.day(id) == 200)
  }

  @Test func `a busy actor does not block other actors or tasks`() async throws {
    let busy = (0..<4).map { _ in Librarian(modelContainer: container) }
    let entered = ConcurrentLog<Bool>()
    let leave = DispatchSemaphore(value: 0)
    let work = busy.map { librarian in Task { await librarian.stay(entered, leave) } }
    // Threads for work that blocks come one by one.
    while entered.all.count < busy.count { try await Task.sleep(for: .milliseconds(5)) }
    let free = Librarian(modelContainer: container)
    _ = try await free.add("meanwhile")
    #expect(try await free.titles() == ["meanwhile"])
    for _ in busy { leave.signal() }
    for task in work { await task.value }
  }

  @Test func `every save of many actors is kept`() async throws {
    let (writers, saves) = (8, Rounds.isLong ? 500 : 25)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask {
          let librarian = Librarian(modelContainer: container)
          await librarian.author("\(writer)")
          for number in 0..<saves { _ = try await librarian.add("\(writer)-\(number)", day: number) }
        }
      }
      try await group.waitForAll()
    }
    let names = (0..<writers).flatMap { writer in (0..<saves).map { "\(writer)-\($0)" } }
    #expect(try await Librarian(modelContainer: container).titles() == names.sorted())
    let context = ModelContext(container)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.transactionIdentifier) == (1...Int64(writers * saves)).map { $0 })
    #expect(Dictionary(grouping: history, by: \.author).mapValues(\.count).values.allSatisfy { $0 == saves })
  }
}
