// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model final class Crew {
  #Unique<Crew>([\.name, \.year])
  var name: String
  var year: Int
  @Attribute(.unique) var code: String?
  @Relationship(deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 2, inverse: \Member.crew)
  var members: [Member] = []

  init(_ name: String, year: Int, members: [Member] = []) {
    self.name = name
    self.year = year
    self.members = members
  }
}

@Model final class Member {
  var name: String
  var crew: Crew?
  init(_ name: String) { self.name = name }
}

/// Saves that are refused: nothing is written, and the context goes on.
@Suite(.temporaryDirectory) struct RefusedSaveTests {
  private func makeCrew() throws -> (URL, ModelContext, Crew) {
    let url = newStoreURL()
    let container = try ModelContainer(for: Crew.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let crew = Crew("Apollo", year: 1969, members: [Member("Neil"), Member("Buzz")])
    crew.code = "A11"
    context.insert(crew)
    try context.save()
    return (url, context, crew)
  }

  /// The save says `reason`, writes nothing, and succeeds once `correct` ran.
  private func expectRefusal(
    _ reason: String, _ url: URL, _ context: ModelContext, kind: SwiftDataError = .modelValidationFailure,
    correct: () throws -> Void
  ) throws {
    let before = try TableDump(url)
    let said = explanation(of: kind) { try context.save() }
    #expect(said == reason)
    #expect(try TableDump(url) == before)
    #expect(context.hasChanges)
    try correct()
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test func `a relationship with more objects than its maximum is refused`() throws {
    let (url, context, crew) = try makeCrew()
    let third = Member("Michael")
    crew.members.append(third)
    try expectRefusal("Crew/p1: members has 3 objects; 1 to 2 fit", url, context) { context.delete(third) }
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Member>()) == 2)
  }

  @Test func `a relationship with fewer objects than its minimum is refused`() throws {
    let (url, context, crew) = try makeCrew()
    let members = crew.members
    crew.members = []
    try expectRefusal("Crew/p1: members has 0 objects; 1 to 2 fit", url, context) { crew.members = members }
  }

  @Test func `a delete that a rule denies is refused, and can be rolled back`() throws {
    let (url, context, crew) = try makeCrew()
    context.delete(crew)
    let before = try TableDump(url)
    let said = explanation(of: .modelValidationFailure) { try context.save() }
    #expect(said.hasPrefix("Crew/p1 cannot be deleted: its members still holds Member/p"), "\(said)")
    #expect(said.hasSuffix("; delete the objects that it refers to first, or in the same save"), "\(said)")
    #expect(try TableDump(url) == before)
    context.rollback()
    #expect(!crew.isDeleted)
    #expect(crew.members.count == 2)
    crew.year = 1970
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Crew>())[0].year == 1970)
  }

  @Test func `a change to a value that another object holds is refused`() throws {
    let (url, context, _) = try makeCrew()
    let other = Crew("Apollo", year: 1970, members: [Member("Jim")])
    other.code = "A13"
    context.insert(other)
    try context.save()
    other.code = "A11"
    let before = try TableDump(url)
    let said = explanation(of: .modelValidationFailure) { try context.save() }
    #expect(said.contains("code"), "\(said)")
    #expect(try TableDump(url) == before)
    other.code = "A13"
    other.year = 1969
    let second = explanation(of: .modelValidationFailure) { try context.save() }
    #expect(second.contains("name and year"), "\(second)")
    #expect(try TableDump(url) == before)
    other.year = 1971
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Crew>()).map(\.year).sorted() == [1969, 1971])
  }

  @Test func `an insert with an existing compound key updates the object`() throws {
    let (_, context, _) = try makeCrew()
    let again = Crew("Apollo", year: 1969, members: [])
    again.code = "A11b"
    context.insert(again)
    try context.save()
    let other = ModelContext(context.container)
    let crews = try other.fetch(FetchDescriptor<Crew>())
    #expect(crews.map(\.code) == ["A11b"])
    #expect(crews[0].members.count == 2)
  }

  @Test func `an object of a class that the container lacks is refused, and can be deleted from the context`() throws {
    let (url, context, crew) = try makeCrew()
    let tag = Tag("foreign")
    context.insert(tag)
    crew.year = 1
    try expectRefusal(
      "Tag is in no store of the container: name it in the container's schema", url, context, kind: .unknownSchema
    ) { context.delete(tag) }
  }

  @Test func `fetching a class that the container lacks is refused`() throws {
    let (_, context, _) = try makeCrew()
    let reason = "Tag is in no store of the container: name it in the container's schema"
    let attempts: [() throws -> Void] = [
      { _ = try context.fetch(FetchDescriptor<Tag>()) },
      { _ = try context.fetchCount(FetchDescriptor<Tag>()) },
      { _ = try context.fetchIdentifiers(FetchDescriptor<Tag>()) },
      { try context.enumerate(FetchDescriptor<Tag>()) { _ in } },
      { try context.delete(model: Tag.self) },
    ]
    for attempt in attempts { #expect(explanation(of: .unknownSchema, attempt) == reason) }
  }

  @Test func `a read-only configuration reads and refuses to write`() throws {
    let (url, _, _) = try makeCrew()
    let container = try ModelContainer(
      for: Crew.self, configurations: ModelConfiguration("crew", url: url, allowsSave: false))
    let context = ModelContext(container)
    let crew = try #require(try context.fetch(FetchDescriptor<Crew>()).first)
    crew.year = 2
    let before = try TableDump(url)
    let saving = explanation(of: .saveFailure) { try context.save() }
    #expect(saving == "the configuration crew is read-only: use one that allows saving")
    let deleting = explanation(of: .saveFailure) { try context.delete(model: Crew.self) }
    #expect(deleting == "the configuration crew is read-only: use one that allows saving")
    #expect(explanation(of: .saveFailure) { try container.erase() } == deleting)
    #expect(
      explanation(of: .saveFailure) {
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      } == "the configuration crew is read-only: use one that allows saving")
    #expect(crew.year == 2)
    context.rollback()
    #expect(crew.year == 1969)
    #expect(try TableDump(url) == before)
  }

}
