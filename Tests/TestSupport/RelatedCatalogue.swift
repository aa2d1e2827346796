// SPDX-License-Identifier: MIT

internal import Foundation
internal import SQLite
package import SearchIndex
package import Store

/// A generated catalogue of films, studios, roles, people and genres with all kinds of relationships, changed by
/// random saves.
package final class RelatedCatalogue {
  package static let model = ModelDescription(entities: [
    EntityDescription(
      "Film",
      attributes: [
        AttributeDescription("title", .string),
        AttributeDescription("slug", .string, isOptional: true, options: [.unique, .preserveValueOnDeletion]),
      ],
      relationships: [
        RelationshipDescription("studio", to: "Studio", inverse: "films"),
        RelationshipDescription(
          "cast", to: "Role", isToMany: true, isOrdered: true, inverse: "film", deleteRule: .cascade),
        RelationshipDescription("genres", to: "Genre", isToMany: true, inverse: "films"),
        RelationshipDescription("sequels", to: "Film", isToMany: true),
      ]),
    EntityDescription(
      "Studio",
      attributes: [AttributeDescription("name", .string), AttributeDescription("founded", .integer64)],
      relationships: [
        RelationshipDescription("films", to: "Film", isToMany: true, inverse: "studio"),
        RelationshipDescription("owner", to: "Person"),
      ]),
    EntityDescription(
      "Role", attributes: [AttributeDescription("part", .string)],
      relationships: [
        RelationshipDescription("film", to: "Film", inverse: "cast"),
        RelationshipDescription("person", to: "Person", inverse: "roles"),
      ]),
    EntityDescription(
      "Person", attributes: [AttributeDescription("name", .string)],
      relationships: [
        RelationshipDescription("roles", to: "Role", isToMany: true, inverse: "person"),
        RelationshipDescription("friends", to: "Person", isToMany: true, inverse: "friends"),
      ]),
    EntityDescription(
      "Actor", superentity: "Person", attributes: [AttributeDescription("agent", .string, isOptional: true)]),
    EntityDescription(
      "Genre", attributes: [AttributeDescription("name", .string)],
      relationships: [
        RelationshipDescription("films", to: "Film", isToMany: true, isOrdered: true, inverse: "genres")
      ]),
  ])

  /// Paths of one and two relationships, to-one and to-many, also to their start, and an entity identified by a value.
  package static let definition = IndexDefinition(
    language: "english", stopWords: [],
    entities: [
      "Film": EntityDefinition(
        title: ["title"], identify: "slug",
        fields: [
          FieldDefinition(name: "title", roles: [.text], weight: 5),
          FieldDefinition(name: "studio", path: "studio.name", roles: [.text, .facet, .stored]),
          FieldDefinition(name: "founded", path: "studio.founded", roles: [.number]),
          FieldDefinition(name: "owner", path: "studio.owner.name", roles: [.text]),
          FieldDefinition(name: "part", path: "cast.part", roles: [.text, .stored]),
          FieldDefinition(name: "cast.person.name", roles: [.text], weight: 2),
          FieldDefinition(name: "genre", path: "genres.name", roles: [.text, .facet]),
          FieldDefinition(name: "sequel", path: "sequels.title", roles: [.text]),
        ]),
      "Person": EntityDefinition(
        title: ["name"],
        fields: [
          FieldDefinition(name: "name", roles: [.text]),
          FieldDefinition(name: "film", path: "roles.film.title", roles: [.text]),
          FieldDefinition(name: "friend", path: "friends.name", roles: [.text]),
        ]),
      "Actor": EntityDefinition(
        title: ["name"],
        fields: [
          FieldDefinition(name: "name", roles: [.text]),
          FieldDefinition(name: "studio", path: "roles.film.studio.name", roles: [.text]),
        ]),
      "Genre": EntityDefinition(
        title: ["name"],
        fields: [
          FieldDefinition(name: "name", roles: [.text]),
          FieldDefinition(name: "film", path: "films.title", roles: [.text]),
        ]),
    ])

  package let storePath: String
  package let index: IndexDirectory
  package private(set) var store: PersistentStore
  private var random: SeededGenerator
  /// The existing rows by entity number.
  package private(set) var rows: [RowIdentifier] = []

  package init(in directory: TemporaryDirectory = TemporaryDirectory(), seed: Int) throws {
    storePath = directory.file("related.store")
    index = IndexDirectory(path: storePath + ".index")
    store = try PersistentStore.create(storePath, model: Self.model)
    random = SeededGenerator(seed: seed)
  }

  package func options() -> Indexer.Options {
    var options = Indexer.Options(storePath: storePath, directory: index)
    options.definition = Self.definition
    return options
  }

  /// Opens the replaced or migrated store again, and reads its rows.
  package func reopen() throws {
    store = try PersistentStore.open(storePath, access: .readWrite)
    rows = []
    for entity in store.layout.entities {
      let found = try store.rows(of: entity, attributes: [])
      while let row = try found.next() { rows.append(RowIdentifier(entity: entity.number, key: row.key)) }
    }
  }

  // MARK: Random saves

  /// Continues with other random numbers.
  package func reseed(_ seed: Int) { random = SeededGenerator(seed: seed) }

  package func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private func word() -> String {
    let words = ["toy", "story", "bug", "life", "monster", "nemo", "fish", "car", "rat", "wall", "up", "brave", "soul"]
    return words[number(0...(words.count - 1))]
  }

  private func words() -> String { (0..<number(1...3)).map { _ in word() }.joined(separator: " ") }

  private func pick(_ entity: EntityLayout) -> RowIdentifier? {
    let fitting = rows.filter { row in store.layout.entity(number: row.entity).map(entity.includes) ?? false }
    return fitting.randomElement(using: &random)
  }

  private func value(_ attribute: AttributeDescription) -> Value {
    if attribute.isUnique { return number(0...4) == 0 ? .null : .text("\(word())-\(number(1...40))") }
    if attribute.isOptional, number(0...3) == 0 { return .null }
    return attribute.type == .integer64 ? .integer(Int64(number(1900...2000))) : .text(words())
  }

  /// One save of one to eight random changes: inserts, updates, new and broken connections, deletions.
  package func saveRandomly() throws {
    try store.save(author: "random") { save in for _ in 0..<number(1...8) { try change(save) } }
    try reload()
  }

  private func change(_ save: Save) throws {
    let entity = store.layout.entities[number(0...(store.layout.entities.count - 1))]
    let kind = number(0...9)
    do {
      if kind < 4 || rows.count < 8 {
        rows.append(try save.insert(entity, entity.entity.attributes.map { value($0) }))
      } else if let row = pick(entity), let own = store.layout.entity(number: row.entity) {
        switch kind {
        case 4...5:
          let attribute = number(0...(own.entity.attributes.count - 1))
          try save.update(own, key: row.key, [(attribute, value(own.entity.attributes[attribute]))])
        case 6...8: try connect(save, own, row)
        default:
          try save.delete(own, key: row.key)
          rows.removeAll { $0 == row }
        }
      }
    } catch let error as StoreError where error.code == .duplicate || error.code == .invalidValue {
      // Another film has the slug already, or a related object is gone: nothing was done.
    }
  }

  private func connect(_ save: Save, _ entity: EntityLayout, _ row: RowIdentifier) throws {
    guard !entity.relationships.isEmpty else { return }
    let relationship = number(0...(entity.relationships.count - 1))
    let layout = entity.relationships[relationship]
    guard let destination = store.layout.entity(number: layout.destination) else { return }
    var targets: [RowIdentifier] = []
    for _ in 0..<number(0...(layout.description.isToMany ? 4 : 1)) {
      if let target = pick(destination), !targets.contains(target) { targets.append(target) }
    }
    try save.setTargets(entity, key: row.key, relationship, targets)
  }

  /// Removes rows that a cascade deleted.
  private func reload() throws {
    rows = try rows.filter { row in
      try store.layout.entity(number: row.entity).map { try store.exists($0, key: row.key) } ?? false
    }
  }

  // MARK: Index

  package func dump() throws -> CanonicalDump { try CanonicalDump(of: index) }

  /// The dump of an index that is rebuilt from the store.
  package func rebuiltDump(in directory: TemporaryDirectory) throws -> CanonicalDump {
    let fresh = IndexDirectory(path: directory.file("fresh.index"))
    let definition = try index.serving().map { try IndexState.read(path: $0.path).definition } ?? Self.definition
    _ = try Rebuild(storePath: storePath, directory: fresh, definition: definition, isComplete: true, keep: 0).run()
    return try CanonicalDump(of: fresh)
  }
}
