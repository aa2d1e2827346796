// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Import, index, search and verify with the real binary.
@Suite(.overlapping, .temporaryDirectory)
struct EndToEndTests {
  private let directory = TemporaryDirectory()

  private static let films = """
    {"title": "Toy Story", "year": 1995, "cast": ["Tom Hanks", "Tim Allen"], "genres": ["Animated", "Comedy"]}
    {"title": "Café Society", "year": 2016, "cast": ["Jesse Eisenberg"], "genres": ["Comedy"]}
    {"title": "Up", "year": 2009, "cast": ["Ed Asner"], "genres": ["Animated"]}

    """

  @Test func `an imported catalogue is indexed, found and verified`() throws {
    let shell = Shell(in: directory)
    let file = try directory.write(Self.films, to: "films.jsonl")
    let imported = try shell.run("import", file, "--kind", "Movie", "--author", "test")
    #expect(imported.output == "{\"token\":1,\"inserted\":3,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
    #expect(try shell.run("index").code == 0)
    #expect(try shell.run("count", "*").output == "3\n")
    #expect(try shell.run("search", "cafe", "--format", "tsv", "--fields", "title").output == "Café Society\n")
    #expect(try shell.run("search", "up", "--format", "tsv", "--fields", "title,year").output == "Up\t2009\n")
    #expect(
      try shell.run("verify").output
        == "equal documents=3 token=1 checksum=60ed142ae26135ea0a8c9f8d825884d9\n")
  }
}
