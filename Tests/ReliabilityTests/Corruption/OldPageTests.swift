// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import SearchIndex

/// Stores in which a page was replaced by an older one.
@Suite(.overlapping, .temporaryDirectory)
struct OldPageTests {
  private let directory = TemporaryDirectory()

  private static let pageSize = 4_096

  /// The bytes of a store whose log is empty.
  private func bytes(_ bench: IndexedStore) throws -> [UInt8] {
    try Connection(path: bench.storePath, access: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Array(try #require(FileManager.default.contents(atPath: bench.storePath)))
  }

  @Test func `with any page replaced by an older one, a rebuild never serves an index that verify rejects`() throws {
    let bench = try IndexedStore(in: directory, seed: 11, films: 120)
    let old = try bytes(bench)
    for _ in 0..<60 { try bench.saveRandomly() }
    let new = try bytes(bench)
    let copy = TemporaryDirectory()
    defer { copy.remove() }
    let shell = Shell(in: copy)
    var refused = 0
    for start in stride(from: 0, to: min(old.count, new.count), by: Self.pageSize) {
      let page = start..<(start + Self.pageSize)
      guard old[page] != new[page] else { continue }
      for name in try FileManager.default.contentsOfDirectory(atPath: copy.path) {
        try FileManager.default.removeItem(atPath: copy.file(name))
      }
      let mixed = new[..<page.lowerBound] + old[page] + new[page.upperBound...]
      try Data(mixed).write(to: URL(fileURLWithPath: copy.file("films.store")))
      let rebuilt = try shell.runInContract(["rebuild"], codes: [0, 2, 6], "page at \(start)")
      guard rebuilt.code == 0 else {
        refused += 1
        continue
      }
      // An index of the database that does not fit its table is damage that no rebuild can see.
      let verified = try shell.runInContract(["verify"], codes: [0, 2], "page at \(start), rebuilt: \(rebuilt)")
      if verified.code == 2 { #expect(verified.errors.contains(" is damaged: "), "page at \(start): \(verified)") }
    }
    #expect(refused > 0)
  }

  @Test func `rows in the wrong order are damage, and the serving index is kept`() throws {
    let bench = try IndexedStore(in: directory, seed: 12, films: 10)
    try Indexer(bench.options()).catchUp()
    var content = try bytes(bench)
    let connection = try Connection(path: bench.storePath, access: .readOnly)
    let page = Int(try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZFILM'")))
    // Exchange the cell pointers of the first two rows of the page.
    let offset = (page - 1) * Self.pageSize + 8
    try #require(content[offset - 8] == 0x0d)
    content.swapAt(offset, offset + 2)
    content.swapAt(offset + 1, offset + 3)
    try Data(content).write(to: URL(fileURLWithPath: bench.storePath))
    let dump = try bench.dump()
    for verb in [["rebuild"], ["verify"]] {
      let outcome = try Shell(in: directory).runInContract(verb, codes: [2], "\(verb)")
      #expect(outcome.errors.contains("\(bench.storePath) is damaged: "), "\(outcome)")
    }
    #expect(try bench.dump() == dump)
  }

  @Test func `a page number above the limit is damage, not a full disk`() throws {
    let path = directory.file("films.store")
    let records = try directory.write((1...60).map { "{\"title\": \"film \($0)\"}\n" }.joined(), to: "films.jsonl")
    let shell = Shell(in: directory)
    try shell.runInContract(["import", records, "--kind", "Film"], codes: [0], "import")
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let page = Int(try #require(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ACHANGE'")))
    var content = Array(try #require(FileManager.default.contents(atPath: path)))
    let start = (page - 1) * Self.pageSize
    try #require(content[start] == 0x0d)
    // A row of 2,046,489 bytes, of which the page holds 489. The next page has a number that SQLite answers with
    // "full".
    let row = start + Int(content[start + 5]) << 8 + Int(content[start + 6])
    content.replaceSubrange(row..<(row + 4), with: [0xfc, 0xf4, 0x19, 0x01])
    content.replaceSubrange((row + 4 + 489)..<(row + 4 + 493), with: [0x7f, 0xff, 0xff, 0xff])
    try Data(content).write(to: URL(fileURLWithPath: path))
    let outcome = try shell.runInContract(["status"], codes: [2], "status")
    #expect(outcome.errors.contains("\(path) is damaged: "), "\(outcome)")
  }
}
