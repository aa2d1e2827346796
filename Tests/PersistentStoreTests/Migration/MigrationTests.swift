// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// Rows and relationships after a migration.
@Suite(.overlapping, .temporaryDirectory)
struct MigrationTests {
  private let bench: MigrationFixture

  init() throws { bench = try MigrationFixture() }

  private typealias Objects = [String: [String: [String]]]

  @Test func `a new attribute has its default or NULL`() throws {
    var objects = try bench.graph().objects
    let outcome = try bench.migrate { model in
      model["Book"].attributes += [
        AttributeDescription("aisle", .string, isOptional: true),
        AttributeDescription("stars", .integer16, defaultValue: .integer(3)),
        AttributeDescription("isLent", .boolean, isOptional: true, defaultValue: .integer(0)),
      ]
    }
    #expect(
      outcome.addedProperties
        == ["Book", "Comic"].flatMap { entity in ["aisle", "stars", "isLent"].map { "\(entity).\($0)" } })
    for name in ["Book/p1", "Comic/p3", "Book/p4"] {
      objects[name]?.merge(["aisle": ["NULL"], "stars": ["3"], "isLent": ["0"]]) { $1 }
    }
    #expect(try bench.graph().objects == objects)
  }

  @Test func `a removed attribute has no column, and a renamed one keeps its values`() throws {
    var objects = try bench.graph().objects
    let outcome = try bench.migrate { model in
      model["Book"].attributes.removeAll { $0.name == "pages" }
      model["Book"].renameAttribute("title", to: "name")
      model["Author"].renameAttribute("email", to: "address")
    }
    #expect(outcome.removedProperties == ["Book.pages", "Comic.pages"])
    #expect(
      outcome.renamedProperties == ["Author.email → address", "Book.title → name", "Comic.title → name"])
    for (name, properties) in objects {
      var properties = properties
      properties["pages"] = nil
      if let title = properties.removeValue(forKey: "title") { properties["name"] = title }
      if let email = properties.removeValue(forKey: "email") { properties["address"] = email }
      objects[name] = properties
    }
    #expect(try bench.graph().objects == objects)
    #expect(try bench.rows("SELECT ZNAME FROM ZBOOK ORDER BY 1") == ["Always", "Comet", "Finn Family Moomintroll"])
  }

  @Test func `a composite is renamed with its elements, and an element by itself`() throws {
    let before = try bench.graph().objects
    try bench.migrate { model in
      model["Book"].composites[0].name = "format"
      model["Book"].composites[0].originalName = "size"
      model["Book"].composites[0].elements[1].name = "depth"
      model["Book"].composites[0].elements[1].originalName = "height"
    }
    let after = try bench.graph().objects
    #expect(after["Book/p1"]?["format.width"] == ["13"])
    #expect(after["Book/p1"]?["format.depth"] == before["Book/p1"]?["size.height"])
    #expect(after["Comic/p3"]?["format.width"] == ["21"])
    #expect(after["Comic/p3"]?["format.depth"] == ["NULL"])
  }

  @Test func `an attribute may become a composite's only element, but not several elements`() throws {
    try bench.migrate { model in
      model["Book"].attributes.removeAll { $0.name == "link" || $0.name == "pages" }
      model["Book"].composites += [
        CompositeDescription("link", elements: [AttributeDescription("address", .url, isOptional: true)]),
        CompositeDescription(
          "pages",
          elements: ["first", "last"].map { AttributeDescription($0, .integer32, isOptional: true) }),
      ]
    }
    let book = try #require(try bench.graph().objects["Book/p1"])
    #expect(book["link.address"] == ["'https://a.example'"])
    #expect(book["pages.first"] == ["NULL"])
    #expect(book["pages.last"] == ["NULL"])
  }

  @Test func `values are converted to wider types`() throws {
    let before = try bench.graph().objects
    try bench.migrate { model in
      model["Author"][attribute: "born"].type = .decimal
      model["Book"][attribute: "pages"].type = .double
      model["Book"][attribute: "link"].type = .string
    }
    #expect(try bench.graph().objects == before)
    #expect(try bench.rows("SELECT typeof(ZPAGES), typeof(ZLINK) FROM ZBOOK WHERE Z_PK = 1") == ["real|text"])
  }

  @Test func `a new entity shifts entity numbers, and all names stay`() throws {
    let before = try bench.graph()
    let versions = try bench.rows("SELECT Z_PK, Z_OPT FROM ZBOOK")
    let outcome = try bench.migrate { model in
      model.entities += [
        EntityDescription("Atlas", attributes: [AttributeDescription("scale", .double)]),
        EntityDescription("Album", superentity: "Book"),
      ]
    }
    #expect(outcome.addedEntities == ["Atlas", "Album"])
    let after = try bench.graph()
    #expect(after.objects == before.objects)
    #expect(after.changes == before.changes)
    #expect(try bench.rows("SELECT Z_PK, Z_OPT FROM ZBOOK") == versions)
    #expect(
      try bench.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT < 16001") == [
        "1|Atlas|0|0", "2|Author|0|3", "3|Book|0|4", "4|Album|3|0", "5|Comic|3|0", "6|Genre|0|2", "7|Shelf|0|1",
      ])
    // Names that contain an entity number, and entity keys, change with the number.
    #expect(try bench.rows("SELECT name FROM sqlite_master WHERE name IN ('Z_3GENRES', 'Z_2FRIENDS')").count == 2)
    #expect(try bench.rows("SELECT Z_PK, Z3_3SEQUELS FROM ZBOOK WHERE Z3_3SEQUELS NOT NULL") == ["3|3", "4|3"])
    #expect(try bench.rows("SELECT name FROM sqlite_master WHERE name LIKE '%FOLLOWSPOT%'") == [])
  }

  @Test func `renamed entities keep rows, keys and relationships`() throws {
    let before = try bench.graph().objects
    let outcome = try bench.migrate { model in
      model.rename("Book", to: "Volume")
      model.rename("Author", to: "Writer")
    }
    #expect(outcome.renamedEntities == ["Book → Volume", "Author → Writer"])
    func renamed(_ name: String) -> String {
      name.replacing("Book/", with: "Volume/").replacing("Author/", with: "Writer/")
    }
    let expected = Objects(
      uniqueKeysWithValues: before.map { name, properties in
        (renamed(name), properties.mapValues { $0.map(renamed) })
      })
    #expect(try bench.graph().objects == expected)
    #expect(try StoreGraph.contradictions(in: bench.store) == [])
  }

  @Test func `removing an entity deletes its rows and the references to them`() throws {
    var objects = try bench.graph().objects
    let outcome = try bench.migrate { $0.remove("Comic") }
    #expect(outcome.removedEntities == ["Comic"])
    objects["Comic/p3"] = nil
    for (name, properties) in objects {
      objects[name] = properties.mapValues { $0.filter { $0 != "Comic/p3" } }
    }
    #expect(try bench.graph().objects == objects)
    #expect(try !bench.history().contains { $0.contains("Comic") })
    // The other entity of the table continues with the highest key ever assigned.
    let book = try bench.entity("Book")
    try bench.store.save { save throws in #expect(try save.insert(book, [.text("New"), nil, nil, nil, nil]).key == 5) }
  }

  @Test func `references to a removed entity are cleared, even if another entity gets its name`() throws {
    try bench.migrate { model in
      model.entities.append(EntityDescription("Pen", attributes: [AttributeDescription("name", .string)]))
      model["Book"][link: "author"] = RelationshipDescription("author", to: "Pen")
      model["Author"].relationships.removeAll { $0.name == "books" }
    }
    let pen = try bench.entity("Pen")
    try bench.store.save { save throws in #expect(try save.insert(pen, [.text("first")]).key == 1) }
    #expect(try bench.graph().objects["Book/p1"]?["author"] == [])
  }

  @Test func `an entity can get a superentity, and a subentity can become a root`() throws {
    let before = try bench.graph().objects
    try bench.migrate { model in
      model.entities.append(EntityDescription("Thing"))
      model["Shelf"].superentity = "Thing"
    }
    #expect(try bench.graph().objects == before)
    let shelf = try bench.entity("Shelf")
    try bench.store.save { save throws in #expect(try save.insert(shelf, [.text("new")]).key == 2) }
    try bench.migrate { model in
      let book = model["Book"]
      model["Comic"].superentity = nil
      model["Comic"].attributes += book.attributes
    }
    let after = try bench.graph().objects
    #expect(after["Comic/p3"] == ["issue": ["8"], "title": ["'Comet'"], "pages": ["40"], "link": ["NULL"]])
    // A comic is not a book any more.
    #expect(after["Author/p1"]?["books"] == ["Book/p1"])
    #expect(after["Genre/p1"]?["books"] == ["Book/p4", "Book/p1"])
    #expect(after["Book/p1"]?["sequels"] == ["Book/p4"])
  }

  @Test func `renamed relationships keep their objects and their order`() throws {
    let before = try bench.graph().objects
    let outcome = try bench.migrate { model in
      model["Genre"].renameLink("books", to: "works")
      model["Book"][link: "genres"].inverse = "works"
      model["Book"].renameLink("sequels", to: "later")
      model["Book"].renameLink("author", to: "writer")
      model["Author"][link: "books"].inverse = "writer"
      model["Author"].renameLink("friends", to: "peers")
      model["Author"][link: "peers"].inverse = "peers"
    }
    #expect(outcome.addedProperties == [])
    #expect(outcome.removedProperties == [])
    let names = ["works": "books", "later": "sequels", "writer": "author", "peers": "friends"]
    let after = try bench.graph().objects
    for (name, properties) in after {
      for (property, found) in properties {
        let earlier = name.hasPrefix("Author") && property == "books" ? property : names[property] ?? property
        #expect(found == before[name]?[earlier], "\(name).\(property)")
      }
    }
    #expect(after["Genre/p1"]?["works"] == ["Book/p4", "Comic/p3", "Book/p1"])
    #expect(try StoreGraph.contradictions(in: bench.store) == [])
  }

  @Test func `relationships move up to the superentity with all their objects`() throws {
    let (before, comic) = (try bench.graph().objects, "Comic/p3")
    try bench.migrate { model in
      model["Comic"].relationships += [
        RelationshipDescription("shelves", to: "Shelf", isToMany: true, isOrdered: true, inverse: "comics")
      ]
      model["Shelf"].relationships = [
        RelationshipDescription("comics", to: "Comic", isToMany: true, inverse: "shelves")
      ]
    }
    let (book, shelf) = (try bench.entity("Comic"), try bench.entity("Shelf"))
    let index = try #require(book.entity.relationship(named: "shelves"))
    try bench.store.save { save in
      try save.setTargets(book, key: 3, index, [RowIdentifier(entity: shelf.number, key: 1)])
    }
    try bench.migrate { model in
      var link = model["Comic"].relationships.removeLast()
      link.inverse = "comics"
      model["Book"].relationships.append(link)
      model["Shelf"][link: "comics"].destination = "Book"
    }
    let after = try bench.graph().objects
    #expect(after[comic]?["shelves"] == ["Shelf/p1"])
    #expect(after["Shelf/p1"]?["comics"] == [comic])
    #expect(after["Author/p1"] == before["Author/p1"])
    #expect(try StoreGraph.contradictions(in: bench.store) == [])
  }

  @Test func `a new inverse contains the existing objects, and a dropped inverse keeps the other end`() throws {
    let before = try bench.graph().objects
    try bench.migrate { model in
      model["Book"][link: "sequels"].inverse = "precursor"
      model["Book"].relationships.append(RelationshipDescription("precursor", to: "Book", inverse: "sequels"))
      model["Book"].relationships.removeAll { $0.name == "author" }
      model["Author"][link: "books"].inverse = nil
    }
    let after = try bench.graph().objects
    #expect(after["Book/p4"]?["precursor"] == ["Book/p1"])
    #expect(after["Comic/p3"]?["precursor"] == ["Book/p1"])
    #expect(after["Book/p1"]?["sequels"] == before["Book/p1"]?["sequels"])
    #expect(after["Author/p1"]?["books"] == before["Author/p1"]?["books"])
    #expect(try StoreGraph.contradictions(in: bench.store) == [])
  }

  @Test func `keys and versions continue`() throws {
    try bench.migrate { $0["Author"].attributes.removeAll { $0.name == "born" } }
    let author = try bench.entity("Author")
    try bench.store.save { save in
      #expect(try save.insert(author, [.text("Fourth"), .text("four@example.org")]).key == 4)
      try save.update(author, key: 1, [(0, .text("Tove Jansson"))])
    }
    // The last save, of friends and books, counts too.
    #expect(try bench.rows("SELECT Z_OPT FROM ZAUTHOR WHERE Z_PK IN (1, 4) ORDER BY Z_PK") == ["3", "1"])
  }

  @Test func `migrating to the same model does nothing`() throws {
    let before = try bench.dump()
    #expect(try bench.migrate { _ in } == MigrationOutcome())
    #expect(try bench.dump() == before)
  }

  @Test func `a view reads the new tables`() throws {
    try bench.outside.execute("CREATE VIEW TITLES AS SELECT Z_PK, ZTITLE FROM ZBOOK")
    try bench.migrate { $0.entities.append(EntityDescription("Atlas")) }
    #expect(try bench.rows("SELECT ZTITLE FROM TITLES WHERE Z_PK = 4") == ["Always"])
  }
}
