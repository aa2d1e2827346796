// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// What a schema tells of model classes.
@Suite(.temporaryDirectory) struct SchemaTests {
  private let directory = TemporaryDirectory()
  private let schema = Schema([Film.self])

  @Test func `an entity has the bare name of its class`() {
    #expect(Schema.entityName(for: Film.self) == "Film")
    #expect(Schema.entityName(for: LibraryV1.Book.self) == "Book")
    #expect(schema.entity(for: Film.self)?.name == "Film")
    #expect(schema.entity(for: Tag.self) == nil)
  }

  @Test func `a schema includes the classes that relationships lead to`() {
    #expect(schema.entities.map(\.name) == ["Film", "Person", "Studio"])
    #expect(Set(schema.entitiesByName.keys) == ["Film", "Person", "Studio"])
  }

  @Test func `a list and a row of classes make the same schema`() {
    #expect(Schema(Film.self, Studio.self) == Schema([Studio.self, Film.self]))
    #expect(Schema([Film.self]).hashValue == Schema([Film.self]).hashValue)
  }

  @Test func `a versioned schema gives its models and its version`() {
    let schema = Schema(versionedSchema: LibraryV2.self)
    #expect(schema.version == Schema.Version(2, 0, 0))
    #expect(schema.entities.map(\.name) == ["Author", "Book", "Shop"])
    #expect(schema != Schema(LibraryV2.models))
  }

  @Test func `a schema without a version has version 1`() {
    #expect(schema.version == Schema.Version(1, 0, 0))
    #expect(Schema().entities.isEmpty)
    #expect(schema.encodingVersion == Schema.schemaEncodingVersion)
  }

  @Test func `versions are ordered by their numbers`() {
    let versions = [
      Schema.Version(0, 0, 1), Schema.Version(0, 2, 0), Schema.Version(0, 10, 0), Schema.Version(1, 0, 0),
      Schema.Version(1, 0, 10),
    ]
    #expect(versions.shuffled().sorted() == versions)
    #expect(versions.map(\.description) == ["0.0.1", "0.2.0", "0.10.0", "1.0.0", "1.0.10"])
  }

  @Test func `a version survives JSON`() throws {
    let version = Schema.Version(3, 4, 5)
    #expect(try JSONDecoder().decode(Schema.Version.self, from: JSONEncoder().encode(version)) == version)
  }

  @Test func `an entity lists its attributes and relationships`() throws {
    let film = try #require(schema.entity(for: Film.self))
    #expect(
      film.attributes.map(\.name).sorted() == [
        "isSeen", "optionalRating", "place", "rating", "released", "score", "tags", "title", "year",
      ])
    #expect(film.relationships.map(\.name).sorted() == ["cast", "studio"])
    #expect(film.properties.map(\.name).contains("note") == false)
    #expect(film.attributesByName["year"]?.valueType is Int.Type)
    #expect(film.storedPropertiesByName.count == 11)
    #expect(film.inheritedProperties.isEmpty)
    #expect(film.superentityName == nil)
  }

  @Test func `an attribute has its options, its default and whether it is optional`() throws {
    let attributes = try #require(schema.entity(for: Film.self)).attributesByName
    let title = try #require(attributes["title"])
    #expect(title.options == [.spotlight, .preserveValueOnDeletion])
    #expect(!title.isUnique && title.isAttribute && !title.isRelationship && !title.isTransient && !title.isOptional)
    #expect(attributes["released"]?.isOptional == true)
    #expect(attributes["score"]?.defaultValue as? Double == 0.5)
    #expect(attributes["title"]?.defaultValue == nil)
    #expect(try #require(schema.entity(for: Studio.self)).attributesByName["name"]?.isUnique == true)
  }

  @Test func `a structure is a composite of its stored properties`() throws {
    let place = try #require(schema.entity(for: Film.self)?.attributesByName["place"] as? Schema.CompositeAttribute)
    #expect(place.properties.map(\.name) == ["city", "latitude", "longitude"])
    #expect(place.properties.map { "\($0.valueType)" } == ["String", "Double", "Optional<Double>"])
    #expect(place.properties.map(\.isOptional) == [false, false, true])
    #expect(place.isOptional)
    #expect(
      place.debugDescription
        == "place: Optional<Place>(city: String, latitude: Double, longitude: Optional<Double>)")
    #expect(place.properties[0].debugDescription == "city: String")
  }

  @Test func `a relationship has its destination, its inverse and its delete rule`() throws {
    let films = try #require(schema.entity(for: Studio.self)?.relationshipsByName["films"])
    #expect(films.destination == "Film")
    #expect(films.inverseName == "studio")
    #expect(films.deleteRule == .cascade)
    #expect(!films.isToOneRelationship)
    #expect(films.keypath == \Studio.films)
    #expect(films.inverseKeyPath == \Film.studio)
    let studio = try #require(schema.entity(for: Film.self)?.relationshipsByName["studio"])
    #expect(studio.isToOneRelationship && studio.isOptional && studio.isRelationship)
    #expect(studio.inverseName == "films")
    #expect(studio.deleteRule == .nullify)
    #expect((studio.minimumModelCount, studio.maximumModelCount) == (0, 0))
  }

  @Test func `constraints and indexes are lists of names`() throws {
    #expect(schema.entity(for: Film.self)?.indices == [["year"]])
    #expect(schema.entity(for: Studio.self)?.uniquenessConstraints == [["name"]])
    #expect(
      Schema([Crew.self]).entity(for: Crew.self).map { Set($0.uniquenessConstraints) } == [["name", "year"], ["code"]])
  }

  @Test func `constraints and indexes have coding keys, and no coded form, because key paths have none`() {
    #expect(Schema.Unique<Film>.CodingKeys.constraints.stringValue == "constraints")
    #expect(Schema.Index<Film>.CodingKeys(stringValue: "indices") == .indices)
    let unique = Schema.Unique<Film>([\.title])
    let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(unique) }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["constraints"])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Schema.Index<Film>.self, from: Data("{}".utf8)) }
  }

  @Test func `a property has its former name`() throws {
    let schema = Schema(versionedSchema: LibraryV2.self)
    let title = try #require(schema.entity(for: LibraryV2.Book.self)?.attributesByName["title"])
    #expect((title.name, title.originalName) == ("title", "name"))
    let pages = try #require(schema.entity(for: LibraryV2.Book.self)?.attributesByName["pages"])
    #expect(pages.originalName == "pages")
  }

  @Test func `a schema survives its file`() throws {
    let url = URL(fileURLWithPath: directory.file("schema.json"))
    let saved = Schema(versionedSchema: LibraryV2.self)
    try saved.save(to: url)
    let loaded = try Schema.load(from: url)
    #expect(loaded.version == saved.version)
    #expect(loaded.entities.map(\.name) == saved.entities.map(\.name))
    let (book, other) = (try #require(loaded.entitiesByName["Book"]), try #require(saved.entitiesByName["Book"]))
    #expect(book.attributesByName.mapValues(\.originalName) == other.attributesByName.mapValues(\.originalName))
    #expect(book.attributesByName.mapValues(\.options) == other.attributesByName.mapValues(\.options))
    #expect(book.attributesByName.mapValues(\.isOptional) == other.attributesByName.mapValues(\.isOptional))
    #expect(book.relationshipsByName == other.relationshipsByName)
    try loaded.save(to: url)
    #expect(try Schema.load(from: url) == loaded)
  }

  @Test func `a structure in a schema's file keeps its stored properties`() throws {
    let url = URL(fileURLWithPath: directory.file("schema.json"))
    try schema.save(to: url)
    let loaded = try Schema.load(from: url)
    let place = try #require(loaded.entitiesByName["Film"]?.attributesByName["place"] as? Schema.CompositeAttribute)
    #expect(place.properties.map(\.name) == ["city", "latitude", "longitude"])
    #expect(place.properties.map(\.isOptional) == [false, false, true])
    #expect(loaded.entitiesByName["Film"]?.attributesByName["title"] as? Schema.CompositeAttribute == nil)
    try loaded.save(to: url)
    let again = try Schema.load(from: url)
    #expect(again == loaded)
    again.entitiesByName["Film"].flatMap { $0.attributesByName["place"] as? Schema.CompositeAttribute }?
      .properties.removeLast()
    #expect(again != loaded)
  }

  @Test func `a subclass's entity inherits properties and is linked to its superentity and subentities`() throws {
    let schema = Schema([Vessel.self, Ship.self])
    let (vessel, ship) = (try #require(schema.entity(for: Vessel.self)), try #require(schema.entity(for: Ship.self)))
    #expect(ship.superentityName == "Vessel")
    #expect(ship.superentity === vessel)
    #expect(vessel.subentities == [ship])
    #expect(ship.inheritedProperties.map(\.name) == ["name"])
    #expect(ship.storedProperties.map(\.name) == ["masts"])
    #expect(Set(ship.inheritedPropertiesByName.keys) == ["name"])
  }

  @Test func `an entity can be created without a class`() {
    let title = Schema.Attribute(name: "title", options: [.unique], valueType: String.self)
    let below = Schema.Entity("Below")
    let entity = Schema.Entity("Above", subentities: below, properties: title)
    #expect(below.superentityName == "Above")
    #expect(below.superentity === entity)
    #expect(entity.attributesByName["title"] == title)
    #expect(Schema(entity, below, version: Schema.Version(1, 2, 3)).entities.map(\.name) == ["Above", "Below"])
  }

  @Test func `options with the same meaning are equal`() throws {
    #expect(Schema.Attribute.Option.unique == .unique)
    #expect(Schema.Attribute.Option.unique != .spotlight)
    #expect(Schema.Attribute.Option.transformable(by: "a") != .transformable(by: "b"))
    let all: [Schema.Attribute.Option] = [
      .unique, .externalStorage, .allowsCloudEncryption, .preserveValueOnDeletion, .ephemeral, .spotlight, .codable,
      .transformable(by: "Upper"),
    ]
    #expect(try JSONDecoder().decode([Schema.Attribute.Option].self, from: JSONEncoder().encode(all)) == all)
    #expect(all.map(\.debugDescription).last == "transformable(Upper)")
  }

  @Test func `delete rules have their names`() {
    let rules: [Schema.Relationship.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
    #expect(rules.map(\.rawValue) == ["noAction", "nullify", "cascade", "deny"])
    #expect(Schema.Relationship().deleteRule == .nullify)
  }
}

@Model class Vessel {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class Ship: Vessel {
  var masts: Int
  init(name: String, masts: Int) {
    self.masts = masts
    super.init(name: name)
  }
}
