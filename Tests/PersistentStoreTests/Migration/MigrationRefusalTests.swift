// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// Migrations that are refused, and other processes that have the store open.
@Suite(.overlapping, .temporaryDirectory)
struct MigrationRefusalTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let message: String
    let edit: @Sendable (inout ModelDescription) -> Void
    var testDescription: String { message }
  }

  private static let refusals = [
    Refusal(message: "Book.pages: integer32 cannot become integer16 by itself") {
      $0["Book"][attribute: "pages"].type = .integer16
    },
    Refusal(message: "Author.name: string cannot become date by itself") {
      $0["Author"][attribute: "name"].type = .date
    },
    Refusal(message: "Book.stars needs a default, or has to be optional: rows have no value") {
      $0["Book"].attributes.append(AttributeDescription("stars", .integer16))
    },
    Refusal(message: "Book.pages needs a default, or has to be optional: rows have no value") {
      $0["Book"][attribute: "pages"].isOptional = false
    },
    Refusal(message: "two rows of Author have the same born, to be unique from now on") {
      $0["Author"][attribute: "born"].options = [.unique]
    },
    Refusal(message: "Author and Shelf cannot come to share a table: their keys would clash") {
      $0["Shelf"].superentity = "Author"
    },
    Refusal(message: "Author.books cannot change between to-one, to-many and many-to-many by itself") {
      $0["Book"][link: "author"].isToMany = true
    },
    Refusal(message: "Book.author cannot come to lead to another entity's objects by itself") {
      $0["Book"][link: "author"] = RelationshipDescription("author", to: "Shelf")
      $0["Author"].relationships.removeAll { $0.name == "books" }
    },
    Refusal(message: "Book.author cannot become one-to-one by itself") {
      $0["Author"].relationships.removeAll { $0.name == "books" }
      $0["Author"].relationships.append(RelationshipDescription("masterpiece", to: "Book", inverse: "author"))
      $0["Book"][link: "author"].inverse = "masterpiece"
    },
    Refusal(message: "Essay and Volume would both come from Book") {
      $0.entities.removeAll { $0.name == "Comic" }
      let book = $0["Book"]
      $0.remove("Book")
      for name in ["Essay", "Volume"] {
        $0.entities.append(EntityDescription(name, originalName: "Book", attributes: book.attributes))
      }
    },
    Refusal(message: "Book.title and Book.name would both come from title") {
      $0["Book"].attributes.append(AttributeDescription("name", .string, originalName: "title"))
    },
    Refusal(message: "Book.sequels and Book.later would both come from sequels") {
      $0["Book"].relationships.append(
        RelationshipDescription("later", to: "Book", isToMany: true, originalName: "sequels"))
    },
    Refusal(message: "Book.author: there is no entity Author") { $0.entities.removeAll { $0.name == "Author" } },
  ]

  @Test(arguments: refusals, [false, true])
  func `a refused migration names the reason and changes nothing`(_ refusal: Refusal, isDryRun: Bool) throws {
    let bench = try MigrationFixture()
    let before = try bench.dump()
    let text = try storeErrorText { try bench.migrate(isDryRun: isDryRun, refusal.edit) }
    #expect(text?.hasPrefix(refusal.message) == true, "\(text ?? "no error")")
    #expect(try bench.dump() == before)
    // The same open store is still usable.
    let shelf = try bench.entity("Shelf")
    try bench.store.save { try $0.insert(shelf, [.text("next")]) }
  }

  @Test func `a trigger that would be lost is named`() throws {
    let bench = try MigrationFixture()
    try bench.outside.execute(
      "CREATE TRIGGER COUNTING AFTER INSERT ON ZBOOK BEGIN UPDATE ZSHELF SET ZLABEL = 'new'; END")
    let before = try bench.dump()
    let text = try storeErrorText { try bench.migrate { $0.entities.append(EntityDescription("Atlas")) } }
    #expect(text == "the store has a trigger COUNTING that the migration would lose")
    #expect(try bench.dump() == before)
  }

  @Test func `an optional attribute may become required if a default replaces NULL`() throws {
    let bench = try MigrationFixture()
    try bench.migrate { model in
      model["Book"][attribute: "pages"].isOptional = false
      model["Book"][attribute: "pages"].defaultValue = .integer(-1)
    }
    #expect(try bench.rows("SELECT ZPAGES FROM ZBOOK ORDER BY Z_PK") == ["171", "40", "-1"])
  }

  @Test func `a dry run returns the full outcome and changes no byte`() throws {
    let bench = try MigrationFixture()
    func edit(_ model: inout ModelDescription) {
      model.remove("Comic")
      model.rename("Book", to: "Volume")
      model.entities.append(EntityDescription("Atlas"))
      model["Volume"].attributes.append(AttributeDescription("stars", .integer16, isOptional: true))
    }
    let before = try bench.dump()
    let preview = try bench.migrate(isDryRun: true, edit)
    #expect(try bench.dump() == before)
    let author = try bench.entity("Author")
    try bench.store.save { try $0.update(author, key: 1, [(0, .text("Tove J."))]) }
    var done = try bench.migrate(edit)
    #expect(done.transaction == 6)
    done.transaction = preview.transaction
    #expect(done == preview)
    #expect(done.transaction == 5)
  }

  // MARK: Other connections

  private static let edits: [Refusal] = [
    Refusal(message: "an entity") { $0.entities.append(EntityDescription("Atlas")) },
    Refusal(message: "an option that no table shows") { $0["Author"][attribute: "name"].options = [.spotlight] },
    Refusal(message: "a delete rule") { $0["Author"][link: "books"].deleteRule = .cascade },
  ]

  @Test(arguments: edits)
  func `other connections detect the migration and write nothing by the old model`(_ edit: Refusal) throws {
    let bench = try MigrationFixture()
    let writer = try PersistentStore.open(bench.path, access: .readWrite)
    let reader = try PersistentStore.open(bench.path)
    try reader.withSnapshot { try reader.refuseReplaced() }
    let version = try reader.dataVersion()
    let old = bench.store
    try bench.migrate(edit.edit)
    let before = try bench.dump()
    let author = try #require(writer.layout.entity(named: "Author"))
    for store in [writer, old] {
      let code = try storeErrorCode { try store.save { try $0.update(author, key: 1, [(0, .text("late"))]) } }
      #expect(code == .replaced)
      let late = try storeErrorCode { _ = try store.migrate(to: MigrationFixture.model.adding("Late")) }
      #expect(late == .replaced)
    }
    #expect(try bench.dump() == before)
    #expect(try reader.dataVersion() != version)
    let noticed = try storeErrorCode { try reader.withSnapshot { try reader.refuseReplaced() } }
    #expect(noticed == .replaced)
    try bench.store.save { try $0.update(try bench.entity("Author"), key: 1, [(0, .text("in time"))]) }
  }

  @Test func `a snapshot that began before the migration stays consistent`() throws {
    let bench = try MigrationFixture()
    let reader = try PersistentStore.open(bench.path)
    let before = try StoreGraph(reader)
    try reader.withSnapshot {
      try bench.migrate { $0.rename("Book", to: "Volume") }
      try reader.refuseReplaced()
      #expect(try reader.count() == 8)
    }
    #expect(before.objects["Book/p1"] != nil)
    let noticed = try storeErrorCode { try reader.withSnapshot { try reader.refuseReplaced() } }
    #expect(noticed == .replaced)
  }
}

extension ModelDescription {
  fileprivate func adding(_ entity: String) -> ModelDescription {
    ModelDescription(entities: entities + [EntityDescription(entity)])
  }
}
