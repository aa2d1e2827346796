// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `explain` and `show --terms`, which show why a record matches.
@Suite(.overlapping, .temporaryDirectory)
struct ExplainTests {
  private static let records = """
    {"title":"Red Moon","plot":"The moons are running.","year":1999,"genres":["Drama","Film noir"]}
    {"title":"Blue Moon","plot":"Nothing red here.","year":2001,"genres":["Comedy"]}
    {"title":"Sun","plot":"It is warm.","year":2003,"genres":["Drama"]}

    """

  private func explain(_ bench: ShellFixture, _ arguments: String...) throws -> (code: Int32, lines: [String]) {
    let outcome = try bench.shell.run(["explain"] + arguments)
    return (outcome.code, outcome.lines.map { $0.replacing(/\d+\.\d{3}/, with: "S") })
  }

  @Test func `a word after a dash is excluded, as in a search`() throws {
    let bench = try ShellFixture()
    let found = try bench.shell.succeed("explain", "Film/p1", "toy", "-robot")
    #expect(found.output.contains("robot: not there, as required"), "\(found)")
    let excluded = try bench.shell.run("explain", "Film/p1", "-toy", "--format", "text", "cowboy")
    #expect(excluded.code == 1, "\(excluded)")
    #expect(excluded.output.contains("toy: the record has it, and it is excluded"), "\(excluded)")
    #expect(try bench.shell.run("explain", "Film/p1", "toy", "--nothing").code == 2)
  }

  @Test func `the identifier stands before the query, behind it or inside of it`() throws {
    let bench = try ShellFixture(Self.records)
    let first = try explain(bench, "Film/p1", "red", "moon")
    #expect(first.code == 0)
    #expect(try explain(bench, "red moon", "Film/p1") == first)
    #expect(try explain(bench, "red", "Film/p1", "moon") == first)
    #expect(try explain(bench, "--", "red", "moon", "Film/p1") == first)
    // The first identifier is the record; another one is a word.
    #expect(try explain(bench, "moon", "Film/p1", "Film/p2").lines.first == "Film/p1  Red Moon")
    let none = try bench.shell.run("explain", "red", "moon")
    #expect(none.code == 2)
    #expect(none.errors == "followspot: explain takes an identifier and a query\nhint: identifiers look like Film/p1\n")
  }

  @Test func `the match of a record is explained by word and by field`() throws {
    let bench = try ShellFixture(Self.records)
    let both = try explain(bench, "Film/p1", "moon", "year:1990..2000 -genres:comedy")
    #expect(both.code == 0)
    #expect(
      both.lines == [
        "Film/p1  Red Moon", "found, score S",
        "  moon: score S; in 2 records; by field: plot S, title S",
        "  year:1990..2000: yes; in 1 record",
        "  -genres:comedy: not there, as required; in 1 record", "  words in the title: score S",
      ])
    let phrase = try explain(bench, "Film/p1", "\"red moon\" runn*")
    #expect(
      phrase.lines == [
        "Film/p1  Red Moon", "found, score S", "  \"red moon\": yes, score S; in 1 record; by field: title S",
        "  runn*: yes, score S; in 1 record; by field: plot S", "  item or short text: score S",
      ])
  }

  @Test func `the shares of fields add up to the score of a word`() throws {
    let bench = try ShellFixture(Self.records)
    let lines = try bench.shell.run("explain", "Film/p1", "moon").lines
    let word = try #require(lines.first { $0.hasPrefix("  moon: ") })
    let scores = word.matches(of: /\d+\.\d+/).compactMap { Double($0.output) }
    #expect(scores.count == 3 && abs(scores[0] - scores[1] - scores[2]) < 0.01, "\(word)")
  }

  @Test func `words that were added to the query or do not count are explained too`() throws {
    let bench = try ShellFixture(Self.records)
    let kind = try explain(bench, "Film/p1", "moon", "--kind", "film")
    #expect(kind.lines.contains("  kind:film: yes; in 3 records"))
    let stopped = try explain(bench, "Film/p3", "it is warm")
    #expect(
      stopped.lines.dropFirst(2) == [
        "  it: there; in 1 record; a stop word, ignored because the query has other words",
        "  is: there; in 1 record; a stop word, ignored because the query has other words",
        "  warm: score S; in 1 record; by field: plot S", "  item or short text: score S",
      ])
    let title = try bench.shell.run("explain", "Film/p2", "blue moon").lines
    #expect(title.contains { $0.hasPrefix("  the whole title: score ") })
    // The listed scores add up to the total.
    func scores(_ lines: some Sequence<String>) -> [Double] {
      lines.compactMap { $0.firstMatch(of: /score (\d+\.\d+)/).flatMap { Double($0.output.1) } }
    }
    let sum = scores(title.dropFirst(2)).reduce(0, +)
    #expect(try abs(sum - #require(scores(title.prefix(2)).first)) < 0.01)
    let other = try explain(bench, "Film/p1", "blue moon")
    #expect(!other.lines.contains { $0.contains("whole title") })
  }

  @Test func `the score equals the score of the search`() throws {
    let bench = try ShellFixture(Self.records)
    for query in ["moon", "red moon", "title:moon", "moon year:1999"] {
      let line = try bench.shell.run("search", query, "--format", "tsv").lines.first { $0.contains("/p1\t") }
      let score = try #require(line?.split(separator: "\t")[1])
      #expect(try bench.shell.run("explain", "Film/p1", query).lines[1] == "found, score \(score)")
    }
  }

  @Test func `the explanation says why a record does not match`() throws {
    let bench = try ShellFixture(Self.records)
    let missing = try explain(bench, "Film/p3", "--all", "sun moon")
    #expect(missing.code == 1)
    #expect(
      missing.lines == [
        "Film/p3  Sun", "not found", "  sun: score S; in 1 record; by field: title S",
        "  moon: the record does not have the word; in 2 records",
      ])
    let widened = try explain(bench, "Film/p3", "sun moon")
    #expect(widened.code == 0)
    #expect(widened.lines[1] == "found with some of the words, behind those with all of them, score S")
    let filtered = try explain(bench, "Film/p2", "moon year:<2000 -red")
    #expect(
      filtered.lines == [
        "Film/p2  Blue Moon", "not found", "  moon: score S; in 2 records; by field: title S",
        "  year:<2000: no, and it is required; in 1 record",
        "  -red: the record has it, and it is excluded; in 2 records",
      ])
    let none = try bench.shell.run("explain", "Film/p99", "moon")
    #expect(none.code == 1)
    #expect(none.errors == "followspot: there is no Film/p99\n")
    #expect(try bench.shell.run("explain", "moon").code == 2)
    #expect(try bench.shell.run("explain", "Film/p1").code == 2)
  }

  @Test func `records missing from the index are reported, and changes that are not indexed yet are explained`() throws
  {
    let bench = try ShellFixture(Self.records)
    _ = try bench.shell.run("set", "Film/p3", "title=Moon")
    #expect(try explain(bench, "Film/p3", "title:moon").lines[1] == "found, score S")
    let alone = try explain(bench, "Film/p3", "title:moon", "--index-only")
    #expect(alone.code == 1)
    #expect(alone.lines.prefix(2) == ["Film/p3  Moon", "not found"])
    _ = try bench.importRecords(
      "{\"title\":\"New\",\"plot\":\"x\",\"year\":1,\"genres\":[]}\n", options: ["--kind", "Film"])
    let fresh = try explain(bench, "Film/p4", "new", "--index-only")
    #expect(fresh.lines.contains("  not indexed yet: the index is at 1"))
    #expect(try explain(bench, "Film/p4", "new").code == 0)
    let narrow = try bench.directory.write(
      #"{"language":"english","stopWords":[],"entities":{"Film":{"title":"title","fields":"#
        + #"[{"name":"title","roles":["text"]}]}}}"#, to: "narrow.json")
    try bench.shell.succeed("index", "--definition", narrow)
    let unindexed = try explain(bench, "Film/p1", "plot:running")
    #expect(unindexed.code == 1)
    #expect(unindexed.lines.last?.hasSuffix("; plot is an attribute, but not an indexed field") == true)
  }

  @Test func `show prints the terms of a document`() throws {
    let bench = try ShellFixture(Self.records)
    let lines = try bench.shell.run("show", "Film/p1", "--terms").lines.filter { $0.hasPrefix("term: ") }
    for line in [
      "word\ttitle\tmoon\t107", "stem\tplot\trun\t26", "facet\tgenres\tfilm noir\t0", "kind\t\tFilm\t0",
      "identity\t\tFilm/p1\t0",
    ] {
      #expect(lines.contains { $0.hasPrefix("term: " + line.prefix { $0 != "\t" }) }, "\(line)")
      #expect(lines.contains("term: " + line), "\(line)")
    }
    let json = try object(try bench.shell.run("show", "Film/p1", "--terms", "--format", "ndjson").output)
    #expect((json["terms"] as? [Any])?.count == lines.count)
    _ = try bench.importRecords(
      "{\"title\":\"New\",\"plot\":\"x\",\"year\":1,\"genres\":[]}\n", options: ["--kind", "Film"])
    #expect(try bench.shell.run("show", "Film/p4", "--terms").lines.last == "terms: not in the index")
  }
}

/// `suggest`, which completes a partial query.
@Suite(.overlapping, .temporaryDirectory)
struct SuggestTests {
  @Test func `titles, words and corrections are suggested from the index and from changes that are not indexed yet`()
    throws
  {
    let records = """
      {"title":"Toy Story","plot":"Toys storm a storage."}
      {"title":"Toy Soldiers","plot":"Stone stone."}
      {"title":"Zoë","plot":"A stone."}

      """
    let bench = try ShellFixture(records)
    func suggest(_ words: String...) throws -> [String] { try bench.shell.run(["suggest"] + words).lines }
    #expect(try suggest("toy", "s") == ["Toy Story", "Toy Soldiers", "toy stone", "toy storage", "toy storm"])
    #expect(try suggest("zo") == ["Zoë"])
    #expect(try suggest("plot:sto", "-n", "2") == ["plot:stone", "plot:storage"])
    #expect(try suggest("stroage") == ["storage"])
    let none = try bench.shell.run("suggest", "qqqqqqqq")
    #expect(none.code == 1 && none.output == "")
    #expect(try bench.shell.run("suggest").code == 2)
    _ = try bench.importRecords("{\"title\":\"Tofu\",\"plot\":\"Fresh.\"}\n", options: ["--kind", "Film"])
    _ = try bench.shell.run("delete", "Film/p2")
    #expect(try suggest("to", "-n", "3") == ["Tofu", "Toy Story", "toy"])
    let json = try object(try bench.shell.run("suggest", "tof", "--format", "json").output)
    let first = try #require((json["suggestions"] as? [[String: Any]])?.first)
    #expect(first["text"] as? String == "Tofu" && first["kind"] as? String == "title" && first["records"] as? Int == 1)
  }

  @Test func `show prints the path of titles that are too many for a document`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE song(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE song_tag(song INTEGER REFERENCES song(id), tag INTEGER REFERENCES tag(id));
      INSERT INTO tag VALUES(1, 'everything');
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) INSERT INTO song SELECT i, 'song' || i FROM n;
      INSERT INTO song_tag SELECT id, 1 FROM song;
      """)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("show", "tag/1", "--terms").lines.contains("term: related\t\ttag.song_tag.song\t0"))
  }
}
