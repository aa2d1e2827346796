// SPDX-License-Identifier: MIT

import Base
import Foundation
import Testing

@testable import SearchIndex

struct IndexDefinitionTests {
  private static let movie: [AttributeShape] = [
    AttributeShape(name: "title", kind: .text, isSpotlight: false),
    AttributeShape(name: "plot", kind: .text, isSpotlight: false),
    AttributeShape(name: "genres", kind: .strings, isSpotlight: false),
    AttributeShape(name: "people", kind: .json, isSpotlight: false),
    AttributeShape(name: "rating", kind: .number, isSpotlight: false),
    AttributeShape(name: "released", kind: .date, isSpotlight: false),
    AttributeShape(name: "isFavorite", kind: .boolean, isSpotlight: false),
    AttributeShape(name: "poster", kind: .other, isSpotlight: false),
  ]

  private static func read(_ json: String) throws -> IndexDefinition {
    try IndexDefinition(json: Data(json.utf8))
  }

  private static func movie(_ fields: String) -> String { "{\"entities\":{\"Movie\":{\"fields\":[\(fields)]}}}" }

  @Test func `whole values of identifiers are indexed only if their words are not`() {
    func indexesWholeValues(_ roles: Set<FieldDefinition.Role>, _ holds: ValueKind?) -> Bool {
      FieldDefinition(name: "code", roles: roles, holds: holds).indexesWholeValues
    }
    #expect(indexesWholeValues([.text, .facet], nil))
    #expect(indexesWholeValues([.text, .facet], .categories))
    #expect(!indexesWholeValues([.text, .facet], .identifiers))
    #expect(indexesWholeValues([.facet], .identifiers))
    #expect(!indexesWholeValues([.text], nil))
  }

  @Test func `the guide names every role, unit and kind of values`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appending(path: "Sources/Followspot/Documentation.docc/IndexDefinitions.md"), encoding: .utf8)
    let names =
      FieldDefinition.Role.allCases.map(\.rawValue) + FieldUnit.allCases.map(\.rawValue)
      + ValueKind.allCases.map(\.rawValue)
    for name in names { #expect(guide.contains("`\(name)`"), "\(name)") }
  }

  // MARK: Reading

  @Test func `a definition is read with defaults for missing keys`() throws {
    let read = try Self.read(
      """
      {"entities": {"Movie": {"title": "title", "fields": [
        {"name": "title", "roles": ["text"], "weight": 5}, {"name": "director", "path": "people.name", "roles": ["text"]},
        {"name": "rating", "roles": ["number", "stored"]}]}}}
      """)
    #expect(read.language == "english")
    #expect(read.stopWords == DefaultRules.stopWords)
    #expect(
      read.entities == [
        "Movie": EntityDefinition(
          title: ["title"],
          fields: [
            FieldDefinition(name: "title", path: "title", roles: [.text], weight: 5),
            FieldDefinition(name: "director", path: "people.name", roles: [.text], weight: 1),
            FieldDefinition(name: "rating", path: "rating", roles: [.number, .stored], weight: 1),
          ])
      ])
  }

  @Test func `a definition is encoded with sorted keys and decoded equal`() throws {
    let json = """
      {"entities":{"Movie":{"fields":[{"name":"title","roles":["facet","text"],"weight":5},\
      {"name":"director","path":"people.name","roles":["text"],"weight":1},\
      {"language":"german","name":"plot","roles":["text"],"weight":1},{"name":"runtime","roles":["number"],"unit":"minutes"}],\
      "title":"title"}},"format":1,"language":"none","stopWords":["the"],"synonyms":{"film":["motion picture","movie"]}}
      """
    let read = try Self.read(json)
    #expect(try read.encoded() == json)
    let pretty = try Self.read(try read.encoded(pretty: true))
    #expect(pretty == read)
  }

  @Test func `the output of schema is accepted`() throws {
    let definition = try Self.read(Self.movie("{\"name\":\"title\",\"roles\":[\"text\"]}"))
    let schema = "{\"store\":\"x\",\"model\":{\"entities\":[]},\"definition\":\(try definition.encoded())}"
    #expect(try Self.read(schema) == definition)
  }

  // MARK: Refused without a model

  @Test(arguments: [
    ("{\"entities\":{}}", "entities: at least one entity is needed"),
    ("{}", "the key entities is missing"),
    (
      "{\"entities\":{\"Movie\":{\"fields\":[]}},\"stopwords\":[]}",
      "stopwords: no such key; valid keys are format, language, stopWords, synonyms, entities, columns, "
        + "relations"
    ),
    (
      "{\"format\":2,\"entities\":{\"Movie\":{\"fields\":[]}}}",
      "format: format 2 is not known; this version reads 1"
    ),
    (
      "{\"entities\":{\"Movie\":{\"fields\":[],\"name\":1}}}",
      "entities.Movie.name: no such key; valid keys are title, titledBy, extends, identify, boost, words, fields"
    ),
    ("{\"entities\":{\"Movie\":{}}}", "entities.Movie: the key fields is missing"),
    (
      "{\"entities\":{\"Movie\":{\"title\":\"name\",\"fields\":[]}}}",
      "entities.Movie.title: no field is named name"
    ),
    ("{\"language\":5,\"entities\":{}}", "language: a text is needed"),
    (
      movie("{\"name\":\"a\",\"role\":[\"text\"]}"),
      "entities.Movie.fields[0].role: no such key; valid keys are name, path, roles, weight, length, language, unit, holds"
    ),
    (movie("{\"roles\":[\"text\"]}"), "entities.Movie.fields[0]: the key name is missing"),
    (
      movie("{\"name\":\"a\",\"roles\":[\"text\"]},{\"name\":\"b\"}"),
      "entities.Movie.fields[1]: the key roles is missing"
    ),
    (
      movie("{\"name\":\"a\",\"roles\":[\"text\",\"words\"]}"),
      "entities.Movie.fields[0].roles[1]: 'words' is not a role; valid values are text, facet, number, date, flag, stored"
    ),
    (
      "{\"entities\":{\"Movie\":{\"fields\":[]}},\"synonyms\":{\"a b\":[\"-\"]}}",
      "synonyms: 'a b' and what is found with it need letters or digits"
    ),
    (
      movie("{\"name\":\"a\",\"roles\":[\"number\"],\"unit\":\"fortnights\"}"),
      "entities.Movie.fields[0].unit: 'fortnights' is not a unit; valid values are seconds, minutes, hours, days, bytes, "
        + "kilobytes, megabytes"
    ),
    (
      movie("{\"name\":\"a\",\"roles\":[\"text\"],\"unit\":\"hours\"}"),
      "entities.Movie.fields[0].unit: a is not a number"
    ),
    (
      """
      {"entities":{"Movie":{"fields":[{"name":"Runtime","roles":["number"],"unit":"minutes"}]},
      "Show":{"fields":[{"name":"runtime","roles":["number"]}]}}}
      """, "entities.Show.fields[0].unit: runtime has another unit in another entity"
    ),
    (movie("{\"name\":\"a\",\"roles\":[]}"), "entities.Movie.fields[0].roles: at least one role is needed"),
    (
      movie("{\"name\":\"a\",\"roles\":[\"text\"],\"weight\":-1}"),
      "entities.Movie.fields[0].weight: -1 is not between 0 and 100"
    ),
    (
      movie("{\"name\":\"a\",\"roles\":[\"text\"],\"weight\":101}"),
      "entities.Movie.fields[0].weight: 101 is not between 0 and 100"
    ),
    (
      movie("{\"name\":\"a\",\"roles\":[\"text\"],\"weight\":\"5\"}"),
      "entities.Movie.fields[0].weight: a whole number is needed"
    ),
    (movie("{\"name\":\"\",\"roles\":[\"text\"]}"), "entities.Movie.fields[0]: a name is needed"),
    (movie("{\"name\":\"a\",\"path\":\"\",\"roles\":[\"text\"]}"), "entities.Movie.fields[0]: a name is needed"),
    (
      movie("{\"name\":\"Kind\",\"roles\":[\"text\"]}"),
      "entities.Movie.fields[0].name: Kind has another meaning in queries"
    ),
    (
      movie(
        "{\"name\":\"a\",\"roles\":[\"text\"]},{\"name\":\"b\",\"roles\":[\"text\"]},{\"name\":\"A\",\"roles\":[\"text\"]}"
      ),
      "entities.Movie.fields[2].name: A is defined twice (names ignore case)"
    ),
    (
      movie("{\"name\":\"\(String(repeating: "n", count: 201))\",\"roles\":[\"text\"]}"),
      "entities.Movie.fields[0].name: 200 bytes at most"
    ),
  ])
  func `an invalid definition is an error with a location`(_ json: String, _ message: String) {
    let error = #expect(throws: DefinitionError.self) { _ = try Self.read(json) }
    #expect(error?.description == message)
  }

  @Test(arguments: [
    "", "{", "[]", "{\"entities\":", "movie", "{\"entities\":{\"Movie\":{\"fields\":[{\"name\":\"a\",}]}}",
  ])
  func `malformed JSON is a definition error`(_ json: String) {
    let error = #expect(throws: DefinitionError.self) { _ = try Self.read(json) }
    #expect(error?.description.isEmpty == false)
  }

  // MARK: Refused by the model

  @Test(arguments: [
    ("{\"entities\":{\"Film\":{\"fields\":[]}}}", "entities.Film: the store has no such entity; it has Actor, Movie"),
    (
      movie("{\"name\":\"titel\",\"roles\":[\"text\"]}"),
      """
      entities.Movie.fields[0].path: Movie has no titel; it has genres, isFavorite, people, plot, poster, rating, \
      released, title
      """
    ),
    (
      movie("{\"name\":\"a\",\"path\":\"title.name\",\"roles\":[\"text\"]}"),
      "entities.Movie.fields[0].path: title does not hold JSON, so it has no elements to index"
    ),
    (
      movie("{\"name\":\"title\",\"roles\":[\"text\"]},{\"name\":\"plot\",\"roles\":[\"number\",\"text\"]}"),
      "entities.Movie.fields[1].roles: plot cannot be a number"
    ),
    (movie("{\"name\":\"rating\",\"roles\":[\"text\"]}"), "entities.Movie.fields[0].roles: rating cannot be a text"),
    (
      movie("{\"name\":\"released\",\"roles\":[\"number\"]}"),
      "entities.Movie.fields[0].roles: released cannot be a number"
    ),
    (movie("{\"name\":\"poster\",\"roles\":[\"facet\"]}"), "entities.Movie.fields[0].roles: poster cannot be a facet"),
    (
      movie("{\"name\":\"isFavorite\",\"roles\":[\"date\"]}"),
      "entities.Movie.fields[0].roles: isFavorite cannot be a date"
    ),
  ])
  func `a definition must match the model, and errors have a location`(_ json: String, _ message: String) throws {
    let definition = try Self.read(json)
    let error = #expect(throws: DefinitionError.self) {
      try definition.validate(against: [
        "Movie": EntityShape(attributes: Self.movie), "Actor": EntityShape(attributes: []),
      ])
    }
    #expect(error?.description == message)
  }

  @Test func `every kind allows its own roles and can be stored`() throws {
    let allowed = Self.movie.map { attribute in
      let roles = FieldDefinition.Role.allCases.filter(attribute.kind.allows).map(\.rawValue)
      return "\(attribute.name): \(roles.joined(separator: " "))"
    }
    #expect(
      allowed == [
        "title: text facet stored", "plot: text facet stored", "genres: text facet stored", "people: text facet stored",
        "rating: number stored", "released: date stored", "isFavorite: flag stored", "poster: stored",
      ])
  }

  @Test(arguments: [
    ("people", "people", ""), ("people.name", "people", "name"), ("people.a.b", "people", "a.b"), ("a.b", "a.b", ""),
    ("a.b.c", "a.b", "c"),
  ])
  func `a path is an attribute and keys inside it`(_ path: String, _ attribute: String, _ keys: String) throws {
    let attributes = ["people", "a.b"].map { AttributeShape(name: $0, kind: .json, isSpotlight: false) }
    let model = ["Movie": EntityShape(attributes: attributes)]
    let found = try FieldDefinition(name: "x", path: path, roles: [.text]).target(from: "Movie", in: model)
    #expect(
      found == FieldTarget(hops: [], attribute: try #require(attributes.first { $0.name == attribute }), keys: keys))
  }

  // MARK: Digests

  @Test func `the digest of a definition is the same in every run`() throws {
    let json = Self.movie("{\"name\":\"title\",\"roles\":[\"text\",\"facet\"]}")
    let definition = try Self.read(json)
    let again = try Self.read(json)
    #expect(try definition.digest() == again.digest())
    #expect(try definition.digest().count == 32)
    #expect(try definition.digest(ofEntity: "Movie") == again.digest(ofEntity: "Movie"))
    #expect(try definition.digest(ofEntity: "Actor") == nil)
  }

  /// A change, and whether the digests of the definition and of Movie change with it.
  @Test(arguments: [
    ("language", true, true), ("stopWords", true, false), ("synonyms", true, false), ("field language", true, true),
    ("another entity", true, false), ("title", true, true),
    ("name", true, true), ("path", true, true), ("roles", true, true), ("weight", true, true),
    ("nothing", false, false),
  ])
  func `a digest changes only with the part that it covers`(_ change: String, _ whole: Bool, _ entity: Bool) throws {
    let before = IndexDefinition(
      language: "english", stopWords: ["the"],
      entities: ["Movie": EntityDefinition(title: [], fields: [FieldDefinition(name: "title", roles: [.text])])])
    var after = before
    switch change {
    case "language": after.language = "none"
    case "synonyms": after.synonyms = ["film": ["movie"]]
    case "field language": after.entities["Movie"]?.fields[0].languages = ["german"]
    case "stopWords": after.stopWords = ["the", "of"]
    case "another entity": after.entities["Actor"] = EntityDefinition(title: [], fields: [])
    case "title": after.entities["Movie"]?.title = ["title"]
    case "name": after.entities["Movie"]?.fields[0].name = "headline"
    case "path": after.entities["Movie"]?.fields[0].path = "plot"
    case "roles": after.entities["Movie"]?.fields[0].roles = [.text, .facet]
    case "weight": after.entities["Movie"]?.fields[0].weight = 2
    default: break
    }
    #expect(try (before.digest() != after.digest()) == whole)
    #expect(try (before.digest(ofEntity: "Movie") != after.digest(ofEntity: "Movie")) == entity)
  }

  @Test func `stop words and synonyms are read and printed as names of lists`() throws {
    func read(_ json: String) throws -> IndexDefinition {
      try IndexDefinition(
        json: Data("{\"entities\":{\"Movie\":{\"fields\":[{\"name\":\"a\",\"roles\":[\"text\"]}]}},\(json)}".utf8))
    }
    let named = try read(#""stopWords":"english","synonyms":"english""#)
    #expect(named.stopWords == DefaultRules.stopWords)
    #expect(named.synonyms["dr"] == ["doctor"] && named.synonyms["2"] == ["two", "ii"])
    #expect(named.synonyms["science fiction"] == ["sci-fi"])
    let text = try named.encoded()
    #expect(text.contains(#""stopWords":"english""#) && text.contains(#""synonyms":"english""#))
    #expect(try IndexDefinition(json: Data(text.utf8)) == named)
    let both = try read(#""stopWords":"none","synonyms":["english",{"film":["movie"],"dr":["drive"]}]"#)
    #expect(both.stopWords == [])
    #expect(both.synonyms["film"] == ["movie"] && both.synonyms["dr"] == ["doctor", "drive"])
    #expect(try IndexDefinition(json: Data(both.encoded().utf8)) == both)
    #expect(throws: DefinitionError.self) { try read(#""stopWords":"klingon""#) }
    #expect(throws: DefinitionError.self) { try read(#""synonyms":"klingon""#) }
  }
}
