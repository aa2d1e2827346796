// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// `set` and `delete`: the selected records, their changes, and the history.
@Suite(.overlapping, .temporaryDirectory)
struct SetDeleteTests {
  private static func outcome(token: Int, updated: Int = 0, deleted: Int = 0, skipped: Int = 0) -> String {
    "{\"token\":\(token),\"inserted\":0,\"updated\":\(updated),\"deleted\":\(deleted),\"skipped\":\(skipped)}\n"
  }

  private func field(_ name: String, of identifier: String, _ bench: ShellFixture) throws -> String {
    let shown = try object(try bench.shell.run("show", identifier, "--format", "ndjson").output)
    return try #require(shown["fields"] as? [String: Any])[name].map { "\($0)" } ?? ""
  }

  @Test(arguments: [["set", "p1", "year=1999"], ["delete", "p1"]])
  func `an identifier without its kind is refused, not searched as a word`(_ arguments: [String]) throws {
    let bench = try ShellFixture()
    let refused = try bench.shell.run(arguments)
    #expect(refused.code == 2)
    #expect(
      refused.errors == """
        followspot: 'p1' is not an identifier: it does not say of which kind; nothing was changed
        hint: Film/p1 is a record, '"p1"' the word

        """)
    // In quotation marks it is a word, which no record contains.
    #expect(try bench.shell.run([arguments[0], "\"p1\""] + arguments.dropFirst(2)).code == 1)
    #expect(try bench.newest() == 1)
  }

  @Test(arguments: [
    (["set", "year", "=", "1995", "rating=1"], "'=' stands alone; nothing was changed"),
    (["set", "year = 1995", "rating=1"], "'year = 1995' can be read as a condition or as words; nothing was changed"),
    (["set", "year>=1995", "rating=1"], "'year>=1995' can be read as a condition or as words; nothing was changed"),
    (["set", "up titel = x", "rating=1"], "'=' can belong to a condition or to a new value; nothing was changed"),
    (["delete", "year", "=", "1995"], "'year = 1995' can be read as a condition or as words; nothing was changed"),
    (["delete", "toy year>1990"], "'year>1990' can be read as a condition or as words; nothing was changed"),
    (["delete", "t*y"], "nothing was changed"),
    (["delete", "year: 1995"], "'year:' has no value; nothing was changed"),
    (["delete", "kind:", "Film"], "'kind:' has no value; nothing was changed"),
    (
      ["set", "toy", "year==1995", "rating=1"],
      "'year==1995' can be read as a condition or as words; nothing was changed"
    ),
  ])
  func `an ambiguous query changes nothing`(_ arguments: [String], _ reason: String) throws {
    let bench = try ShellFixture()
    let refused = try bench.shell.run(arguments + ["--yes"])
    #expect(refused.code == 2, "\(refused)")
    #expect(refused.errors.contains(reason) && refused.errors.contains("\nhint: "), "\(refused)")
    #expect(refused.output == "")
    #expect(try bench.newest() == 1)
    // With a colon, it is a condition.
    #expect(try bench.shell.run("delete", "year:1995", "--yes").output.contains("\"deleted\":2"))
  }

  @Test func `a change by a query does not rebuild the index if the definition has grown`() throws {
    let bench = try ShellFixture()
    let records = (0..<2_100).map {
      #"{"title": "reel \#($0)", "isFavorite": false, "genres": [], "people": [], "shelf": "a\#($0)"}"#
    }.joined(separator: "\n")
    #expect(try bench.importRecords(records, options: ["--kind", "Film"]).code == 0)
    let changed = try bench.shell.succeed("set", "title:reel title:77", "year=1977")
    #expect(changed.output.contains("\"updated\":1"), "\(changed)")
    #expect(try bench.shell.run("delete", "title:reel title:78").output.contains("\"deleted\":1"))
    let index = try #require(try bench.status()["index"] as? [String: Any])
    #expect(index["generation"] as? Int == 1)
    #expect(index["documents"] as? Int == 8)
  }

  @Test func `a change by a query does not index changes first that a search can cover`() throws {
    let bench = try ShellFixture()
    let records = (0..<2_100).map {
      #"{"title": "reel \#($0)", "isFavorite": false, "genres": [], "people": []}"#
    }.joined(separator: "\n")
    #expect(try bench.importRecords(records, options: ["--kind", "Film"]).code == 0)
    let changed = try bench.shell.run("set", "title:reel title:77", "year=1977")
    #expect(changed.output.contains("\"updated\":1"), "\(changed)")
    #expect(try bench.shell.run("delete", "title:reel title:78").output.contains("\"deleted\":1"))
    // The changes that were just saved are found too, and nothing was indexed.
    #expect(try bench.shell.run("set", "year:1977", "plot=seen").output.contains("\"updated\":1"))
    #expect(try bench.number("token") == 1)
  }

  @Test func `the error of a duplicate value names the entity and the attribute`() throws {
    let bench = try ShellFixture(#"{"title": "a", "year": 1}"# + "\n" + #"{"title": "b", "year": 2}"#, key: "title")
    let refused = try bench.shell.run("set", "Film/p1", "title=b")
    #expect(refused.code == 2)
    #expect(
      refused.errors == """
        followspot: another Film has the same title
        hint: give it another value, or change the record that has this one

        """)
    let imported = try bench.importRecords(#"{"title": "b", "year": 3}"#)
    #expect(imported.code == 2)
    #expect(
      imported.errors == """
        followspot: line 1: another Film has the same title
        hint: --key title updates records that are there; --skip-bad leaves them out

        """)
  }

  @Test(arguments: ["2020", "-x", "First Name", "a,b", "x:desc", "a=b", "OR", "100%"])
  func `an attribute of any name is set, shown and sorted by`(name: String) throws {
    let bench = ShellFixture.empty()
    let records = "title,\"\(name)\"\none,5\ntwo,6\n"
    #expect(try bench.importRecords(records, as: "t.csv", options: ["--kind", "T"]).code == 0)
    let quoted = "\"\(name)\""
    #expect(try bench.shell.run("set", "T/p1", "\(quoted)=7", "title=uno").output == Self.outcome(token: 2, updated: 1))
    #expect(try bench.shell.run("set", "T/p2", "\(quoted):=8").output == Self.outcome(token: 3, updated: 1))
    #expect(try bench.shell.run("index").code == 0)
    let shown = try bench.shell.run(
      "search", "*", "--sort", "\(quoted):desc", "--format", "tsv", "--fields", "\(quoted),title")
    #expect(shown.lines == ["8\ttwo", "7\tuno"], "\(shown)")
    let template = try bench.shell.run("search", "\(quoted):8", "--template", "{\(quoted)}\n")
    #expect(template.output == "8\n", "\(template)")
    #expect(try bench.shell.run("set", "\(quoted):8", "title=duo").output == Self.outcome(token: 4, updated: 1))
  }

  @Test func `an identifier needs no index`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let changed = try bench.shell.succeed("set", "Film/p4", "title=Down", "--author", "me")
    #expect(changed.output == Self.outcome(token: 2, updated: 1))
    #expect(try field("title", of: "Film/p4", bench) == "Down")
    let deleted = try bench.shell.run("delete", "Film/p4", "--author", "you")
    #expect(deleted.output == Self.outcome(token: 3, deleted: 1))
    #expect(try bench.shell.run("show", "Film/p4").code == 1)
    let history = try bench.shell.run("history", "--after", "1", "--format", "tsv").output
    #expect(
      neutral(history) == """
        2\tTIME\tme\tupdate\tx-coredata://UUID/Film/p4\t
        3\tTIME\tyou\tdelete\tx-coredata://UUID/Film/p4\t

        """)
  }

  @Test func `a full identifier is accepted, and one of another store is refused`() throws {
    let bench = try ShellFixture()
    let identifier = try #require(try bench.shell.run("search", "up", "--format", "ids").lines.first)
    #expect(try bench.shell.run("set", identifier, "title=Down").code == 0)
    let other = "x-coredata://00000000-0000-4000-8000-000000000000/Film/p4"
    for arguments in [["set", other, "title=x"], ["delete", other]] {
      let refused = try bench.shell.run(arguments)
      #expect(refused.code == 2)
      #expect(refused.errors.contains("another store"))
    }
    #expect(try bench.newest() == 2)
  }

  @Test func `the words before the first assignment are the query`() throws {
    let bench = try ShellFixture()
    let changed = try bench.shell.run("set", "title:\"toy story\"", "2", "title=a=b", "rating=9")
    #expect(changed.output == Self.outcome(token: 2, updated: 1))
    #expect(try field("title", of: "Film/p2", bench) == "a=b")
    #expect(try field("rating", of: "Film/p2", bench) == "9")
    let late = try bench.shell.run("set", "up", "title=x", "cowboy")
    #expect(late.code == 2)
    #expect(try bench.shell.run("set", "up").code == 2)
    #expect(try bench.shell.run("set", "title=x").code == 2)
    #expect(try bench.newest() == 2)
  }

  @Test(arguments: [
    ("plot=", "plot", #""plot":"""#), ("plot:=null", "plot", #""plot":null"#),
    ("plot:=\"a b\"", "plot", #""plot":"a b""#), ("isFavorite:=true", "isFavorite", #""isFavorite":true"#),
    ("isFavorite=true", "isFavorite", #""isFavorite":true"#), ("year:=1901", "year", #""year":1901"#),
    ("year=1901", "year", #""year":1901"#), ("rating:=7.25", "rating", #""rating":7.25"#),
    ("released=1931-01-02", "released", #""released":"1931-01-02""#),
    ("released=1931-01-02T03:04:05Z", "released", #""released":"1931-01-02T03:04:05Z""#),
    ("genres:=[\"x\", \"y\"]", "genres", #""genres":["x","y"]"#),
    ("people:={\"name\": \"z\"}", "people", #""people":{"name":"z"}"#), ("title=007", "title", #""title":"007""#),
  ])
  func `a value is text or typed JSON`(_ assignment: String, _ name: String, _ shown: String) throws {
    let bench = try ShellFixture(isIndexed: false)
    let changed = try bench.shell.run("set", "Film/p2", assignment)
    #expect(changed.output == Self.outcome(token: 2, updated: 1), "\(changed)")
    #expect(try bench.shell.run("show", "Film/p2", "--format", "ndjson").output.contains(shown))
    let history = try bench.shell.run("history", "--after", "1", "--format", "ndjson").output
    #expect(history.contains("\"updated\":[\"\(name)\"]"))
  }

  @Test(arguments: [
    "year=soon", "year:=1.5", "isFavorite=maybe", "released=yesterday", "genres:=[1]", "title:=null", "year:={",
    "titel=x", "year=",
  ])
  func `an invalid value changes nothing`(_ assignment: String) throws {
    let bench = try ShellFixture(isIndexed: false)
    let refused = try bench.shell.run("set", "Film/p2", "plot=changed", assignment)
    #expect(refused.code == 2, "\(refused)")
    #expect(refused.output == "")
    #expect(try bench.newest() == 1)
    #expect(try field("plot", of: "Film/p2", bench) == "A collector steals the cowboy.")
  }

  @Test func `an unknown attribute is refused with the most similar one`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let refused = try bench.shell.run("set", "Film/p2", "titel=x")
    #expect(refused.errors.contains("Film has no attribute 'titel'"))
    #expect(refused.errors.contains("hint: did you mean title?"))
  }

  @Test(arguments: [["set", "toy", "rating=1"], ["delete", "toy"]])
  func `a change of several hits needs confirmation`(_ arguments: [String]) throws {
    let bench = try ShellFixture()
    let asked = try bench.shell.run(arguments)
    #expect(asked.code == 2)
    #expect(asked.output == "")
    #expect(
      asked.errors == """
        followspot: 2 records match; nothing was changed
        hint: --yes to \(arguments[0]) them all, -n 1 for the best hit only

        """)
    #expect(try bench.newest() == 1)
    let agreed = try bench.shell.run(arguments + ["--yes"])
    let isSet = arguments[0] == "set"
    #expect(agreed.output == Self.outcome(token: 2, updated: isSet ? 2 : 0, deleted: isSet ? 0 : 2))
  }

  @Test func `-n changes only the best hits`() throws {
    let bench = try ShellFixture()
    let best = try #require(try bench.titles("toy").first)
    let deleted = try bench.shell.run("delete", "toy", "-n", "1")
    #expect(deleted.output == Self.outcome(token: 2, deleted: 1))
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.titles("toy") == ["Toy Story", "Toy Story 2"].filter { $0 != best })
  }

  @Test(arguments: [
    ["set", "nowhere", "rating=1"], ["delete", "nowhere"], ["delete", "Film/p99"], ["set", "Film/p99", "rating=1"],
    ["delete", "toy", "robot"], ["set", "cowboy", "garden", "rating=1"], ["delete", "toyy"],
  ])
  func `without a hit nothing is changed, and the query is not widened or corrected`(_ arguments: [String]) throws {
    let bench = try ShellFixture()
    let none = try bench.shell.run(arguments)
    #expect(none.code == 1)
    #expect(none.output == Self.outcome(token: 1))
    #expect(try bench.newest() == 1)
  }

  @Test func `a value that is already set is skipped without a transaction`() throws {
    let bench = try ShellFixture(isIndexed: false)
    let same = try bench.shell.succeed("set", "Film/p4", "title=Up")
    #expect(same.output == Self.outcome(token: 1, skipped: 1))
  }

  @Test func `the next pass indexes the changed records`() throws {
    let bench = try ShellFixture()
    #expect(try bench.shell.run("set", "genres:drama", "plot=Tears.", "--yes").code == 0)
    #expect(try bench.shell.run("delete", "is:favorite", "--yes").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.titles("tears").sorted() == ["Café Society", "The Seed"])
    try bench.expectEqual(documents: 6)
  }
}
