// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A full disk: a small file system in memory, which only root may mount.
@Suite(
  .serialized, .overlapping, .temporaryDirectory,
  .enabled(if: geteuid() == 0, "a full disk is not shown without root: a small file system cannot be mounted"))
struct FullDiskTests {
  private let directory = TemporaryDirectory()

  /// Runs `body` with a file system of 3 MB that `grow` makes larger.
  private func withSmallDisk(
    in directory: TemporaryDirectory, _ body: (_ path: String, _ grow: () -> Void) throws -> Void
  ) throws {
    let disk: SmallDisk
    do {
      disk = try SmallDisk(in: directory, megabytes: 3)
    } catch {
      print("not shown: \(error)")
      return
    }
    try body(disk.path) { #expect(disk.grow(toMegabytes: 64)) }
  }

  @Test func `a follower reports a full disk, searches work meanwhile, and it continues when there is space`() throws {
    try withSmallDisk(in: directory) { disk, grow in
      let bench = try IndexedStore(in: directory, seed: 1, films: 100)
      var shell = Shell(in: directory)
      shell.environment["FOLLOWSPOT_INDEX"] = disk + "/index"
      let follower = try shell.start(["index", "--follow"])
      #expect(follower.waitForError("following "))
      for _ in 0..<400 where !follower.errors.contains("no space left") {
        try bench.insert(50)
        #expect(try shell.run("count", "*").code == 0)
      }
      #expect(follower.waitForError("no space left", seconds: 10), "\(follower.errors)")
      #expect(follower.errors.contains(disk))
      try shell.succeed("search", "co")
      grow()
      #expect(try shell.run("wait", "--timeout", "60s").code == 0)
      follower.signal(SIGTERM)
      let ended = follower.wait()
      #expect(ended.code == 0, "\(ended)")
      try shell.succeed("verify")
    }
  }

  @Test func `a store on a full disk refuses a save completely, and accepts it when there is space`()
    throws
  {
    try withSmallDisk(in: directory) { disk, grow in
      let store = disk + "/films.store"
      let text = String(repeating: "words of a long plot ", count: 50)
      let films = try directory.write(
        (0..<500).map { "{\"title\": \"film \($0)\", \"plot\": \"\(text)\"}\n" }.joined(), to: "films.jsonl")
      let shell = Shell(in: directory)
      var last: StoreContent?
      var refused: Shell.Outcome?
      for _ in 0..<20 {
        let outcome = try shell.run("--store", store, "import", films, "--kind", "Film", "--again")
        guard outcome.code == 0 else {
          refused = outcome
          break
        }
        last = try StoreContent(path: store)
      }
      let outcome = try #require(refused)
      #expect(outcome.code == 75, "\(outcome)")
      #expect(outcome.errors.hasPrefix("followspot: no space left for \(store)"), "\(outcome)")
      #expect(try StoreContent(path: store) == last)
      grow()
      #expect(try shell.run("--store", store, "import", films, "--again").code == 0)
      #expect(try shell.run("--store", store, "index").code == 0)
      #expect(try shell.run("--store", store, "verify").code == 0)
    }
  }
}
