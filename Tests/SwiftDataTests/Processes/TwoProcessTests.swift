// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

/// A context here and one in another process, on one store.
@Suite(.overlapping) @MainActor struct TwoProcessTests {
  let other: OtherProcess
  let context: ModelContext

  init() throws {
    other = try OtherProcess()
    context = other.context
  }

  private func median(_ delays: [Double]) -> String {
    let sorted = delays.sorted()
    func text(_ seconds: Double?) -> String { seconds.map { String(format: "%.1f ms", $0 * 1_000) } ?? "-" }
    return "\(text(sorted.isEmpty ? nil : sorted[sorted.count / 2])), at most \(text(sorted.last))"
  }

  @Test func `saves of another process reach notifications, contexts and observers`() async throws {
    let results = try ResultsObserver<Entry, Never>(modelContext: context)
    let history = try HistoryObserver(authors: ["there"], modelContainer: other.container)
    let all = try HistoryObserver(observedModels: [Comment.self], modelContainer: other.container)
    let notifications = NotificationCenter.default.notifications(
      named: .NSPersistentStoreRemoteChange, object: other.container)
    let arrivals = ConcurrentLog<(count: Int, time: Double)>()
    let token = withContinuousObservation(options: .didSet) { _ in
      arrivals.add((results.results.count, Date.now.timeIntervalSinceReferenceDate))
    }
    let count = Rounds.isLong ? 500 : 20
    let process = try other.start(["append", "\(count)", "5"])
    #expect(await waitUntil(within: 120) { arrivals.all.last?.count == count })
    #expect(await waitUntil { !process.isRunning })
    let outcome = process.wait()
    #expect(outcome.code == 0, "\(outcome)")
    #expect(await waitUntil { (1...count).contains(history.eventCounter) })
    #expect(all.eventCounter == 0)
    #expect(results.results.map(\.day) == Array(0..<count))
    let saved = outcome.lines.compactMap(Double.init)
    let delays = arrivals.all.filter { $0.count > 0 }.map { max(0, $0.time - saved[$0.count - 1]) }
    print("saves of another process were seen after \(median(delays)) (\(delays.count) refreshes, \(count) saves)")
    let store = try #require(other.container.storeIdentifier(forConfigurationNamed: "diary"))
    var newest: Int64 = 0
    for await notification in notifications where newest < count {
      let token = try #require(notification.userInfo?[NSPersistentHistoryTokenKey] as? DefaultHistoryToken)
      let number = try #require(token.tokenValue?[store])
      #expect(number > newest)
      newest = number
      if newest == count { break }
    }
    token.cancel()
  }

  @Test func `an object that another process changed has its new values`() async throws {
    let entry = try other.entry("one")
    let values = ConcurrentLog<Int>()
    let token = withContinuousObservation(options: .didSet) { _ in values.add(entry.day) }
    #expect(await waitUntil { values.all == [0] })
    let results = try ResultsObserver<Entry, Never>(modelContext: context)
    try await other.run("set", "one", "day", "7")
    // The observer of the results has its context take the change in; whoever observes the object hears of it then.
    #expect(await waitUntil { values.all == [0, 7] })
    #expect(results.results.map(\.day) == [7])
    token.cancel()
  }

  @Test func `without an observer the next fetch includes the changes of another process`() async throws {
    let entry = try other.entry("one")
    try await other.run("set", "one", "topic", "theirs")
    #expect(try await waitUntil { try context.fetch(FetchDescriptor<Entry>())[0].topic == "theirs" })
    #expect(entry.topic == "theirs")
  }

  @Test func `changes of different properties are both kept`() async throws {
    let entry = try other.entry("one")
    #expect(entry.day == 0)
    entry.topic = "ours"
    try await other.run("set", "one", "day", "7")
    try context.save()
    #expect((entry.topic, entry.day) == ("ours", 7))
    #expect(try other.stored() == ["one ours 7"])
  }

  @Test func `the later save of a property wins, and other properties keep what was saved`() async throws {
    let entry = try other.entry("one")
    entry.day = 1
    try await other.run("set", "one", "day", "7")
    try await other.run("set", "one", "topic", "theirs")
    try context.save()
    #expect((entry.topic, entry.day) == ("theirs", 1))
    #expect(try other.stored() == ["one theirs 1"])
    try await other.run("set", "one", "day", "8")
    #expect(try other.stored() == ["one theirs 8"])
  }

  @Test func `an object without unsaved changes gets all changes of another process`() async throws {
    let (first, second) = (try other.entry("first"), try other.entry("second"))
    try await other.run("set", "first", "title", "renamed")
    second.day = 5
    try context.save()
    _ = try context.fetch(FetchDescriptor<Entry>())
    #expect((first.title, second.title, second.day) == ("renamed", "second", 5))
  }

  @Test func `an object that another process deleted stays deleted`() async throws {
    let entry = try other.entry("one")
    entry.day = 1
    try await other.run("delete", "one")
    try context.save()
    #expect(entry.modelContext == nil)
    #expect(!context.hasChanges)
    #expect(try other.stored() == [])
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["here", "there"])
  }

  @Test func `an object that is deleted here stays deleted if another process changed it`() async throws {
    let entry = try other.entry("one")
    context.delete(entry)
    try await other.run("set", "one", "day", "7")
    try context.save()
    #expect(try other.stored() == [])
  }

  @Test func `both processes can delete the same object`() async throws {
    let entry = try other.entry("one")
    context.delete(entry)
    try await other.run("delete", "one")
    try context.save()
    #expect(!context.hasChanges)
    #expect(try other.stored() == [])
  }

  @Test func `the history records the author of each save`() async throws {
    _ = try other.entry("one")
    try await other.run("append", "2", "0", by: "widget")
    try await other.run("set", "one", "topic", "theirs", by: "server")
    let foreign = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author != "here" }))
    #expect(foreign.map(\.author) == ["widget", "widget", "server"])
    #expect(foreign.map(\.processIdentifier) == ["ModelWriter", "ModelWriter", "ModelWriter"])
    guard case .update(let change as DefaultHistoryUpdate<Entry>) = try #require(foreign.last?.changes.first) else {
      Issue.record("no update: \(foreign)")
      return
    }
    #expect(change.updatedAttributes.contains { $0 == \Entry.topic })
    #expect(change.updatedAttributes.count == 1)
  }
}
