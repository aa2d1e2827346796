// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model final class Keeper {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Hound.keeper) var hounds: [Hound] = []

  init(_ name: String) { self.name = name }
}

@Model final class Kennel {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Hound.kennel) var hounds: [Hound] = []

  init(_ name: String) { self.name = name }
}

@Model final class Hound {
  var name: String
  var keeper: Keeper?
  var kennel: Kennel?

  init(_ name: String, keeper: Keeper? = nil, kennel: Kennel? = nil) {
    self.name = name
    self.keeper = keeper
    self.kennel = kennel
  }
}

/// Relationships that an initialiser sets, of objects that enter the context by another way than `insert`.
@Suite(.everyStore) struct OpenEndTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try newContainer([Keeper.self, Kennel.self, Hound.self]) { context in
      let (keeper, kennel) = (Keeper("Ann"), Kennel("north"))
      context.insert(keeper)
      context.insert(kennel)
      context.insert(Hound("first", keeper: keeper, kennel: kennel))
    }
    context = ModelContext(container)
  }

  private func one<Model: PersistentModel>(_ type: Model.Type) throws -> Model {
    try #require(try context.fetch(FetchDescriptor<Model>()).first)
  }

  private func counts() throws -> [Int] {
    let fresh = ModelContext(container)
    return [
      try fresh.fetchCount(FetchDescriptor<Keeper>()), try fresh.fetchCount(FetchDescriptor<Kennel>()),
      try fresh.fetchCount(FetchDescriptor<Hound>()),
    ]
  }

  @Test(arguments: [true, false], [true, false])
  func `a new object that was appended is deleted with each of its owners`(
    deletesKeeper: Bool, isRead: Bool
  ) throws {
    let (keeper, kennel) = (try one(Keeper.self), try one(Kennel.self))
    if isRead { #expect(keeper.hounds.count + kennel.hounds.count == 2) }
    kennel.hounds.append(Hound("second", keeper: keeper, kennel: kennel))
    if deletesKeeper { context.delete(keeper) } else { context.delete(kennel) }
    #expect(try context.fetchCount(FetchDescriptor<Hound>()) == 0)
    try context.save()
    #expect(try counts() == (deletesKeeper ? [0, 1, 0] : [1, 0, 0]))
  }

  @Test func `an object that an initialiser names leads back to it at once`() throws {
    let keeper = try one(Keeper.self)
    let kennel = Kennel("south")
    context.insert(kennel)
    kennel.hounds.append(Hound("second", keeper: keeper, kennel: kennel))
    #expect(keeper.hounds.map(\.name).sorted() == ["first", "second"])
    #expect(kennel.hounds.map(\.name) == ["second"])
    try context.save()
    #expect(keeper.hounds.map(\.name).sorted() == ["first", "second"])
    #expect(try one(Keeper.self).hounds.count == 2)
  }

  @Test func `a new object that refers to an object of the context is inserted`() throws {
    let keeper = try one(Keeper.self)
    let hound = Hound("second", keeper: keeper)
    #expect(hound.modelContext == context)
    #expect(keeper.hounds.map(\.name).sorted() == ["first", "second"])
    context.delete(hound)
    hound.kennel = nil
    try context.save()
    #expect(keeper.hounds.map(\.name) == ["first"])
    #expect(try counts() == [1, 1, 1])
  }

  @Test(arguments: [true, false]) func `a deleted object that is inserted again leads to its owners, and they to it`(
    isSaved: Bool
  ) throws {
    let (keeper, kennel) = (try one(Keeper.self), try one(Kennel.self))
    let hound = Hound("second", keeper: keeper, kennel: kennel)
    if isSaved { try context.save() }
    #expect(keeper.hounds.count == 2)
    context.delete(hound)
    #expect(keeper.hounds.count == 1)
    context.delete(kennel)
    context.insert(hound)
    #expect(keeper.hounds.count == 1)
    try context.save()
    #expect(try counts() == [1, 0, 1])
    #expect(hound.keeper === keeper && hound.kennel == nil)
    #expect(keeper.hounds.map(\.name) == ["second"])
  }

  @Test func `an object that refers to a deleted one does not insert it again`() throws {
    let keeper = try one(Keeper.self)
    context.delete(keeper)
    let hound = Hound("second", keeper: keeper)
    context.insert(hound)
    #expect(hound.keeper == nil)
    try context.save()
    #expect(try counts() == [0, 1, 1])
  }

  @Test func `objects that delete each other are deleted, and so is a chain`() throws {
    let container = try newContainer([Harbour.self, Beacon.self, Line.self]) { context in
      let harbour = Harbour(1)
      harbour.beacon = Beacon(2)
      context.insert(harbour)
      var last = Line(3)
      context.insert(last)
      for number in 4..<300 { last = Line(number, trunk: last) }
    }
    let context = ModelContext(container)
    context.delete(try #require(try context.fetch(FetchDescriptor<Beacon>()).first))
    let first = FetchDescriptor<Line>(predicate: #Predicate { $0.number == 3 })
    context.delete(try #require(try context.fetch(first).first))
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<Harbour>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<Beacon>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<Line>()) == 0)
  }

  @Test func `a batch delete leaves the relationships that were read`() throws {
    let keeper = try one(Keeper.self)
    #expect(keeper.hounds.count == 1)
    try context.delete(model: Hound.self)
    #expect(keeper.hounds.isEmpty)
  }

  @Test func `an undo also restores a relationship that was first read after the change`() throws {
    let (keeper, hound) = (try one(Keeper.self), try one(Hound.self))
    let manager = UndoManager()
    context.undoManager = manager
    manager.beginUndoGrouping()
    hound.keeper = nil
    manager.endUndoGrouping()
    #expect(keeper.hounds.isEmpty)
    manager.undo()
    #expect(keeper.hounds.map(\.name) == ["first"])
  }
}
