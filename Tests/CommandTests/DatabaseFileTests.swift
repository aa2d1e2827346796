// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

/// Files that are used as a database, and the files beside a database.
@Suite(.overlapping, .temporaryDirectory)
struct DatabaseFileTests {
  private let bench = ShellFixture.empty()

  struct Foreign: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sentence: String
    let hint: String
    /// The contents of the file, made from the bytes of a valid database.
    let bytes: @Sendable ([UInt8]) -> [UInt8]

    init(_ name: String, _ sentence: String, _ hint: String, _ bytes: @escaping @Sendable ([UInt8]) -> [UInt8]) {
      (testDescription, self.sentence, self.hint, self.bytes) = (name, sentence, hint, bytes)
    }
  }

  private static func noise(_ count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: 7)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private static func patched(_ bytes: [UInt8], _ place: Int, _ value: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[place] = value
    return bytes
  }

  static let foreign = [
    Foreign("encrypted", "is not an SQLite file, or it is encrypted", "a decrypted copy") { noise($0.count) },
    Foreign("encrypted, with a plain header", "is damaged, or the file is encrypted", "a decrypted copy") {
      Array($0.prefix(32)) + noise($0.count - 32)
    },
    Foreign("an impossible page size", "is damaged, or the file is encrypted", "a backup") { patched($0, 17, 3) },
    Foreign("a newer format for reading", "was written by a newer version of SQLite", "update SQLite") {
      patched($0, 19, 3)
    },
    Foreign("the MVCC mode of Turso", "is in the MVCC mode of Turso", "run PRAGMA journal_mode='wal' on it in Turso") {
      patched(patched($0, 18, 255), 19, 255)
    },
    Foreign("a zip archive", "is a zip archive, not an SQLite file", "unzip it") { _ in
      [0x50, 0x4b, 0x03, 0x04] + noise(500)
    },
    Foreign("a gzip file", "is a file that gzip compressed, not an SQLite file", "gunzip") { _ in
      [0x1f, 0x8b, 8] + noise(500)
    },
    Foreign("text", "is not an SQLite file", "import the text") { _ in Array("id,title\n1,Zoë\n".utf8) },
    Foreign("long text", "is not an SQLite file", "import the text") { _ in
      Array(String(repeating: "ÄÖÜ\n", count: 3_000).utf8)
    },
    Foreign("empty", "is an empty file, not a store", "remove it") { _ in [] },
    Foreign("no table", "has no table that can be searched", "create a table in it first") {
      Array($0.prefix(0)) + schemaless
    },
  ]

  /// A database without tables.
  private static let schemaless: [UInt8] = {
    let made = try? TemporaryDirectory.with { directory in
      try Connection(path: directory.file("a"), access: .create).execute("PRAGMA user_version = 1")
      return FileManager.default.contents(atPath: directory.file("a")).map { [UInt8]($0) }
    }
    return (made ?? nil) ?? []
  }()

  private func make(_ path: String, _ sql: String = "") throws {
    try Connection(path: path, access: .create).execute(
      "\(sql); CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT);"
        + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
        + "INSERT INTO notes SELECT i, 'old note ' || i FROM n")
  }

  @Test(arguments: foreign)
  func `the error of a file that is not a readable database says what it is and what helps`(_ foreign: Foreign) throws {
    try make(bench.store)
    let sound = [UInt8](try Data(contentsOf: URL(fileURLWithPath: bench.store)))
    try Data(foreign.bytes(sound)).write(to: URL(fileURLWithPath: bench.store))
    let before = try Data(contentsOf: URL(fileURLWithPath: bench.store))
    for verb in [["index"], ["search", "note"], ["status"], ["schema"], ["verify"], ["attach"], ["detach"]] {
      let refused = try bench.shell.run(verb)
      #expect(refused.code == 2, "\(verb): \(refused)")
      guard !["attach", "detach"].contains(verb[0]) || !before.isEmpty && foreign.testDescription != "no table" else {
        continue
      }
      #expect(refused.errors.contains("\(bench.store)"), "\(verb): \(refused)")
      #expect(refused.errors.contains(foreign.sentence), "\(verb): \(refused)")
      #expect(refused.errors.contains("\nhint: ") && refused.errors.contains(foreign.hint), "\(verb): \(refused)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.store)) == before)
  }

  @Test(arguments: ["attach", "detach", "index", "search"])
  func `a pipe or a directory is refused at once, by name`(_ verb: String) throws {
    #expect(mkfifo(bench.store, 0o600) == 0)
    let arguments = verb == "search" ? [verb, "note"] : [verb]
    let pipe = try bench.shell.run(arguments)
    #expect(pipe.code == 2 && pipe.errors.contains("\(bench.store) is a pipe\nhint: "), "\(pipe)")
    unlink(bench.store)
    #expect(mkdir(bench.store, 0o700) == 0)
    let directory = try bench.shell.run(arguments)
    #expect(directory.code == 2 && directory.errors.contains("\(bench.store) is a directory\nhint: "), "\(directory)")
  }

  @Test(arguments: ["page_size = 512", "page_size = 8192", "page_size = 65536", "encoding = 'UTF-16le'"])
  func `databases of all page sizes and encodings are read`(_ pragma: String) throws {
    try make(bench.store, "PRAGMA " + pragma)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "note").output == "900\n")
    #expect(try bench.shell.run("verify").code == 0)
  }

  @Test func `a database that only a newer SQLite can write is read, and attach reports the reason`() throws {
    try make(bench.store)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: bench.store)))
    bytes[18] = 3
    try Data(bytes).write(to: URL(fileURLWithPath: bench.store))
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "note").output == "900\n")
    let refused = try bench.shell.run("attach")
    #expect(refused.code == 2)
    #expect(refused.errors.contains("\(bench.store) can only be written by a newer version of SQLite"), "\(refused)")
    let hint = "\nhint: update SQLite, or use the one of the program that wrote the file; this is version "
    #expect(refused.errors.contains(hint), "\(refused)")
  }

  // MARK: Journals and logs

  /// Copies the database and its journal in the middle of a transaction, as a crash would leave them.
  private func interrupt(_ path: String) throws {
    let source = path + ".source"
    try make(source)
    let writer = try Connection(path: source, access: .readWrite)
    try writer.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE notes SET body = 'new note'")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
    }
    writer.rollback()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try #require(bytes.range(of: Data("new note".utf8)) != nil, "nothing of the transaction reached the file")
  }

  @Test func `an interrupted transaction is rolled back in a private copy, and the files are not changed`() throws {
    try interrupt(bench.store)
    let before = ["", "-journal"].map { FileManager.default.contents(atPath: bench.store + $0) }
    let indexed = try bench.shell.run("index")
    #expect((indexed.code, indexed.errors) == (0, ""))
    #expect(try bench.shell.run("count", "old").output == "900\n")
    #expect(try bench.shell.run("count", "new").output == "0\n")
    #expect(try bench.shell.run("verify").code == 0)
    let status = try bench.shell.run("status")
    #expect(
      status.output.contains(
        "copied: a private copy is read, because a program was interrupted in a transaction, which is rolled back in"
      ), "\(status)")
    #expect(["", "-journal"].map { FileManager.default.contents(atPath: bench.store + $0) } == before)
    #expect(try bench.shell.run("doctor").output.contains("hint: open it once with the program that it belongs to"))
    // The writing program starts again.
    try bench.sql("INSERT INTO notes VALUES (1000, 'late note')")
    #expect(try bench.shell.run("search", "late", "--format", "tsv", "--fields", "body").output == "late note\n")
    #expect(!(try bench.shell.run("status").output.contains("copied")))
  }

  @Test func `attach rolls an interrupted transaction back`() throws {
    try interrupt(bench.store)
    #expect(try bench.shell.run("attach").code == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "old").output == "900\n")
    #expect(try bench.shell.run("verify").code == 0)
  }

  /// A database in WAL mode whose rows are all in its log, and the path of a copy of both files.
  private func logged(_ path: String, word: String) throws {
    let writer = try Connection(path: path + ".source", access: .create)
    writer.checkpointsOnClose = false
    try writer.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    try writer.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT); PRAGMA wal_checkpoint(TRUNCATE)")
    for number in 1...20 { try writer.execute("INSERT INTO notes VALUES (\(number), '\(word) \(number)')") }
    for suffix in ["", "-wal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
      try FileManager.default.copyItem(atPath: path + ".source" + suffix, toPath: path + suffix)
    }
  }

  @Test(arguments: [0, 1, 31, 32, 33, 4_000, 30_000, -1])
  func `a truncated log is read up to its last complete transaction`(_ length: Int) throws {
    try logged(bench.store, word: "alpha")
    let log = try Data(contentsOf: URL(fileURLWithPath: bench.store + "-wal"))
    let cut = log.prefix(length < 0 ? log.count - 1 : length)
    try Data(cut).write(to: URL(fileURLWithPath: bench.store + "-wal"))
    #expect(try bench.shell.run("index").code == 0)
    let count = Int(try bench.shell.run("count", "*").output.dropLast()) ?? -1
    let plain = try Connection(path: bench.store, access: .readOnly)
    #expect(Int64(count) == (try plain.integer("SELECT count(*) FROM notes")))
    #expect(count < 20)
    #expect(try bench.shell.run("verify").code == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.store + "-wal")).prefix(cut.count) == cut)
  }

  /// SQLite accepts a complete log of another database, because a log does not name its database. Every program reads
  /// the same rows there, until some program writes.
  @Test func `a log of another database is read as SQLite reads it, and is not written`() throws {
    try logged(bench.store, word: "alpha")
    #expect(try bench.shell.run("index").code == 0)
    let other = bench.directory.file("other.sqlite")
    try logged(other, word: "beta")
    let main = try Data(contentsOf: URL(fileURLWithPath: bench.store))
    unlink(bench.store + "-shm")
    let log = try Data(contentsOf: URL(fileURLWithPath: other + "-wal"))
    try log.write(to: URL(fileURLWithPath: bench.store + "-wal"))
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "beta").output == "20\n")
    #expect(try bench.shell.run("verify").code == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.store)) == main)
    #expect(try Data(contentsOf: URL(fileURLWithPath: bench.store + "-wal")) == log)
  }

  private func doctor(_ bench: ShellFixture) throws -> String {
    try bench.shell.run("doctor").output.split(separator: "\n").first { $0.contains(" journal: ") }.map(String.init)
      ?? ""
  }

  @Test func `doctor reports a damaged log, of which SQLite reads only the first part without an error`() throws {
    try logged(bench.store, word: "alpha")
    #expect(try doctor(bench).hasPrefix("ok    journal: WAL, "))
    let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: bench.store + "-wal")))
    var damaged = log
    damaged[damaged.count / 2] ^= 1
    try Data(damaged).write(to: URL(fileURLWithPath: bench.store + "-wal"))
    #expect(
      try doctor(bench).contains(
        /warn  journal: \d+ transactions of the -wal cannot be read: they follow a damaged/))
  }

  // MARK: Links

  @Test func `a database that is opened by a link is read with the log beside the database`() throws {
    let real = bench.directory.file("real")
    #expect(mkdir(real, 0o755) == 0)
    try logged(real + "/any.sqlite", word: "alpha")
    #expect(symlink(real + "/any.sqlite", bench.store) == 0)
    #expect(try bench.shell.run("index").code == 0)
    #expect(try bench.shell.run("count", "alpha").output == "20\n")
    #expect(try bench.shell.run("status").output.contains(" in its -wal"))
    try Connection(path: real + "/any.sqlite", access: .readWrite).execute(
      "INSERT INTO notes VALUES (21, 'late')")
    #expect(try bench.shell.run("count", "late").output == "1\n")
  }

  private static let canChangeUser =
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

  @Test(.enabled(if: canChangeUser, "refused permissions are not shown: only root may become another user"))
  func `the log of a database in a read-only directory is read through a link`() throws {
    let (real, open) = (bench.directory.file("real"), bench.directory.file("open"))
    #expect(mkdir(real, 0o755) == 0 && mkdir(open, 0o777) == 0)
    chmod(open, 0o777)
    chmod(bench.directory.path, 0o755)
    try logged(real + "/any.sqlite", word: "alpha")
    unlink(real + "/any.sqlite-shm")
    #expect(symlink(real + "/any.sqlite", open + "/link.sqlite") == 0)
    var shell = bench.shell
    shell.environment["FOLLOWSPOT_STORE"] = open + "/link.sqlite"
    shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    #expect(try shell.run("index").code == 0)
    #expect(try shell.run("count", "alpha").output == "20\n")
    #expect(try shell.run("status").output.contains("copied: a private copy is read, because the store's directory"))
  }
}
