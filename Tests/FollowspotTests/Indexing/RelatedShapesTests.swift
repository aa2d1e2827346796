// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Fields of every kind through relationships, and changes of related objects.
@Suite(.overlapping, .temporaryDirectory)
struct RelatedShapesTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      "Movie", attributes: [AttributeDescription("title", .string)],
      relationships: [
        RelationshipDescription("studio", to: "Studio", inverse: "movies"),
        RelationshipDescription("cast", to: "Person", isToMany: true, isOrdered: true, inverse: "movies"),
        RelationshipDescription("sequel", to: "Movie"),
      ]),
    EntityDescription(
      "Studio",
      attributes: [
        AttributeDescription("name", .string), AttributeDescription("size", .integer64, isOptional: true),
        AttributeDescription("founded", .date, isOptional: true),
        AttributeDescription("isOpen", .boolean, isOptional: true),
        AttributeDescription("info", .json, isOptional: true),
        AttributeDescription("tags", .strings, isOptional: true),
      ],
      relationships: [
        RelationshipDescription("movies", to: "Movie", isToMany: true, inverse: "studio", deleteRule: .noAction)
      ]),
    EntityDescription(
      "Person", attributes: [AttributeDescription("name", .string)],
      relationships: [RelationshipDescription("movies", to: "Movie", isToMany: true, inverse: "cast")]),
    EntityDescription(
      "Star", superentity: "Person", attributes: [AttributeDescription("agent", .string, isOptional: true)]),
  ])

  private static let definition = IndexDefinition(
    language: "english", stopWords: [],
    entities: [
      "Movie": EntityDefinition(
        title: ["title"],
        fields: [
          FieldDefinition(name: "title", roles: [.text]),
          FieldDefinition(name: "studio", path: "studio.name", roles: [.text, .facet, .stored]),
          FieldDefinition(name: "size", path: "studio.size", roles: [.number, .stored]),
          FieldDefinition(name: "founded", path: "studio.founded", roles: [.date]),
          FieldDefinition(name: "open", path: "studio.isOpen", roles: [.flag]),
          FieldDefinition(name: "studio.info", roles: [.text]),
          FieldDefinition(name: "country", path: "studio.info.country", roles: [.text, .facet]),
          FieldDefinition(name: "tags", path: "studio.tags", roles: [.facet]),
          FieldDefinition(name: "cast", path: "cast.name", roles: [.text, .facet, .stored]),
          FieldDefinition(name: "later", path: "sequel.sequel.title", roles: [.text]),
          FieldDefinition(name: "near", path: "studio.movies.studio.movies.title", roles: [.text]),
        ])
    ])

  private struct MovieIndex {
    let directory: TemporaryDirectory
    let store: PersistentStore
    let index: IndexDirectory
    let indexer: Indexer

    func entity(_ name: String) throws -> EntityLayout { try #require(store.layout.entity(named: name)) }
    func row(_ name: String, _ key: Int64) throws -> RowIdentifier {
      RowIdentifier(entity: try entity(name).number, key: key)
    }

    /// Catches up, compares with a rebuilt index, and finds titles.
    func expect(
      _ queries: KeyValuePairs<String, [String]>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try indexer.catchUp()
      let fresh = IndexDirectory(path: directory.file("fresh.index"))
      _ = try Rebuild(storePath: store.path, directory: fresh, definition: definition, keep: 0).run()
      let (tailed, rebuilt) = (try CanonicalDump(of: index), try CanonicalDump(of: fresh))
      #expect(tailed == rebuilt, sourceLocation: sourceLocation)
      let isEqual = try Verify(storePath: store.path, directory: index).run(isQuick: false).isEqual
      #expect(isEqual, sourceLocation: sourceLocation)
      let searcher = try Searcher(storePath: store.path, directory: index)
      for (query, titles) in queries {
        var request = SearchRequest(query: query)
        request.words = .all
        let found = try searcher.search(request).hits.map(\.title).sorted()
        #expect(found == titles, "\(query)", sourceLocation: sourceLocation)
      }
    }
  }

  /// Toy Story and Up of Pixar, Ponyo of Ghibli; Alone of nobody. Toy Story → Up → Ponyo are sequels.
  private func fixture() throws -> MovieIndex {
    let directory = TemporaryDirectory()
    let store = try PersistentStore.create(directory.file("movies.store"), model: Self.model)
    let index = IndexDirectory(path: store.path + ".index")
    var options = Indexer.Options(storePath: store.path, directory: index)
    options.definition = Self.definition
    let bench = MovieIndex(directory: directory, store: store, index: index, indexer: Indexer(options))
    let (movie, studio) = (try bench.entity("Movie"), try bench.entity("Studio"))
    let (person, star) = (try bench.entity("Person"), try bench.entity("Star"))
    try store.save { save in
      let pixar = try save.insert(
        studio,
        [
          .text("Pixar"), .integer(1200), .real(-470_000_000), .integer(1),
          .blob(Array(#"{"country": "United States", "city": {"name": "Emeryville"}}"#.utf8)),
          .blob(Array(#"["3D", "computer made"]"#.utf8)),
        ])
      let ghibli = try save.insert(
        studio, [.text("Ghibli"), .integer(300), .real(-490_000_000), .integer(0), nil, nil])
      let (tom, ann) = (
        try save.insert(star, [.text("Tom Hanks"), .text("CAA")]), try save.insert(person, [.text("Ann Potts")])
      )
      let ponyo = try save.insert(movie, [.text("Ponyo")], related: [0: [ghibli]])
      let up = try save.insert(movie, [.text("Up")], related: [0: [pixar], 2: [ponyo]])
      try save.insert(movie, [.text("Toy Story")], related: [0: [pixar], 1: [tom, ann], 2: [up]])
      try save.insert(movie, [.text("Alone")])
    }
    return bench
  }

  @Test func `numbers, dates and flags are found through a to-one relationship`() throws {
    let bench = try fixture()
    try bench.expect([
      "size:>=1000": ["Toy Story", "Up"], "size:300": ["Ponyo"], "size:301..1199": [],
      "founded:1986": ["Toy Story", "Up"],
      "founded:..1985": ["Ponyo"], "is:open": ["Toy Story", "Up"], "open:false -is:open": ["Alone", "Ponyo"],
    ])
    let studio = try bench.entity("Studio")
    try bench.store.save { try $0.update(studio, key: 2, [(1, .integer(1100)), (3, .integer(1))]) }
    try bench.expect([
      "size:>=1000": ["Ponyo", "Toy Story", "Up"], "size:300": [], "is:open": ["Ponyo", "Toy Story", "Up"],
    ])
    try bench.store.save { try $0.update(studio, key: 1, [(1, .null), (2, .null), (3, .null)]) }
    try bench.expect(["size:>=0": ["Ponyo"], "founded:1900..2000": ["Ponyo"], "is:open": ["Ponyo"]])
  }

  @Test func `keys inside a related object's JSON are names in queries`() throws {
    let bench = try fixture()
    try bench.expect([
      "studio.info.country:united": ["Toy Story", "Up"], "studio.info.city.name:emeryville": ["Toy Story", "Up"],
      "studio.info:emeryville": ["Toy Story", "Up"], "country:\"united states\"": ["Toy Story", "Up"],
      "country:emeryville": [], "tags:3d": ["Toy Story", "Up"], "tags:\"computer made\"": ["Toy Story", "Up"],
    ])
    let studio = try bench.entity("Studio")
    try bench.store.save {
      try $0.update(studio, key: 1, [(4, .blob(Array(#"{"country": "France"}"#.utf8)))])
    }
    try bench.expect(["studio.info.country:united": [], "studio.info.country:france": ["Toy Story", "Up"]])
  }

  @Test func `facets and stored values go through to-many relationships, in their order`() throws {
    let bench = try fixture()
    try bench.expect(["cast:\"tom hanks\"": ["Toy Story"], "cast:potts": ["Toy Story"]])
    func stored() throws -> String? {
      let serving = try #require(try bench.index.serving())
      return try CanonicalDump(of: IndexReader(path: serving.path, stemmer: "english")).documents["Movie/p3"]
    }
    #expect(try stored()?.contains(#""cast":["Tom Hanks","Ann Potts"]"#) == true)
    #expect(try stored()?.contains(#""studio":"Pixar""#) == true)
    #expect(try stored()?.contains(#""size":1200"#) == true)
    let movie = try bench.entity("Movie")
    let people = [try bench.row("Person", 2), try bench.row("Star", 1)]
    try bench.store.save { try $0.setTargets(movie, key: 3, 1, people) }
    try bench.expect(["cast:\"tom hanks\"": ["Toy Story"]])
    #expect(try stored()?.contains(#""cast":["Ann Potts","Tom Hanks"]"#) == true)
  }

  @Test func `objects of a sub-entity are indexed and removed like others`() throws {
    let bench = try fixture()
    let star = try bench.entity("Star")
    try bench.store.save { try $0.update(star, key: 1, [(0, .text("Tim Allen"))]) }
    try bench.expect(["cast:allen": ["Toy Story"], "hanks": []])
    // What no field reads renews nothing.
    try bench.store.save { try $0.update(star, key: 1, [(1, .text("WME"))]) }
    let touched = bench.indexer.touched
    try bench.expect(["cast:allen": ["Toy Story"]])
    #expect(bench.indexer.touched == touched)
    try bench.store.save { try $0.delete(star, key: 1) }
    try bench.expect(["cast:allen": [], "cast:potts": ["Toy Story"]])
  }

  @Test func `a relationship of an entity to itself can be followed twice`() throws {
    let bench = try fixture()
    try bench.expect(["later:ponyo": ["Toy Story"], "later:up": []])
    let movie = try bench.entity("Movie")
    let toy = try bench.row("Movie", 3)
    // A circle of three: everyone is after the next.
    try bench.store.save { try $0.setTargets(movie, key: 1, 2, [toy]) }
    try bench.expect(["later:ponyo": ["Toy Story"], "later:toy": ["Up"], "later:up": ["Ponyo"]])
    // Its own sequel.
    try bench.store.save { try $0.setTargets(movie, key: 3, 2, [toy]) }
    try bench.expect(["later:toy": ["Ponyo", "Toy Story", "Up"], "later:up": []])
    try bench.store.save { try $0.update(movie, key: 3, [(0, .text("Bug"))]) }
    try bench.expect(["later:bug": ["Bug", "Ponyo", "Up"], "later:toy": []])
    try bench.store.save { try $0.delete(movie, key: 3) }
    try bench.expect(["later:bug": []])
  }

  @Test func `a path that returns to its start indexes every object once`() throws {
    let bench = try fixture()
    try bench.expect(["near:toy": ["Toy Story", "Up"], "near:ponyo": ["Ponyo"], "near:alone": []])
    let movie = try bench.entity("Movie")
    try bench.store.save { try $0.update(movie, key: 3, [(0, .text("Nemo"))]) }
    try bench.expect(["near:toy": [], "near:nemo": ["Nemo", "Up"]])
    let ghibli = try bench.row("Studio", 2)
    try bench.store.save { try $0.setTargets(movie, key: 3, 0, [ghibli]) }
    try bench.expect(["near:nemo": ["Nemo", "Ponyo"], "near:up": ["Up"]])
    try bench.store.save { try $0.delete(movie, key: 1) }
    try bench.expect(["near:ponyo": [], "near:nemo": ["Nemo"]])
  }

  @Test func `a related object disappears from documents even if its deletion does not record its owners`() throws {
    let bench = try fixture()
    try bench.expect(["studio:pixar": ["Toy Story", "Up"]])
    let studio = try bench.entity("Studio")
    let result = try bench.store.save { try $0.delete(studio, key: 1) }
    #expect((result.updated, result.deleted) == (0, 1))
    try bench.expect(["studio:pixar": [], "size:>=0": ["Ponyo"], "near:up": [], "studio:ghibli": ["Ponyo"]])
  }

  // MARK: Definitions

  @Test(arguments: [
    ("studio.nme", "entities.Movie.fields[0].path: Studio has no nme; it has"),
    ("studoi.name", "entities.Movie.fields[0].path: Movie has no studoi.name; it has"),
    ("studio", "entities.Movie.fields[0].path: studio is a relationship: name an attribute behind it"),
    ("studio.movies", "entities.Movie.fields[0].path: movies is a relationship: name an attribute behind it"),
    (
      "studio.movies.studio.movies.studio.name",
      "entities.Movie.fields[0].path: studio.movies.studio.movies.studio.name"
    ),
    ("studio.name.first", "entities.Movie.fields[0].path: name does not hold JSON, so it has no elements to index"),
    ("cast.agent", "entities.Movie.fields[0].path: Person has no agent"),
    ("studio.size", "entities.Movie.fields[0].roles: size cannot be a text"),
  ])
  func `an invalid path is reported with its position`(path: String, message: String) throws {
    let store = try TemporaryDirectory.with { directory in
      try PersistentStore.create(directory.file("movies.store"), model: Self.model).layout.shape
    }
    let definition = Self.definition(FieldDefinition(name: "field", path: path, roles: [.text]))
    #expect(Self.complaint(definition, store).hasPrefix(message), "\(Self.complaint(definition, store))")
  }

  @Test(arguments: [FieldDefinition.Role.number, .date, .flag])
  func `one value cannot come from many objects`(role: FieldDefinition.Role) throws {
    let attribute = [.number: "size", .date: "founded", .flag: "isOpen"][role] ?? ""
    let shape = try TemporaryDirectory.with { directory in
      try PersistentStore.create(directory.file("movies.store"), model: Self.model).layout.shape
    }
    let path = "cast.movies.studio." + attribute
    #expect(
      Self.complaint(Self.definition(FieldDefinition(name: "field", path: path, roles: [role])), shape)
        == "entities.Movie.fields[0].roles: \(path) leads to many objects, and a \(role.rawValue) is one value")
  }

  private static func definition(_ field: FieldDefinition) -> IndexDefinition {
    IndexDefinition(
      language: "english", stopWords: [], entities: ["Movie": EntityDefinition(title: [], fields: [field])])
  }

  private static func complaint(_ definition: IndexDefinition, _ shape: ModelShape) -> String {
    do {
      try definition.validate(against: shape)
      return "none"
    } catch { return "\(error)" }
  }
}
