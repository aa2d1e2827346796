// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct CompositeTests {
  private static let cocktails = """
    Cocktail
     i: id
     s: title
     c: author(i:id s:person s:place s:year) glass(s:glass)
    """

  @Test func `columns are named after elements, and a later attribute of the same name gets a number`() throws {
    let bench = try StoreFixture(Self.cocktails)
    let cocktail = bench.store.layout.entities[0]
    #expect(
      Dictionary(uniqueKeysWithValues: zip(cocktail.entity.attributes.map(\.name), cocktail.columnNames)) == [
        "author.id": "ZID", "author.person": "ZPERSON", "author.place": "ZPLACE", "author.year": "ZYEAR",
        "glass": "ZGLASS", "id": "ZID1", "title": "ZTITLE",
      ])
    let columns = try bench.rows("SELECT name FROM pragma_table_info('ZCOCKTAIL')")
    #expect(
      columns.dropFirst(3) == ["ZID", "ZID1", "ZPERSON", "ZPLACE", "ZYEAR", "ZGLASS", "ZTITLE"])
  }

  @Test
  func `elements are saved like attributes, with bits ordered by the composite's name`() throws {
    let bench = try StoreFixture(Self.cocktails)
    // author.id 80, author.person 40, author.place 20, author.year 10, glass 08, id 04, title 02.
    try bench.store.save { save in
      try save.add("Cocktail", ["author.id": .integer(7), "id": .integer(1), "glass": .text("Stemmed")])
    }
    #expect(try bench.rows("SELECT ZID, ZID1, ZGLASS, ZPERSON FROM ZCOCKTAIL") == ["7|1|Stemmed|NULL"])
    let cocktail = bench.store.layout.entities[0]
    for (name, bits) in [("author.id", "80"), ("author.year", "10"), ("glass", "08"), ("id", "04"), ("title", "02")] {
      let index = try #require(cocktail.entity.index(of: name))
      let value: Value = name.hasSuffix("id") ? .integer(99) : .text("new")
      try bench.store.save { try $0.update(cocktail, key: 1, [(index, value)]) }
      #expect(try bench.newestChanges() == ["update Cocktail/p1 \(bits)"])
    }
  }

  @Test func `preserved elements are ordered in the tombstone by the composite's name`() throws {
    let model = ModelDescription(entities: [
      EntityDescription(
        "Drink",
        attributes: [AttributeDescription("zest", .string, isOptional: true, options: [.preserveValueOnDeletion])],
        composites: [
          CompositeDescription(
            "maker",
            elements: [
              AttributeDescription("town", .string, isOptional: true, options: [.preserveValueOnDeletion]),
              AttributeDescription("name", .string, isOptional: true, options: [.preserveValueOnDeletion]),
            ])
        ])
    ])
    let bench = try StoreFixture(model)
    var drink: RowIdentifier?
    try bench.store.save {
      drink = try $0.add("Drink", ["maker.town": .text("Rome"), "maker.name": .text("Ada"), "zest": .text("z")])
    }
    try bench.store.save { try $0.remove(try #require(drink)) }
    #expect(
      try bench.rows("SELECT ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2 FROM ACHANGE WHERE ZCHANGETYPE = 2") == [
        "Rome|Ada|z"
      ])
  }

  @Test func `a model with composites is read back from its store`() throws {
    let bench = try StoreFixture(Self.cocktails)
    let opened = try PersistentStore.open(bench.path)
    #expect(opened.model == Sketch(Self.cocktails).model)
    #expect(opened.layout.entities[0].columnNames == bench.store.layout.entities[0].columnNames)
  }
}
