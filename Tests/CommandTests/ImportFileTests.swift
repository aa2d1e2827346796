// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `import` of files that other programs write: encodings, delimiters and JSON documents.
@Suite(.overlapping, .temporaryDirectory)
struct ImportFileTests {
  private let bench = ShellFixture.empty()

  private func record(_ bench: ShellFixture, _ identifier: String = "T/p1") throws -> String {
    let line = try bench.shell.run("show", identifier, "--format", "ndjson").output
    return String(line.suffix(from: try #require(line.firstRange(of: "\"fields\":")).upperBound).dropLast(2))
  }

  private func importBytes(
    _ bytes: Data, as name: String, _ options: [String], in bench: ShellFixture
  ) throws -> Shell.Outcome {
    try bytes.write(to: URL(fileURLWithPath: bench.directory.file(name)))
    return try bench.shell.run(["import", name, "--kind", "T"] + options)
  }

  // MARK: Delimiters

  @Test(arguments: [",", ";", "|", "\t"])
  func `the delimiter is detected and reported`(_ delimiter: String) throws {
    let rows = [["name", "n", "m"], ["\"a, b; c | d\"", "1", "2"]]
    let text = rows.map { $0.joined(separator: delimiter) + "\n" }.joined()
    let imported = try bench.importRecords(text, as: "t.csv", options: ["--kind", "T"])
    #expect(imported.code == 0, "\(imported)")
    #expect(
      imported.errors.contains("with \(delimiter == "\t" ? "TAB" : "'\(delimiter)'") between cells"), "\(imported)")
    #expect(try record(bench) == #"{"name":"a, b; c | d","n":1,"m":2}"#)
  }

  @Test func `an option or a sep= line of spreadsheets overrides the detected delimiter`() throws {
    let text = "a:b;c\n1:2;3\n"
    #expect(try bench.importRecords(text, as: "t.csv", options: ["--kind", "T", "--delimiter", ":"]).code == 0)
    #expect(try record(bench) == #"{"a":1,"b;c":"2;3"}"#)
    #expect(try bench.importRecords("sep=;\r\na;b,c\r\n1;2,5\r\n", as: "t.csv", options: ["--kind", "U"]).code == 0)
    #expect(try record(bench, "U/p1") == #"{"a":1,"b,c":2.5}"#)
    let refused = try bench.importRecords(text, as: "t.csv", options: ["--kind", "V", "--delimiter", "::"])
    #expect(refused.code == 2 && refused.errors.contains("--delimiter takes one character"), "\(refused)")
  }

  @Test func `spaces and line breaks around and in headers are trimmed`() throws {
    let imported = try bench.importRecords(
      "\u{feff} name ,\"First\nName \"\n x ,y\n", as: "t.csv",
      options: ["--kind", "T"])
    #expect(imported.code == 0, "\(imported)")
    #expect(try record(bench) == #"{"name":" x ","First Name":"y"}"#)
  }

  // MARK: Encodings

  private static let encodings: [(String.Encoding, [UInt8], [String], String)] = [
    (.utf16LittleEndian, [0xff, 0xfe], [], "UTF-16LE"), (.utf16BigEndian, [0xfe, 0xff], [], "UTF-16BE"),
    (.utf16LittleEndian, [0xff, 0xfe], ["--encoding", "utf-16"], "UTF-16LE"),
    (.utf16BigEndian, [0xfe, 0xff], ["--encoding", "utf-16"], "UTF-16BE"),
    (.utf16LittleEndian, [], ["--encoding", "utf-16"], "UTF-16LE"),
    (.utf16LittleEndian, [], ["--encoding", "utf-16le"], "UTF-16LE"),
    (.utf16BigEndian, [], ["--encoding", "utf-16be"], "UTF-16BE"),
  ]

  @Test(arguments: encodings)
  func `UTF-16 is detected by its byte order mark, or named by an option`(
    _ encoding: String.Encoding, _ mark: [UInt8], _ options: [String], _ name: String
  ) throws {
    let text = "größe,n\r\n\"Ä 😀, 日本\",1\r\n"
    let bench = ShellFixture.empty()
    let imported = try importBytes(
      Data(mark) + (try #require(text.data(using: encoding))), as: "t.csv", options, in: bench)
    #expect(imported.code == 0 && imported.errors.contains("in \(name)"), "\(imported)")
    #expect(try record(bench) == #"{"größe":"Ä 😀, 日本","n":1}"#)
  }

  @Test func `Latin-1 is read if an option names it, and text that is not UTF-8 is refused with this hint`() throws {
    let bytes = try #require("Name;Ort\nMüller;Köln\n".data(using: .isoLatin1))
    let refused = try importBytes(bytes, as: "t.csv", [], in: bench)
    #expect(refused.code == 2 && refused.errors.contains("line 2: the line is not valid UTF-8"), "\(refused)")
    #expect(refused.errors.contains("hint: use --encoding latin-1"), "\(refused)")
    #expect(try importBytes(bytes, as: "t.csv", ["--encoding", "latin-1"], in: bench).code == 0)
    #expect(try record(bench) == #"{"Name":"Müller","Ort":"Köln"}"#)
  }

  @Test func `truncated UTF-16 is refused with its line`() throws {
    var bytes = try #require("a\nx\ny\n".data(using: .utf16LittleEndian))
    bytes[4...5] = Data([0x00, 0xd8])
    let lone = try importBytes(bytes, as: "t.csv", ["--encoding", "utf-16le"], in: bench)
    #expect(lone.code == 2 && lone.errors.contains("line 2: "), "\(lone)")
    let odd = try importBytes(
      Data("a\nx\n".data(using: .utf16LittleEndian)! + [0x41]), as: "t.csv", ["--encoding", "utf-16le"], in: bench)
    #expect(odd.code == 2 && odd.errors.contains("line 3: "), "\(odd)")
    let unmarked = try importBytes(bytes, as: "t.csv", [], in: bench)
    #expect(unmarked.code == 2 && unmarked.errors.contains("hint: use --encoding utf-16"), "\(unmarked)")
  }

  // MARK: Compression

  @Test func `a gzip file is read, and a truncated one is refused with the record where it ends`() throws {
    let text = "n,word\n" + (1...5_000).map { "\($0),word\($0 &* 2_654_435_761 % 10_007)\n" }.joined()
    _ = try bench.directory.write(text, to: "t.csv")
    _ = try bench.directory.write("n,word\n", to: "none.csv")
    let compressed = try bench.shell.run(["-c", "gzip -k t.csv && gzip -k none.csv"], program: "/bin/sh")
    try #require(compressed.code == 0, "\(compressed)")
    let whole = try Data(contentsOf: URL(fileURLWithPath: bench.directory.file("t.csv.gz")))
    let cut = try importBytes(whole.prefix(whole.count / 2), as: "cut.csv.gz", [], in: bench)
    let told = try #require(
      cut.errors.firstMatch(of: /cut\.csv\.gz is truncated: its text ends in record (\d+)\n/), "\(cut)")
    #expect(cut.code == 2 && (1_000..<4_500).contains(Int(told.output.1) ?? 0), "\(cut)")
    var damaged = whole
    damaged[whole.count - 6] ^= 0xff
    let refused = try importBytes(damaged, as: "damaged.csv.gz", [], in: bench)
    #expect(refused.code == 2 && refused.errors.contains("is damaged"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
    // Two concatenated gzip files are one file.
    let imported = try importBytes(whole + whole, as: "t.csv.gz", ["--skip-bad"], in: bench)
    #expect(imported.output.contains("\"inserted\":10000,"), "\(imported)")
    #expect(try record(bench, "T/p5000").hasPrefix("{\"n\":5000,"))
  }

  // MARK: JSON

  private static let document = #"""
    {
      "meta": {"count": 2, "note": "a ] and a } in \" text", "data": []},
      "data": {"pages": [{"rows": []}, {"rows": [
        {"a": 1, "b": "x]}"},
        {"a": 2, "b": {"c": [1, 2]}}
      ]}]}
    }
    """#

  @Test func `an array is read from a document, or from a path inside it`() throws {
    #expect(
      try bench.importRecords("[{\"a\":1},\n\n {\"a\":2}\n]\n", as: "a.json", options: ["--kind", "T"]).code == 0)
    #expect(try record(bench, "T/p2") == #"{"a":2}"#)
    let empty = try bench.importRecords("[]", as: "a.json", options: ["--kind", "T"])
    #expect(empty.output.contains("\"inserted\":0"), "\(empty)")
    let found = try bench.importRecords(
      Self.document, as: "d.json", options: ["--kind", "U", "--at", "data.pages.1.rows"])
    #expect(found.code == 0, "\(found)")
    #expect(try record(bench, "U/p2") == #"{"a":2,"b":{"c":[1,2]}}"#)
  }

  @Test(arguments: [
    ([], "one JSON object over several lines", "--at data.pages reads"),
    (["--at", "data.nothing"], "nothing at data.nothing", "data.items"),
    (["--at", "data.pages.2"], "nothing at data.pages.2", "data.items"),
    (["--at", "meta.count"], "not an array", "--at PATH"),
  ])
  func `a document that is not an array is refused with the path of an array`(
    _ options: [String], _ message: String, _ hint: String
  ) throws {
    let refused = try bench.importRecords(Self.document, as: "d.json", options: ["--kind", "T"] + options)
    #expect(refused.code == 2 && refused.errors.contains(message) && refused.errors.contains(hint), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test(arguments: [
    ("[{\"a\":1},\n{\"a\":2}", 2), ("[{\"a\":1},\n{\"a\":2", 2), ("[{\"a\":1}\n{\"a\":2}]", 2), ("[{\"a\":1},\n3]", 2),
    ("[{\"a\":1},\n\n{\"a\":}]", 3),
  ])
  func `a broken array is refused with its line`(_ text: String, _ line: Int) throws {
    let refused = try bench.importRecords(text, as: "a.json", options: ["--kind", "T"])
    #expect(refused.code == 2 && refused.errors.hasPrefix("followspot: line \(line): "), "\(refused)")
    let skipped = try bench.importRecords(text, as: "a.json", options: ["--kind", "T", "--skip-bad"])
    #expect(skipped.code == 0 && skipped.errors.contains("line \(line): "), "\(skipped)")
  }
}
