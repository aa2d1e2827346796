// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// A store that holds objects of a subclass is opened by a container that does not list it.
@Suite(.temporaryDirectory) struct LostSubclassTests {
  private let url = newStoreURL()

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)]))
  }

  private func fill(_ works: Work...) throws {
    let context = try open(Work.self, Novel.self, Graphic.self, Author.self)
    for work in works { context.insert(work) }
    try context.save()
  }

  @Test func `a subclass with objects has to be listed, and nothing is lost`() throws {
    try fill(Work(title: "Plain"), Novel(title: "Long", pages: 900), Novel(title: "Short", pages: 9))
    let before = try TableDump(url)
    let words = explanation(of: .loadIssueModelContainer) { _ = try open(Work.self, Author.self) }
    #expect(
      words
        == "\(url.path) has 2 objects of Novel, a subclass of Work, and the schema lists Work without it: list Novel "
        + "in the container's schema, or remove it by a migration plan")
    #expect(try TableDump(url) == before)
    let works = try open(Work.self, Novel.self, Author.self).fetch(FetchDescriptor<Work>())
    #expect(works.map(\.title).sorted() == ["Long", "Plain", "Short"])
    #expect(works.count { $0 is Novel } == 2)
  }

  @Test func `a subclass further down has to be listed, too`() throws {
    try fill(Graphic(title: "Drawn", pages: 90, colours: 4))
    for types: [any PersistentModel.Type] in [[Work.self, Author.self], [Work.self, Novel.self, Author.self]] {
      let words = explanation(of: .loadIssueModelContainer) {
        _ = try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)])
      }
      #expect(
        words.contains("has 1 object of Graphic, a subclass of \(types.count == 2 ? "Work" : "Novel"),"), "\(words)")
    }
  }

  @Test func `a subclass without objects can be removed, and so can a class with all that is below it`() throws {
    try fill(Work(title: "Plain"))
    #expect(try open(Work.self, Author.self).fetch(FetchDescriptor<Work>()).map(\.title) == ["Plain"])
    let whole = newStoreURL()
    func count(_ types: any PersistentModel.Type...) throws -> Int {
      let configuration = ModelConfiguration(url: whole)
      let context = ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
      context.insert(Seat(row: 1))
      if types.count > 2 { context.insert(Disc(name: "disc", sides: 1)) }
      try context.save()
      return try context.fetchCount(FetchDescriptor<Seat>())
    }
    #expect(try count(Seat.self, Ticket.self, Medium.self, Disc.self, Tape.self, Owner.self) == 1)
    #expect(try count(Seat.self, Ticket.self) == 2)
  }

  @Test func `a migration plan can remove a subclass`() throws {
    func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: WithoutCars.self,
          configurations: [ModelConfiguration(url: url)]))
    }
    let old = try context(WithCars.self)
    old.insert(WithCars.Car(doors: 4))
    old.insert(WithCars.Vehicle())
    try old.save()
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(NoCars.Vehicle.self) }
    #expect(try context(NoCars.self).fetchCount(FetchDescriptor<NoCars.Vehicle>()) == 1)
  }
}

private enum WithCars: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Vehicle.self, Car.self] }

  @Model class Vehicle {
    var name = ""
    init() {}
  }

  @Model final class Car: Vehicle {
    var doors: Int

    init(doors: Int) {
      self.doors = doors
      super.init()
    }
  }
}

private enum NoCars: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Vehicle.self] }

  @Model class Vehicle {
    var name = ""
    init() {}
  }
}

private enum WithoutCars: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [WithCars.self, NoCars.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: WithCars.self, toVersion: NoCars.self)] }
}
