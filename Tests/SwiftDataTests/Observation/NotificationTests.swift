// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Suite(.overlapping, .temporaryDirectory) struct NotificationTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("a test's own")

  private func post(_ numbers: ClosedRange<Int>, from object: AnyObject? = nil) {
    for number in numbers { center.post(name: name, object: object, userInfo: ["number": number]) }
  }

  private func number(_ notification: Notification?) -> Int? { notification?.userInfo?["number"] as? Int }

  @Test func `notifications that are posted before the first iteration are not lost`() async {
    let notifications = center.notifications(named: name)
    post(1...1_000)
    var iterator = notifications.makeAsyncIterator()
    for expected in 1...1_000 { #expect(number(await iterator.next()) == expected) }
  }

  @Test func `an iterator waits for later notifications`() async {
    let notifications = center.notifications(named: name)
    let (center, name) = (center, name)
    let poster = Task {
      for number in 1...100 {
        center.post(name: name, object: nil, userInfo: ["number": number])
        await Task.yield()
      }
    }
    var expected = 1
    for await notification in notifications {
      #expect(number(notification) == expected)
      expected += 1
      if expected > 100 { break }
    }
    await poster.value
  }

  @Test func `a second iterator gets the notifications that are posted after it was made`() async {
    let notifications = center.notifications(named: name)
    post(1...2)
    var first = notifications.makeAsyncIterator()
    var second = notifications.makeAsyncIterator()
    post(3...4)
    for expected in 1...4 { #expect(number(await first.next()) == expected) }
    for expected in 3...4 { #expect(number(await second.next()) == expected) }
  }

  @Test func `only notifications of the given object are delivered`() async {
    let (mine, other) = (NSObject(), NSObject())
    let notifications = center.notifications(named: name, object: mine)
    post(1...1, from: other)
    post(2...2, from: mine)
    post(3...3)
    post(4...4, from: mine)
    var iterator = notifications.makeAsyncIterator()
    #expect(number(await iterator.next()) == 2)
    #expect(number(await iterator.next()) == 4)
  }

  @Test func `cancelling the task ends the iteration`() async {
    let notifications = center.notifications(named: name)
    let task = Task {
      var count = 0
      for await _ in notifications { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
  }
}

/// The notification of saves, which programs of Core Data know.
@Suite(.overlapping, .temporaryDirectory) struct RemoteChangeTests {
  /// The transactions that were told for a store, by notifications.
  private func told(_ store: String) -> (numbers: ConcurrentLog<Int64>, end: () -> Void) {
    let numbers = ConcurrentLog<Int64>()
    let registration = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
    ) { notification in
      guard let token = notification.userInfo?[NSPersistentHistoryTokenKey] as? DefaultHistoryToken,
        let number = token.tokenValue?[store]
      else { return }
      numbers.add(number)
    }
    return (numbers, { NotificationCenter.default.removeObserver(registration) })
  }

  @Test func `every save of the container posts one notification, with store, file and token`() async throws {
    let directory = TemporaryDirectory()
    let container = try entryContainer(in: directory)
    let store = try #require(container.storeIdentifier(forConfigurationNamed: "diary"))
    let (numbers, end) = told(store)
    defer { end() }
    let notifications = NotificationCenter.default.notifications(
      named: .NSPersistentStoreRemoteChange, object: container)
    for number in 1...20 { try write("\(number)", in: container) }
    var iterator = notifications.makeAsyncIterator()
    for number in 1...20 as ClosedRange<Int64> {
      let info = try #require(await iterator.next()?.userInfo)
      #expect(info[NSStoreUUIDKey] as? String == store)
      #expect((info[NSPersistentStoreURLKey] as? URL)?.path == directory.file("diary.store"))
      #expect((info[NSPersistentHistoryTokenKey] as? DefaultHistoryToken)?.tokenValue == [store: number])
    }
    // What the watch of the file would tell, it tells before a later save of somebody else.
    let other = try entryContainer(in: directory)
    try write("another's", in: other)
    #expect(await waitUntil { numbers.all.count(where: { $0 == 21 }) == 2 })
    #expect(numbers.all.filter { $0 <= 20 } == Array(1...20))
  }

  @Test func `opening a container does not change the store`() async throws {
    let directory = TemporaryDirectory()
    let first = try entryContainer(in: directory)
    for number in 1...3 { try write("\(number)", in: first) }
    let store = try #require(first.storeIdentifier(forConfigurationNamed: "diary"))
    let (numbers, end) = told(store)
    defer { end() }
    let second = try entryContainer(in: directory)
    try write("4", in: first)
    // Told by the first container, and by the second, which saw it in the file.
    #expect(await waitUntil { numbers.all.count == 2 })
    #expect(numbers.all == [4, 4])
    withExtendedLifetime((first, second)) {}
  }
}
