// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// Errors of the system: too few descriptors, no permission, a missing file, a file of another kind. The message names the
/// path, and the store is not changed.
@Suite(.serialized, .overlapping, .temporaryDirectory)
struct AccessTests {
  private static let verbs = [
    ["search", "co"], ["count", "*"], ["status"], ["verify"], ["index"], ["rebuild"], ["history"], ["schema"],
    ["set", "Film/p1", "title=other"],
  ]

  private static let canChangeUser =
    geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

  @Test func `a lack of descriptors is a temporary error`() throws {
    let specimen = try Specimen(seed: 1)
    let wanted = Rounds.count(5, full: 10, long: 60)
    for round in 0..<wanted {
      let limit = 3 + round * 30 / wanted
      let verb = Self.verbs[round % Self.verbs.count]
      try specimen.withCopy { copy in
        let before = try StoreContent(path: copy.store)
        let outcome = try copy.shell.runToEnd(
          ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", Shell.program] + verb, program: "/bin/sh", "\(limit)")
        let what = "\(limit) descriptors: \(verb)"
        // The loader itself needs some: 127 is its own.
        #expect(outcome.signal == 0 && [0, 2, 75, 127].contains(outcome.code), "\(what): \(outcome)")
        if [2, 75].contains(outcome.code) {
          #expect(outcome.errors.contains(copy.directory.path), "\(what): \(outcome)")
        }
        if verb[0] != "set" || outcome.code != 0 { #expect(try StoreContent(path: copy.store) == before, "\(what)") }
        try copy.shell.runInContract(["index"], codes: [0], what)
        try copy.shell.runInContract(["verify"], codes: [0], what)
      }
    }
  }

  @Test(arguments: [
    ["index"], ["rebuild"], ["feed", "--consumer", "mirror"], ["history", "consumers"],
    ["history", "consumers", "add", "other"], ["history", "purge", "--before", "1"],
  ])
  func `a lock or the file of a consumer that cannot be opened for lack of descriptors is a temporary error`(
    verb: [String]
  ) throws {
    let specimen = try Specimen(seed: 4)
    for limit in Rounds.isLong ? Array(3...40) : Array(stride(from: 3, through: 24, by: 1)) {
      try specimen.withCopy { copy in
        try copy.shell.runInContract(["feed", "--consumer", "first"], codes: [0], "no limit")
        let outcome = try copy.shell.runToEnd(
          ["-c", "ulimit -n \(limit) && exec \"$0\" \"$@\"", Shell.program] + verb, program: "/bin/sh", "\(limit)")
        // The loader itself needs some: 127 is its own.
        #expect(
          outcome.signal == 0 && [0, 1, 75, 127].contains(outcome.code), "\(limit) descriptors: \(verb): \(outcome)")
      }
    }
  }

  /// Runs a verb as a user without permissions.
  private func runAsNobody(_ copy: Specimen.Copy, _ verb: [String]) throws -> Shell.Outcome {
    try copy.shell.runToEnd(
      ["--reuid=65534", "--regid=65534", "--clear-groups", Shell.program] + verb, program: "/usr/bin/setpriv",
      "\(verb)")
  }

  @Test(.enabled(if: canChangeUser, "refused permissions are not shown: only root may become another user"))
  func `a file that another user may not read or write is reported and not changed`() throws {
    let specimen = try Specimen(seed: 2)
    try specimen.checkpoint()
    try specimen.withCopy { copy in
      chmod(copy.directory.path, 0o755)
      let before = try StoreContent(path: copy.store)
      let dump = try copy.dump()
      for suffix in ["-wal", "-shm"] { unlink(copy.store + suffix) }
      // Everything may be read, nothing written.
      for verb in [["search", "co"], ["count", "*"], ["status"], ["verify"], ["history"], ["show", "Film/p1"]] {
        let outcome = try runAsNobody(copy, verb)
        #expect(outcome.code == 0, "\(verb): \(outcome)")
      }
      for verb in [
        ["index"], ["rebuild"], ["set", "Film/p1", "title=x"], ["delete", "Film/p1"], ["verify", "--repair"],
      ] {
        let refused = try runAsNobody(copy, verb)
        #expect(refused.code == 2, "\(verb): \(refused)")
        #expect(
          refused.errors.contains(copy.directory.path) && refused.errors.contains("\nhint: "), "\(verb): \(refused)")
      }
      // The index may not be read.
      for path in [
        copy.index.path(ofGeneration: 1) + "/postlist.glass", copy.index.path(ofGeneration: 1), copy.index.path,
      ] {
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
        chmod(path, 0)
        for verb in [["search", "co"], ["verify"], ["index"]] {
          let refused = try runAsNobody(copy, verb)
          #expect(refused.code == 2, "\(path), \(verb): \(refused)")
          #expect(refused.errors.contains(copy.index.path) && refused.errors.contains("\nhint: "), "\(refused)")
          #expect(!refused.errors.contains("rebuild"), "\(refused)")
        }
        chmod(path, mode_t(mode))
      }
      // The store may not be read.
      chmod(copy.store, 0)
      for verb in Self.verbs {
        let refused = try runAsNobody(copy, verb)
        #expect(refused.code == 2, "\(verb): \(refused)")
        #expect(refused.errors.contains(copy.store) && refused.errors.contains("\nhint: "), "\(verb): \(refused)")
      }
      chmod(copy.store, 0o644)
      #expect(try StoreContent(path: copy.store) == before)
      #expect(try copy.dump() == dump)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "a read-only file system is not shown: only root may mount one"))
  func `a read-only file system can be searched, and writes are refused with the path`() throws {
    let specimen = try Specimen(seed: 3)
    try specimen.checkpoint()
    try specimen.withCopy([".index"]) { copy in
      let directory = TemporaryDirectory()
      defer { directory.remove() }
      guard mount(copy.directory.path, directory.path, "", UInt(MS_BIND), nil) == 0 else {
        print("a read-only file system is not shown: mount failed: \(String(cString: strerror(errno)))")
        return
      }
      defer { umount2(directory.path, Int32(MNT_DETACH)) }
      let flags = UInt(MS_BIND) | UInt(MS_REMOUNT) | UInt(MS_RDONLY)
      try #require(mount("", directory.path, "", flags, nil) == 0)
      let store = ["--store", directory.file("films.store")]
      for verb in [["search", "co"], ["count", "*"], ["status"], ["verify"], ["history"]] {
        let outcome = try copy.shell.runToEnd(store + verb, "read-only")
        #expect(outcome.code == 0, "\(verb): \(outcome)")
      }
      for verb in [["index"], ["rebuild"], ["rollback"], ["set", "Film/p1", "title=x"], ["verify", "--repair"]] {
        let refused = try copy.shell.runToEnd(store + verb, "read-only")
        #expect(refused.code == 2, "\(verb): \(refused)")
        #expect(refused.errors.contains(directory.path) && refused.errors.contains("\nhint: "), "\(verb): \(refused)")
      }
    }
  }

  @Test func `a missing directory and a file instead of a directory are reported`() throws {
    try Specimen(seed: 4).withCopy { copy in
      let file = try copy.directory.write("{\"title\":\"x\"}\n", to: "new.jsonl")
      let before = try StoreContent(path: copy.store)
      for directory in [copy.directory.file("absent"), file] {
        let store = directory + "/films.store"
        for verb in Self.verbs + [["import", file, "--kind", "T"]] {
          let refused = try copy.shell.runInContract(
            ["--store", store] + verb, codes: [2, 3], "\(directory)")
          #expect(refused.errors.contains(store), "\(verb): \(refused)")
        }
        for verb in [["index"], ["rebuild"], ["search", "x"], ["verify"], ["wait", "--timeout", "50ms"]] {
          let refused = try copy.shell.runInContract(
            ["--index", directory + "/index"] + verb, codes: [2, 3, 4], directory)
          #expect(refused.code == 4 || refused.errors.contains(directory + "/index"), "\(verb): \(refused)")
        }
      }
      for verb in [["index"], ["rebuild"], ["search", "x"], ["verify"]] {
        let refused = try copy.shell.runInContract(["--index", file] + verb, codes: [2], "file for directory")
        #expect(refused.errors.contains("\(file) is not a directory"), "\(refused)")
      }
      #expect(FileManager.default.contents(atPath: file) == Data("{\"title\":\"x\"}\n".utf8))
      #expect(!FileManager.default.fileExists(atPath: copy.directory.file("absent")))
      #expect(try StoreContent(path: copy.store) == before)
    }
  }
}
