// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// A store of a small library, whose model a test edits: every kind of relationship, a subentity and a composite.
final class MigrationFixture {
  static let model = ModelDescription(entities: [
    EntityDescription(
      "Author",
      attributes: [
        AttributeDescription("name", .string),
        AttributeDescription("email", .string, isOptional: true, options: [.unique, .preserveValueOnDeletion]),
        AttributeDescription("born", .integer16, isOptional: true),
      ],
      relationships: [
        RelationshipDescription("books", to: "Book", isToMany: true, isOrdered: true, inverse: "author"),
        RelationshipDescription("friends", to: "Author", isToMany: true, inverse: "friends"),
      ]),
    EntityDescription(
      "Book",
      attributes: [
        AttributeDescription("title", .string, options: [.preserveValueOnDeletion]),
        AttributeDescription("pages", .integer32, isOptional: true),
        AttributeDescription("link", .url, isOptional: true),
      ],
      composites: [
        CompositeDescription(
          "size",
          elements: [
            AttributeDescription("width", .double, isOptional: true),
            AttributeDescription("height", .double, isOptional: true),
          ])
      ],
      relationships: [
        RelationshipDescription("author", to: "Author", inverse: "books"),
        RelationshipDescription("genres", to: "Genre", isToMany: true, inverse: "books"),
        RelationshipDescription("sequels", to: "Book", isToMany: true, isOrdered: true),
      ]),
    EntityDescription(
      "Comic", superentity: "Book", attributes: [AttributeDescription("issue", .integer64, isOptional: true)]),
    EntityDescription(
      "Genre", attributes: [AttributeDescription("name", .string)],
      relationships: [
        RelationshipDescription("books", to: "Book", isToMany: true, isOrdered: true, inverse: "genres")
      ]),
    EntityDescription("Shelf", attributes: [AttributeDescription("label", .string)]),
  ])

  let path: String
  private(set) var store: PersistentStore
  let outside: Connection

  /// A store with a history: authors 1 and 2, books 1, 3 (a comic) and 4, genres 1 and 2, shelf 1. Book 2 and author 3
  /// are deleted, so that keys differ from counts.
  init() throws {
    path = TemporaryDirectory().file("library.store")
    store = try PersistentStore.create(path, model: Self.model)
    outside = try Connection(path: path, access: .readWrite, busyMilliseconds: 5_000)
    try fill()
  }

  func entity(_ name: String) throws -> EntityLayout { try #require(store.layout.entity(named: name)) }

  private func fill() throws {
    let (author, book, comic) = (try entity("Author"), try entity("Book"), try entity("Comic"))
    let (genre, shelf) = (try entity("Genre"), try entity("Shelf"))
    func row(_ entity: EntityLayout, _ key: Int64) -> RowIdentifier { RowIdentifier(entity: entity.number, key: key) }
    try store.save(author: "anna") { save in
      for (name, email) in [("Tove", "tove@example.org"), ("Ursula", ""), ("Nobody", "no@example.org")] {
        try save.insert(author, [.text(name), email.isEmpty ? .null : .text(email), .integer(1914)])
      }
      for name in ["Fantasy", "Essay"] { try save.insert(genre, [.text(name)]) }
      try save.insert(shelf, [.text("top")])
      try save.insert(book, [.text("Finn Family"), .integer(170), .text("https://a.example"), .real(12.5), .real(20)])
      try save.insert(book, [.text("Lost"), nil, nil, nil, nil])
      try save.insert(comic, [.text("Comet"), .integer(40), nil, .real(21), nil, .integer(7)])
      try save.insert(book, [.text("Always"), nil, nil, nil, nil])
    }
    try store.save(author: "bert") { save in
      try save.setTargets(author, key: 1, 0, [row(comic, 3), row(book, 1)])
      try save.setTargets(author, key: 1, 1, [row(author, 2)])
      try save.setTargets(genre, key: 1, 0, [row(book, 4), row(comic, 3), row(book, 1)])
      try save.setTargets(book, key: 4, 1, [row(genre, 1), row(genre, 2)])
      try save.setTargets(book, key: 1, 2, [row(book, 4), row(comic, 3)])
    }
    try store.save { save in
      try save.update(book, key: 1, [(0, .text("Finn Family Moomintroll")), (1, .integer(171)), (3, .real(13))])
      try save.update(comic, key: 3, [(5, .integer(8))])
      try save.update(shelf, key: 1, [(0, .text("bottom"))])
    }
    try store.save(author: "anna") { save in
      try save.delete(book, key: 2)
      try save.delete(author, key: 3)
    }
  }

  // MARK: Migrating

  /// Migrates to the edited model and opens the store again.
  @discardableResult
  func migrate(isDryRun: Bool = false, _ edit: (inout ModelDescription) -> Void) throws -> MigrationOutcome {
    var model = store.model
    edit(&model)
    let outcome = try store.migrate(to: model, isDryRun: isDryRun)
    if !isDryRun { store = try PersistentStore.open(path, access: .readWrite) }
    return outcome
  }

  // MARK: Reading

  func graph() throws -> StoreGraph { try StoreGraph(store) }
  func rows(_ sql: String) throws -> [String] { try StoreFixture.rows(outside, sql) }

  /// All rows of all tables, and the schema.
  func dump() throws -> [String] {
    let tables = try rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    let contents = try tables.flatMap { table in
      try rows("SELECT rowid, * FROM \(quoted(table)) ORDER BY rowid").map { "\(table): \($0)" }
    }
    return try rows("SELECT sql FROM sqlite_master ORDER BY name") + contents + rows("PRAGMA integrity_check")
  }

  /// The history as lines: `3 update Book/p1 pages title`, `4 delete Book/p2 title='Lost'`.
  func history() throws -> [String] {
    try graph().changes.map { change in
      let texts = (change.properties ?? []).sorted() + change.tombstone.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
      return "\(change.transaction) \(change.kind.name) \(change.entity)/p\(change.key) \(texts.joined(separator: " "))"
    }
  }
}

extension ModelDescription {
  /// The existing entity with this name.
  subscript(name: String) -> EntityDescription {
    get { entities[entities.firstIndex { $0.name == name }!] }
    set { entities[entities.firstIndex { $0.name == name }!] = newValue }
  }

  /// Renames an entity and all references to it.
  mutating func rename(_ name: String, to new: String) {
    self[name].originalName = name
    self[name].name = new
    for entity in entities.indices {
      if entities[entity].superentity == name { entities[entity].superentity = new }
      for index in entities[entity].relationships.indices
      where entities[entity].relationships[index].destination == name {
        entities[entity].relationships[index].destination = new
      }
    }
  }

  mutating func remove(_ name: String) {
    entities.removeAll { $0.name == name }
    for entity in entities.indices { entities[entity].relationships.removeAll { $0.destination == name } }
  }
}

extension EntityDescription {
  subscript(attribute name: String) -> AttributeDescription {
    get { attributes[index(of: name)!] }
    set { attributes[index(of: name)!] = newValue }
  }

  subscript(link name: String) -> RelationshipDescription {
    get { relationships[relationship(named: name)!] }
    set { relationships[relationship(named: name)!] = newValue }
  }

  mutating func renameAttribute(_ name: String, to new: String) {
    self[attribute: name].originalName = name
    self[attribute: name].name = new
  }

  mutating func renameLink(_ name: String, to new: String) {
    self[link: name].originalName = name
    self[link: name].name = new
  }
}
