// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// A shell in a new directory with a store of films, which is usually indexed.
struct ShellFixture {
  let directory: TemporaryDirectory
  var shell: Shell

  var store: String { directory.file("films.store") }
  var index: String { directory.file("films.store.index") }

  init(directory: TemporaryDirectory, shell: Shell) { (self.directory, self.shell) = (directory, shell) }

  /// Makes the store of `records`.
  init(
    _ records: String = Films.lines, kind: String = "Film", key: String? = nil, isIndexed: Bool = true
  ) throws {
    self = .empty()
    let imported = try importRecords(records, options: ["--kind", kind] + (key.map { ["--key", $0] } ?? []))
    try #require(imported.code == 0, "\(imported)")
    if isIndexed {
      let indexed = try shell.run("index")
      try #require(indexed.code == 0, "\(indexed)")
    }
  }

  /// A directory without a store.
  static func empty() -> ShellFixture {
    let directory = TemporaryDirectory()
    return ShellFixture(directory: directory, shell: Shell(in: directory))
  }

  @discardableResult
  func importRecords(_ text: String, as name: String = "new.jsonl", options: [String] = []) throws -> Shell.Outcome {
    let file = try directory.write(text, to: name)
    return try shell.run(["import", file] + options)
  }

  /// The titles of a query's hits, in order.
  func titles(_ query: String, _ options: String...) throws -> [String] { try titles(query, options) }

  func titles(_ query: String, _ options: [String]) throws -> [String] {
    try shell.run(["search", "--format", "tsv", "--fields", "title"] + options + ["--", query]).lines
  }

  /// Changes the store by SQL, without a history entry.
  func sql(_ text: String, in name: String = "films.store") throws {
    try Connection(path: directory.file(name), access: .readWrite).execute(text)
  }

  func status() throws -> [String: Any] { try object(try shell.run("status", "--format", "json").output) }

  func number(_ key: String) throws -> Int {
    let status = try status()
    return try #require(status[key] as? Int)
  }

  /// The number of the store's newest transaction.
  func newest() throws -> Int { try number("newest") }

  /// Expects that index and store are equal, and that no change is pending.
  func expectEqual(
    documents: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let verified = try shell.run("verify")
    #expect(verified.code == 0, "\(verified)", sourceLocation: sourceLocation)
    let wanted = documents.map { "\($0) " } ?? ""
    #expect(verified.output.hasPrefix("equal documents=" + wanted), "\(verified)", sourceLocation: sourceLocation)
    let lag = try number("lagTransactions")
    #expect(lag == 0, sourceLocation: sourceLocation)
  }

  /// Starts a follower and waits until it is ready.
  func follow(_ options: String...) throws -> Shell.Running {
    let follower = try shell.start(["index", "--follow"] + options)
    try #require(follower.waitForError("following "), "\(follower.errors)")
    return follower
  }

  /// Stops a follower as a service manager does.
  func stop(_ follower: Shell.Running, sourceLocation: SourceLocation = #_sourceLocation) {
    follower.signal(SIGTERM)
    let outcome = follower.wait()
    #expect(outcome.code == 0, "\(outcome)", sourceLocation: sourceLocation)
  }
}

/// A JSON object as a dictionary.
func object(_ text: String) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
}

/// The text with placeholders for words that differ between runs: store UUIDs, times and checksums.
func neutral(_ text: String) -> String {
  text.replacing(/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/, with: "UUID")
    .replacing(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z/, with: "TIME")
    .replacing(/checksum=[0-9a-f]{32}/, with: "checksum=SUM")
}

enum Films {
  static let lines = #"""
    {"title": "Toy Story", "year": 1995, "rating": 8.3, "released": "1995-11-22", "isFavorite": true, "genres": ["Animated", "Comedy"], "people": [{"name": "John Lasseter", "role": "Director"}], "plot": "A cowboy doll fears a space ranger."}
    {"title": "Toy Story 2", "year": 1999, "rating": 7.9, "released": "1999-11-24", "isFavorite": false, "genres": ["Animated", "Comedy"], "people": [{"name": "Ash Brannon", "role": "Director"}], "plot": "A collector steals the cowboy."}
    {"title": "Monsters, Inc.", "year": 2001, "rating": 8.1, "released": "2001-11-02", "isFavorite": false, "genres": ["Animated"], "people": [{"name": "Pete Docter", "role": "Director"}], "plot": null}
    {"title": "Up", "year": 2009, "rating": 8, "released": "2009-05-29", "isFavorite": true, "genres": ["Animated", "Drama"], "people": [{"name": "Pete Docter", "role": "Director"}, {"name": "Ed Asner", "role": "Voice"}], "plot": "An old man flies away in his house."}
    {"title": "WALL-E", "year": 2008, "rating": 8.4, "released": "2008-06-27", "isFavorite": false, "genres": ["Animated", "Science Fiction"], "people": [{"name": "Andrew Stanton", "role": "Director"}], "plot": "A robot cleans the earth."}
    {"title": "Café Society", "year": 2016, "rating": 6.6, "released": "2016-07-15", "isFavorite": false, "genres": ["Comedy", "Drama"], "people": [{"name": "Woody Allen", "role": "Director"}], "plot": "Naïve love among the stars."}
    {"title": "The C++ Story", "year": null, "rating": null, "released": null, "isFavorite": false, "genres": [], "people": [], "plot": "Written with node.js tools; \"quoted\",\tthen a tab\nand a line."}
    {"title": "The Seed", "year": 1995, "rating": 5.5, "released": "1995-12-31T23:30:00Z", "isFavorite": false, "genres": ["Drama"], "people": [{"name": "Jose Alvarez", "role": "Voice"}], "plot": "Resume of a garden."}

    """#

  static let titles = [
    "Toy Story", "Toy Story 2", "Monsters, Inc.", "Up", "WALL-E", "Café Society", "The C++ Story", "The Seed",
  ]

  /// One record a title.
  static func lines(_ titles: [String]) -> String { titles.map { "{\"title\": \"\($0)\"}\n" }.joined() }

  /// One record a title, with the values that a store of `lines` requires.
  static func additions(_ titles: [String]) -> String {
    let rest = "\"isFavorite\": false, \"genres\": [], \"people\": []"
    return titles.map { "{\"title\": \"\($0)\", \(rest)}\n" }.joined()
  }
}
