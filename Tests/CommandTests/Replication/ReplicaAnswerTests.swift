// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// What a replica answers without the store.
@Suite(.overlapping, .temporaryDirectory, .enabled(if: ReplicationFixture.isInstalled, "xapian-tools is not installed"))
struct ReplicaAnswerTests {
  @Test func `stored fields are shown, and what is not stored is refused`() throws {
    let replication = try ReplicationFixture()
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    _ = server.end()
    // The store is not there any more.
    try FileManager.default.moveItem(atPath: replication.bench.store, toPath: replication.bench.store + ".gone")
    func run(_ words: String...) throws -> Shell.Outcome {
      try replication.reader.run(["--index", "films.replica"] + words)
    }
    let found = try run("search", "cowboy", "--json", "-n", "1")
    let hits = try #require(try object(found.output)["hits"] as? [[String: Any]])
    let fields = try #require(hits.first?["fields"] as? [String: Any])
    #expect(fields["title"] as? String == "Toy Story" && fields["year"] as? Int == 1995, "\(found)")
    #expect(fields["plot"] == nil, "\(found)")
    #expect(found.errors.contains("followspot: answered by a replica at token 1\n"))
    let plot = try run("search", "cowboy", "--fields", "title,plot")
    #expect(plot.code == 2 && plot.errors.contains("the replica does not store 'plot'"), "\(plot)")
    let sorted = try run("search", "*", "--sort", "plot")
    #expect(sorted.code == 2 && sorted.errors.contains("the replica does not store 'plot'"), "\(sorted)")
    let author = try run("search", "author:me")
    #expect(author.code == 2 && author.errors.contains("a replica does not have"), "\(author)")
    let lag = try run("search", "cowboy", "--max-lag", "0")
    #expect(lag.code == 4, "\(lag)")
    #expect(try run("search", "cowboy", "--max-lag", "1h").code == 0)
    let shown = try run("show", "Film/p1")
    #expect(shown.code == 2 && shown.errors.contains("show needs the store"), "\(shown)")
    let count = try run("count", "*", "--by", "year")
    #expect(count.code == 0 && count.lines.contains("2\t1995"), "\(count)")
    #expect(try run("search", "zzzzqqq").code == 1)
    let schema = SchemaValidator(schema: try JSONValue(try replication.reader.run("help", "formats").output))
    #expect(schema.faults(of: try JSONValue(try run("status", "--json").output), as: "replicaStatus") == [])
    let status = try run("status")
    #expect(status.code == 0 && status.output.contains("token         1 of 1"), "\(status)")
  }

  /// Keys with a slot, keys that are stored, and a genre that is too long for its slot.
  @Test func `keys that are not stored are read from slots beside keys that are, or are refused`() throws {
    let long =
      #"{"title": "Long", "isFavorite": false, "people": [], "genres": ["\#(String(repeating: "x", count: 1200))"]}"#
    let replication = try ReplicationFixture(Films.lines + long + "\n", unstored: ["year", "genres"])
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    _ = server.end()
    func here(_ words: [String]) throws -> Shell.Outcome { try replication.bench.shell.run(words) }
    func there(_ words: [String]) throws -> Shell.Outcome {
      try replication.reader.run(["--index", "films.replica"] + words)
    }
    let films = "NOT title:long"
    let questions = [
      ["search", "*", "--facet", "year", "--facet", "plot"], ["search", "*", "--sort", "year,plot", "--format", "ids"],
      ["search", "*", "--sort", "plot,year:desc", "--format", "ids"],
      ["search", films, "--sort", "genres,plot", "--format", "ids"],
      ["search", films, "--facet", "plot", "--facet", "genres", "--facet", "year"], ["count", films, "--by", "genres"],
    ]
    for question in questions {
      let (own, answer) = (try here(question), try there(question))
      #expect(answer.code == 0 && answer.output == own.output, "\(question) \(answer) \(own)")
    }
    let refused = [
      ["count", "*", "--by", "genres"], ["search", "*", "--sort", "genres"],
      ["search", "*", "--sort", "title,genres"],
      ["search", "*", "--facet", "plot", "--facet", "genres"],
    ]
    for question in refused {
      let answer = try there(question)
      #expect(
        answer.code == 2 && answer.errors.contains("the replica does not store 'genres'"), "\(question) \(answer)")
    }
  }

  @Test func `with a default definition, titles, orders and facets equal those of the store`() throws {
    let bench = try ShellFixture()
    let replication = ReplicationFixture(bench)
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    _ = server.end()
    let questions = [
      ["toy"], ["toy", "--format", "tsv", "--fields", "title,year,genres"], ["*", "--section-by", "year", "-n", "0"],
      ["*", "--sort", "year:desc,title", "--facet", "genres"], ["tooy", "--fields", "title"],
    ]
    for question in questions {
      let own = try bench.shell.run(["search"] + question)
      let found = try replication.reader.run(["search", "--index", "films.replica"] + question)
      #expect(found.code == 0 && found.output == own.output, "\(question) \(found) \(own)")
      #expect(!found.errors.contains("not store"), "\(question) \(found)")
    }
    let plot = try replication.reader.run("search", "--index", "films.replica", "toy", "--fields", "plot")
    #expect(plot.code == 2 && plot.errors.contains("the replica does not store 'plot'"), "\(plot)")
  }

  @Test func `a value that is too long for its slot is not shown, and that is said`() throws {
    let bench = try ShellFixture(
      Films.lines + #"{"title": "\#(String(repeating: "x", count: 1200))", "genres": ["odd"]}"# + "\n", key: "title")
    let replication = ReplicationFixture(bench)
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    _ = server.end()
    let found = try replication.reader.run(
      "search", "--index", "films.replica", "genres:odd", "--format", "tsv", "--fields", "title,genres")
    #expect(found.code == 0 && found.lines == ["\todd"], "\(found)")
    #expect(found.errors.contains("'title' is not stored for 1 hit; it stays empty there"), "\(found)")
    let json = try replication.reader.run("search", "--index", "films.replica", "genres:odd", "--json")
    let hits = try #require(try object(json.output)["hits"] as? [[String: Any]])
    let fields = try #require(hits.first?["fields"] as? [String: Any])
    #expect(hits.first?["title"] as? String == "" && fields["title"] == nil && fields["genres"] != nil, "\(json)")
  }

  @Test func `records of an ordinary database are named by their keys`() throws {
    let bench = ShellFixture.empty()
    try Connection(path: bench.store, access: .create).execute(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO book VALUES (22, 'numbat'), (-5, 'numbat');
      CREATE TABLE note (title TEXT); INSERT INTO note VALUES ('numbat');
      CREATE TABLE slim (id INTEGER PRIMARY KEY, title TEXT) WITHOUT ROWID; INSERT INTO slim VALUES (7, 'numbat');
      CREATE TABLE crs (auth TEXT, code, title TEXT, PRIMARY KEY (auth, code)) WITHOUT ROWID;
      INSERT INTO crs VALUES ('EPSG', 4326, 'numbat');
      CREATE TABLE tag (tag TEXT COLLATE NOCASE PRIMARY KEY, title TEXT) WITHOUT ROWID;
      INSERT INTO tag VALUES ('AbC', 'numbat');
      """)
    #expect(try bench.shell.run("attach").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    let replication = ReplicationFixture(bench)
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    func here() throws -> [String] { try bench.shell.run("search", "numbat", "--format", "ids").lines.sorted() }
    func there() throws -> [String] {
      try replication.reader.run("search", "--index", "films.replica", "numbat", "--format", "ids").lines.sorted()
    }
    #expect(try here() == ["book/-5", "book/22", "crs/EPSG:4326", "note/1", "slim/7", "tag/AbC"])
    #expect(try there() == here())
    // A table that is made later.
    try bench.sql("CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO page VALUES (3, 'numbat')")
    #expect(try bench.shell.run("index").code == 0)
    #expect(try replication.replicate().code == 0)
    #expect(try there().contains("page/3") && there() == here())
    _ = server.end()
  }

  @Test func `a replica is written by its replication alone`() throws {
    let replication = try ReplicationFixture()
    let server = try replication.serve()
    #expect(try replication.replicate().code == 0)
    for verb in [["index"], ["rebuild"], ["verify", "--repair"], ["replicate", "serve"]] {
      let outcome = try replication.bench.shell.run(["--index", "films.replica"] + verb)
      #expect(outcome.code == 2 && outcome.errors.contains("is a replica"), "\(verb) \(outcome)")
    }
    // With the store, the replica answers like an index, with the changes after its token.
    #expect(try replication.bench.shell.run("set", "title:Up", "year=1999", "--yes", "-n", "1").code == 0)
    let found = try replication.bench.shell.run(
      "search", "--store", replication.bench.store, "--index", "films.replica", "title:Up year:1999", "--format", "ids")
    #expect(found.code == 0 && found.lines.count == 1, "\(found)")
    _ = server.end()
  }
}
