// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Several stores that are searched as one.
@Suite(.overlapping, .temporaryDirectory)
struct GroupSearchTests {
  /// Queries whose hits have the same scores, whether the records are in one store or in several.
  private static let queries = [
    "toy", "toy story", "running", "trains", "\"winter garden\"", "title:moon", "moon OR robot", "island -king",
    "genres:drama love", "year:1980..1990 city", "robot river night", "king of the city", "NEAR/3(moon river)", "gardn",
    "*", "winter island year:>=2000", "the toy of a king", "win*", "title:rob*", "the* moon", "riv* OR sto*",
  ]

  @Test(arguments: Rounds.seeds(1, long: 2))
  func `hits and scores equal those of one store with the same records`(_ seed: Int) throws {
    var bench = try GroupFixture(seed: seed)
    func compare(_ state: String) throws {
      for query in Self.queries {
        for options in [["-n", "0"], ["-n", "0", "--any"], ["-n", "0", "--all"]] {
          func hits(_ store: String) throws -> [String] {
            try bench.shell.run(
              ["--store", store, "search", "--format", "tsv", "--fields", "title,@score"] + options + ["--", query]
            ).lines.sorted()
          }
          #expect(try hits("all") == hits("whole"), "seed \(seed), \(state): \(query) \(options)")
        }
      }
    }
    try compare("indexed")
    // These records are in overlays, until they are indexed in two of the three stores.
    try bench.add(20)
    try compare("with overlays")
    for name in ["one", "three", "whole"] { _ = try bench.shell.run("--store", name, "index") }
    try compare("partly indexed")
  }

  @Test func `pages are parts of one list, best first`() throws {
    let bench = try GroupFixture(seed: 3)
    for query in ["toy story", "love", "genres:drama"] {
      let all = try bench.hits("all", query, "-n", "0", "--fields", "@id,@score")
      let scores = all.compactMap { $0.split(separator: "\t").last.flatMap { Double($0) } }
      #expect(scores.count == all.count && all.count > 20)
      var pages: [String] = []
      for offset in stride(from: 0, to: all.count, by: 7) {
        pages += try bench.hits("all", query, "-n", "7", "--offset", String(offset), "--fields", "@id,@score")
      }
      #expect(pages == all, "\(query)")
    }
  }

  @Test func `sorted hits are in one order`() throws {
    let bench = try GroupFixture(seed: 4)
    for sort in ["title", "year:desc,title", "genres,title:desc"] {
      for query in ["*", "toy", "toy story moon"] {
        let options = ["--sort", sort, "-n", "30", "--offset", "5", "--fields", "title,year,genres"]
        func hits(_ store: String) throws -> [String] {
          try bench.shell.run(["--store", store, "search", "--format", "tsv"] + options + [query]).lines
        }
        #expect(try hits("all") == hits("whole"), "\(query) by \(sort)")
      }
    }
  }

  @Test func `each hit names its store`() throws {
    let bench = try GroupFixture(seed: 5, records: 30)
    for line in try bench.hits("all", "*", "-n", "0", "--fields", "@store,title") {
      let cells = line.split(separator: "\t").map(String.init)
      let found = try bench.hits(cells[0], "title:\(cells[1].split(separator: " ").last ?? "")", "--fields", "title")
      #expect(found == [cells[1]])
    }
    let text = try bench.shell.run("--store", "mixed", "search", "maker").lines
    #expect(text.count == 1 && text[0].hasSuffix("\tThe Toy Maker\tbooks"), "\(text)")
  }

  @Test func `counts and facets are sums`() throws {
    let bench = try GroupFixture(seed: 6)
    func output(_ store: String, _ words: String...) throws -> String {
      try bench.shell.run(["--store", store] + words).output
    }
    #expect(try output("all", "count", "*") == "\(try bench.rows("ZFILM", of: "whole"))\n")
    for query in ["toy", "genres:drama", "year:1980..1999"] {
      #expect(try output("all", "count", query) == output("whole", "count", query))
      #expect(try output("all", "count", query, "--by", "year") == output("whole", "count", query, "--by", "year"))
    }
    let all = ["search", "toy", "-n", "0", "--facet", "year", "--facet", "genres", "--json"]
    func facets(_ store: String) throws -> NSDictionary? {
      let document = try JSONSerialization.jsonObject(
        with: Data(try bench.shell.run(["--store", store] + all).output.utf8))
      return ((document as? [String: Any])?["facets"] as? [String: Any])?["year"] as? NSDictionary
    }
    let years = try #require(try facets("all"))
    #expect(years.count > 5)
    #expect(try facets("whole") == years)
  }

  @Test func `a change that is not indexed yet is found, and what it replaces is not`() throws {
    let bench = try GroupFixture(seed: 7, records: 30)
    // Both stores have a record of key 1.
    #expect(try bench.shell.run("--store", "books", "set", "Book/p1", "title=Zebra").code == 0)
    #expect(try bench.hits("mixed", "zebra", "--fields", "title,@store,@freshness") == ["Zebra\tbooks\toverlay"])
    #expect(try bench.hits("mixed", "maker", "--all").isEmpty)
    #expect(try bench.hits("mixed", "maker", "--all", "--index-only", "--fields", "@store") == ["books"])
    let first = try bench.hits("one", "*", "-n", "0", "--fields", "@id").count
    #expect(try bench.hits("mixed", "*", "-n", "0", "--fields", "@id").count == first + 2)
    #expect(try bench.shell.run("--store", "mixed", "search", "maker", "--index-only", "--max-lag", "0").code == 4)
    #expect(try bench.shell.run("--store", "books", "delete", "Book/p1").code == 0)
    #expect(try bench.hits("mixed", "zebra", "--all").isEmpty)
  }

  @Test func `a field that one store does not have finds records of the others`() throws {
    let bench = try GroupFixture(seed: 8, records: 30)
    let some = try bench.shell.run(
      "--store", "mixed", "search", "pages:>100", "--format", "tsv", "--fields", "title,pages")
    #expect(some.output == "The Toy Maker\t120\n")
    #expect(some.errors == "followspot: one: no field is named 'pages'; nothing is searched there\n")
    let none = try bench.shell.run("--store", "mixed", "search", "colour:red")
    #expect(none.code == 2 && none.output == "" && none.errors.hasPrefix("followspot: no field is named 'colour'\n"))
    let counted = try bench.shell.run("--store", "mixed", "count", "pages:>100")
    #expect(counted.output == "1\n")
    #expect(counted.errors == "followspot: one: no field is named 'pages'; nothing is searched there\n")
  }

  @Test func `facets of a field that one store does not have are those of the others`() throws {
    let bench = try GroupFixture(seed: 12, records: 30)
    let some = try bench.shell.run("--store", "mixed", "search", "*", "-n", "1", "--facet", "pages")
    #expect(some.code == 0 && some.output.hasSuffix("\npages\n1\t120\n1\t90\n"), "\(some)")
    #expect(some.errors == "followspot: one: no field is named 'pages'; nothing is counted there\n")
    for sort in [[], ["--sort", "title"]] {
      let both = try bench.shell.run(
        ["--store", "mixed", "search", "*", "-n", "100", "--facet", "pages", "--facet", "genres"] + sort)
      #expect(both.output.contains("\npages\n1\t120\n1\t90\n\ngenres\n"), "\(both)")
      #expect(both.output.contains("\tone\n") && both.output.contains("\tbooks\n"), "\(both)")
      #expect(both.errors == some.errors)
    }
    let none = try bench.shell.run("--store", "mixed", "search", "*", "--facet", "colour")
    #expect(none.code == 2 && none.errors.hasPrefix("followspot: no field is named 'colour'\n"), "\(none)")
  }

  @Test func `a key of JSON values that only one store has is known to the others`() throws {
    let bench = try GroupFixture(seed: 13, records: 30)
    for (name, record) in [("a", #"{"n":1,"j":{"x":"one"}}"#), ("b", #"{"n":1,"j":{"y":"two"}}"#)] {
      let file = try bench.directory.write(record, to: name + ".jsonl")
      for arguments in [["import", file, "--kind", "K"], ["index"]] {
        #expect(try bench.shell.run(["--store", bench.path(name)] + arguments).code == 0)
      }
    }
    func answer(_ arguments: [String]) throws -> Shell.Outcome {
      try bench.shell.run(["--store", bench.path("a"), "--store", bench.path("b")] + arguments)
    }
    func answer(_ arguments: String...) throws -> Shell.Outcome { try answer(arguments) }
    for query in ["n:1 OR j.x:one", "NOT j.x:two"] {
      #expect(try answer("count", query).output == "2\n", "\(query)")
      for sort in [[], ["--sort", "j.x"]] {
        let found = try answer(["search", query, "--format", "tsv", "--fields", "n"] + sort)
        #expect(found.output == "1\n1\n" && found.errors == "", "\(query) \(sort) \(found)")
      }
    }
    #expect(try answer("count", "NOT j.x:one").output == "1\n")
    #expect(try answer("count", "*", "--by", "j.x").output == "1\tone\n")
    #expect(try answer("search", "*", "-n", "1", "--facet", "j.y").output.hasSuffix("\nj.y\n1\ttwo\n"))
    let unknown = try answer("count", "j.z:one")
    #expect(unknown.code == 2 && unknown.errors.hasPrefix("followspot: no field is named 'j.z'\n"), "\(unknown)")
  }

  @Test func `JSON has the state of each store and conforms to the schema`() throws {
    let bench = try GroupFixture(seed: 9, records: 30)
    let validator = SchemaValidator(schema: try JSONValue(try bench.shell.run("help", "formats").output))
    for (verb, definition) in [
      (["search", "toy"], "groupSearch"), (["count", "toy"], "groupCount"), (["status"], "groupStatus"),
    ] {
      let outcome = try bench.shell.succeed(["--store", "mixed"] + verb + ["--json"])
      let value = try JSONValue(outcome.output)
      #expect(validator.faults(of: value, as: definition) == [], "\(verb)")
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      let stores = try #require(document["stores"] as? [[String: Any]])
      #expect(stores.map { $0["name"] as? String } == ["one", "books"])
    }
    let configuration = try bench.shell.run("config", "--json").output
    let value = try JSONValue(configuration)
    #expect(validator.faults(of: value, as: "config") == [])
    #expect(configuration.contains(#"{"name":"mixed","stores":["one","books"]}"#))
  }

  @Test func `status has a line for each store, and goes on after an error`() throws {
    let bench = try GroupFixture(seed: 10, records: 30)
    let one = try bench.rows("ZFILM", of: "one")
    #expect(
      try bench.shell.run("--store", "mixed", "status").output
        == "one\t\(one)\t1 of 1\tnone\tnone\nbooks\t2\t1 of 1\tnone\tnone\n")
    try FileManager.default.removeItem(atPath: bench.path("one"))
    let outcome = try bench.shell.run("--store", "mixed", "status")
    #expect(outcome.code == 8 && outcome.output == "one\t-\t-\terror\t-\nbooks\t2\t1 of 1\tnone\tnone\n")
    #expect(outcome.errors.hasPrefix("followspot: one: no store at \(bench.path("one"))"))
  }

  @Test func `verbs and options that are about one store refuse several`() throws {
    let bench = try GroupFixture(seed: 11, records: 10)
    func refusal(_ arguments: String...) throws -> String {
      let outcome = try bench.shell.run(arguments)
      #expect(outcome.code == 2 && outcome.output == "", "\(arguments)")
      return String(outcome.errors.prefix { $0 != "\n" })
    }
    #expect(
      try refusal("--store", "all", "search", "toy", "--index", "x")
        == "followspot: --index names the index of one store, not of several")
    #expect(
      try refusal("--store", "all", "search", "toy", "--at-least", "1")
        == "followspot: a transaction number belongs to one store, not to a group")
    #expect(try refusal("--store", "all", "status", "--watch") == "followspot: --watch shows one store, not several")
    for verb in [
      ["set", "Film/p1", "year=1"], ["delete", "Film/p1"], ["import", "one.jsonl"],
    ] {
      #expect(
        try refusal(["--store", "all"] + verb) == "followspot: \(verb[0]) works on one store, but \"all\" is a group")
      #expect(
        try refusal(["--store", "one", "--store", "two"] + verb)
          == "followspot: \(verb[0]) works on one store, but 2 are named")
    }
    func refusal(_ arguments: [String]) throws -> String {
      let outcome = try bench.shell.run(arguments)
      #expect(outcome.code == 2 && outcome.output == "", "\(arguments)")
      return String(outcome.errors.prefix { $0 != "\n" })
    }
  }

  @Test func `a store that is named twice is searched once`() throws {
    let bench = try GroupFixture(seed: 12, records: 30)
    let once = try bench.shell.run("--store", "all", "count", "*").output
    #expect(try bench.shell.run("--store", "all", "--store", bench.path("two"), "count", "*").output == once)
  }

  @Test func `copies of one index are refused`() throws {
    let bench = try GroupFixture(seed: 13, records: 10)
    let copy = bench.directory.file("copy.store")
    try FileManager.default.copyItem(atPath: bench.path("one"), toPath: copy)
    try FileManager.default.copyItem(atPath: bench.path("one") + ".index", toPath: copy + ".index")
    let outcome = try bench.shell.run("--store", "one", "--store", copy, "search", "toy")
    #expect(outcome.code == 2)
    #expect(
      outcome.errors.hasPrefix("followspot: the indexes of one and \(copy) are copies of each other\n"), "\(outcome)")
  }
}
