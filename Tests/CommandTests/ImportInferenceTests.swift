// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// `import` of columns with invalid cells, of files that were imported before, and into existing stores.
@Suite(.overlapping, .temporaryDirectory)
struct ImportInferenceTests {
  private func types(_ bench: ShellFixture) throws -> [String: String] {
    let schema = try object(try bench.shell.run("schema").output)
    let entities = (schema["model"] as? [String: Any])?["entities"] as? [[String: Any]]
    let attributes = try #require(entities?.first?["attributes"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: attributes.map {
        ("\($0["name"] ?? "")", "\($0["type"] ?? "")" + ($0["optional"] as? Bool == true ? "?" : ""))
      })
  }

  /// A column of `count` numbers, with other cells in some lines.
  private func column(_ count: Int, _ others: [Int: String] = [:]) -> String {
    "id,v\n" + (2...(count + 1)).map { "\($0),\(others[$0] ?? "\($0).5")\n" }.joined()
  }

  // MARK: 99 of 100

  @Test func `a column is numeric if 99 of 100 cells are numbers, and the other cells are refused with their lines`()
    throws
  {
    let bench = ShellFixture.empty()
    let text = column(200, [7: "n/a", 50: "-"])
    let refused = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(refused.code == 2, "\(refused)")
    #expect(
      refused.errors.hasPrefix(
        "followspot: v: 2 of its 200 values are not a number: 'n/a' in line 7, '-' in line 50\nhint: --lenient "),
      "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
    let lenient = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T", "--lenient"])
    #expect(lenient.output.contains("\"inserted\":200,"), "\(lenient)")
    #expect(lenient.errors.contains("line 7: v takes a number, not 'n/a'; it is left empty"), "\(lenient)")
    #expect(try types(bench) == ["id": "integer64", "v": "double?"])
    #expect(try bench.shell.run("show", "T/p6", "--format", "ndjson").output.contains("\"v\":null"))
  }

  @Test func `if lines are skipped the column keeps its inferred type, and a named type overrides it`() throws {
    do {
      let bench = ShellFixture.empty()
      let text = column(200, [7: "n/a", 50: "-"])
      let skipped = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T", "--skip-bad"])
      #expect(skipped.output.contains("\"inserted\":198,\"updated\":0,\"deleted\":0,\"skipped\":2}"), "\(skipped)")
      #expect(try types(bench) == ["id": "integer64", "v": "double"])
    }
    let bench = ShellFixture.empty()
    let text = column(200, [7: "n/a", 50: "-"])
    #expect(
      try bench.importRecords(text, as: "t.csv", options: ["--kind", "T", "--type", "v=text", "--type", "id=string"])
        .code == 0)
    #expect(try types(bench) == ["id": "string", "v": "string"])
    for (option, reason) in [
      ("w=string", "no record has the field 'w'"), ("v=colour", "FIELD=TYPE"), ("v", "FIELD=TYPE"),
    ] {
      let refused = try bench.importRecords(text, as: "t.csv", options: ["--type", option])
      #expect(refused.code == 2 && refused.errors.contains(reason), "\(refused)")
    }
  }

  @Test(arguments: [
    (["1.234,56", "7,00", "1,234.50"], "its numbers differ in form, such as '1.234,56' in line 2"),
    (["31.12.2024", "12/31/2024"], "its dates differ in form, such as '31.12.2024' in line 2"),
    (["1.234,56", "7,00", "n/a"], "1 of its 3 values are not numbers, such as 'n/a' in line 4"),
    (["1", "2", "n/a"], "1 of its 3 values are not numbers, such as 'n/a' in line 4"),
    (["100", "200", "007"], "digits begin with a zero, such as '007' in line 4"),
  ])
  func `a column whose cells are not all plain numbers or dates becomes text, with a message`(
    _ cells: [String], _ reason: String
  ) throws {
    let bench = ShellFixture.empty()
    let text = "id;v\n" + cells.map { "x;\($0)\n" }.joined()
    let imported = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(imported.errors.contains("v becomes text, because \(reason)\n"), "\(imported)")
    #expect(try types(bench)["v"] == "string")
  }

  @Test func `inferred types are reported, and a dry run stops there`() throws {
    let bench = ShellFixture.empty()
    let options = ["--kind", "T", "--key", "id"]
    let text = "id,title,year\na1,Toy Story,1995\nb2,Up,\n"
    let dry = try bench.importRecords(text, as: "t.csv", options: options + ["--dry-run"])
    #expect(dry.output == "{\"token\":0,\"inserted\":2,\"updated\":0,\"deleted\":0,\"skipped\":0}\n")
    #expect(
      dry.errors.hasSuffix(
        """
        t.csv has 2 records in UTF-8, with ',' between cells
        followspot: T would get these attributes; --type FIELD=TYPE changes a type:
          id     string, the key
          title  string, the title
          year   integer64, optional

        """), "\(dry)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
    let done = try bench.importRecords(text, as: "t.csv", options: options)
    #expect(done.errors == dry.errors.replacing("would get", with: "gets"), "\(done)")
  }

  @Test(arguments: [
    [], ["--again"], ["--key", "id"], ["--key", "id", "--skip-bad"], ["--key", "id", "--type", "year=string"],
    ["--again", "--type", "year=string", "--lenient"],
  ])
  func `a dry run counts what the import does, and changes nothing`(options: [String]) throws {
    let bench = ShellFixture.empty()
    var shell = bench.shell
    shell.environment["TMPDIR"] = bench.directory.file("temporary")
    try FileManager.default.createDirectory(
      atPath: bench.directory.file("temporary"), withIntermediateDirectories: true)
    let first = "id,title,year\na1,Toy Story,1995\nb2,Up,2009\n"
    let second = "id,title,year\na1,Toy Story,1995\nb2,Up!,2009\nc3,Cars,2006\nc3,Cars 2,2011\nd4,WALL-E\n"
    for (text, rest) in [(first, ["--kind", "T"]), (second, []), (first + "x\n", [])] {
      let file = try bench.directory.write(text, to: "t.csv")
      let before = try? Data(contentsOf: URL(fileURLWithPath: bench.store))
      let dry = try shell.run(["import", file, "--dry-run"] + options + rest)
      #expect(before == (try? Data(contentsOf: URL(fileURLWithPath: bench.store))))
      #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory.file("temporary")) == [])
      let done = try shell.run(["import", file] + options + rest)
      func counts(_ outcome: Shell.Outcome) -> Substring { outcome.output.drop { $0 != "," } }
      #expect(dry.code == done.code && counts(dry) == counts(done), "\(dry)\n\(done)")
    }
  }

  @Test(arguments: [
    (
      ["true", "0", "true", "0"],
      "2 of its 4 values are numbers, such as '0' in line 3, and 2 of its 4 values are true or false, such as 'true' in line 2"
    ),
    (["true", "0", "false"], "1 of its 3 values are not true or false, such as '0' in line 3"),
    (
      ["2020-01-01", "7"],
      "1 of its 2 values are numbers, such as '7' in line 3, and 1 of its 2 values are dates, such as '2020-01-01' in line 2"
    ),
  ])
  func `a column of values of several types becomes text, with a message`(_ cells: [String], _ reason: String) throws {
    let bench = ShellFixture.empty()
    let text = "id;v\n" + cells.map { "x;\($0)\n" }.joined()
    let imported = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(imported.errors.contains("v becomes text, because \(reason)\n"), "\(imported)")
    #expect(try types(bench)["v"] == "string")
  }

  // MARK: Files that were imported before

  @Test(arguments: ["year=string", "year=double", "score=string", "title=url"])
  func `a file that was imported before is refused with another type too`(type: String) throws {
    let bench = ShellFixture.empty()
    let text = "title,year,score\none,1995,1.5\ntwo,1996,2.5\nthree,1997,3\n"
    #expect(try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"]).code == 0)
    let refused = try bench.importRecords(text, as: "t.csv", options: ["--type", type])
    #expect(refused.code == 2, "\(refused)")
    #expect(
      refused.errors.contains(
        "followspot: 3 of the 3 records in \(bench.directory.file("t.csv")) are in the store already"), "\(refused)")
    #expect(try bench.newest() == 1)
  }

  @Test func `a file that was imported before is refused without --again or a key`() throws {
    let bench = ShellFixture.empty()
    let text = column(30)
    #expect(try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"]).code == 0)
    for other in [text, column(30, [5: "0.25"]), column(33)] {
      let refused = try bench.importRecords(other, as: "t.csv")
      #expect(refused.code == 2 && refused.errors.contains("records in"), "\(refused)")
      #expect(refused.errors.contains("are in the store already\nhint: --key FIELD updates"), "\(refused)")
    }
    #expect(try bench.newest() == 1)
    // More than one tenth of the records is new.
    #expect(try bench.importRecords(column(40), as: "t.csv").output.contains("\"inserted\":40"))
    #expect(try bench.importRecords(text, as: "t.csv", options: ["--again"]).output.contains("\"inserted\":30"))
  }

  @Test func `a key is added to an existing store, or refused with an example of a duplicate`() throws {
    let bench = try ShellFixture("{\"a\":\"x\",\"b\":1}\n{\"a\":\"x\",\"b\":2}\n", kind: "T", isIndexed: false)
    let before = try bench.shell.run("schema").output
    let record = "{\"a\":\"y\",\"b\":2}\n"
    let refused = try bench.importRecords(record, options: ["--key", "a"])
    #expect(
      refused.code == 2
        && refused.errors.contains("two rows of T have the same a, to be unique from now on: 'x'"), "\(refused)")
    #expect(try bench.shell.run("schema").output == before)
    let dry = try bench.importRecords(record, options: ["--key", "a", "--dry-run"])
    #expect(dry.code == 2, "\(dry)")
    let done = try bench.importRecords(record, options: ["--key", "b"])
    #expect(done.errors.contains("b  is the key from now on"), "\(done)")
    #expect(done.output.contains("\"inserted\":0,\"updated\":1,"), "\(done)")
    let again = try bench.importRecords(record, options: ["--key", "b"])
    #expect(again.output.contains("\"updated\":0,\"deleted\":0,\"skipped\":1}") && again.errors == "", "\(again)")
  }

  // MARK: Widening

  @Test func `if the file needs it, an integer becomes a double and a required attribute optional, with a message`()
    throws
  {
    let bench = try ShellFixture("{\"n\":1,\"m\":1,\"t\":\"a\"}\n", kind: "T")
    let imported = try bench.importRecords("n,m,t\n3.5,2,b\n4,,\"\"\n", as: "t.csv")
    #expect(imported.code == 0, "\(imported)")
    #expect(
      imported.errors.hasSuffix(
        """
        followspot: the store was migrated for these attributes of T:
          n  integer64 becomes double
          m  may be empty from now on
          t  may be empty from now on

        """), "\(imported)")
    #expect(try types(bench) == ["n": "double", "m": "integer64?", "t": "string?"])
    #expect(try bench.shell.run("count", "n:3.5").output == "1\n")
    #expect(try bench.shell.run("index").code == 0)
    try bench.expectEqual(documents: 3)
    // An import never changes a number to text by itself. --type requests it.
    let refused = try bench.importRecords("n,m,t\nmany,2,c\n", as: "t.csv")
    #expect(refused.code == 2 && refused.errors.contains("n takes a number"), "\(refused)")
    let asked = try bench.importRecords("n,m,t\nmany,2,c\n", as: "t.csv", options: ["--type", "n=string"])
    #expect(asked.errors.contains("n  double becomes string"), "\(asked)")
    #expect(try bench.shell.run("show", "T/p2", "--format", "ndjson").output.contains("\"n\":\"3.5\""))
    #expect(try bench.shell.run("index").code == 0)
    try bench.expectEqual(documents: 4)
  }

  @Test func `a column that a later file lacks is empty in new records, and kept in existing ones`() throws {
    let first = "id,title,note,n\n1,A,x,1\n2,B,y,2\n"
    for options in [["--key", "id"], []] {
      let bench = ShellFixture.empty()
      let made = try bench.importRecords(first, as: "first.csv", options: ["--kind", "T"] + options)
      #expect(made.code == 0, "\(made)")
      let later = try bench.importRecords("title,id\nBB,2\nC,3\n", as: "lacking.csv", options: options)
      #expect(later.code == 0, "\(later)")
      #expect(later.errors.contains("  note  may be empty from now on\n  n     may be empty from now on\n"), "\(later)")
      #expect(later.errors.contains("no column of the file is named note, n: empty in new records\n"), "\(later)")
      let database = try Connection(path: bench.store, access: .readOnly)
      let found = try database.cursor(
        "SELECT ZID || '|' || ZTITLE || '|' || ifnull(ZNOTE, 'NULL') || '|' || ifnull(ZN, 'NULL') FROM ZT ORDER BY Z_PK"
      )
      var stored: [String] = []
      while try found.step() { stored.append(found.text(at: 0)) }
      let updated = options.isEmpty ? ["2|B|y|2", "2|BB|NULL|NULL"] : ["2|BB|y|2"]
      #expect(stored == ["1|A|x|1"] + updated + ["3|C|NULL|NULL"])
      #expect(try bench.shell.run("index").code == 0)
      #expect(try bench.shell.run("count", "has:note").output == "2\n")
      try bench.expectEqual(documents: stored.count)
    }
  }

  @Test func `a field that the store does not have is refused, and nothing is widened`() throws {
    let bench = try ShellFixture("{\"name\":\"a\",\"n\":1}\n", kind: "T", isIndexed: false)
    let before = try bench.shell.run("schema").output
    let refused = try bench.importRecords("{\"naem\":\"b\",\"n\":2.5}\n")
    #expect(refused.code == 2 && refused.errors.contains("T has no attribute 'naem'"), "\(refused)")
    #expect(try bench.shell.run("schema").output == before)
  }

  // MARK: Interruption

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal ends an import between records, and import prints what is saved and how to continue`(
    _ number: Int32, _ code: Int32
  ) throws {
    let bench = ShellFixture.empty()
    let records = 40_000
    let text = (1...records).map { "{\"n\":\($0)}\n" }.joined()
    let file = try bench.directory.write(text, to: "big.jsonl")
    #expect(try bench.importRecords("{\"n\":0}\n", options: ["--kind", "T"]).code == 0)
    let running = try bench.shell.start(["import", file, "--batch", "50"])
    #expect(eventually { (try? bench.newest()) ?? 0 > 2 })
    running.signal(number)
    let outcome = running.wait()
    #expect(outcome.code == code, "\(outcome)")
    let told = try #require(
      outcome.errors.firstMatch(of: /stopped by a signal: (\d+) records are saved, up to line (\d+)\n/), "\(outcome)")
    let kept = try #require(Int(told.output.1))
    #expect(outcome.errors.contains("hint: repeat the command with --from-line \(kept + 1) to continue"), "\(outcome)")
    let rest = try bench.shell.run("import", file, "--from-line", "\(kept + 1)", "--batch", "100000")
    #expect(rest.output.contains("\"inserted\":\(records - kept),"), "\(rest)")
  }

  @Test func `the error of an invalid line names the line to continue from`() throws {
    // Only the store shows that the record of the last line cannot be imported.
    let bench = try ShellFixture.relatedFilms(isIndexed: false)
    let lines = (1...3).map { "{\"title\":\"\($0)\"}" } + ["{\"title\":\"4\",\"studio\":\"Studio/p9\"}"]
    let refused = try bench.importRecords(
      lines.joined(separator: "\n"), options: ["--kind", "Film", "--batch", "2"])
    #expect(
      refused.errors.contains("2 records are saved; correct the line and continue with --from-line 3"), "\(refused)")
    let mended = (lines.dropLast() + ["{\"title\":\"4\"}"]).joined(separator: "\n")
    let rest = try bench.importRecords(mended, options: ["--kind", "Film", "--from-line", "3"])
    #expect(rest.output.contains("\"inserted\":2,"), "\(rest)")
  }

  // MARK: Names

  @Test func `fields whose names queries cannot contain are renamed, and each import reports it`() throws {
    let bench = ShellFixture.empty()
    let text = "\"a\"\"b\",kind,First Name\nword1,word2,word3\n"
    let imported = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    for (name, usable) in [(#"a"b"#, "a_b"), ("kind", "kind_")] {
      #expect(
        imported.errors.contains("'\(name)' becomes the attribute '\(usable)', because no query can say its name"),
        "\(imported)")
    }
    #expect(try bench.importRecords(text, as: "t.csv").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    for query in ["a_b:word1", "kind_:word2", "\"First Name\":word3"] {
      #expect(try bench.shell.run("count", query).output == "2\n", "\(query)")
    }
  }
}
