// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// The output formats of `search`.
@Suite(.overlapping, .temporaryDirectory)
struct SearchFormatTests {
  private let bench: ShellFixture

  init() throws { bench = try SharedFilms.bench.get() }

  @Test func `text on a pipe is identifier, score and title`() throws {
    let outcome = try bench.shell.succeed("search", "is:favorite")
    #expect(outcome.output == "Film/p1\t0.000\tToy Story\nFilm/p4\t0.000\tUp\n")
    #expect(outcome.errors == "")
    let none = try bench.shell.run("search", "nowhere")
    #expect(none.code == 1)
    #expect(none.output == "")
  }

  @Test func `TSV has no header, null is empty and a TAB or line end is a space`() throws {
    let plain = try bench.shell.run("search", "is:favorite", "--format", "tsv")
    #expect(
      neutral(plain.output) == """
        x-coredata://UUID/Film/p1\t0.000\tToy Story
        x-coredata://UUID/Film/p4\t0.000\tUp

        """)
    let fields = "title,year,rating,released,isFavorite,genres,people.name,people,plot"
    let chosen = try bench.shell.run("search", "year:2009", "--format", "tsv", "--fields", fields)
    #expect(
      chosen.output == "Up\t2009\t8\t2009-05-29\ttrue\tAnimated; Drama\tPete Docter; Ed Asner\t"
        + #"[{"name":"Pete Docter","role":"Director"},{"name":"Ed Asner","role":"Voice"}]"#
        + "\tAn old man flies away in his house.\n")
    let empty = try bench.shell.run("search", "c++", "--format", "tsv", "--fields", fields)
    #expect(
      empty.output
        == "The C++ Story\t\t\t\tfalse\t\t\t\tWritten with node.js tools; \"quoted\", then a tab and a line.\n"
    )
  }

  @Test func `CSV follows RFC 4180 with a header`() throws {
    let plain = try bench.shell.run("search", "is:favorite", "--format", "csv")
    #expect(
      neutral(plain.output)
        == "@id,@score,title\r\nx-coredata://UUID/Film/p1,0.000,Toy Story\r\nx-coredata://UUID/Film/p4,0.000,Up\r\n")
    let chosen = try bench.shell.run(
      "search", "c++ OR monsters", "--format", "csv", "--fields", "plot,title,year")
    #expect(
      Set(chosen.output.components(separatedBy: "\r\n")) == [
        "plot,title,year", ",\"Monsters, Inc.\",2001", "",
        "\"Written with node.js tools; \"\"quoted\"\",\tthen a tab\nand a line.\",The C++ Story,",
      ])
    let none = try bench.shell.run("search", "nowhere", "--format", "csv", "--fields", "title")
    #expect(none.output == "title\r\n")
    #expect(none.code == 1)
  }

  private static let up =
    #"{"id":"x-coredata://UUID/Film/p4","entity":"Film","title":"Up","score":0.000,"freshness":"indexed","fields":{"title":"Up","#
    + #""year":2009,"rating":8,"released":"2009-05-29","isFavorite":true,"genres":["Animated","Drama"],"#
    + #""people":[{"name":"Pete Docter","role":"Director"},{"name":"Ed Asner","role":"Voice"}],"#
    + #""plot":"An old man flies away in his house."}}"#

  @Test func `NDJSON has one hit a line`() throws {
    let outcome = try bench.shell.run("search", "year:2009", "--format", "ndjson")
    #expect(neutral(outcome.output) == Self.up + "\n")
  }

  @Test func `JSON is one object with the state of the index`() throws {
    let outcome = try bench.shell.run("search", "year:2009", "--format", "json")
    let uuid = try #require((try bench.status()["index"] as? [String: Any])?["uuid"] as? String)
    #expect(
      neutral(outcome.output) == #"{"format":2,"query":"year:2009","index":{"uuid":""# + uuid
        + #"","generation":1,"token":1,"lagTransactions":0,"lagSeconds":0},"complete":{"rows":8,"documents":8,"#
        + #""leftOut":{"noKey":0,"noDefinition":0,"joins":0,"notAttached":0,"notSearchable":0,"rejected":0},"#
        + #""truncated":0,"failed":0,"pending":0},"estimated":1,"widened":false,"#
        + #""corrected":null,"hits":["# + Self.up + #"],"facets":{}}"# + "\n")
  }

  @Test func `a correction is reported, in JSON too`() throws {
    let outcome = try bench.shell.succeed("search", "robbot", "kind:film", "--format", "json", "--fields", "title")
    #expect(outcome.errors == "followspot: corrected to: robot kind:film\n")
    let json = try object(outcome.output)
    #expect(json["corrected"] as? String == "robot kind:film")
    #expect(json["query"] as? String == "robbot kind:film")
    let literal = try bench.shell.run("search", "--literal", "robbot", "--format", "tsv", "--fields", "title")
    #expect(literal.output == "WALL-E\n")
    #expect(literal.errors == "followspot: corrected to: robot\n")
  }

  @Test func `the format ids prints one complete identifier a line`() throws {
    let outcome = try bench.shell.run("search", "is:favorite", "--format", "ids")
    #expect(neutral(outcome.output) == "x-coredata://UUID/Film/p1\nx-coredata://UUID/Film/p4\n")
  }

  @Test func `columns are attributes, paths and columns that the search adds`() throws {
    let fields = "id,@id,@entity,@freshness,@score,people.role,TITLE"
    let tsv = try bench.shell.run("search", "year:2009", "--format", "tsv", "--fields", fields)
    #expect(
      neutral(tsv.output) == "x-coredata://UUID/Film/p4\tx-coredata://UUID/Film/p4\tFilm\tindexed\t0.000\t"
        + "Director; Voice\tUp\n")
    let json = try bench.shell.run(
      "search", "year:2009", "--format", "ndjson", "--fields", "people.name,rating,title")
    #expect(
      neutral(json.output) == #"{"id":"x-coredata://UUID/Film/p4","entity":"Film","title":"Up","score":0.000,"#
        + #""freshness":"indexed","fields":{"people.name":["Pete Docter","Ed Asner"],"rating":8,"title":"Up"}}"# + "\n")
    let unknown = try bench.shell.run("search", "up", "--fields", "titel")
    #expect(unknown.code == 2)
    #expect(unknown.errors.contains("hint: did you mean title?"))
  }

  @Test func `the field title is the title of kinds without such a field`() throws {
    let bench = ShellFixture.empty()
    let path = bench.shell.directory + "/shop.sqlite"
    try Connection(path: path, access: .create).execute(
      """
      CREATE TABLE album (id INTEGER PRIMARY KEY, Title TEXT);
      CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO album VALUES (1, 'Abbey Road'); INSERT INTO customer VALUES (1, 'Abbey Smith');
      """)
    #expect(try bench.shell.run("--store", path, "index").code == 0)
    func hits(_ options: String...) throws -> [String] {
      try bench.shell.run(["--store", path, "search", "abbey"] + options).lines.sorted()
    }
    let titles = ["Abbey Road", "Abbey Smith"]
    #expect(try hits("--format", "tsv", "--fields", "title") == titles)
    let found = try hits("--format", "ndjson", "--fields", "title").map(object)
    #expect(found.map { $0["title"] as? String } == titles)
    #expect(found.map { ($0["fields"] as? [String: Any])?["title"] as? String } == titles)
    #expect(try hits("--format", "tsv", "--kind", "customer", "--fields", "@id,title") == ["customer/1\tAbbey Smith"])
  }

  @Test func `an attribute named id is the record's own`() throws {
    let bench = try ShellFixture("{\"id\": 77, \"title\": \"x\"}\n", kind: "T")
    let outcome = try bench.shell.run("search", "x", "--format", "tsv", "--fields", "id,@id")
    #expect(neutral(outcome.output) == "77\tx-coredata://UUID/T/p1\n")
  }
}
