// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// The same records in a store, in a database, in an attached one, and divided between two that are a group: each
/// question has one answer.
@Suite(.overlapping, .temporaryDirectory)
struct EveryPlaceTests {
  private static let places = ["own", "plain", "attached", "halves"]

  /// What is asked, and whether the order of the lines counts. A name of a place stands for itself in the answer.
  private static let questions: [(arguments: [String], isOrdered: Bool)] = [
    (["count", "kind:film", "title:silver"], true), (["count", "kind:film", "year:1960..1969"], true),
    (["count", "kind:film", "marsh"], true), (["count", "kind:film", "--by", "genre"], false),
    (["count", "kind:film", "NOT genre:noir"], true), (["count", "kind:film", "river", "--any"], true),
    (["search", "kind:film golden harbour", "--all", "--fields", "title", "--format", "tsv"], false),
    (["search", "kind:film genre:noir", "--sort", "year,title", "--fields", "title,year", "--format", "tsv"], true),
    (
      ["search", "kind:film title:silver", "--sort", "title:desc", "-n", "3", "--fields", "title", "--format", "tsv"],
      true
    ),
    (["search", "kind:film lanturn", "--sort", "title", "--fields", "title", "--format", "tsv"], true),
    (["suggest", "genre:we"], true),
    (["sql", "select count(*), min(year), max(title) from film"], true),
    (["sql", "select genre, count(*) from film group by genre order by genre"], true),
    (["saved", "run", "noir", "-n", "0", "--fields", "title", "--format", "tsv"], false),
  ]

  @Test func `a question has the same answer in every place`() throws {
    let catalogue = try PlaceCatalogue(seed: 4)
    let shell = catalogue.shell
    for place in Self.places {
      let added = try shell.run("--store", place, "saved", "add", "noir", "kind:film genre:noir")
      #expect(added.code == 0, "\(added)")
    }
    for question in Self.questions {
      func answer(_ place: String) throws -> [String] {
        let outcome = try shell.run(["--store", place] + question.arguments)
        #expect([0, 1].contains(outcome.code), "\(place): \(question.arguments): \(outcome)")
        return question.isOrdered ? outcome.lines : outcome.lines.sorted()
      }
      let expected = try answer("plain")
      #expect(!expected.isEmpty, "\(question.arguments)")
      for place in Self.places { #expect(try answer(place) == expected, "\(place): \(question.arguments)") }
    }
  }

  @Test func `the verbs that check and keep an index work in every place`() throws {
    let catalogue = try PlaceCatalogue(seed: 5)
    let shell = catalogue.shell
    for place in Self.places {
      func run(_ arguments: String..., code: Int32 = 0) throws -> Shell.Outcome {
        let outcome = try shell.run(["--store", place] + arguments)
        #expect(outcome.code == code, "\(place): \(arguments): \(outcome)")
        return outcome
      }
      let documents = try run("verify").lines.reduce(0) { sum, line in
        sum + (line.firstMatch(of: /equal documents=([0-9]+)/).flatMap { Int($0.1) } ?? -1_000)
      }
      #expect(try String(documents) == run("count", "*").lines.first, "\(place)")
      #expect(try !run("doctor").lines.contains { $0.hasPrefix("fail") }, "\(place)")
      _ = try run("failed", code: 1)
      _ = try run("wait", "--timeout", "2s")
      let schema = try run("schema").output
      #expect(schema.contains("\"title\"") && (try? JSONSerialization.jsonObject(with: Data(schema.utf8))) != nil)
      _ = try run("rebuild")
      _ = try run("rollback")
      _ = try run("index")
      #expect(try run("service", "print", "--user").output.contains("ExecStart="))
      let identifier = try #require(
        try run("search", "kind:film", "-n", "1", "--fields", "@id", "--format", "tsv").lines.first)
      #expect(try run("show", identifier).output.contains("title: "))
    }
  }

  @Test func `a saved search of a database without history is compared`() throws {
    let catalogue = try PlaceCatalogue(seed: 6)
    let shell = catalogue.shell
    #expect(try shell.run("--store", "plain", "saved", "add", "noir", "kind:film genre:noir").code == 0)
    func watch() throws -> [String] {
      try shell.run("--store", "plain", "saved", "watch", "noir", "--once", "--initial", "--format", "ndjson").lines
    }
    let noir = try catalogue.rows("SELECT count(*) FROM film WHERE genre = 'noir'")
    #expect(try watch().count == noir)
    #expect(try watch().isEmpty)
    let connection = try Connection(path: catalogue.directory.file("plain.db"), access: .readWrite)
    try connection.execute(
      """
      UPDATE film SET title = 'Other' WHERE id = (SELECT min(id) FROM film WHERE genre = 'noir');
      DELETE FROM film WHERE id = (SELECT max(id) FROM film WHERE genre = 'noir');
      INSERT INTO film(id, title, year, director_id, genre, plot) VALUES (1000, 'New', 2000, 1, 'noir', 'A plot.')
      """)
    let kinds = try watch().map { line in line.firstMatch(of: /"event":"([a-z]+)"/).map { String($0.1) } ?? "?" }
    #expect(kinds.sorted() == ["change", "enter", "leave"])
  }
}

/// Films in the places `own`, `plain`, `attached`, and `halves`, the group of two attached databases.
private struct PlaceCatalogue {
  let directory = TemporaryDirectory()
  let shell: Shell

  init(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    var shell = Shell(in: directory, store: nil)
    shell.environment["XDG_CONFIG_HOME"] = directory.file("settings")
    self.shell = shell
    let (first, second) = (["silver", "quiet", "golden", "hollow"], ["harbour", "engine", "river", "lantern"])
    let genres = ["comedy", "drama", "western", "noir"]
    let people = ["Ada Marsh", "Ben Okoye", "Cleo Lind"]
    var films: [(values: String, json: String)] = []
    for number in 0..<60 {
      let words = [first, second].map { $0.randomElement(using: &generator)! }
      let title = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ") + " \(number)"
      let plot = "A \(first.randomElement(using: &generator)!) \(second.randomElement(using: &generator)!)."
      let (year, person, genre) = (1950 + number % 40, number % 3, genres[number % 4])
      films.append(
        (
          "(\(number + 1), '\(title)', \(year), \(person + 1), '\(genre)', '\(plot)')",
          #"{"title":"\#(title)","year":\#(year),"director":"\#(people[person])","genre":"\#(genre)","#
            + #""plot":"\#(plot)"}"#
        ))
    }
    func database(_ name: String, _ rows: [String]) throws {
      let connection = try Connection(path: directory.file(name + ".db"), access: .create)
      try connection.execute(
        """
        CREATE TABLE director(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO director(name) VALUES \(people.map { "('\($0)')" }.joined(separator: ", "));
        CREATE TABLE film(id INTEGER PRIMARY KEY, title TEXT, year INTEGER, director_id INTEGER REFERENCES director(id),
          genre TEXT, plot TEXT);
        INSERT INTO film VALUES \(rows.joined(separator: ", "))
        """)
    }
    let rows = films.map(\.values)
    for name in ["plain", "attached"] { try database(name, rows) }
    for half in 0...1 { try database("half\(half)", rows.indices.filter { $0 % 2 == half }.map { rows[$0] }) }
    let file = try directory.write(films.map(\.json).joined(separator: "\n") + "\n", to: "films.jsonl")
    try FileManager.default.createDirectory(
      atPath: directory.file("settings/followspot"), withIntermediateDirectories: true)
    let stores = ["own.store", "plain.db", "attached.db", "half0.db", "half1.db"].map { name in
      "[store \"\(name.prefix { $0 != "." })\"]\npath = \(directory.file(name))\n"
    }
    _ = try directory.write(
      stores.joined() + "[group \"halves\"]\nstores = half0, half1\n", to: "settings/followspot/config")
    func run(_ arguments: String...) throws {
      let outcome = try shell.run(arguments)
      try #require(outcome.code == 0, "seed \(seed): \(arguments): \(outcome)")
    }
    try run("--store", "own", "import", file, "--kind", "film")
    for name in ["attached", "half0", "half1"] { try run("attach", directory.file(name + ".db")) }
    for name in ["own", "plain", "attached", "half0", "half1"] { try run("--store", name, "index") }
  }

  func rows(_ sql: String) throws -> Int {
    let connection = try Connection(path: directory.file("plain.db"), access: .readOnly)
    return Int(try #require(try connection.integer(sql)))
  }
}
