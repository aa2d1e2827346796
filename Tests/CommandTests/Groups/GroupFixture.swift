// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// The same random records in one store, `whole`, and divided among three, `one`, `two` and `three`, which are the group
/// `all`. A store `books` has another model; the group `mixed` has it and `one`.
struct GroupFixture {
  static let parts = ["one", "two", "three"]
  static let words = [
    "toy", "story", "garden", "robot", "island", "winter", "Running", "runs", "train", "trains", "moon", "river",
    "love",
    "king", "city", "night", "the", "of", "a",
  ]
  static let books = """
    {"title": "The Toy Maker", "pages": 120, "genres": ["craft", "Comedy"]}
    {"title": "Winter Gardens", "pages": 90, "genres": ["craft"]}

    """
  static let definition = """
    {"format": 1, "language": "english", "entities": {"Film": {"title": "title", "fields": [
      {"name": "title", "roles": ["text"], "weight": 5, "length": 3},
      {"name": "year", "roles": ["number"]},
      {"name": "genres", "roles": ["text", "facet"], "length": 2},
      {"name": "plot", "roles": ["text"], "length": 12}]}}}
    """

  let directory = TemporaryDirectory()
  var shell: Shell
  var generator: SeededGenerator

  init(seed: Int, records: Int = 200, definition: String = definition) throws {
    (shell, generator) = (Shell(in: directory, store: nil), SeededGenerator(seed: seed))
    shell.environment["XDG_CONFIG_HOME"] = directory.file("settings")
    try FileManager.default.createDirectory(
      atPath: directory.file("settings/followspot"), withIntermediateDirectories: true)
    _ = try directory.write(configuration, to: "settings/followspot/config")
    _ = try directory.write(definition, to: "definition.json")
    try add(records)
    for name in ["whole"] + Self.parts {
      let indexed = try shell.run("--store", name, "index", "--definition", directory.file("definition.json"))
      try #require(indexed.code == 0, "\(indexed)")
    }
    let file = try directory.write(Self.books, to: "books.jsonl")
    #expect(try shell.run("--store", "books", "import", file, "--kind", "Book").code == 0)
    #expect(try shell.run("--store", "books", "index").code == 0)
    try age()
  }

  func path(_ name: String) -> String { directory.file(name + ".store") }

  private var configuration: String {
    let stores = (["whole", "books"] + Self.parts).map { "[store \"\($0)\"]\npath = \(path($0))\n" }.joined()
    return stores + "[group \"all\"]\nstores = one, two, three\n[group \"mixed\"]\nstores = one, \"books\"\n"
  }

  /// Saves records in the whole store, and each in one of the parts.
  mutating func add(_ count: Int) throws {
    var lines: [String: String] = [:]
    for _ in 0..<count {
      let title = (0..<Int.random(in: 1...4, using: &generator)).map { _ in Self.words.randomElement(using: &generator)!
      }
      let plot = (0..<Int.random(in: 0...15, using: &generator)).map { _ in Self.words.randomElement(using: &generator)!
      }
      let genre = ["Comedy", "drama", "Drama", "Horror"].randomElement(using: &generator)!
      let number = Int.random(in: 0..<1_000_000_000, using: &generator)
      let line = """
        {"title": "\(title.joined(separator: " ")) x\(number)", "year": \(1970 + number % 50), "genres": ["\(genre)"], \
        "plot": "\(plot.joined(separator: " "))"}

        """
      for name in ["whole", Self.parts.randomElement(using: &generator)!] { lines[name, default: ""] += line }
    }
    for (name, text) in lines {
      let file = try directory.write(text, to: name + ".jsonl")
      let saved = try shell.run("--store", name, "import", file, "--kind", "Film")
      try #require(saved.code == 0, "\(saved)")
    }
    try age()
  }

  /// Sets the modification times of the stores to an hour ago. A group searches the indexes of stores that were not just
  /// changed without opening the stores.
  func age() throws {
    for name in ["whole", "books"] + Self.parts where FileManager.default.fileExists(atPath: path(name)) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path(name))
    }
  }

  /// The lines of a search.
  func hits(_ store: String, _ query: String, _ options: String...) throws -> [String] {
    try shell.run(["--store", store, "search", "--format", "tsv"] + options + ["--", query]).lines
  }

  /// The number of rows by SQL.
  func rows(_ table: String, of name: String) throws -> Int {
    let connection = try Connection(path: path(name), access: .readOnly)
    return Int(try #require(try connection.integer("SELECT count(*) FROM \(table)")))
  }
}
