// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `search` and `count`: the query language.
@Suite(.overlapping, .temporaryDirectory)
struct SearchTests {
  private let bench: ShellFixture

  init() throws { bench = try SharedFilms.bench.get() }

  // MARK: The query language

  /// Queries and the titles that they find, in the catalogue's order and without widening.
  private static let found: [(String, [String])] = [
    ("cowboy", ["Toy Story", "Toy Story 2"]), ("COWBOYS", ["Toy Story", "Toy Story 2"]),
    ("collector steals", ["Toy Story 2"]), ("nowhere", []),
    // Phrases
    ("\"toy story\"", ["Toy Story", "Toy Story 2"]), ("\"story toy\"", []), ("\"space ranger\"", ["Toy Story"]),
    ("\"Animated Comedy\"", []), ("\"pete docter\"", ["Monsters, Inc.", "Up"]), ("\"docter director\"", []),
    // Fields
    ("title:toy", ["Toy Story", "Toy Story 2"]), ("TITLE:toy", ["Toy Story", "Toy Story 2"]), ("plot:toy", []),
    ("title:\"toy story\"", ["Toy Story", "Toy Story 2"]), ("genres:\"science fiction\"", ["WALL-E"]),
    ("genres:comedy", ["Toy Story", "Toy Story 2", "Café Society"]), ("title:toy plot:collector", ["Toy Story 2"]),
    ("people.name:docter", ["Monsters, Inc.", "Up"]), ("People.Name:\"pete docter\"", ["Monsters, Inc.", "Up"]),
    ("people.role:voice", ["Up", "The Seed"]), ("people.name:voice", []), ("people:voice", ["Up", "The Seed"]),
    // Numbers
    ("year:1995", ["Toy Story", "The Seed"]), ("year:1999..2001", ["Toy Story 2", "Monsters, Inc."]),
    ("year:2009..", ["Up", "Café Society"]), ("year:..1995", ["Toy Story", "The Seed"]),
    ("year:>2008", ["Up", "Café Society"]), ("year:>=2008", ["Up", "WALL-E", "Café Society"]),
    ("year:<1999", ["Toy Story", "The Seed"]), ("year:<=1999", ["Toy Story", "Toy Story 2", "The Seed"]),
    ("rating:>=8.3", ["Toy Story", "WALL-E"]), ("rating:8", ["Up"]), ("rating:5..6", ["The Seed"]),
    ("year:>=-5 year:<1990", []),
    // Dates
    ("released:1995", ["Toy Story", "The Seed"]), ("released:1995-12", ["The Seed"]),
    ("released:1995-12-31", ["The Seed"]), ("released:1995-12-30", []),
    ("released:1995-11..1995-11", ["Toy Story"]), ("released:1995..1999", ["Toy Story", "Toy Story 2", "The Seed"]),
    ("released:..1995-11-22", ["Toy Story"]), ("released:2009-05-29..", ["Up", "Café Society"]),
    ("released:>2009-05-29", ["Café Society"]), ("released:<1995-12-31", ["Toy Story"]),
    ("released:<=1995-12-31", ["Toy Story", "The Seed"]), ("released:>2008-06", ["Up", "Café Society"]),
    // Flags and kinds
    ("is:favorite", ["Toy Story", "Up"]), ("is:isFavorite", ["Toy Story", "Up"]), ("IS:FAVORITE", ["Toy Story", "Up"]),
    ("isFavorite:true", ["Toy Story", "Up"]), ("kind:film cowboy", ["Toy Story", "Toy Story 2"]),
    ("is:favorite year:2009", ["Up"]), ("-is:favorite cowboy", ["Toy Story 2"]),
    // Operators
    ("collector OR robot", ["Toy Story 2", "WALL-E"]), ("cowboy AND doll", ["Toy Story"]),
    ("cowboy NOT doll", ["Toy Story 2"]), ("cowboy -doll", ["Toy Story 2"]),
    ("(collector OR robot) cowboy", ["Toy Story 2"]), ("cowboy (doll OR collector)", ["Toy Story", "Toy Story 2"]),
    ("robot OR cowboy AND doll", ["Toy Story", "WALL-E"]), ("cowboy -(doll OR robot)", ["Toy Story 2"]),
    ("(year:1995 OR year:2009) -genres:drama", ["Toy Story"]), ("-genres:animated -title:the", ["Café Society"]),
    ("NOT genres:animated", ["Café Society", "The C++ Story", "The Seed"]), ("\"OR\"", []), ("or robot", ["WALL-E"]),
    // Prefixes, and all records
    ("coll*", ["Toy Story 2"]), ("title:mon*", ["Monsters, Inc."]), ("mon* -inc", []), ("*", titles),
    ("* -genres:animated", ["Café Society", "The C++ Story", "The Seed"]),
    // Words with punctuation, and accents in the query or in the text
    ("WALL-E", ["WALL-E"]), ("wall-e", ["WALL-E"]), ("C++", ["The C++ Story"]), ("c++", ["The C++ Story"]),
    ("café", ["Café Society"]), ("cafe", ["Café Society"]), ("CAFÉ", ["Café Society"]), ("naive", ["Café Society"]),
    ("josé", ["The Seed"]), ("résumé", ["The Seed"]), ("álvarez", ["The Seed"]), ("node.js", ["The C++ Story"]),
    ("caf*", ["Café Society"]), ("café*", ["Café Society"]),
    // A single stop word is searched
    ("up", ["Up"]), ("Up", ["Up"]), ("title:up", ["Up"]), ("\"up\"", ["Up"]),
    // White space after the colon: not a field
    ("robot: earth", ["WALL-E"]),
  ]
  private static let titles = Films.titles

  @Test(arguments: found)
  func `a query finds exactly its records`(_ query: String, _ titles: [String]) throws {
    let hits = try bench.titles(query, "--all")
    #expect(hits.sorted() == titles.sorted())
    #expect(try bench.shell.run("count", "--", query).output == "\(titles.count)\n")
  }

  @Test(arguments: ["monsters inc", "Monsters, Inc.", "monsters, inc", "toy", "Toy Story", "WALL-E", "up", "The Seed"])
  func `a record whose title is the query comes first`(_ query: String) throws {
    let first = try #require(try bench.titles(query).first)
    #expect(first.lowercased().hasPrefix(query.lowercased().prefix(3)))
  }

  @Test func `the words of a query can be several arguments or one`() throws {
    let one = try bench.shell.run("search", "title:\"toy story\" collector")
    let several = try bench.shell.run("search", "title:\"toy story\"", "collector")
    #expect(one.output == several.output)
    #expect(try bench.shell.run("search", "cowboy", "-doll").output.hasSuffix("\tToy Story 2\n"))
  }

  @Test(arguments: ["title:nothing AND (", "unknown:field", "year:soon", "\"open", "ab*", "-", "AND", "is:none"])
  func `literal text is never an error`(_ text: String) throws {
    let outcome = try bench.shell.run("search", "--literal", "--", text)
    #expect(outcome.code == 0 || outcome.code == 1, "\(outcome)")
  }

  @Test func `literal text has only words, and is widened`() throws {
    let literal = try bench.shell.run("search", "--literal", "--format", "json", "robot OR cowboy")
    let result = try object(literal.output)
    #expect(result["estimated"] as? Int == 3)
    #expect(result["widened"] as? Bool == true)
    #expect(try bench.shell.run("count", "--literal", "robot OR cowboy").output == "0\n")
  }

  // MARK: Widening

  private static let widening: [([String], Bool, Int)] = [
    // Fewer than 5 records have all words.
    (["cowboy", "robot"], true, 3), (["cowboy", "story"], true, 3), (["-n", "0", "cowboy", "story"], true, 3),
    // The same for every page.
    (["-n", "1", "cowboy", "story"], true, 3), (["-n", "2", "--offset", "2", "cowboy", "story"], true, 3),
    (["-n", "3", "cowboy", "story"], true, 3),
    // Five records have all words.
    (["-n", "10", "animated", "director"], false, 5), (["-n", "5", "animated", "director"], false, 5),
    // More than 4 plain words.
    (["-n", "1", "cowboy", "doll", "fears", "space", "ranger"], true, 2),
    (["-n", "1", "cowboy", "doll", "fears", "space"], true, 2),
    // Stop words count.
    (["-n", "1", "a", "cowboy", "doll", "fears", "a", "space"], true, 2),
    // Widening is forbidden, switched off or impossible.
    (["--all", "cowboy", "robot"], false, 0), (["cowboy AND robot"], false, 0), (["(cowboy) robot"], false, 0),
    (["robot OR cowboy"], false, 3), (["cowboy"], false, 2), (["title:toy", "plot:robot"], false, 0),
    (["\"toy story\"", "robot"], false, 0), (["--any", "cowboy", "robot"], false, 3),
    // Filters stay required.
    (["cowboy", "robot", "year:1999"], true, 1), (["cowboy", "robot", "-doll"], true, 2),
    (["--kind", "Film", "cowboy", "robot", "genres:animated"], true, 3),
  ]

  @Test(arguments: widening)
  func `words are widened only by the rule`(
    _ arguments: [String], _ isWidened: Bool, _ estimated: Int
  ) throws {
    let outcome = try bench.shell.run(["search", "--format", "json"] + arguments)
    let result = try object(outcome.output)
    #expect(result["widened"] as? Bool == isWidened)
    #expect(result["estimated"] as? Int == estimated)
    let isSaid = outcome.errors.contains("records with any of the words follow")
    #expect(isSaid == isWidened)
  }

  @Test func `records with all words come before the others`() throws {
    let hits = try bench.titles("comedy love drama society")
    #expect(hits.first == "Café Society")
    let others = Set(hits.dropFirst())
    #expect(others == ["Toy Story", "Toy Story 2", "Up", "The Seed"])
  }

  @Test(arguments: ["text", "json", "ndjson", "tsv", "csv", "ids"])
  func `queries are widened in every format`(_ format: String) throws {
    let outcome = try bench.shell.run("search", "--format", format, "cowboy", "robot")
    #expect(outcome.errors == "followspot: records with any of the words follow those with all of them\n")
    let lines = format == "csv" ? 4 : format == "json" ? 1 : 3
    #expect(outcome.output.utf8.count { $0 == 0x0a } == lines)
  }

  @Test func `a count as JSON has groups and the state of the index, as a search has`() throws {
    let bench = try ShellFixture()
    let counted = try object(try bench.shell.run("count", "toy", "--json").output)
    let searched = try object(try bench.shell.run("search", "toy", "--json").output)
    #expect(counted["count"] as? Int == 2)
    #expect(counted["query"] as? String == "toy")
    #expect((counted["facets"] as? [String: Any])?.isEmpty == true)
    for key in ["uuid", "generation", "token", "lagTransactions"] {
      let values = [counted, searched].map { ($0["index"] as? [String: Any])?[key].map { "\($0)" } }
      #expect(values[0] != nil && values[0] == values[1], "\(key)")
    }
    let grouped = try object(try bench.shell.run("count", "toy", "--by", "genres", "--format", "json").output)
    #expect(grouped["count"] as? Int == 2)
    #expect(grouped["facets"] as? [String: [String: Int]] == ["genres": ["Animated": 2, "Comedy": 2]])
    let nothing = try object(try bench.shell.run("count", "toy robot", "--json").output)
    #expect(nothing["count"] as? Int == 0)
    #expect(nothing["suggestion"] != nil)
    #expect(try bench.shell.run("count", "toy", "--format", "tsv").code == 2)
  }

  @Test func `a count is exact and never widened`() throws {
    for (query, count) in [("cowboy robot", 0), ("nowhere", 0), ("*", 8), ("is:favorite", 2)] {
      let outcome = try bench.shell.succeed("count", query)
      #expect(outcome.output == "\(count)\n")
    }
    #expect(try bench.shell.run("count", "--any", "cowboy", "robot").output == "3\n")
  }

  // MARK: Pages

  @Test(arguments: ["*", "story", "animated robot", "cowboy old garden comedy drama", "year:1990.."], [1, 2, 3])
  func `each hit is on exactly one page`(_ query: String, _ size: Int) throws {
    let whole = try bench.shell.run("search", "--format", "ids", query).lines
    var pages: [String] = []
    while pages.count <= whole.count {
      let page = try bench.shell.run(
        "search", "--format", "ids", "-n", "\(size)", "--offset", "\(pages.count)", query
      ).lines
      if page.isEmpty { break }
      #expect(page.count <= size)
      pages += page
    }
    #expect(pages == whole)
    #expect(Set(pages).count == pages.count)
  }

  @Test(arguments: 1...7)
  func `each hit of a widened query is on exactly one page`(_ size: Int) throws {
    let query = ["animated", "drama"]
    let whole = try bench.shell.run(["search", "--format", "ids", "-n", "0"] + query).lines
    #expect(whole.count == 7)
    let pages = try stride(from: 0, through: 7, by: size).map { offset in
      try bench.shell.run(["search", "--format", "ids", "-n", "\(size)", "--offset", "\(offset)"] + query)
    }
    #expect(pages.flatMap(\.lines) == whole)
    #expect(pages.map(\.code) == pages.map { $0.lines.isEmpty ? 1 : 0 })
  }

  @Test func `text shows 20 hits and the other formats show all`() throws {
    let bench = try ShellFixture(Films.lines((1...30).map { "film \($0)" }), kind: "T")
    let text = try bench.shell.run("search", "film")
    #expect(text.lines.count == 20)
    #expect(try bench.shell.run("search", "film", "--format", "text").lines.count == 20)
    #expect(try bench.shell.run("search", "film", "--format", "ids").lines.count == 30)
    #expect(try bench.shell.run("search", "film", "-n", "0").lines.count == 30)
    #expect(try bench.shell.run("search", "film", "-n3").lines.count == 3)
  }

  @Test func `a line on standard error says that text has fewer hits than there are`() throws {
    let bench = try ShellFixture(Films.lines((1...1_381).map { "film \($0)" }), kind: "T")
    func errors(_ options: String...) throws -> String { try bench.shell.run(["search", "film"] + options).errors }
    #expect(try errors() == "followspot: 20 of 1,381; -n 0 prints all\n")
    #expect(try errors("--template", "{title}\n") == "followspot: 20 of 1,381; -n 0 prints all\n")
    #expect(try errors("--offset", "20") == "followspot: 21 to 40 of 1,381; -n 0 prints the rest\n")
    // Nothing is left out, or the user has chosen how many hits to see.
    #expect(try errors("--offset", "1361") == "")
    #expect(try errors("-n", "0") == "")
    #expect(try errors("-n", "20") == "")
    #expect(try errors("--format", "ids") == "")
    #expect(try bench.shell.run("search", "film", "-n", "0").lines.count == 1_381)
    // A saved search with a limit.
    try bench.shell.run("saved", "add", "few", "film", "-n", "7")
    let saved = try bench.shell.run("saved", "run", "few")
    #expect(saved.lines.count == 7 && saved.errors == "followspot: 7 of 1,381; -n 0 prints all\n", "\(saved)")
  }

  // MARK: Live rows

  @Test func `every answer includes changes that are not indexed yet`() throws {
    let bench = try ShellFixture()
    _ = try bench.shell.run("set", "Film/p1", "plot=Changed.")
    _ = try bench.shell.run("delete", "Film/p2")
    let outcome = try bench.shell.run(
      "search", "title:toy", "--format", "tsv", "--fields", "title,plot,@freshness")
    #expect(outcome.output == "Toy Story\tChanged.\toverlay\n")
    #expect(outcome.errors == "")
    let count = try bench.shell.run("count", "title:toy")
    #expect(count.output == "1\n")
    #expect(count.errors == "")
    #expect(try bench.shell.run("search", "plot:changed", "--format", "ids").lines.count == 1)
    let json = try object(try bench.shell.run("search", "title:toy", "--format", "json").output)
    let index = try #require(json["index"] as? [String: Any])
    #expect(index["lagTransactions"] as? Int == 2)
  }

  @Test func `the index alone answers as of its token, and --max-lag can refuse the answer`() throws {
    let bench = try ShellFixture()
    _ = try bench.shell.run("set", "Film/p1", "plot=Changed.")
    let alone = try bench.shell.run(
      "search", "title:toy", "--index-only", "--format", "tsv", "--fields", "title,@freshness")
    #expect(alone.lines.sorted() == ["Toy Story 2\tindexed", "Toy Story\tchanged"].sorted())
    #expect(alone.errors == "followspot: 1 transaction behind\n")
    #expect(try bench.shell.run("count", "plot:changed", "--index-only").output == "0\n")
    let refused = try bench.shell.run("search", "toy", "--index-only", "--max-lag", "0")
    #expect(refused.code == 4)
    #expect(refused.output == "")
    #expect(refused.errors.hasPrefix("followspot: the index is too old for this answer: 1 transaction behind\nhint: "))
    #expect(try bench.shell.run("search", "toy", "--max-lag", "0").code == 0)
    #expect(try bench.shell.run("search", "toy", "--index-only", "--max-lag", "1000000s").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("search", "toy", "--index-only", "--max-lag", "0").code == 0)
  }

  @Test func `a search can require an answer that includes a transaction`() throws {
    let bench = try ShellFixture()
    let saved = try bench.shell.run("set", "Film/p1", "plot=Changed.")
    let token = try #require(try object(saved.output)["token"] as? Int)
    #expect(try bench.shell.run("search", "plot:changed", "--at-least", "\(token)").code == 0)
    let waiting = try bench.shell.start(["search", "plot:later", "--at-least", "\(token + 1)", "--format", "ids"])
    _ = try bench.shell.run("set", "Film/p1", "plot=Later.")
    let found = waiting.wait()
    #expect(found.code == 0)
    #expect(found.lines.count == 1)
    let never = try bench.shell.run("search", "toy", "--at-least", "\(token + 2)")
    #expect(never.code == 4)
    #expect(never.errors.hasPrefix("followspot: transaction \(token + 2) does not exist yet\n"))
  }

  @Test func `a note reports a condition that the shell truncated, and partial matches only if they exist`() throws {
    let records = (1...3).map { "{\"title\":\"red fox \($0)\",\"year\":\(2000 + $0)}\n" }.joined()
    let bench = try ShellFixture(records + "{\"title\":\"red hen\",\"year\":1}\n")
    let lost = try bench.shell.run("search", "fox year:")
    #expect(
      lost.errors.contains(
        "year: has no value and is searched as a word; write year:VALUE without a blank, and in a shell, quote text "
          + "with > < ( ) or *\n"))
    #expect(try bench.shell.run("search", "fox and:").errors.contains("has no value") == false)
    let follow = "records with any of the words follow"
    #expect(try bench.shell.run("search", "red fox").errors.contains(follow))
    #expect(try bench.shell.run("search", "fox red -hen").errors.contains(follow) == false)
    let none = try bench.shell.run("search", "nobody nowhere")
    #expect(none.code == 1 && !none.errors.contains(follow))
  }

  @Test(arguments: [["search", "--limit", "5"], ["--db", "x"]])
  func `option names of other programs are answered with the names here`(arguments: [String]) throws {
    let names = ["--limit": "-n", "--db": "--store"]
    let bench = ShellFixture.empty()
    let refused = try bench.shell.run(arguments)
    #expect(refused.code == 2)
    let name = arguments.compactMap { names[$0] }.first ?? ""
    #expect(refused.errors.contains("did you mean \(name)?"), "\(refused)")
  }

  @Test(arguments: [
    ["count", "*", "--by", "year", "--by", "genres"],
    ["search", "*", "--section-by", "year", "--section-by", "genres"],
    ["search", "*", "-n", "1", "-n2"], ["search", "*", "--format", "json", "--format", "tsv"],
  ])
  func `an option that takes one value is refused with several`(_ arguments: [String]) throws {
    let bench = try ShellFixture()
    let refused = try bench.shell.run(arguments)
    #expect(refused.code == 2 && refused.output.isEmpty, "\(refused)")
    #expect(refused.errors.contains(" takes one value, not both '"), "\(refused)")
    #expect(try bench.shell.run("count", "*", "--by", "year", "--by", "year").code == 0)
  }

  @Test(arguments: [["count", "*", "--by"], ["search", "*", "--sort"], ["search", "*", "--facet"]])
  func `a key that does not occur in any JSON value is refused with the closest one`(_ command: [String]) throws {
    let bench = try ShellFixture()
    let unknown = try bench.shell.run(command + ["people.nam"])
    #expect(unknown.code == 2, "\(unknown)")
    #expect(unknown.errors == "followspot: no field is named 'people.nam'\nhint: did you mean people.name?\n")
    #expect(try bench.shell.run(command + ["people.name"]).code == 0)
  }

  @Test func `a field whose name has spaces is written in quotation marks`() throws {
    let people = """
      {"First Name": "Anna", "Year of Birth": 1990, "note": "likes Bert"}
      {"First Name": "Bert", "Year of Birth": 1985, "note": "likes Anna"}
      """
    let bench = try ShellFixture(people, kind: "Person")
    func names(_ query: String) throws -> [String] {
      try bench.shell.run("search", "--all", "--format", "tsv", "--fields", "First Name", "--", query).lines
    }
    for query in [
      "\"First Name\":anna", "\"first name\":\"anna\"", "\"First Name\" = anna", "First_Name:anna",
      "\"First Name\":(anna OR carl)", "likes \"First Name\":ann*", "\"Year of Birth\">1986",
      "\"Year of Birth\":1986..1990", "-\"First Name\":bert", "has:First_Name \"Year of Birth\" = 1990",
    ] {
      #expect(try names(query) == ["Anna"], "\(query)")
    }
    let unknown = try bench.shell.run("search", "\"First Nam\":anna")
    #expect(unknown.code == 2)
    #expect(unknown.errors.hasPrefix("followspot: no field is named 'First Nam'\n"), "\(unknown)")
    #expect(unknown.errors.contains("hint: did you mean First_Name"), "\(unknown)")
    // A phrase before a colon is a phrase if nothing follows.
    #expect(try names("\"likes bert\": ") == ["Anna"])
  }

  @Test func `a name is suggested only if its edit distance is at most two`() throws {
    func hint(_ arguments: String...) throws -> String? {
      try bench.shell.run(arguments).errors.split(separator: "\n").last { $0.hasPrefix("hint: ") }.map(String.init)
    }
    #expect(try hint("search", "*", "--fields", "titel") == "hint: did you mean title?")
    #expect(try hint("search", "*", "--fields", "tittles") == "hint: did you mean title?")
    #expect(try hint("search", "*", "--fields", "runtime") == "hint: followspot schema lists the fields")
    #expect(try hint("search", "*", "--ofset", "1") == "hint: did you mean --offset?")
    #expect(try hint("search", "*", "--page", "1") == "hint: followspot help search")
    #expect(try hint("search", "*", "--x") == "hint: followspot help search")
    #expect(try hint("serch", "*") == "hint: did you mean search?")
    #expect(try hint("retrieve", "*") == "hint: followspot help lists the verbs")
  }

  @Test func `hits are sorted by several fields, the first one taking precedence`() throws {
    func titles(_ sort: String...) throws -> [String] { try bench.titles("*", sort.flatMap { ["--sort", $0] }) }
    let byFlag = try titles("isFavorite:desc,year:desc,title")
    #expect(
      byFlag == [
        "Up", "Toy Story", "Café Society", "WALL-E", "Monsters, Inc.", "Toy Story 2", "The Seed", "The C++ Story",
      ])
    #expect(try titles("isFavorite:desc", "year:desc", "title:asc") == byFlag)
    #expect(try titles("year,title:desc").prefix(2) == ["Toy Story", "The Seed"])
    #expect(try titles("year,title").prefix(2) == ["The Seed", "Toy Story"])
    #expect(try titles("year").last == "The C++ Story")
    // Pages of a sorted result are parts of one list.
    let pages = try (0..<8).flatMap { try bench.titles("*", ["--sort", "year,title", "-n", "1", "--offset", "\($0)"]) }
    #expect(pages == (try titles("year,title")))
    for wrong in ["", ",", "year,", "year:down", "year,title:up", "year:asc:desc"] {
      let refused = try bench.shell.run("search", "*", "--sort", wrong)
      #expect(refused.code == 2 && refused.errors.contains("--sort takes FIELD"), "\(refused)")
    }
  }
}
