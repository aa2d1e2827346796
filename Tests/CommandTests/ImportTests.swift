// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `import`: the types that it infers from a file, and the input that it refuses.
@Suite(.overlapping, .temporaryDirectory)
struct ImportTests {
  private let bench = ShellFixture.empty()

  /// The inferred attributes: `name type`, with a question mark after optional ones.
  private func attributes(_ bench: ShellFixture) throws -> [String] {
    let schema = try object(try bench.shell.run("schema").output)
    let model = try #require(schema["model"] as? [String: Any])
    let entity = try #require((model["entities"] as? [[String: Any]])?.first)
    return try #require(entity["attributes"] as? [[String: Any]]).map {
      "\($0["name"] ?? "") \($0["type"] ?? "")" + ($0["optional"] as? Bool == true ? "?" : "")
    }
  }

  private func records(_ bench: ShellFixture, _ count: Int) throws -> [String] {
    try bench.shell.run(["show", "--format", "ndjson"] + (1...count).map { "T/p\($0)" }).lines.map {
      String($0.suffix(from: try #require($0.firstRange(of: "\"fields\":")).upperBound).dropLast())
    }
  }

  // MARK: Inference

  private static let values: [([String], String, [String])] = [
    (["1", "-2", "9223372036854775807"], "integer64", ["1", "-2", "9223372036854775807"]),
    (["1.5", "-0.25"], "double", ["1.5", "-0.25"]),
    (["1", "2.5"], "double", ["1", "2.5"]),
    (["true", "false"], "boolean", ["true", "false"]),
    ([#""x""#, #""""#], "string", [#""x""#, #""""#]),
    ([#""2001-02-03""#, #""1900-12-31""#], "date", [#""2001-02-03""#, #""1900-12-31""#]),
    (
      [#""2001-02-03T04:05:06Z""#, #""2001-02-03T00:00:00+02:00""#, #""2001-02-03T04:05""#], "date",
      [#""2001-02-03T04:05:06Z""#, #""2001-02-02T22:00:00Z""#, #""2001-02-03T04:05:00Z""#]
    ),
    ([#""2001-02-03""#, #""soon""#], "string", [#""2001-02-03""#, #""soon""#]),
    ([#""2001-02-30""#], "string", [#""2001-02-30""#]),
    ([#""2001""#], "string", [#""2001""#]),
    ([#""007""#], "string", [#""007""#]),
    ([#""12""#, "12"], "string", [#""12""#, #""12""#]),
    (["true", #""yes""#], "string", [#""true""#, #""yes""#]),
    ([#"["a","b"]"#, "[]"], "strings", [#"["a","b"]"#, "[]"]),
    ([#"["a",1]"#], "json", [#"["a",1]"#]),
    ([#"{"b": {"a": [1, null]}}"#], "json", [#"{"b":{"a":[1,null]}}"#]),
    ([#"["a"]"#, "5"], "json", [#"["a"]"#, "5"]),
    (
      [#""123e4567-e89b-12d3-a456-426614174000""#], "string", [#""123e4567-e89b-12d3-a456-426614174000""#]
    ),
    ([#""https://example.org/""#], "string", [#""https://example.org/""#]),
    (["null", "1"], "integer64?", ["null", "1"]),
    (["null"], "string?", ["null"]),
  ]

  @Test(arguments: values)
  func `the type of a JSON attribute is inferred from all its values`(
    _ values: [String], _ type: String, _ shown: [String]
  ) throws {
    let bench = try ShellFixture(values.map { "{\"v\": \($0)}\n" }.joined(), kind: "T", isIndexed: false)
    let learnt = try attributes(bench)
    #expect(learnt == ["v " + type])
    #expect(try records(bench, values.count) == shown.map { "{\"v\":\($0)}" })
  }

  private static let cells: [([String], String, [String])] = [
    (["1", "-2", "0"], "integer64", ["1", "-2", "0"]),
    (["1", "2.5", "1e3"], "double", ["1", "2.5", "1000"]),
    (["007", "8"], "string", [#""007""#, #""8""#]),
    (["00.5"], "string", [#""00.5""#]),
    (["true", "false"], "boolean", ["true", "false"]),
    (["2001-02-03"], "date", [#""2001-02-03""#]),
    (["2001-02-03", "x"], "string", [#""2001-02-03""#, #""x""#]),
    (["5", "", "6"], "integer64?", ["5", "null", "6"]),
    (["99999999999999999999"], "string", [#""99999999999999999999""#]),
  ]

  @Test(arguments: cells)
  func `the type of a CSV column is inferred from all its cells`(
    _ cells: [String], _ type: String, _ shown: [String]
  ) throws {
    let text = "k,v\n" + cells.map { "x,\($0)\n" }.joined()
    let imported = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(imported.code == 0)
    #expect(try attributes(bench) == ["k string", "v " + type])
    #expect(try records(bench, cells.count) == shown.map { "{\"k\":\"x\",\"v\":\($0)}" })
  }

  @Test func `an attribute that some records omit is optional`() throws {
    let bench = try ShellFixture("{\"a\":1,\"b\":2}\n\n{\"a\":3}\n", kind: "T", isIndexed: false)
    let learnt = try attributes(bench)
    #expect(learnt == ["a integer64", "b integer64?"])
    #expect(try records(bench, 2) == [#"{"a":1,"b":2}"#, #"{"a":3,"b":null}"#])
  }

  // MARK: Formats

  @Test func `CSV follows RFC 4180`() throws {
    let text = "a,\"b \"\"c\"\"\"\r\n\"x,y\",\"two\nlines\"\r\n1,\"say \"\"no\"\"\"\r\n"
    let imported = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(imported.code == 0)
    #expect(
      try records(bench, 2) == [
        #"{"a":"x,y","b _c_":"two\nlines"}"#, #"{"a":"1","b _c_":"say \"no\""}"#,
      ])
  }

  @Test func `quotation marks in TSV are literal`() throws {
    let text = "a\tb\n\"x\t5\n"
    let imported = try bench.importRecords(text, as: "t.tsv", options: ["--kind", "T"])
    #expect(imported.code == 0)
    #expect(try records(bench, 1) == [#"{"a":"\"x","b":5}"#])
  }

  @Test(arguments: ["t.jsonl", "t.csv", "t.tsv"])
  func `a byte order mark is not a part of the first record`(_ name: String) throws {
    let text = "\u{feff}" + (name == "t.jsonl" ? #"{"a": "x"}"# : "a\nx\n")
    let imported = try bench.importRecords(text, as: name, options: ["--kind", "T"])
    #expect(imported.code == 0)
    #expect(try records(bench, 1) == [#"{"a":"x"}"#])
  }

  @Test func `standard input needs the option for its format`() throws {
    let unnamed = try bench.shell.run("import", "-", "--kind", "T", input: "{\"a\":1}\n")
    #expect(unnamed.code == 2)
    #expect(unnamed.errors.contains("--input-format"))
    let named = try bench.shell.run(
      "import", "-", "--kind", "T", "--input-format", "jsonl", input: "{\"a\":1}\n")
    #expect(named.output == "{\"token\":1,\"inserted\":1,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
    #expect(try bench.importRecords("a\n2\n", as: "t.txt").code == 2)
    #expect(try bench.importRecords("a\n2\n", as: "t.txt", options: ["--input-format", "csv"]).code == 0)
    #expect(try records(bench, 2) == [#"{"a":1}"#, #"{"a":2}"#])
  }

  @Test func `an escaped NUL is kept and separates words`() throws {
    let bench = try ShellFixture(#"{"title": "before\u0000after", "list": ["p\u0000q"]}"# + "\n", kind: "T")
    #expect(try records(bench, 1) == [#"{"title":"before\u0000after","list":["p\u0000q"]}"#])
    #expect(try bench.shell.run("count", "after").output == "1\n")
    #expect(try bench.shell.run("count", "list:q").output == "1\n")
    try bench.expectEqual(documents: 1)
  }

  private static let hostileNames = [
    #"a\"b"#, "a'b; DROP TABLE ZT; --", "Z_PK", "z_ent", "title", "TITLE", "Title", "select", "größe", "a.b", "a b",
    ":x", "?1", "@id", "🎬", "\\\\", "kind", "is", String(repeating: "n", count: 200),
  ]

  @Test func `hostile attribute names are imported`() throws {
    let record =
      "{" + Self.hostileNames.enumerated().map { "\"\($1)\":\"word\($0)\"" }.joined(separator: ",") + "}"
    let bench = try ShellFixture(record + "\n", kind: "T")
    let usable = [#""a\"b""#: #""a_b""#, #""kind""#: #""kind_""#, #""is""#: #""is_""#].reduce(record) {
      $0.replacing($1.key + ":", with: $1.value + ":")
    }
    #expect(try records(bench, 1) == [usable])
    for number in Self.hostileNames.indices {
      #expect(try bench.shell.run("count", "word\(number)").output == "1\n")
    }
    #expect(try bench.shell.run("set", "T/p1", "Title=new", "--author", "me").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "new").output == "1\n")
    try bench.expectEqual(documents: 1)
    let schema = try bench.directory.write(try bench.shell.run("schema").output, to: "schema.json")
    try bench.shell.succeed("rebuild", "--definition", schema)
  }

  @Test(arguments: [#"{"": 1}"#, #"{"a\u0000b": 1}"#, #"{"a\u001bb": 1}"#])
  func `names that cannot be attributes are refused`(_ record: String) throws {
    let refused = try bench.importRecords(record + "\n", options: ["--kind", "T"])
    #expect(refused.code == 2)
    #expect(refused.output == "")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test(arguments: ["Film Noir", "1st", "", "a/b", "x\"y"])
  func `names that cannot be entities are refused`(_ kind: String) throws {
    let refused = try bench.importRecords("{\"a\":1}\n", options: ["--kind", kind])
    #expect(refused.code == 2)
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  // MARK: Transactions and keys

  @Test func `records are saved in batches with their author`() throws {
    let lines = Films.lines(["a", "b", "c", "d", "e"])
    let outcome = try bench.importRecords(
      lines, options: ["--kind", "T", "--batch", "2", "--author", "nightly"])
    #expect(outcome.output == "{\"token\":3,\"inserted\":5,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
    let history = try bench.shell.run("history", "--author", "nightly", "--format", "tsv").lines
    #expect(history.map { $0.split(separator: "\t")[0] } == ["1", "1", "2", "2", "3"])
  }

  @Test func `records with an existing key are updated, the last one wins, and unchanged records are skipped`() throws {
    let bench = try ShellFixture("{\"code\":\"a\",\"n\":1}\n{\"code\":\"b\",\"n\":2}\n", kind: "T", key: "code")
    let outcome = try bench.importRecords(
      """
      {"code":"a","n":1}
      {"code":"b","n":3}
      {"code":"c","n":4}
      {"code":"c","n":5}

      """, options: ["--key", "code"])
    #expect(outcome.output == "{\"token\":2,\"inserted\":1,\"updated\":2,\"deleted\":0,\"skipped\":1}\n")
    #expect(try records(bench, 3) == [#"{"code":"a","n":1}"#, #"{"code":"b","n":3}"#, #"{"code":"c","n":5}"#])
    let again = try bench.importRecords("{\"code\":\"a\",\"n\":1}\n", options: ["--key", "code"])
    #expect(again.output == "{\"token\":2,\"inserted\":0,\"updated\":0,\"deleted\":0,\"skipped\":1}\n")
  }

  @Test func `a key is unique and stays in the tombstone`() throws {
    let bench = try ShellFixture("{\"code\":\"a\",\"n\":1}\n", kind: "T", key: "code", isIndexed: false)
    let twice = try bench.importRecords("{\"code\":\"a\",\"n\":1}\n")
    #expect(twice.code == 2)
    #expect(twice.errors.hasPrefix("followspot: line 1: "))
    #expect(try bench.shell.run("delete", "T/p1").code == 0)
    let last = try bench.shell.run("history", "--after", "1", "--format", "ndjson").output
    #expect(last.contains(#""tombstone":{"code":"a"}"#))
  }

  @Test func `a key that is missing or unknown is refused`() throws {
    let bench = try ShellFixture("{\"code\":\"a\",\"n\":1}\n", kind: "T", key: "code", isIndexed: false)
    let missing = try bench.importRecords("{\"n\":1}\n", options: ["--key", "code"])
    #expect(missing.code == 2)
    #expect(missing.errors.hasPrefix("followspot: line 1: "))
    let unknown = try bench.importRecords("{\"n\":1}\n", options: ["--key", "cod"])
    #expect(unknown.code == 2)
    #expect(unknown.errors.contains("hint: did you mean code"))
    #expect(try bench.newest() == 1)
  }

  // MARK: Bad lines

  @Test(arguments: [
    ("{\"n\":1}\n{\"n\":2}\nnonsense\n", 3), ("{\"n\":1}\n{\"n\":2}\n\n[1]\n", 4),
    ("{\"n\":1}\n{\"n\":2}\n{\"n\":3", 3),
    ("{\"n\":1}\n{\"n\":2}\n{\"n\":\"x\"}\n", 3),
  ])
  func `an invalid line is reported before anything is written`(_ text: String, _ line: Int) throws {
    let bench = try ShellFixture("{\"n\":0}\n", kind: "T", isIndexed: false)
    let outcome = try bench.importRecords(text, options: ["--batch", "2"])
    #expect(outcome.code == 2)
    #expect(outcome.errors.hasPrefix("followspot: line \(line): "), "\(outcome)")
    #expect(outcome.errors.contains("hint: "))
    #expect(try bench.newest() == 1)
    let piped = try bench.shell.run(["import", "-", "--input-format", "jsonl", "--batch", "1"], input: text)
    #expect(piped.code == 2 && piped.errors.hasPrefix("followspot: line \(line): "), "\(piped)")
    #expect(try bench.newest() == 1)
    let skipped = try bench.importRecords(text, options: ["--batch", "2", "--skip-bad"])
    #expect(skipped.output.hasSuffix("\"inserted\":2,\"updated\":0,\"deleted\":0,\"skipped\":1}\n"), "\(skipped)")
    #expect(skipped.errors.hasPrefix("followspot: line \(line): "))
    #expect(try records(bench, 3) == [#"{"n":0}"#, #"{"n":1}"#, #"{"n":2}"#])
    #expect(try bench.shell.run("show", "T/p4").code == 1)
  }

  @Test(arguments: ["c,4,5", ",b,2024-05-01,1,z"])
  func `an import that fails does not migrate the store`(_ last: String) throws {
    let bench = try ShellFixture("{\"id\": \"a\", \"name\": \"x\", \"date\": \"2024-01-01\", \"n\": 1}\n", kind: "T")
    let schema = try bench.shell.run("schema").output
    // The second row would make `date` optional and `n` a number, and the last one fails.
    let text = "id,name,date,n,new\nb,y,,2.5,z\n\(last)\n"
    for options in [["--key", "id", "--batch", "1"], ["--key", "id", "--batch", "1", "--lenient"]] {
      let refused = try bench.importRecords(text, as: "t.csv", options: options)
      #expect(refused.code == 2 && refused.errors.contains("line 3: "), "\(refused)")
      #expect(try bench.shell.run("schema").output == schema)
      #expect(try bench.newest() == 1)
    }
    let skipped = try bench.importRecords(text, as: "t.csv", options: ["--key", "id", "--skip-bad"])
    #expect(skipped.output.contains("\"inserted\":1,\"updated\":0,\"deleted\":0,\"skipped\":1}"), "\(skipped)")
    #expect(try bench.shell.run("schema").output != schema)
  }

  @Test func `an invalid CSV record is reported by its first line`() throws {
    let text = "a,b\n\"two\nlines\",1\nonly\n3,4\n"
    let refused = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(refused.code == 2)
    #expect(refused.errors.hasPrefix("followspot: line 4: 1 cells under 2 columns"))
    let skipped = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T", "--skip-bad"])
    #expect(skipped.output == "{\"token\":1,\"inserted\":2,\"updated\":0,\"deleted\":0,\"skipped\":1}\n")
  }

  @Test(arguments: ["a,a\n1,2\n", "a,\n1,2\n", ""])
  func `a CSV file without a proper header is refused`(_ text: String) throws {
    for options in [[], ["--skip-bad"]] {
      let outcome = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"] + options)
      #expect(outcome.code == 2)
      #expect(outcome.errors.contains("line 1: "))
      // The header cannot be skipped.
      #expect(outcome.errors.hasSuffix("\nhint: correct the header line\n"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: bench.store))
    }
  }

  @Test(arguments: ["id,n\nid,n\n1,5\n2,6\n", "id,n\n1,5\nid,n\n2,6\n", "id ,n\n1,5\n2,6\nid ,n\n"])
  func `a header that is repeated among the records is a bad line`(_ text: String) throws {
    let refused = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(refused.code == 2 && refused.errors.contains(": the header is repeated\n"), "\(refused)")
    #expect(refused.errors.hasSuffix("hint: correct the line, or skip bad lines with --skip-bad\n"), "\(refused)")
    let skipped = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T", "--skip-bad"])
    #expect(skipped.output == "{\"token\":1,\"inserted\":2,\"updated\":0,\"deleted\":0,\"skipped\":1}\n", "\(skipped)")
    #expect(skipped.errors.contains("  n   integer64\n"), "\(skipped)")
  }

  @Test func `an empty file does not create or change a store`() throws {
    let outcome = try bench.importRecords("", options: ["--kind", "T"])
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("no record"))
    #expect(!FileManager.default.fileExists(atPath: bench.store))
    #expect(try bench.importRecords("{\"a\":1}\n", options: ["--kind", "T"]).code == 0)
    let second = try bench.importRecords("")
    #expect(second.output == "{\"token\":1,\"inserted\":0,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
  }

  @Test func `a path that is not a readable file is refused by name`() throws {
    let missing = try bench.shell.run("import", "none.jsonl", "--kind", "T")
    #expect(missing.code == 2)
    #expect(missing.errors.hasPrefix("followspot: none.jsonl cannot be read: No such file"))
    let directory = try bench.shell.run("import", ".", "--kind", "T", "--input-format", "jsonl")
    #expect(directory.code == 2)
    #expect(directory.errors == "followspot: . is a directory\n")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test func `a second entity and unknown attributes extend the store`() throws {
    let bench = try ShellFixture("{\"a\":1}\n", kind: "T", isIndexed: false)
    // Each extension is its own transaction, before the records' transactions.
    let attribute = try bench.importRecords("{\"a\":2,\"b\":[\"x\"]}\n")
    #expect(attribute.output == "{\"token\":3,\"inserted\":1,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
    let entity = try bench.importRecords("{\"name\":\"o\"}\n", options: ["--kind", "Other"])
    #expect(entity.output == "{\"token\":5,\"inserted\":1,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
    #expect(try records(bench, 2) == [#"{"a":1,"b":null}"#, #"{"a":2,"b":["x"]}"#])
    let ambiguous = try bench.importRecords("{\"a\":1}\n")
    #expect(ambiguous.code == 2)
    #expect(ambiguous.errors.contains("no entity is named: the store has Other, T\nhint: name one of them with --kind"))
  }

  @Test(arguments: [[], ["--skip-bad"]])
  func `an import whose records are refused does not change the model`(options: [String]) throws {
    let bench = try ShellFixture("{\"name\":\"a\",\"n\":1}\n", kind: "T")
    let schema = try bench.shell.run("schema").output
    let newest = try bench.newest()
    for line in [#"{"naem":"b","n":2}"#, #"{"name":"b","n":"many","extra":1}"#] {
      let refused = try bench.importRecords(line + "\n", options: options)
      #expect(refused.code == (options.isEmpty ? 2 : 0), "\(refused)")
      #expect(!refused.errors.isEmpty)
      #expect(try bench.shell.run("schema").output == schema)
      #expect(try bench.newest() == newest)
    }
    let needed = try bench.importRecords("{\"n\":2}\n")
    #expect(needed.errors.contains("T.name needs a value"))
    #expect(needed.errors.contains("make the attribute optional: followspot help migrate"))
  }

  @Test func `a search finds records with a new attribute before the next pass`() throws {
    let bench = try ShellFixture("{\"name\":\"alpha\"}\n", kind: "T")
    _ = try bench.importRecords("{\"name\":\"beta\",\"color\":\"turquoise\"}\n")
    let found = try bench.shell.run("search", "beta", "--format", "tsv", "--fields", "name,color,@freshness")
    #expect(found.output == "beta\tturquoise\toverlay\n")
    #expect(found.errors == "")
    #expect(try bench.shell.run("count", "*").output == "2\n")
    #expect(try bench.shell.run("count", "color:turquoise").output == "1\n")
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "color:turquoise").output == "1\n")
    #expect(try bench.shell.run("search", "beta").errors == "")
  }
}
