// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// JSON output, validated against the schema that `help formats` prints.
@Suite(.overlapping, .temporaryDirectory)
struct SchemaTests {
  private func validator(_ bench: ShellFixture) throws -> SchemaValidator {
    let printed = try bench.shell.run("help", "formats")
    #expect(printed.code == 0 && printed.errors == "")
    return SchemaValidator(schema: try JSONValue(printed.output))
  }

  private func expect(
    _ text: String, _ definition: String, _ validator: SchemaValidator, _ command: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let faults = validator.faults(of: try JSONValue(text), as: definition)
    #expect(faults == [], "\(command)\n\(text)", sourceLocation: sourceLocation)
  }

  private static let documents: [(definition: String, commands: [[String]])] = [
    (
      "search",
      [
        ["search", "toy"], ["search", "toy", "story", "cowboy", "-n", "2"], ["search", "nothing"],
        ["search", "*", "--fields", "title,@id,@score,people.name"], ["search", "--any", "toy collector"],
        ["search", "toyy"], ["search", "cowboy", "--snippets", "--section-by", "year", "--facet", "genres"],
        ["search", "*", "--sort", "year:desc", "--facet", "genres", "--facet", "year"],
      ]
    ),
    (
      "count",
      [["count", "toy"], ["count", "nothing"], ["count", "--any", "toy man"], ["count", "*", "--by", "genres"]]
    ),
    ("suggest", [["suggest", "to"], ["suggest", "genres:com"], ["suggest", "cowbot"]]), ("status", [["status"]]),
    ("history", [["history"], ["history", "--after", "99"]]),
    ("log", [["log", "*"], ["log", "nothing"], ["log", "Film/p3"]]),
    ("diff", [["diff", "*", "0.."], ["diff", "*", "1.."]]),
    ("consumers", [["history", "consumers"]]), ("savedSearches", [["saved", "list"]]), ("failed", [["failed"]]),
    ("doctor", [["doctor"]]),
    ("config", [["config"]]), ("show", [["show", "Film/p1", "Film/p2"], ["show", "Film/p1", "--deps", "--terms"]]),
    ("explain", [["explain", "Film/p1", "toy year:1995"], ["explain", "Film/p4", "toy -man"]]),
    ("sql", [["sql", "SELECT title, rating, NULL FROM Film"], ["sql", "SELECT * FROM Film WHERE 0"]]),
  ]

  @Test func `every document conforms to the schema`() throws {
    let bench = try ShellFixture()
    let validator = try validator(bench)
    #expect(try bench.shell.run("saved", "add", "new", "released:30d..").code == 0)
    func check() throws {
      for (definition, commands) in Self.documents {
        for command in commands {
          let outcome = try bench.shell.run(command + ["--format", "json"])
          #expect(outcome.code <= 1, "\(outcome)")
          try expect(outcome.output, definition, validator, command)
        }
      }
    }
    try check()
    // With changes of every kind, a lag and truncated rows.
    #expect(try bench.shell.run("set", "Film/p1", "title=Toys", "--author", "me").code == 0)
    #expect(try bench.shell.run("delete", "Film/p3").code == 0)
    try bench.importRecords("{\"title\": \"\(String(repeating: "x", count: 300))\"}", options: ["--kind", "Film"])
    try check()
    #expect(try bench.shell.run("index").code == 0)
    try check()
    let follower = try bench.follow()
    try check()
    bench.stop(follower)
  }

  @Test func `the lines of index and the rows that failed counts conform to the schema`() throws {
    let bench = ShellFixture.empty()
    let validator = try validator(bench)
    try Connection(path: bench.store, access: .create).execute(
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT) WITHOUT ROWID; INSERT INTO t VALUES (1, 'a'), ('x', 'b')")
    try expect(try bench.shell.run("index").output, "index", validator, ["index"])
    let grouped = ["--store", bench.store, "--store", bench.store + "2", "index"]
    try FileManager.default.copyItem(atPath: bench.store, toPath: bench.store + "2")
    for line in try bench.shell.run(grouped).lines { try expect(line, "index", validator, grouped) }
    for verb in [["failed"], ["status"], ["search", "a"], ["count", "a"]] {
      let printed = try bench.shell.run(verb + ["--format", "json"]).output
      #expect(printed.contains(verb == ["failed"] ? #""cause":"noKey""# : #""noKey":1"#), "\(verb)")
      try expect(printed, verb[0], validator, verb)
    }
  }

  @Test func `documents without an index and with relationships conform to the schema`() throws {
    do {
      let bench = try ShellFixture(isIndexed: false)
      let validator = try validator(bench)
      for (definition, command) in [("status", ["status"]), ("doctor", ["doctor"])] {
        try expect(try bench.shell.run(command + ["--format", "json"]).output, definition, validator, command)
      }
    }
    let bench = try ShellFixture.relatedFilms()
    let validator = try validator(bench)
    let command = ["show", "Film/p1", "--deps"]
    let shown = try bench.shell.run(command + ["--format", "json"])
    #expect(shown.output.contains("\"related\":{"), "\(shown)")
    try expect(shown.output, "show", validator, command)
  }

  @Test func `documents about deleted records conform to the schema`() throws {
    let bench = try ShellFixture.preservedFilms()
    let validator = try validator(bench)
    #expect(try bench.shell.run("delete", "Film/p1").code == 0)
    for (definition, command) in [("search", ["search", "deleted:*"]), ("show", ["show", "Film/p1"])] {
      let outcome = try bench.shell.run(command + ["--format", "json"])
      #expect(outcome.output.contains("\"deleted\":{\"timestamp\""))
      try expect(outcome.output, definition, validator, command)
    }
  }

  @Test func `every line of ndjson conforms to the schema`() throws {
    let bench = try ShellFixture()
    let validator = try validator(bench)
    for (definition, command) in [
      ("hit", ["search", "*"]), ("transaction", ["history"]), ("record", ["show", "Film/p1", "Film/p2"]),
      ("consumer", ["history", "consumers"]), ("feedEvent", ["feed", "--from", "null", "--related"]),
      ("feedEvent", ["feed", "--from", "0"]), ("loggedTransaction", ["log", "*"]), ("netChange", ["diff", "*", "0.."]),
      ("savedSearch", ["saved", "add", "toys", "toy"]), ("savedSearch", ["saved", "list"]),
      ("savedEvent", ["saved", "watch", "toys", "--once", "--initial"]), ("row", ["sql", "SELECT * FROM Film"]),
    ] {
      let lines = try bench.shell.run(command + ["--format", "ndjson"]).lines
      #expect(!lines.isEmpty)
      for line in lines { try expect(line, definition, validator, command) }
    }
    let live = try bench.shell.start(["search", "--live", "toy", "--format", "ndjson"])
    #expect(eventually { live.output.split(separator: "\n").count == 2 })
    #expect(try bench.shell.run("delete", "Film/p1", "--author", "me").code == 0)
    #expect(eventually { live.output.split(separator: "\n").count == 3 })
    for line in live.end().lines { try expect(line, "liveEvent", validator, ["search", "--live"]) }
    for line in try bench.shell.run("feed", "--from", "0").lines { try expect(line, "feedEvent", validator, ["feed"]) }
  }

  @Test(arguments: [
    (#"{"format": 3}"#, "format"), (#"{"format": 1, "stores": []}"#, "missing"), (#"[]"#, "is not [\"object\"]"),
    (
      #"{"format": 1, "file": 3, "exists": true, "default": null, "stores": []}"#,
      #"config.file: number(3.0) is not ["null", "string"]"#
    ),
    (
      #"{"format": 1, "file": null, "exists": true, "default": null, "stores": [], "more": 1}"#,
      "config: more is not in the schema"
    ),
  ])
  func `the validator finds faults`(_ text: String, _ fault: String) throws {
    let bench = ShellFixture.empty()
    let faults = try validator(bench).faults(of: try JSONValue(text), as: "config")
    #expect(faults.contains { $0.contains(fault) }, "\(faults)")
  }
}
