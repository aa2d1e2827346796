// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// A follower beside writers, searchers and a rebuild, each a process of its own.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct FollowerTests {
  private let directory = TemporaryDirectory()

  private func follow(_ shell: Shell) throws -> Shell.Running {
    let follower = try shell.start(["index", "--follow"])
    #expect(follower.waitForError("following"))
    return follower
  }

  private func end(_ follower: Shell.Running) {
    follower.signal(SIGTERM)
    let ended = follower.wait()
    #expect(ended.code == 0, "\(ended)")
  }

  @Test(arguments: [1])
  func `many edits by several processes in random order end equal`(seed: Int) async throws {
    let directory = TemporaryDirectory()
    let bench = try IndexedStore(in: directory, seed: seed, films: 200)
    let shell = Shell(in: directory)
    let follower = try follow(shell)
    let edits = Rounds.count(60, full: 250, long: 2_500)
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask { Self.edit(shell, directory, lane: lane, seed: seed, count: edits) }
      }
    }
    #expect(try shell.run("wait", "--timeout", "60s").code == 0)
    try shell.succeed("verify")
    let status = try shell.run("status", "--format", "json").output
    #expect(status.contains("\"lagTransactions\":0"))
    let written = try bench.store.newest()
    #expect(written > Int64(edits * 4 / 2))
    end(follower)
  }

  private static func edit(_ shell: Shell, _ directory: TemporaryDirectory, lane: Int, seed: Int, count: Int) {
    var generator = SeededGenerator(seed: seed * 100 + lane)
    for turn in 0..<count {
      let key = Int.random(in: 1...300, using: &generator)
      let author = "author-\(lane)"
      do {
        let outcome =
          switch Int.random(in: 0..<10, using: &generator) {
          case 0: try shell.run("delete", "Film/p\(key)", "--author", author)
          case 1, 2:
            try shell.run(
              ["import", "-", "--input-format", "jsonl", "--author", author],
              input: "{\"title\": \"lane \(lane) turn \(turn)\", \"year\": \(1900 + turn % 100)}\n")
          default:
            try shell.run(
              "set", "Film/p\(key)", "title=turn \(turn) of \(lane)", "rating=\(turn % 10)", "--author", author)
          }
        // 1: the record was deleted before.
        #expect(outcome.code == 0 || outcome.code == 1, "\(outcome)")
      } catch {
        Issue.record(error)
      }
    }
  }

  @Test func `ten searchers beside a busy follower see no errors`() async throws {
    let directory = TemporaryDirectory()
    let bench = try IndexedStore(in: directory, seed: 2, films: 300)
    let shell = Shell(in: directory)
    let follower = try follow(shell)
    let end = Date().addingTimeInterval(Rounds.isLong ? 60 : 6)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 {
        group.addTask {
          while Date() < end {
            do {
              let outcome = try shell.run("search", "co", "--format", "json")
              #expect(outcome.code == 0 || outcome.code == 1, "\(outcome)")
              let diagnostics = outcome.errors.split(separator: "\n").filter {
                !$0.hasSuffix("behind") && !$0.contains("records with any")
              }
              #expect(diagnostics.isEmpty, "\(outcome)")
            } catch {
              Issue.record(error)
            }
          }
        }
      }
      while Date() < end {
        do {
          try bench.saveRandomly()
          usleep(2_000)
        } catch {
          Issue.record(error)
          break
        }
      }
    }
    #expect(try shell.run("wait").code == 0)
    #expect(try shell.run("verify").code == 0)
    self.end(follower)
  }

  @Test func `a rebuild beside a follower ends well, and an edit made meanwhile is found`() throws {
    let bench = try IndexedStore(in: directory, seed: 3, films: 400)
    let shell = Shell(in: directory)
    let follower = try follow(shell)
    let rebuild = try shell.start(["rebuild"])
    usleep(50_000)
    #expect(try shell.run("set", "Film/p7", "title=serendipity").code == 0)
    let ended = rebuild.wait()
    #expect(ended.code == 0, "\(ended)")
    #expect(try shell.run("wait").code == 0)
    #expect(
      try shell.run("search", "serendipity", "--format", "ids").output
        == "x-coredata://\(bench.store.uuid)/Film/p7\n")
    let status = try shell.run("status", "--format", "json").output
    #expect(status.contains("\"generation\":2"))
    #expect(status.contains("\"follower\":{\"pid\":\(follower.pid),"))
    #expect(follower.isRunning)
    // The follower goes on in the new generation.
    #expect(try shell.run("set", "Film/p8", "title=petrichor").code == 0)
    #expect(try shell.run("wait").code == 0)
    #expect(try shell.run("count", "petrichor").output == "1\n")
    #expect(try shell.run("verify").code == 0)
    end(follower)
  }

  @Test func `verify beside a busy follower sees no difference, but sees a real one`() throws {
    let bench = try IndexedStore(in: directory, seed: 5, films: 300)
    // A row that the random saves below leave alone.
    var calm: Int64 = 0
    try bench.store.save { save in calm = try save.insert(bench.film, bench.catalogue.film()).key }
    let shell = Shell(in: directory)
    let follower = try follow(shell)
    func verifyUnderLoad(_ options: [String]) throws -> Shell.Outcome {
      let verify = try shell.start(["verify"] + options)
      while verify.isRunning { try bench.saveRandomly() }
      return verify.wait()
    }
    for options in [[], ["--quick"], [], ["--quick"]] {
      let outcome = try verifyUnderLoad(options)
      #expect(outcome.code == 0, "\(outcome)")
    }
    try Connection(path: bench.storePath, access: .readWrite).execute(
      "UPDATE ZFILM SET ZTITLE = 'behind the back of history' WHERE Z_PK = \(calm)")
    for options in [[], ["--quick"]] {
      let outcome = try verifyUnderLoad(options)
      #expect(outcome.output == "stale Film/p\(calm)\ndifferent missing=0 extra=0 stale=1\n")
      #expect(outcome.code == 1)
    }
    end(follower)
  }

  @Test func `a follower stops within a second and has saved its token`() throws {
    let bench = try IndexedStore(in: directory, seed: 4, films: 10)
    let shell = Shell(in: directory)
    for signal in [SIGTERM, SIGINT] {
      let follower = try follow(shell)
      try bench.insert(1)
      #expect(try shell.run("wait").code == 0)
      let start = Date()
      follower.signal(signal)
      #expect(follower.wait().code == 0)
      #expect(Date().timeIntervalSince(start) < 10)  // a hang, not a slow machine
      #expect(try bench.state().token?.number == bench.store.newest())
    }
  }
}
