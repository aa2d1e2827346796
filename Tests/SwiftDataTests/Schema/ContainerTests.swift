// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// What configurations and containers are made of.
@Suite(.temporaryDirectory) struct ContainerTests {
  @Test func `a configuration by URL is named after its file`() {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: "/tmp/films.store"))
    #expect(configuration.name == "films")
    #expect(configuration.id == URL(fileURLWithPath: "/tmp/films.store"))
    #expect(configuration.allowsSave)
    #expect(!configuration.isStoredInMemoryOnly)
    #expect(configuration.schema == nil)
    #expect(configuration.cloudKitContainerIdentifier == nil)
  }

  @Test func `a configuration without a URL has a file of its name in the user's data directory`() {
    let (plain, named) = (ModelConfiguration(), ModelConfiguration("films"))
    #expect(plain.url.lastPathComponent == "default.store")
    #expect(named.url.lastPathComponent == "films.store")
    #expect(plain.url.deletingLastPathComponent() == named.url.deletingLastPathComponent())
    #expect(plain.name == "default")
  }

  @Test func `a group's configurations are in the group's directory`() {
    let grouped = ModelConfiguration("films", groupContainer: .identifier("cinema"))
    #expect(grouped.url.pathComponents.suffix(2) == ["group.cinema", "films.store"])
    #expect(grouped.groupAppContainerIdentifier == "cinema")
    #expect(ModelConfiguration("films", groupContainer: .none).groupAppContainerIdentifier == nil)
  }

  @Test func `stores in memory are independent of each other`() throws {
    let (left, right) = (
      ModelConfiguration(isStoredInMemoryOnly: true), ModelConfiguration(for: Film.self, isStoredInMemoryOnly: true)
    )
    #expect(left != right)
    #expect([left, right].map(\.url.path) == ["/dev/null", "/dev/null"])
    #expect([left.name, ModelConfiguration("films", isStoredInMemoryOnly: true).name] == ["default", "films"])
    #expect(right.schema?.entities.count == 3)
    let containers = try [left, right].map { try ModelContainer(for: Film.self, configurations: $0) }
    let context = ModelContext(containers[0])
    context.insert(Film("Up", year: 2009))
    try context.save()
    #expect(try containers.map { try ModelContext($0).fetchCount(FetchDescriptor<Film>()) } == [1, 0])
    let both = try ModelContainer(for: Film.self, configurations: left, right)
    #expect(both.configurations.count == 2)
  }

  @Test func `a configuration with the URL of the null device has a store in memory`() throws {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: "/dev/null"))
    #expect(configuration.isStoredInMemoryOnly)
    let context = ModelContext(try ModelContainer(for: Film.self, configurations: configuration))
    context.insert(Film("Up", year: 2009))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Film>()) == 1)
  }

  @Test func `every initialiser opens the same store`() throws {
    let url = newStoreURL()
    let configuration = ModelConfiguration(url: url)
    let containers = [
      try ModelContainer(for: Film.self, configurations: configuration),
      try ModelContainer(for: Film.self, Studio.self, migrationPlan: nil, configurations: configuration),
      try ModelContainer(for: Schema([Film.self]), migrationPlan: nil, configurations: configuration),
      try ModelContainer(for: Schema([Film.self]), migrationPlan: nil, configurations: [configuration]),
      try ModelContainer(for: Schema([Film.self]), configurations: [configuration]),
      try ModelContainer(
        for: Schema([Film.self]), configurations: [ModelConfiguration(schema: Schema([Film.self]), url: url)]),
    ]
    let identifiers = containers.map { $0.storeIdentifier(forConfigurationNamed: "shelf") }
    #expect(Set(identifiers).count == 1)
    #expect(identifiers[0] != nil)
    #expect(containers.allSatisfy { $0.configurations.map(\.url) == [url] })
    #expect(containers.allSatisfy { $0.schema.entities.map(\.name) == ["Film", "Person", "Studio"] })
    #expect(containers[0] != containers[1])
  }

  @Test func `a container remembers its plan`() throws {
    let url = newStoreURL()
    let container = try library(LibraryV3.self, url, plan: LibraryPlan.self)
    #expect(container.migrationPlan is LibraryPlan.Type)
    #expect(try library(LibraryV3.self, url).migrationPlan == nil)
    #expect(container.storeIdentifier(forConfigurationNamed: "nobody") == nil)
    #expect(container.configurationName(forStoreIdentifier: "nobody") == nil)
  }

  @Test @MainActor func `a container has one main context, which saves automatically`() throws {
    let container = try newContainer(Film.self)
    #expect(container.mainContext === container.mainContext)
    #expect(container.mainContext.autosaveEnabled)
    #expect(!ModelContext(container).autosaveEnabled)
    #expect(container.mainContext.container == container)
  }

  @Test func `a store outlives its containers`() throws {
    let url = newStoreURL()
    for year in 2000..<2005 {
      let context = ModelContext(try ModelContainer(for: Film.self, configurations: ModelConfiguration(url: url)))
      #expect(try context.fetchCount(FetchDescriptor<Film>()) == year - 2000)
      context.insert(Film("film", year: year))
      try context.save()
    }
  }
}
