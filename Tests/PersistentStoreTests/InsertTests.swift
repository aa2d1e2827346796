// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// Inserts with relationships, and the check for duplicates before an insert.
@Suite(.overlapping, .temporaryDirectory)
struct InsertTests {
  /// The rows of all tables, without timestamps and random values.
  private static func contents(_ store: PersistentStore) throws -> [String] {
    let names = try StoreFixture.rows(
      store.connection, "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'Z_METADATA' ORDER BY name")
    return try names.flatMap { name in
      let columns = name == "ATRANSACTION" ? "Z_PK, ZAUTHORTS" : "*"
      return try StoreFixture.rows(store.connection, "SELECT '\(name)', \(columns) FROM \(quoted(name))").sorted()
    }
  }

  @Test(arguments: Rounds.seeds(24, long: 400))
  func `an insert with relationships equals an insert followed by its relationships`(seed: Int) throws {
    var source = RandomModel(seed: seed)
    let model = source.model
    let (whole, apart) = (
      try PersistentStore.createInMemory(model: model), try PersistentStore.createInMemory(model: model)
    )
    var order = SeededGenerator(seed: seed)
    var rows: [RowIdentifier] = []
    for _ in 0..<6 {
      var inserts: [(entity: EntityLayout, values: [Value?], related: [Int: [RowIdentifier]])] = []
      var next: [RowIdentifier] = []
      for _ in 0..<source.number(1...5) {
        guard let entity = source.pick(whole.layout.entities) else { continue }
        let values = entity.entity.attributes.map { attribute in
          attribute.isOptional && source.chance(3) ? nil : source.value(attribute)
        }
        // Each object is in at most one relationship. With ordered relationships, each insert sets only one, because
        // the end of an order depends on the objects that have left it.
        let isPlaced = entity.relationships.contains {
          if case .reference(_, _, _?) = $0.storage { true } else { false }
        }
        let only = isPlaced ? source.pick(Array(entity.relationships.indices)) : nil
        var free = rows
        var related: [Int: [RowIdentifier]] = [:]
        for (index, layout) in entity.relationships.enumerated() where only == nil || only == index {
          let count = layout.description.isToMany ? source.number(0...3) : source.number(0...1)
          let targets = free.filter { row in
            whole.layout.entity(number: layout.destination)!.includes(whole.layout.entity(number: row.entity)!)
          }.prefix(count)
          related[index] = Array(targets)
          free.removeAll { targets.contains($0) }
        }
        inserts.append((entity, values, related))
      }
      try whole.save { save in
        for insert in inserts { next.append(try save.insert(insert.entity, insert.values, related: insert.related)) }
      }
      try apart.save { save in
        for insert in inserts {
          let row = try save.insert(insert.entity, insert.values)
          for (relationship, targets) in insert.related.sorted(by: { $0.key < $1.key }) {
            try save.setTargets(insert.entity, key: row.key, relationship, targets)
          }
        }
      }
      rows = (rows + next).shuffled(using: &order)
      let (found, wanted) = (try Self.contents(whole), try Self.contents(apart))
      #expect(found == wanted)
    }
    #expect(try StoreGraph.contradictions(in: whole) == [])
  }

  @Test func `a target that is deleted in the same save or belongs to another entity is refused`() throws {
    let model = ModelDescription(entities: [
      EntityDescription("Dog", relationships: [RelationshipDescription("owner", to: "Owner", inverse: "dogs")]),
      EntityDescription(
        "Owner", relationships: [RelationshipDescription("dogs", to: "Dog", isToMany: true, inverse: "owner")]),
      EntityDescription("Child", superentity: "Owner"),
    ])
    let store = try PersistentStore.createInMemory(model: model)
    let (dog, owner) = (store.layout.entities[0], store.layout.entities[1])
    var texts: [String?] = []
    try store.save { save in
      let gone = try save.insert(owner, [])
      try save.delete(owner, key: gone.key)
      let adult = try save.insert(owner, [])
      for target in [gone, RowIdentifier(entity: 3, key: adult.key), RowIdentifier(entity: 1, key: adult.key)] {
        texts.append(try storeErrorText { try save.insert(dog, [], related: [0: [target]]) })
      }
      try save.insert(dog, [], related: [0: [adult]])
    }
    #expect(
      texts == [
        "Dog.owner: there is no Owner/p1", "Dog.owner: there is no Child/p2",
        "Dog.owner leads to objects of Owner only",
      ])
    let dogs = try StoreFixture.rows(store.connection, "SELECT Z_PK, ZOWNER, Z2_OWNER FROM ZDOG")
    #expect(dogs == ["1|2|2"])
  }

  // MARK: Before an insert

  @Test func `the row with which an insert would collide is found by any constraint`() throws {
    let model = ModelDescription(entities: [
      EntityDescription("Artist", attributes: [AttributeDescription("name", .string, options: [.unique])]),
      EntityDescription(
        "Work",
        attributes: [
          AttributeDescription("title", .string, isOptional: true),
          AttributeDescription("code", .string, isOptional: true, defaultValue: .text("none"), options: [.unique]),
        ], relationships: [RelationshipDescription("artist", to: "Artist")], uniqueness: [["title", "artist"]]),
      EntityDescription("Film", superentity: "Work"),
    ])
    let store = try PersistentStore.createInMemory(model: model)
    let (artist, work, film) = (store.layout.entities[0], store.layout.entities[1], store.layout.entities[2])
    func code(_ text: String) -> Value? { .text(text) }
    try store.save { save in
      let ann = try save.insert(artist, [.text("Ann")])
      let bob = try save.insert(artist, [.text("Bob")])
      let up = try save.insert(work, [.text("Up"), code("u")], related: [0: [ann]])
      let cars = try save.insert(film, [.text("Cars"), nil], related: [0: [bob]])
      let found = [
        try save.existing(artist, [.text("Bob")]), try save.existing(artist, [.text("bob")]),
        try save.existing(work, [.text("Up"), code("x")], related: [0: [ann]]),
        try save.existing(work, [.text("Up"), code("x")], related: [0: [bob]]),
        try save.existing(work, [.text("Up"), code("x")]), try save.existing(film, [nil, code("u")]),
        try save.existing(film, [nil, nil]), try save.existing(work, [nil, .null]),
        // The first constraint is that of the unique attribute itself.
        try save.existing(work, [.text("Cars"), code("u")], related: [0: [bob]]),
      ]
      #expect(found == [bob, nil, up, nil, nil, up, cars, nil, up])
    }
  }

  @Test func `each save that changes a row raises its lock number`() throws {
    let bench = try StoreFixture()
    func lockNumber() throws -> Int64? { try bench.store.connection.integer("SELECT Z_OPT FROM ZFILM WHERE Z_PK = 1") }
    try bench.addFilms("Up")
    #expect(try lockNumber() == 1)
    try bench.setFilm(1, ["year": .integer(2009)])
    #expect(try lockNumber() == 2)
    try bench.store.save { save in
      try save.update(bench.film, key: 1, [(0, .text("Down"))])
      #expect(try lockNumber() == 3)
      #expect(try bench.store.values(of: bench.film, key: 1)?[0] == .text("Down"))
    }
    #expect(try bench.store.values(of: bench.film, key: 2) == nil)
    #expect(try bench.store.values(of: bench.actor, key: 1) == nil)
  }
}
