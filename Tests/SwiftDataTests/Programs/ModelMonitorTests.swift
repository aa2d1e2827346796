// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model final class Widget {
  var id: UUID
  var name: String
  var count: Int

  init(name: String, count: Int = 0) {
    id = UUID()
    self.name = name
    self.count = count
  }
}

/// Follows what other programs save, and tells which objects are to be shown anew.
@ModelActor private final actor ModelMonitor {
  private let shown = ConcurrentLog<[String]>()
  private var defaults: UserDefaults?
  private var subscription: Task<Void, Never>?

  nonisolated var updates: [[String]] { shown.all }

  func subscribeToModelChanges(_ suite: String) {
    defaults = UserDefaults(suiteName: suite)
    // Those of other containers would keep them until this program comes to them.
    let notifications = NotificationCenter.default.notifications(
      named: .NSPersistentStoreRemoteChange, object: modelContainer)
    subscription = Task { [weak self] in
      for await _ in notifications {
        await self?.processNewTransactions()
      }
    }
  }

  func stop() { subscription?.cancel() }

  func processNewTransactions() {
    let tokenData = defaults?.data(forKey: "historyToken")
    var historyToken = tokenData.flatMap { try? JSONDecoder().decode(DefaultHistoryToken.self, from: $0) }
    let transactions = findTransactions(after: historyToken)
    let (updated, newToken) = findUpdatedModelNames(in: transactions)
    if let newToken {
      historyToken = newToken
      defaults?.set(try? JSONEncoder().encode(newToken), forKey: "historyToken")
      deleteTransactions(before: newToken)
    }
    if !updated.isEmpty { shown.add(updated) }
  }

  private func findTransactions(after token: DefaultHistoryToken?) -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      descriptor.predicate = #Predicate { $0.token > token }
    }
    do {
      return try modelContext.fetchHistory(descriptor)
    } catch {
      Issue.record("\(error)")
      return []
    }
  }

  private func deleteTransactions(before token: DefaultHistoryToken) {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.token < token }
    let context = ModelContext(modelContainer)
    do { try context.deleteHistory(descriptor) } catch { Issue.record("\(error)") }
  }

  private func findUpdatedModelNames(
    in transactions: [DefaultHistoryTransaction]
  ) -> ([String], DefaultHistoryToken?) {
    let taskContext = ModelContext(modelContainer)
    var updated: [UUID: String] = [:]
    for transaction in transactions {
      for change in transaction.changes {
        let modelID = change.changedPersistentIdentifier
        let fetchDescriptor = FetchDescriptor<Widget>(
          predicate: #Predicate { model in model.persistentModelID == modelID })
        guard let matched = (try? taskContext.fetch(fetchDescriptor))?.first else { continue }
        switch change {
        case .insert(_ as DefaultHistoryInsert<Widget>): updated[matched.id] = matched.name + " is new"
        case .update(_ as DefaultHistoryUpdate<Widget>): updated[matched.id] = matched.name + " has \(matched.count)"
        case .delete(_ as DefaultHistoryDelete<Widget>): updated[matched.id] = nil
        default: break
        }
      }
    }
    return (updated.values.sorted(), transactions.last?.token)
  }
}

/// A program that shows objects which others change.
@Suite(.overlapping, .temporaryDirectory) struct ModelMonitorTests {
  @Test func `what others save is shown, each change once, and read history is deleted`() async throws {
    let directory = TemporaryDirectory()
    let suite = "followspot-test-\(UUID().uuidString)"
    defer { UserDefaults(suiteName: suite)?.removePersistentDomain(forName: suite) }
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: directory.file("widgets.store")))
    let app = try ModelContainer(for: Widget.self, configurations: configuration)
    let extensionContainer = try ModelContainer(for: Widget.self, configurations: configuration)
    let monitor = ModelMonitor(modelContainer: extensionContainer)
    await monitor.subscribeToModelChanges(suite)

    let context = ModelContext(app)
    let (clock, weather) = (Widget(name: "clock"), Widget(name: "weather"))
    context.insert(clock)
    context.insert(weather)
    try context.save()
    #expect(await waitUntil { monitor.updates == [["clock is new", "weather is new"]] })
    clock.count = 3
    try context.save()
    #expect(await waitUntil { monitor.updates.last == ["clock has 3"] })
    context.delete(weather)
    try context.save()
    clock.count = 4
    try context.save()
    #expect(await waitUntil { monitor.updates.last == ["clock has 4"] })
    #expect(monitor.updates.count == 3)
    let history = HistoryDescriptor<DefaultHistoryTransaction>()
    #expect(try await waitUntil { try context.fetchHistory(history).count == 1 })
    await monitor.stop()
  }
}
