// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Unique constraints and indexes over several properties.
@Suite(.overlapping, .temporaryDirectory)
struct UniquenessTests {
  private let directory = TemporaryDirectory()

  private static let model = ModelDescription(entities: [
    EntityDescription(
      "Work",
      attributes: [
        AttributeDescription("title", .string, isOptional: true),
        AttributeDescription("year", .integer64, isOptional: true),
        AttributeDescription("code", .string, isOptional: true, options: [.unique]),
      ],
      composites: [
        CompositeDescription(
          "place",
          elements: [
            AttributeDescription("city", .string, isOptional: true),
            AttributeDescription("hall", .string, isOptional: true),
          ])
      ],
      relationships: [RelationshipDescription("artist", to: "Artist", inverse: "works")],
      // The second one repeats the attribute's own option.
      uniqueness: [["title", "artist"], ["code"], ["place.city", "place.hall"]],
      indexes: [["year"], ["title", "year"], ["year"], ["artist", "place.city"]]),
    EntityDescription(
      "Film", superentity: "Work",
      attributes: [AttributeDescription("cut", .string, isOptional: true)],
      uniqueness: [["title", "year"], ["artist", "title"], ["cut", "year"]], indexes: [["cut"]]),
    EntityDescription("Short", superentity: "Film"),
    EntityDescription(
      "Artist", attributes: [AttributeDescription("name", .string)],
      relationships: [RelationshipDescription("works", to: "Work", isToMany: true, inverse: "artist")]),
  ])

  private static func layouts(_ store: PersistentStore) -> [String: EntityLayout] {
    Dictionary(uniqueKeysWithValues: store.layout.entities.map { ($0.entity.name, $0) })
  }

  private struct WorkStore {
    let store: PersistentStore
    let layouts: [String: EntityLayout]

    init() throws {
      store = try PersistentStore.createInMemory(model: model)
      layouts = UniquenessTests.layouts(store)
      let (artist, work, film, short) = (layout("Artist"), layout("Work"), layout("Film"), layout("Short"))
      try store.save { save in
        for name in ["Ann", "Bob"] { try save.insert(artist, [.text(name)]) }
        let ann = RowIdentifier(entity: artist.number, key: 1)
        try save.insert(work, values(work, ["title": .text("Up"), "year": .integer(1)]), related: [0: [ann]])
        try save.insert(film, values(film, ["title": .text("Cars"), "year": .integer(2), "code": .text("c")]))
        try save.insert(short, values(short, ["title": .text("Lava"), "year": .integer(3), "cut": .text("x")]))
      }
    }

    func layout(_ name: String) -> EntityLayout { layouts[name]! }

    func values(_ entity: EntityLayout, _ named: [String: Value]) -> [Value?] {
      entity.entity.attributes.map { named[$0.name] }
    }

    /// The error of a save that inserts an object; nil if it succeeds.
    func insertion(_ name: String, _ named: [String: Value], artist: Int64? = nil) throws -> String? {
      let entity = layout(name)
      let related = artist.map { [0: [RowIdentifier(entity: layout("Artist").number, key: $0)]] } ?? [:]
      return try storeErrorText {
        try store.save { save in try save.insert(entity, values(entity, named), related: related) }
      }
    }
  }

  // MARK: Layout

  @Test func `constraints and indexes are created once, with the names of Core Data and SwiftData`() throws {
    let store = try PersistentStore.createInMemory(model: Self.model)
    let found = try StoreFixture.rows(
      store.connection, "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZWORK' ORDER BY rowid")
    #expect(
      found == [
        "CREATE UNIQUE INDEX \"Z_Work_UNIQUE_code\" ON \"ZWORK\" (\"ZCODE\" COLLATE BINARY ASC)",
        """
        CREATE UNIQUE INDEX "Z_Work_UNIQUE_title_artist" ON "ZWORK" \
        ("ZTITLE" COLLATE BINARY ASC, "ZARTIST" COLLATE BINARY ASC)
        """,
        """
        CREATE UNIQUE INDEX "Z_Work_UNIQUE_place.city_place.hall" ON "ZWORK" \
        ("ZCITY" COLLATE BINARY ASC, "ZHALL" COLLATE BINARY ASC)
        """,
        "CREATE INDEX \"Z_Work_SwiftDataIndexOnBinaryyear\" ON \"ZWORK\" (\"ZYEAR\" COLLATE BINARY ASC)",
        """
        CREATE INDEX "Z_Work_SwiftDataIndexOnBinarytitleyear" ON "ZWORK" \
        ("ZTITLE" COLLATE BINARY ASC, "ZYEAR" COLLATE BINARY ASC)
        """,
        """
        CREATE INDEX "Z_Work_SwiftDataIndexOnBinaryartistplace.city" ON "ZWORK" \
        ("ZARTIST" COLLATE BINARY ASC, "ZCITY" COLLATE BINARY ASC)
        """,
        """
        CREATE UNIQUE INDEX "Z_Film_UNIQUE_title_year" ON "ZWORK" \
        ("ZTITLE" COLLATE BINARY ASC, "ZYEAR" COLLATE BINARY ASC) WHERE Z_ENT BETWEEN 3 AND 4
        """,
        """
        CREATE UNIQUE INDEX "Z_Film_UNIQUE_cut_year" ON "ZWORK" \
        ("ZCUT" COLLATE BINARY ASC, "ZYEAR" COLLATE BINARY ASC)
        """,
        "CREATE INDEX \"Z_Film_SwiftDataIndexOnBinarycut\" ON \"ZWORK\" (\"ZCUT\" COLLATE BINARY ASC)",
        "CREATE INDEX \"ZWORK_ZARTIST_INDEX\" ON \"ZWORK\" (\"ZARTIST\")",
        "CREATE INDEX \"ZWORK_Z_ENT_INDEX\" ON \"ZWORK\" (Z_ENT)",
      ])
    let short = try #require(store.layout.entity(named: "Short"))
    #expect(
      short.uniqueConstraints.map(\.words) == [
        "code", "title and artist", "place.city and place.hall", "title and year", "cut and year",
      ])
  }

  @Test func `every constraint uses its own index`() throws {
    let store = try PersistentStore.createInMemory(model: Self.model)
    for constraint in Self.layouts(store)["Short"]!.uniqueConstraints {
      let plan = try StoreFixture.rows(store.connection, "EXPLAIN QUERY PLAN " + constraint.lookupSQL)
      #expect(plan.count == 1 && plan[0].contains(" USING INDEX \(constraint.indexName) "))
    }
  }

  @Test func `a model without constraints is encoded as before, and one with them is decoded equal`() throws {
    let plain = String(decoding: try StoreFixture.model.encoded(), as: UTF8.self)
    #expect(!plain.contains("uniqueness") && !plain.contains("indexes"))
    let decoded = try JSONDecoder().decode(ModelDescription.self, from: Self.model.encoded())
    #expect(decoded == Self.model)
    var other = Self.model
    other.entities[0].indexes.removeLast()
    #expect(try other.digest() != Self.model.digest())
  }

  @Test(
    arguments: [
      ([], "Work: a unique constraint names 1 to 60 properties, each once", nil),
      (["title", "title"], "Work: a unique constraint names 1 to 60 properties, each once", nil),
      (["stars"], "Work: a unique constraint names stars, which is not an attribute or to-one relationship of it", nil),
      (
        ["works"], "Artist: a unique constraint names works, which is not an attribute or to-one relationship of it",
        nil
      ),
      (
        ["place"], "Work: a unique constraint names place, which is not an attribute or to-one relationship of it",
        ["place.city", "place.hall"]
      ),
    ] as [([String], String, [String]?)])
  func `a constraint on a property without a column is refused`(
    _ names: [String], _ message: String, _ elements: [String]?
  ) {
    for isIndex in [false, true] {
      var model = Self.model
      let place = message.hasPrefix("Artist") ? 3 : 0
      if isIndex { model.entities[place].indexes = [names] } else { model.entities[place].uniqueness = [names] }
      let error = #expect(throws: StoreError.self) { try model.validate() }
      #expect(error?.code == .invalidModel)
      #expect(error?.message == (isIndex ? message.replacing("a unique constraint", with: "an index") : message))
      #expect(error?.recovery == elements.map { .chooseElements($0) })
    }
  }

  // MARK: Saves

  @Test func `an insert that repeats a combination is refused with the properties' names`() throws {
    let bench = try WorkStore()
    let before = try StoreFixture.rows(bench.store.connection, "SELECT * FROM ZWORK")
    let refusals = [
      try bench.insertion("Work", ["title": .text("Up")], artist: 1),
      try bench.insertion("Short", ["title": .text("Up")], artist: 1),
      try bench.insertion("Work", ["code": .text("c"), "title": .text("Up")], artist: 1),
      try bench.insertion("Film", ["title": .text("Lava"), "year": .integer(3)]),
      try bench.insertion("Short", ["title": .text("Cars"), "year": .integer(2)]),
      try bench.insertion("Film", ["year": .integer(3), "cut": .text("x")]),
    ]
    #expect(
      refusals == [
        "another Work has the same title and artist", "another Short has the same title and artist",
        "another Work has the same code", "another Film has the same title and year",
        "another Short has the same title and year", "another Film has the same cut and year",
      ])
    let after = try StoreFixture.rows(bench.store.connection, "SELECT * FROM ZWORK")
    #expect(after == before)
  }

  @Test func `objects with a NULL, another value or a superentity are accepted`() throws {
    let bench = try WorkStore()
    let taken = [
      try bench.insertion("Work", ["title": .text("Up")]), try bench.insertion("Work", ["title": .text("Up")]),
      try bench.insertion("Work", ["title": .text("Up")], artist: 2),
      try bench.insertion("Work", ["title": .text("Cars"), "year": .integer(2)]),
      try bench.insertion("Work", ["title": .text("Lava"), "year": .integer(3)]),
      try bench.insertion("Film", ["title": .text("Up"), "year": .integer(1)]),
      try bench.insertion("Film", ["title": .text("up"), "year": .integer(1)]),
      try bench.insertion("Work", ["place.city": .text("Rome")]),
      try bench.insertion("Work", ["place.city": .text("Rome")]),
    ]
    #expect(taken == [String?](repeating: nil, count: 9))
  }

  @Test func `an update, and a relationship at either end, are refused too`() throws {
    let bench = try WorkStore()
    let (work, film, artist) = (bench.layout("Work"), bench.layout("Film"), bench.layout("Artist"))
    let bob = RowIdentifier(entity: artist.number, key: 2)
    try bench.store.save { save in
      try save.insert(work, bench.values(work, ["title": .text("Up")]), related: [0: [bob]])
      try save.insert(work, bench.values(work, ["title": .text("Up")]))
      try save.insert(film, bench.values(film, ["title": .text("Cars"), "year": .integer(4)]))
    }
    let refusals = [
      try storeErrorText {
        try bench.store.save { save in try save.update(film, key: 6, [(1, .integer(2))]) }
      },
      try storeErrorText {
        try bench.store.save { save in try save.setTargets(work, key: 5, 0, [bob]) }
      },
      try storeErrorText {
        let targets = [4, 5].map { RowIdentifier(entity: work.number, key: $0) }
        try bench.store.save { save in try save.setTargets(artist, key: 1, 0, targets) }
      },
    ].map { $0.map { $0.components(separatedBy: ": ")[0] } }
    #expect(
      refusals == [
        "another Film has the same title and year", "another Work has the same title and artist",
        "another Work has the same title and artist",
      ])
    let kept = try StoreFixture.rows(bench.store.connection, "SELECT Z_PK, ZYEAR, ZARTIST FROM ZWORK ORDER BY Z_PK")
    #expect(kept == ["1|1|1", "2|2|NULL", "3|3|NULL", "4|NULL|2", "5|NULL|NULL", "6|4|NULL"])
  }

  // MARK: Migration

  @Test func `changing constraints and indexes does not rewrite rows or history`() throws {
    let path = directory.file("works.store")
    var plain = Self.model
    for index in plain.entities.indices { (plain.entities[index].uniqueness, plain.entities[index].indexes) = ([], []) }
    var store = try PersistentStore.create(path, model: plain)
    let work = try #require(store.layout.entity(named: "Work"))
    try store.save { save in
      for year in 1...50 { try save.insert(work, [.text("Up"), .integer(Int64(year)), nil, nil, nil]) }
    }
    let reader = try PersistentStore.open(path)
    func pages() throws -> [String] {
      try StoreFixture.rows(store.connection, "SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
    }
    let before = try pages()
    for model in [Self.model, plain, Self.model] {
      let outcome = try store.migrate(to: model)
      #expect(outcome.transaction != nil)
      store = try PersistentStore.open(path, access: .readWrite)
      let after = try pages()
      #expect(after == before)
      let sql = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql"
      let fresh = try PersistentStore.createInMemory(model: model)
      let (found, wanted) = try (StoreFixture.rows(store.connection, sql), StoreFixture.rows(fresh.connection, sql))
      #expect(found == wanted)
      #expect(store.model == model)
    }
    let noticed = try storeErrorCode { try reader.withSnapshot { try reader.refuseReplaced() } }
    #expect(noticed == .replaced)
    #expect(try StoreFixture.rows(store.connection, "SELECT Z_PK FROM ATRANSACTION") == ["1", "2", "3", "4"])
  }

  @Test func `a constraint that existing rows violate is refused, and nothing changes`() throws {
    var plain = Self.model
    plain.entities[1].uniqueness = []
    let store = try PersistentStore.create(directory.file("works.store"), model: plain)
    let (work, film) = (Self.layouts(store)["Work"]!, Self.layouts(store)["Film"]!)
    try store.save { save in
      for _ in 0..<2 { try save.insert(work, [.text("Up"), .integer(1), nil, nil, nil]) }
    }
    var model = Self.model
    // It applies to films only.
    model.entities[1].uniqueness = [["title", "year"]]
    let allowed = try store.migrate(to: model, isDryRun: true)
    #expect(allowed.transaction == 2)
    try store.save { save in
      for _ in 0..<2 { try save.insert(film, [.text("Up"), .integer(1), nil, nil, nil, nil]) }
    }
    let before = try StoreFixture.rows(store.connection, "SELECT name FROM sqlite_master")
    let error = #expect(throws: StoreError.self) { _ = try store.migrate(to: model) }
    #expect(error?.code == .duplicate)
    #expect(error?.message == "two rows of Film have the same title and year, to be unique from now on: 'Up', '1'")
    let after = try StoreFixture.rows(store.connection, "SELECT name FROM sqlite_master")
    #expect(after == before)
    #expect(try store.newest() == 2)
  }
}
