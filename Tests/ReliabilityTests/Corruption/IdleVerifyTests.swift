// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Damage of an idle follower's index that a search cannot notice.
@Suite(.overlapping, .temporaryDirectory)
struct IdleVerifyTests {
  private let directory = TemporaryDirectory()

  /// A word of only one film, and the damaged word. The last letter changes so that the order of terms and the structure
  /// of all tables stay valid.
  private static let (word, damaged) = ("zyzzyva", "zyzzyvb")

  /// Runs `body` beside a follower that verifies without pauses.
  private func withFollower(
    _ options: String..., code: Int32 = 0,
    _ body: (_ bench: IndexedStore, _ shell: Shell, _ follower: Shell.Running) throws -> Void
  ) throws {
    try TemporaryDirectory.with { directory in
      let bench = try IndexedStore(in: directory, seed: 1, films: 300)
      try bench.store.save { save in
        let title = Value.text("\(Self.word) quxbar")
        _ = try save.insert(bench.film, [title] + [Value?](repeating: .null, count: 9))
      }
      let shell = Shell(in: directory)
      #expect(try shell.run("index").code == 0)
      var busy = shell
      busy.environment["FOLLOWSPOT_VERIFY_PAUSE"] = "0"
      let follower = try busy.start(["index", "--follow"] + options)
      try #require(follower.waitForError("following "), "\(follower.errors)")
      try body(bench, shell, follower)
      if code == 0 { follower.signal(SIGTERM) }
      let ended = follower.wait()
      #expect(ended.code == code, "\(ended)")
    }
  }

  /// Replaces a term in the file of a table. Returns the number of occurrences.
  private func renameTerm(in path: String) throws -> Int {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let (old, new) = (Array(Self.word.utf8), Array(Self.damaged.utf8))
    var count = 0
    for offset in 0..<(bytes.count - old.count) where bytes[offset..<(offset + old.count)].elementsEqual(old) {
      bytes.replaceSubrange(offset..<(offset + old.count), with: new)
      count += 1
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: Data(bytes))
    try file.close()
    return count
  }

  private func count(_ query: String, _ shell: Shell) throws -> String { try shell.run("count", query).output }

  @Test(arguments: [("postlist.glass", word), ("position.glass", "\"\(word) quxbar\"")])
  func `an idle follower detects wrong postings and positions, and rebuilds`(
    table: String, query: String
  ) throws {
    try withFollower { bench, shell, follower in
      #expect(try count(query, shell) == "1\n")
      #expect(try renameTerm(in: bench.index.path(ofGeneration: 1) + "/" + table) > 0)
      #expect(follower.waitForError("gen-0001 is damaged ("), "\(follower.errors)")
      #expect(eventually { (try? bench.index.serving()?.number) == 2 }, "\(follower.errors)")
      #expect(try count(query, shell) == "1\n")
      try shell.succeed("verify")
      // The follower goes on in the new generation.
      try bench.insert(1)
      #expect(try shell.run("wait", "--timeout", "60s").code == 0)
      // A busy machine may have no change notices left, which the follower says too.
      let said = follower.errors.split(separator: "\n").filter { !$0.contains("change notifications") }
      #expect(said.count == 2, "\(follower.errors)")
    }
  }

  @Test(arguments: [("postlist.glass", word), ("position.glass", "\"\(word) quxbar\"")])
  func `a search does not notice such damage, and verify does`(table: String, query: String) throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 30)
    try bench.store.save { save in
      let title = Value.text("\(Self.word) quxbar")
      _ = try save.insert(bench.film, [title] + [Value?](repeating: .null, count: 9))
    }
    try Indexer(bench.options()).catchUp()
    #expect(try renameTerm(in: bench.index.path(ofGeneration: 1) + "/" + table) > 0)
    let shell = Shell(in: directory)
    let silent = try shell.run("count", query)
    #expect(silent.code == 0 && silent.output == "0\n", "\(silent)")
    #expect(silent.errors.ranges(of: "followspot:").count == silent.errors.ranges(of: "no record has the word").count)
    let verified = try shell.run("verify")
    #expect(verified.code == 1 && verified.output.hasSuffix("different missing=0 extra=0 stale=1\n"), "\(verified)")
    #expect(verified.errors == "hint: followspot rebuild\n")
    // A damaged index is not repaired in place.
    let repaired = try shell.run("verify", "--repair")
    #expect(repaired.code == 7 && repaired.errors.contains("hint: followspot rebuild"), "\(repaired)")
    #expect(try shell.run("rebuild").code == 0)
    #expect(try count(query, shell) == "1\n")
    #expect(try shell.run("verify").code == 0)
  }

  @Test func `a different document in an undamaged index is repaired without a rebuild`() throws {
    try withFollower { bench, shell, follower in
      // A change that no history tells of.
      try Connection(path: bench.storePath, access: .readWrite).execute(
        "UPDATE ZFILM SET ZTITLE = 'untold' WHERE Z_PK = 7")
      #expect(follower.waitForError("the index differs from the store: Film/p7 "), "\(follower.errors)")
      #expect(eventually { (try? count("untold", shell)) == "1\n" })
      #expect(try bench.index.serving()?.number == 1)
      #expect(try shell.run("verify").code == 0)
    }
  }

  @Test func `without permission to reconcile, a difference ends the follower`() throws {
    try withFollower("--no-reconcile", code: 6) { bench, _, follower in
      try Connection(path: bench.storePath, access: .readWrite).execute(
        "UPDATE ZFILM SET ZTITLE = 'untold' WHERE Z_PK = 7")
      #expect(follower.waitForError("the index differs from the store: Film/p7 "), "\(follower.errors)")
    }
  }
}
