// SPDX-License-Identifier: MIT

import Followspot
import SQLite
import TestSupport
import Testing

/// Records whose titles are identifiers, such as packages.
@Suite(.temporaryDirectory) struct IdentifierTitleTests {
  private func packages(_ rows: [(name: String, summary: String)]) throws -> IndexedDatabase {
    let database = try IndexedDatabase("CREATE TABLE package(id INTEGER PRIMARY KEY, name TEXT, summary TEXT);")
    for (name, summary) in rows {
      try database.writer.run("INSERT INTO package(name, summary) VALUES(?1, ?2)", [.text(name), .text(summary)])
    }
    // Enough records to tell identifiers from written titles.
    for number in 1...40 {
      let values: [Value] = [.text("lib-part\(number)-dev"), .text("functions for topic \(number) of the collection")]
      try database.writer.run("INSERT INTO package(name, summary) VALUES(?1, ?2)", values)
    }
    try database.update()
    return database
  }

  private func names(_ query: String, _ database: IndexedDatabase) throws -> [String] {
    try database.search(query).hits.compactMap(\.title)
  }

  @Test func `the words of the summary count, not those of the identifier`() throws {
    let database = try packages([
      ("lib-mail-server-perl", "handlers for a protocol of a mail server"), ("postfix4", "mail server with a queue"),
      ("exim-heavy4", "mail server for large sites"),
    ])
    #expect(
      try names("mail server", database) == ["postfix4", "exim-heavy4", "lib-mail-server-perl"])
    #expect(try names("lib-mail-server-perl", database).first == "lib-mail-server-perl")
  }

  @Test func `records that are much like a better hit step back`() throws {
    let database = try packages([
      ("power-manager4", "power manager for the desktop"),
      ("power-manager4-data", "power manager for the desktop, data files"),
      ("power-manager4-doc", "power manager for the desktop, documentation"),
      ("upower4", "abstraction that a power manager uses on laptops"),
    ])
    #expect(
      try names("power manager", database).prefix(2) == ["power-manager4", "upower4"])
    let last = try #require(try database.search("power manager").hits.last)
    let searcher = try Searcher(storePath: database.path, directory: database.index)
    let explanation = try #require(try searcher.explain(last.identifier, SearchRequest(query: "power manager")))
    #expect(explanation.parts.contains { $0.text == "like a better hit" && $0.score < 0 })
    #expect(abs(explanation.score - last.score) < 0.001)
  }
}
