// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Attached databases from which other programs removed a part of what `attach` created, or gave it other names.
@Suite(.overlapping, .temporaryDirectory)
struct AttachRemainsTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let statements: String
    /// Whether the log still exists, with the only copy of preserved values.
    var keepsLog = true
  }

  private static let tables = ["store", "table", "author", "writer", "change"].map { "followspot_" + $0 }
  private static let renamed = tables.map { "ALTER TABLE \($0) RENAME TO \($0)_back" }.joined(separator: ";")

  static let damages =
    tables.map {
      Damage(testDescription: "\($0) is dropped", statements: "DROP TABLE \($0)", keepsLog: $0 != "followspot_change")
    } + [
      Damage(
        testDescription: "all tables are dropped, but not the triggers",
        statements: tables.map { "DROP TABLE \($0)" }.joined(separator: ";"), keepsLog: false),
      Damage(testDescription: "all tables are renamed, and the triggers follow", statements: renamed),
      Damage(
        testDescription: "all tables are renamed, but not in the triggers",
        statements: "PRAGMA legacy_alter_table = ON; " + renamed + "; PRAGMA legacy_alter_table = OFF"),
      Damage(
        testDescription: "the log has a name of another kind",
        statements: "ALTER TABLE followspot_change RENAME TO backup; ALTER TABLE followspot_author RENAME TO people"),
    ]

  /// An attached and indexed database with a deleted row, in which `damage` has happened.
  private func makeDatabase(_ damage: Damage) throws -> IndexedDatabase {
    let database = try IndexedDatabase(
      "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, note TEXT);"
        + "INSERT INTO book VALUES (1, 'Excession', 'a'), (2, 'Matter', 'b'), (3, 'Inversions', 'c')",
      isAttached: true, preserving: ["title"])
    try database.update()
    try database.writer.execute("DELETE FROM book WHERE id = 2; \(damage.statements)")
    return database
  }

  private func names(_ database: IndexedDatabase) throws -> String {
    let rows = try database.writer.cursor("SELECT group_concat(name) FROM sqlite_master")
    return try rows.step() ? rows.text(at: 0) : ""
  }

  /// Whether other programs can change rows.
  private func canWrite(_ database: IndexedDatabase) throws -> Bool {
    // A statement that fails does not read a schema that another connection has changed.
    _ = try database.writer.integer("SELECT count(*) FROM book")
    return (try? database.writer.execute("UPDATE book SET note = note || 'x' WHERE id = 1")) != nil
  }

  @Test(arguments: damages)
  func `detach removes what is left, and a dry run lists it`(_ damage: Damage) throws {
    let database = try makeDatabase(damage)
    let planned = try Attachment.detach(database.path, isDryRun: true)
    #expect(planned.contains("DROP TRIGGER main.\"followspot_1_insert\""), "\(planned)")
    #expect(try Attachment.detach(database.path) == planned)
    #expect(try names(database) == "book")
    #expect(try canWrite(database))
    #expect(throws: StoreError.self) { try Attachment.detach(database.path) }
  }

  @Test(arguments: damages)
  func `attach repairs it, and keeps the preserved values of a renamed log`(_ damage: Damage) throws {
    let database = try makeDatabase(damage)
    let renewal = try Attachment.attach(database.path)
    #expect(renewal.isRenewal && renewal.tables == ["book"])
    #expect(try database.tracking == .attached)
    #expect(try canWrite(database))
    try database.writer.execute("INSERT INTO book VALUES (4, 'Surface', 'd'); DELETE FROM book WHERE id = 3")
    try database.update()
    #expect(try database.isEqual)
    #expect(try database.hits("surface", isIndexOnly: true) == ["book/4"])
    // The triggers tell which columns are preserved, even if the table of them is gone.
    let deleted = try database.search("deleted:*").hits.map(\.title).sorted()
    #expect(deleted == (damage.keepsLog ? ["Inversions", "Matter"] : ["Inversions"]))
    #expect(try Attachment.attach(database.path).statements == [])
    _ = try Attachment.detach(database.path)
    #expect(try names(database) == "book")
  }

  @Test(arguments: damages)
  func `each answer says what was found, and what is left is not a record`(_ damage: Damage) throws {
    let database = try makeDatabase(damage)
    let store = try StoreFile.open(database.path)
    #expect(store.layout.entities.map(\.entity.name) == ["book"])
    let commands = "attaching it again repairs that, and detaching it removes what is left"
    #expect(store.remarks.count == 1 && store.remarks[0].hasSuffix(commands), "\(store.remarks)")
    let result = try database.search("excession")
    #expect(result.hits.map(\.identifier.short) == ["book/1"])
    #expect(result.notes.contains { $0.hasSuffix(commands) }, "\(result.notes)")
    #expect(
      try result.notes.contains { $0.contains("other programs cannot write") } == !canWrite(database), "\(result.notes)"
    )
    try database.update()
    #expect(try database.hits("*", isIndexOnly: true) == ["book/1", "book/3"])
  }

  @Test(arguments: damages)
  func `a follower repairs it at once`(_ damage: Damage) throws {
    let database = try makeDatabase(Damage(testDescription: "", statements: ""))
    var (options, reports) = (database.options(), [String]())
    options.renewsTriggers = true
    options.report = { reports.append($0) }
    let indexer = Indexer(options)
    try indexer.catchUp()
    try database.writer.execute(damage.statements)
    for _ in 0..<3 { try indexer.catchUp() }
    #expect(reports.contains { $0.contains("attach") && $0.hasSuffix(": they were put back") }, "\(reports)")
    #expect(try canWrite(database))
    try database.writer.execute("UPDATE book SET title = 'Surface' WHERE id = 1")
    try indexer.catchUp()
    #expect(try database.hits("surface", isIndexOnly: true) == ["book/1"])
    #expect(try database.tracking == .attached)
  }

  @Test func `tables whose name alone resembles those of attach are records, and stay`() throws {
    let database = try IndexedDatabase(
      "CREATE TABLE followspot_notes (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO followspot_notes VALUES (1, 'one');"
        + "CREATE TABLE followspot_change_back (id INTEGER PRIMARY KEY, a TEXT);"
        + "INSERT INTO followspot_change_back VALUES (1, 'two');"
        + "CREATE TABLE accounts_back (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO accounts_back VALUES (1, 'three')")
    let before = try names(database)
    #expect(throws: StoreError.self) { try Attachment.detach(database.path) }
    for statements in [
      "", "DROP TABLE followspot_change", "ALTER TABLE followspot_change RENAME TO followspot_change_old",
    ] {
      _ = try Attachment.attach(database.path)
      try database.writer.execute(statements)
      try database.update()
      #expect(
        try ["one", "two", "three"].map { try database.hits($0) } == [
          ["followspot_notes/1"], ["followspot_change_back/1"], ["accounts_back/1"],
        ])
      _ = try Attachment.detach(database.path)
      #expect(try names(database) == before)
    }
  }

  @Test func `a broken view does not keep a renamed log from its name`() throws {
    var damage = try #require(Self.damages.first { $0.statements.contains("legacy") })
    damage = Damage(
      testDescription: "", statements: damage.statements + "; CREATE VIEW broken AS SELECT * FROM missing")
    let database = try makeDatabase(damage)
    _ = try Attachment.attach(database.path)
    #expect(try database.tracking == .attached)
    try database.update()
    #expect(try database.search("deleted:*").hits.map(\.title) == ["Matter"])
  }

  @Test func `a person's copy of the log stays`() throws {
    let database = try makeDatabase(
      Damage(testDescription: "", statements: "CREATE TABLE followspot_change_2020 AS SELECT * FROM followspot_change"))
    _ = try Attachment.detach(database.path)
    #expect(try names(database) == "book,followspot_change_2020")
  }

  @Test func `after VACUUM INTO, the copy is attached`() throws {
    let database = try makeDatabase(Damage(testDescription: "", statements: ""))
    let path = database.path + ".copy"
    try database.writer.execute("VACUUM INTO '\(path)'")
    #expect(try StoreFile.open(path).tracking == .attached)
    #expect(try Attachment.attach(path).statements == [])
    #expect(try Attachment.detach(path).isEmpty == false)
  }
}
