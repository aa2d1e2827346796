// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Invalid files cause a clear message and the right exit code, and no data is lost.
@Suite(.overlapping, .temporaryDirectory)
struct BadInputTests {
  private static let readers = [
    ["show", "Film/p1"], ["history"], ["status"], ["schema"], ["index"], ["rebuild"], ["search", "x"], ["count", "x"],
    ["verify"], ["wait"], ["set", "Film/p1", "title=x"], ["delete", "Film/p1"],
  ]

  enum Kind: String, CaseIterable { case text, empty, noTable, noMetadata, directory }

  private func make(_ kind: Kind, at path: String) throws -> String {
    let url = URL(fileURLWithPath: path)
    switch kind {
    case .text:
      try Data(String(repeating: "This is no store. ", count: 100).utf8).write(to: url)
      return "is not an SQLite file"
    case .empty:
      try Data().write(to: url)
      return "is an empty file, not a store"
    case .noTable:
      try Connection(path: path, access: .create).execute("CREATE VIEW v AS SELECT 1")
      return "has no table that can be searched"
    case .noMetadata:
      try Connection(path: path, access: .create).execute(
        """
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER, Z_UUID TEXT, Z_PLIST BLOB); CREATE TABLE Z_PRIMARYKEY (Z_ENT);
        CREATE TABLE ATRANSACTION (Z_PK INTEGER); CREATE TABLE ACHANGE (Z_PK INTEGER)
        """)
      return "has no row in Z_METADATA"
    case .directory:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      return "is a directory"
    }
  }

  @Test(arguments: Kind.allCases)
  func `a file that is not a store is refused and not changed`(_ kind: Kind) throws {
    let bench = ShellFixture.empty()
    let sentence = try make(kind, at: bench.store)
    let before = FileManager.default.contents(atPath: bench.store)
    let records = try bench.directory.write("{\"a\":1}\n", to: "new.jsonl")
    for arguments in Self.readers + [["import", records, "--kind", "T"]] {
      let refused = try bench.shell.run(arguments)
      #expect(refused.code == 2, "\(arguments): \(refused)")
      #expect(refused.output == "")
      #expect(refused.errors.hasPrefix("followspot: \(bench.store) \(sentence)"), "\(arguments): \(refused)")
      #expect(refused.errors.contains("\nhint: "))
    }
    #expect(FileManager.default.contents(atPath: bench.store) == before)
    #expect(!FileManager.default.fileExists(atPath: bench.index))
  }

  @Test func `an error names the damaged store, and the index is not changed`() throws {
    let bench = try ShellFixture()
    try bench.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try #require(FileManager.default.contents(atPath: bench.store))
    for page in 1..<(bytes.count / 4096) {
      bytes.replaceSubrange((page * 4096)..<(page * 4096 + 200), with: [UInt8](repeating: 0xa5, count: 200))
    }
    try bytes.write(to: URL(fileURLWithPath: bench.store))
    for arguments in [["index"], ["rebuild"], ["history"]] {
      let refused = try bench.shell.run(arguments)
      #expect(refused.code == 2, "\(arguments): \(refused)")
      #expect(refused.errors.contains("is damaged"), "\(refused)")
      #expect(refused.errors.contains("hint: "))
    }
    #expect(FileManager.default.fileExists(atPath: bench.index + "/gen-0001"))
  }

  // MARK: Permissions

  @Test func `a store in a read-only directory can be read`() throws {
    guard geteuid() != 0 else {
      print("not shown as root: permissions do not bind it")
      return
    }
    let bench = try ShellFixture()
    try bench.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: bench.directory.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bench.directory.path) }
    let elsewhere = TemporaryDirectory()
    var shell = Shell(in: elsewhere)
    shell.environment["FOLLOWSPOT_STORE"] = bench.store
    #expect(try shell.run("count", "*").output == "8\n")
    let refused = try shell.run("set", "Film/p1", "title=x")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("hint: check the permissions"))
  }

  // MARK: Index directories

  @Test(arguments: ["notes.txt", "iamglass", "XAPIANDB"])
  func `an index directory of another program is refused and not changed`(_ name: String) throws {
    let bench = try ShellFixture(isIndexed: false)
    try FileManager.default.createDirectory(atPath: bench.index, withIntermediateDirectories: false)
    let file = "films.store.index/" + name
    _ = try bench.directory.write("auto somewhere\n", to: file)
    for arguments in [["index"], ["rebuild"], ["search", "x"], ["verify"], ["rollback"], ["index", "--follow"]] {
      let refused = try bench.shell.run(arguments)
      #expect(refused.code == 2, "\(arguments): \(refused)")
      #expect(refused.errors.contains("\nhint: name another directory with --index DIR"), "\(refused)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.index) == [name])
  }

  @Test func `a plain Xapian database is refused and not changed`() throws {
    let bench = try ShellFixture()
    let plain = bench.index + "/gen-0001"
    let before = try FileManager.default.contentsOfDirectory(atPath: plain).sorted()
    for arguments in [["index"], ["rebuild"], ["search", "x"], ["verify"]] {
      let refused = try bench.shell.run(arguments + ["--index", plain])
      #expect(refused.code == 2, "\(arguments): \(refused)")
      #expect(refused.errors.contains("\nhint: name another directory with --index DIR"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: plain).sorted() == before)
    let file = try bench.shell.run("index", "--index", bench.store)
    #expect(file.code == 2)
    #expect(file.errors.contains("is not a directory"))
  }

  enum Damage: String, CaseIterable { case emptied, cut, garbage, version, removed, generationRemoved }

  private func damage(_ bench: ShellFixture, _ damage: Damage) throws {
    let generation = URL(fileURLWithPath: bench.index + "/gen-0001")
    switch damage {
    case .emptied, .cut, .garbage:
      for name in ["postlist.glass", "termlist.glass", "position.glass"] {
        let url = generation.appendingPathComponent(name)
        let bytes = try Data(contentsOf: url)
        let replaced =
          switch damage {
          case .emptied: Data()
          case .cut: bytes.prefix(bytes.count / 3)
          default: Data(repeating: 0xa5, count: bytes.count)
          }
        try replaced.write(to: url)
      }
    case .version: try Data("garbage".utf8).write(to: generation.appendingPathComponent("iamglass"))
    case .removed: try FileManager.default.removeItem(at: generation.appendingPathComponent("iamglass"))
    case .generationRemoved: try FileManager.default.removeItem(at: generation)
    }
  }

  @Test(arguments: Damage.allCases)
  func `a corrupt index causes exit code 7 with a hint, and a rebuild repairs it`(_ damage: Damage) throws {
    let bench = try ShellFixture()
    try self.damage(bench, damage)
    _ = try bench.shell.run("set", "Film/p1", "plot=Other.")
    for arguments in [["search", "cowboy"], ["verify"], ["index"]] {
      let refused = try bench.shell.run(arguments)
      #expect(refused.code == 7, "\(arguments): \(refused)")
      #expect(refused.errors.hasSuffix("hint: followspot rebuild\n"), "\(arguments): \(refused)")
    }
    try bench.shell.succeed("rebuild")
    try bench.expectEqual(documents: 8)
    #expect(try bench.titles("other") == ["Toy Story"])
  }

  // MARK: A full disk

  @Test func `a full disk causes exit code 75, no data is lost, and work continues when space is free`() throws {
    guard geteuid() == 0 else {
      print("not shown without root: a small file system cannot be mounted")
      return
    }
    let bench = ShellFixture.empty()
    let place = bench.directory.file("small")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    guard mount("tmpfs", place, "tmpfs", 0, "size=3m") == 0 else {
      print("not shown: mount failed: \(String(cString: strerror(errno)))")
      return
    }
    defer { umount2(place, Int32(MNT_DETACH)) }
    var shell = bench.shell
    shell.environment["FOLLOWSPOT_INDEX"] = place + "/index"
    let records = try bench.directory.write(Films.lines((1...500).map { "film \($0)" }), to: "films.jsonl")
    _ = try shell.run("import", records, "--kind", "Film")
    try shell.succeed("index")
    // Fills the disk, except for one or two pages.
    let filler = place + "/filler"
    _ = FileManager.default.createFile(atPath: filler, contents: nil)
    let handle = try #require(FileHandle(forWritingAtPath: filler))
    while (try? handle.write(contentsOf: Data(repeating: 1, count: 4096))) != nil {}
    try handle.close()
    _ = try shell.run("import", records, "--again")
    let full = try shell.run("index")
    #expect(full.code == 75, "\(full)")
    #expect(full.errors.contains("no space left") || full.errors.contains("No space left"), "\(full)")
    #expect(try shell.run("count", "*", "--index-only").output == "500\n")
    try FileManager.default.removeItem(atPath: filler)
    try shell.succeed("index")
    #expect(try shell.run("verify").output.hasPrefix("equal documents=1000 token=2 "))
  }

  // MARK: Hostile contents

  @Test func `hostile contents of rows are indexed, displayed safely and verified`() throws {
    let escape = #"\u001b]0;owned\u0007\u001b[31m red\u009b2J\u202eback\u007f"#
    let nuls = String(repeating: #"\u0000"#, count: 300)
    let long = String(repeating: "x", count: 10_000)
    let lines = """
      {"title": "\(escape)", "plot": "safe\\tand\\nsound"}
      {"title": "\(nuls)needle\(nuls)", "plot": "nul"}
      {"title": "\(long) behind", "plot": "\(String(repeating: "é", count: 10_000)) after"}
      {"title": "", "plot": "\(String(repeating: "1,", count: 5_000))"}

      """
    let bench = try ShellFixture(lines, kind: "T")
    try bench.expectEqual(documents: 4)
    let status = try bench.number("failed")
    #expect(status == 1 || status == 2)
    for (query, identifier) in [("needle", "T/p2"), ("behind", "T/p3"), ("after", "T/p3"), ("red", "T/p1")] {
      let found = try bench.shell.run("search", query)
      #expect(found.output.hasPrefix(identifier + "\t"), "\(query): \(found.code)")
    }
    for arguments in [["search", "red"], ["show", "T/p1"], ["search", "red", "--fields", "title,plot"]] {
      let shown = try bench.shell.run(arguments).output
      #expect(shown.contains("\\u{1B}]0;owned\\u{7}"), "\(shown)")
      let raw = shown.unicodeScalars.filter {
        ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7f..<0xa0).contains($0.value) || $0.value == 0x202e
      }
      #expect(raw.isEmpty)
    }
    let json = try object(try bench.shell.run("search", "red", "--format", "ndjson").output)
    let title = (json["fields"] as? [String: Any])?["title"] as? String
    #expect(title == "\u{1b}]0;owned\u{7}\u{1b}[31m red\u{9b}2J\u{202e}back\u{7f}")
    #expect(try bench.shell.run("rebuild").code == 0)
    try bench.expectEqual(documents: 4)
  }

  @Test func `a text of many megabytes is indexed whole`() throws {
    let text = String(repeating: "lorem ipsum dolor ", count: Rounds.count(150_000, full: 300_000, long: 600_000))
    let bench = try ShellFixture("{\"title\": \"big\", \"plot\": \"\(text)needle\"}\n", kind: "T")
    #expect(try bench.shell.run("search", "needle", "--format", "tsv", "--fields", "title").output == "big\n")
    try bench.expectEqual(documents: 1)
  }

  @Test func `bytes that are not UTF-8 do not stop a pass`() throws {
    let bench = try ShellFixture()
    try bench.sql("UPDATE ZFILM SET ZTITLE = CAST(x'ff6361fe6665c3' AS TEXT), ZGENRES = x'5b22fe' WHERE Z_PK = 1")
    try bench.sql("UPDATE ZFILM SET ZYEAR = 'many', ZRATING = 9e999 WHERE Z_PK = 2")
    try bench.shell.succeed("verify", "--repair")
    for format in ["json", "ndjson", "tsv", "csv", "text"] {
      let outcome = try bench.shell.run("search", "*", "--format", format)
      #expect(outcome.code == 0, "\(format): \(outcome)")
    }
    _ = try object(try bench.shell.run("search", "*", "--format", "json").output)
    #expect(try bench.shell.run("rebuild").code == 0)
    try bench.expectEqual(documents: 8)
  }
}
