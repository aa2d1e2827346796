// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model final class Team {
  var name: String
  /// Leads one way: `inverse: nil`.
  @Relationship(inverse: nil) var sponsors: [Sponsor] = []
  @Relationship(deleteRule: .nullify, inverse: \Player.team) var players: [Player] = []
  @Relationship(deleteRule: .cascade) var badge: Badge?
  @Relationship(deleteRule: .noAction) var rival: Rival?

  init(_ name: String) { self.name = name }
}

@Model final class Sponsor {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model final class Player {
  var name: String
  var team: Team?
  init(_ name: String) { self.name = name }
}

@Model final class Badge {
  var text: String
  var team: Team?
  init(_ text: String) { self.text = text }
}

@Model final class Rival {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model final class Passport {
  var number: String
  @Relationship(.unique) var holder: Holder?

  init(_ number: String, of holder: Holder) {
    self.number = number
    self.holder = holder
  }
}

@Model final class Holder {
  var name: String
  init(_ name: String) { self.name = name }
}

/// What a relationship's parameters do.
@Suite(.everyStore, .temporaryDirectory) struct RelationshipRuleTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let team = Team("Reds")

  init() throws {
    container = try newContainer(Team.self)
    context = ModelContext(container)
    team.sponsors = [Sponsor("Acme"), Sponsor("Bolt")]
    team.players = [Player("Ada"), Player("Bob")]
    team.badge = Badge("R")
    team.rival = Rival("Blues")
    context.insert(team)
    try context.save()
  }

  private func counts() throws -> [Int] {
    let fresh = ModelContext(container)
    return [
      try fresh.fetchCount(FetchDescriptor<Team>()), try fresh.fetchCount(FetchDescriptor<Sponsor>()),
      try fresh.fetchCount(FetchDescriptor<Player>()), try fresh.fetchCount(FetchDescriptor<Badge>()),
      try fresh.fetchCount(FetchDescriptor<Rival>()),
    ]
  }

  @Test func `both ends change together`() {
    #expect(team.players.map { $0.team?.name } == ["Reds", "Reds"])
    let carol = Player("Carol")
    carol.team = team
    #expect(team.players.contains(carol))
    team.players.removeAll { $0.name == "Ada" }
    #expect(team.players.map(\.name).sorted() == ["Bob", "Carol"])
    #expect(team.badge?.team === team)
  }

  @Test func `a relationship without an inverse is one-way and holds any number of objects`() throws {
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Team>()).first)
    #expect(found.sponsors.map(\.name).sorted() == ["Acme", "Bolt"])
    found.sponsors.removeAll { $0.name == "Acme" }
    try other.save()
    #expect(try counts() == [1, 2, 2, 1, 1])
    #expect(try context.fetch(FetchDescriptor<Team>())[0].sponsors.map(\.name) == ["Bolt"])
  }

  @Test func `nullify keeps related objects, cascade deletes them, and no action leaves them unchanged`() throws {
    context.delete(team)
    try context.save()
    #expect(try counts() == [0, 2, 2, 0, 1])
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Player>()).map { $0.team?.name } == [nil, nil])
  }

  @Test func `an object moved to another owner leaves the first`() throws {
    let blues = Team("Blues")
    context.insert(blues)
    blues.players = team.players.filter { $0.name == "Ada" }
    try context.save()
    #expect(team.players.map(\.name) == ["Bob"])
    let fresh = ModelContext(container)
    let teams = try fresh.fetch(FetchDescriptor<Team>(sortBy: [SortDescriptor(\.name)]))
    #expect(teams.map { $0.players.map(\.name) } == [["Ada"], ["Bob"]])
  }

  @Test func `two objects with the same target of a unique relationship are merged`() throws {
    let container = try newContainer(Passport.self)
    let context = ModelContext(container)
    let (ada, bob) = (Holder("Ada"), Holder("Bob"))
    let first = Passport("1", of: ada)
    for passport in [first, Passport("2", of: bob)] { context.insert(passport) }
    try context.save()
    let again = Passport("3", of: ada)
    context.insert(again)
    try context.save()
    #expect(again.persistentModelID == first.persistentModelID)
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Passport>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == ["2", "3"])
    #expect(found.map { $0.holder?.name } == ["Bob", "Ada"])
    #expect(Schema([Passport.self]).entity(for: Passport.self)?.uniquenessConstraints == [["holder"]])
  }

  @Test func `a former name of a relationship is followed`() throws {
    let url = newStoreURL()
    let old = ModelContext(try ModelContainer(for: Former.House.self, configurations: ModelConfiguration(url: url)))
    let house = Former.House()
    house.people = [Former.Person("Ann"), Former.Person("Ben")]
    old.insert(house)
    try old.save()
    let new = ModelContext(try ModelContainer(for: Present.House.self, configurations: ModelConfiguration(url: url)))
    let found = try #require(try new.fetch(FetchDescriptor<Present.House>()).first)
    #expect(found.residents.map(\.name).sorted() == ["Ann", "Ben"])
    #expect(found.residents[0].home === found)
  }
}

enum Former {
  @Model final class House {
    @Relationship(inverse: \Person.house) var people: [Person] = []
    init() {}
  }
  @Model final class Person {
    var name: String
    var house: House?
    init(_ name: String) { self.name = name }
  }
}

enum Present {
  @Model final class House {
    @Relationship(originalName: "people", inverse: \Person.home) var residents: [Person] = []
    init() {}
  }
  @Model final class Person {
    var name: String
    @Relationship(originalName: "house") var home: House?
    init(_ name: String) { self.name = name }
  }
}
