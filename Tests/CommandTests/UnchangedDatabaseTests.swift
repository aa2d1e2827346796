// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Databases whose files or marks have changed although no row has.
@Suite(.overlapping, .temporaryDirectory)
struct UnchangedDatabaseTests {
  /// What another program does that changes marks but no row.
  enum Access: CaseIterable { case readInWALMode, writeEqualRows, touch, vacuum, copyBack, checkpoint }

  private func fixture(_ mode: String = "WAL") throws -> ShellFixture {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      PRAGMA journal_mode = \(mode); CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT);
      INSERT INTO books VALUES (1, 'Excession'), (2, 'Matter');
      """)
    #expect(try bench.shell.run("index").code == 0)
    return bench
  }

  /// Returns the connection that stays open.
  private func access(_ bench: ShellFixture, _ access: Access) throws -> Connection? {
    let file = URL(fileURLWithPath: bench.store)
    switch access {
    case .readInWALMode:
      let reader = try Connection(path: bench.store, access: .readWrite)
      _ = try reader.integer("SELECT COUNT(*) FROM books")
      return reader
    case .writeEqualRows:
      // SQLite writes nothing for a value that is the same.
      try bench.sql("UPDATE books SET title = '-' WHERE id = 1; UPDATE books SET title = 'Excession' WHERE id = 1")
    case .touch: try FileManager.default.setAttributes([.modificationDate: Date.now], ofItemAtPath: bench.store)
    case .vacuum: try bench.sql("VACUUM")
    case .copyBack: try Data(contentsOf: file).write(to: file, options: .atomic)
    case .checkpoint:
      let writer = try Connection(path: bench.store, access: .readWrite)
      try writer.execute(
        "UPDATE books SET title = title || '-'; UPDATE books SET title = rtrim(title, '-');"
          + "PRAGMA wal_checkpoint(PASSIVE)")
      return writer
    }
    return nil
  }

  private func lag(_ bench: ShellFixture) throws -> String {
    let row = try bench.shell.run("status").lines.first { $0.hasPrefix("  lag ") }
    return String(try #require(row).dropFirst(6).drop { $0 == " " })
  }

  private func watched(_ bench: ShellFixture) throws -> String {
    let running = try bench.shell.start(["status", "--watch"])
    #expect(eventually { running.output.contains("followed") }, "\(running.output)")
    return running.end().output
  }

  @Test(arguments: Access.allCases)
  func `a database whose rows are the same has not changed`(_ kind: Access) throws {
    let bench = try fixture()
    let connection = try access(bench, kind)
    try withExtendedLifetime(connection) {
      for options in [[], ["--quick"]] {
        let verified = try bench.shell.run(["verify"] + options)
        #expect(verified.code == 0 && verified.output.hasPrefix("equal documents=2 "), "\(verified)")
      }
      #expect(try lag(bench) == "none")
      #expect(try watched(bench).contains("  lag 0  not followed\n"))
      let found = try bench.shell.run("search", "excession", "--fields", "title,@freshness")
      #expect(found.output == "Excession\tindexed\n" && found.errors == "", "\(found)")
      let doctor = try bench.shell.run("doctor")
      #expect(doctor.output.contains("the index is up to date"), "\(doctor)")
    }
  }

  @Test(arguments: ["DELETE", "WAL"])
  func `status, its watch and verify agree that a row has changed`(_ mode: String) throws {
    let bench = try fixture(mode)
    try bench.sql("UPDATE books SET title = 'Inversions' WHERE id = 2")
    #expect(try lag(bench) == "the database has changed since it was indexed")
    #expect(try watched(bench).contains("  lag the database has changed since it was indexed  not followed\n"))
    let verified = try bench.shell.run("verify")
    #expect(verified.code == 4 && verified.errors.contains("has changed since it was indexed\n"), "\(verified)")
    #expect(try bench.shell.run("search", "inversions", "--fields", "title").output == "Inversions\n")
  }

  @Test func `without digests of the rows, verify compares the documents`() throws {
    let bench = try fixture()
    let removed = try FileManager.default.subpathsOfDirectory(atPath: bench.index).filter { $0.hasSuffix("/rows") }
    #expect(removed.count == 1)
    for path in removed { try FileManager.default.removeItem(atPath: bench.index + "/" + path) }
    _ = try access(bench, .writeEqualRows)
    #expect(try bench.shell.run("verify").code == 0)
    #expect(try lag(bench) == "none")
    try bench.sql("DELETE FROM books WHERE id = 2")
    let verified = try bench.shell.run("verify")
    #expect(verified.code == 4, "\(verified)")
    #expect(
      verified.errors.contains("the index differs from the database \(bench.store), which may have changed"),
      "\(verified)")
    #expect(try lag(bench) == "the database has changed since it was indexed")
  }
}
