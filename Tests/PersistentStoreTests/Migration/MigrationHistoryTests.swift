// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct MigrationHistoryTests {
  private let bench: MigrationFixture

  init() throws { bench = try MigrationFixture() }

  @Test func `transactions keep number, time and author, and a new one records the migration`() throws {
    let before = try bench.rows("SELECT * FROM ATRANSACTION")
    let token = try bench.store.token()
    let outcome = try bench.migrate { model in
      model.remove("Comic")
      model.rename("Book", to: "Volume")
    }
    #expect(outcome.transaction == 5)
    let after = try bench.rows("SELECT * FROM ATRANSACTION")
    #expect(Array(after.dropLast()) == before)
    #expect(try bench.rows("SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = 5") == [])
    let digest = try bench.store.model.digest()
    #expect(
      try bench.graph().transactions.last?.hasSuffix(
        " com.apple.coredata.schemamigrator: lightweight migration from model with digest { \(digest) }") == true)
    #expect(try bench.store.verdict(on: token) == .modelChanged)
    #expect(try bench.store.newest() == 5)
  }

  @Test func `changes use the names of the new model, and those of removed entities are deleted`() throws {
    #expect(try bench.history().filter { $0.hasPrefix("3") || $0.hasPrefix("4") } == Self.before)
    try bench.migrate { model in
      model.entities.append(EntityDescription("Atlas"))
      model.remove("Shelf")
      model.rename("Book", to: "Volume")
      model["Volume"].renameAttribute("title", to: "zebra")
      model["Volume"].attributes.removeAll { $0.name == "pages" }
      model["Volume"].composites[0].originalName = "size"
      model["Volume"].composites[0].name = "area"
    }
    #expect(
      try bench.history().filter { $0.hasPrefix("3") || $0.hasPrefix("4") } == [
        "3 update Volume/p1 area.width zebra", "3 update Comic/p3 issue",
        "4 delete Volume/p2 zebra='Lost'", "4 delete Author/p3 email='no@example.org'",
      ])
  }

  private static let before = [
    "3 update Book/p1 pages size.width title", "3 update Comic/p3 issue", "3 update Shelf/p1 label",
    "4 delete Book/p2 title='Lost'", "4 delete Author/p3 email='no@example.org'",
  ]

  @Test func `a preserved value moves to its tombstone column in the new model`() throws {
    try bench.migrate { model in
      // Sorts before title, and therefore gets the first column.
      model["Book"][attribute: "link"].options = [.preserveValueOnDeletion]
      model["Author"][attribute: "email"].options = [.unique]
      model["Author"][attribute: "name"].options = [.preserveValueOnDeletion]
    }
    #expect(try bench.history().suffix(2) == ["4 delete Book/p2 title='Lost'", "4 delete Author/p3 "])
    #expect(
      try bench.rows("SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2") == [
        "NULL|Lost", "NULL|NULL",
      ])
  }

  @Test func `another preserved attribute in the same column does not inherit its values`() throws {
    try bench.migrate { model in
      model["Author"][attribute: "email"].options = [.unique]
      model["Author"][attribute: "name"].options = [.preserveValueOnDeletion]
    }
    #expect(try bench.history().last == "4 delete Author/p3 ")
    let author = try bench.entity("Author")
    try bench.store.save { try $0.delete(author, key: 2) }
    #expect(try bench.history().contains("6 delete Author/p2 name='Ursula'"))
  }

  @Test func `an unused tombstone column can be used again`() throws {
    func preserve(_ names: String...) throws {
      try bench.migrate { model in
        for name in ["link", "pages", "title"] {
          model["Book"][attribute: name].options = names.contains(name) ? [.preserveValueOnDeletion] : []
        }
      }
    }
    try preserve("link", "pages", "title")
    let book = try bench.entity("Book")
    try bench.store.save { try $0.delete(book, key: 1) }
    try preserve("title")
    try preserve("pages", "title")
    try preserve("link", "pages", "title")
    #expect(try bench.history().contains("6 delete Book/p1 title='Finn Family Moomintroll'"))
  }

  @Test func `a new name that changes only the order of bits changes the bitmaps`() throws {
    let tables = try bench.rows("SELECT sql FROM sqlite_master ORDER BY name")
    try bench.migrate { model in
      // Capitals sort before lower-case letters, and column names are all capitals.
      model["Book"].renameAttribute("pages", to: "Pages")
    }
    #expect(try bench.rows("SELECT sql FROM sqlite_master ORDER BY name") == tables)
    #expect(
      try bench.history().filter { $0.hasPrefix("3") } == [
        "3 update Book/p1 Pages size.width title", "3 update Comic/p3 issue", "3 update Shelf/p1 label",
      ])
  }

  @Test func `an unreadable bitmap becomes NULL`() throws {
    for (number, bitmap) in ["x''", "x'ff'", "x'0000000000'"].enumerated() {
      try bench.outside.execute(
        """
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        VALUES (\(900 + number), 16001, 1, 5, 1, 4, \(bitmap))
        """)
    }
    try bench.migrate { $0.entities.append(EntityDescription("Atlas")) }
    #expect(
      try bench.rows("SELECT ZENTITY, ZCOLUMNS FROM ACHANGE WHERE Z_PK >= 900") == ["6|NULL", "6|NULL", "6|NULL"])
    #expect(try bench.rows("SELECT COUNT(*) FROM ACHANGE WHERE ZCHANGETYPE = 0 AND ZCOLUMNS NOT NULL") == ["0"])
  }
}
