// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Real catalogues in the directory FOLLOWSPOT_DATA. Without it these tests are skipped, with a message.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory of the real catalogues"),
  .overlapping, .temporaryDirectory)
struct RealCataloguesTests {
  private let directory = TemporaryDirectory()

  private func titles(_ shell: Shell, _ query: String, _ options: String...) throws -> [String] {
    let outcome = try shell.succeed(["search", query, "--format", "tsv", "--fields", "title"] + options)
    return outcome.lines
  }

  @Test func `12833 films are found by title, cast, genre and year, and verified`() throws {
    let data = try #require(Shell.dataDirectory)
    let shell = Shell(in: directory)
    let imported = try shell.run("import", data + "/movies-1970-2023.jsonl", "--kind", "Movie")
    #expect(imported.output == "{\"token\":13,\"inserted\":12833,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
    #expect(try shell.run("index").code == 0)
    #expect(try shell.run("count", "*").output == "12833\n")
    #expect(
      try titles(shell, "title:\"toy story\" year:1995..2019").sorted() == [
        "Toy Story", "Toy Story 2", "Toy Story 3", "Toy Story 4",
      ])
    #expect(
      try titles(shell, "cast:\"tom hanks\" genres:comedy year:1984..1986").sorted()
        == [
          "Bachelor Party", "Nothing in Common", "Splash", "The Man with One Red Shoe", "The Money Pit", "Volunteers",
        ])
    #expect(try titles(shell, "title:wall-e", "-n", "1") == ["WALL-E"])
    #expect(try titles(shell, "up year:2009 cast:asner") == ["Up"])
    #expect(try titles(shell, "title:\"monsters, inc.\"", "-n", "1") == ["Monsters, Inc."])
    let both = try shell.run("count", "genres:animated year:1995..1999").output
    let years = try (1995...1999).map { try shell.run("count", "genres:animated year:\($0)").output }
    #expect(Int(both.dropLast()) == years.compactMap { Int($0.dropLast()) }.reduce(0, +))
    // Reads all pages of all records.
    var seen: [String] = []
    for offset in stride(from: 0, to: 15_000, by: 5_000) {
      seen += try shell.run("search", "*", "--format", "ids", "-n", "5000", "--offset", "\(offset)").lines
    }
    #expect(seen.count == 12_833)
    #expect(Set(seen).count == 12_833)
    let verified = try shell.run("verify")
    #expect(verified.output.hasPrefix("equal documents=12833 token=13 "), "\(verified)")
  }

  @Test func `nested people are found by their names`() throws {
    let data = try #require(Shell.dataDirectory)
    let shell = Shell(in: directory)
    try shell.succeed("import", data + "/pixar_films.jsonl", "--kind", "Film", "--key", "title")
    #expect(try shell.run("index").code == 0)
    #expect(
      try titles(shell, "people.name:\"brad bird\" people.role:director").sorted() == [
        "Incredibles 2", "Ratatouille", "The Incredibles",
      ])
    #expect(try titles(shell, "releaseDate:1995") == ["Toy Story"])
    #expect(try titles(shell, "releaseDate:2001-11..2003-05 imdb:>=8").sorted() == ["Finding Nemo", "Monsters, Inc."])
    let again = try shell.run("import", data + "/pixar_films.jsonl", "--kind", "Film", "--key", "title")
    #expect(again.output == "{\"token\":1,\"inserted\":0,\"updated\":0,\"deleted\":0,\"skipped\":31}\n")
    #expect(try shell.run("verify").code == 0)
  }
}
