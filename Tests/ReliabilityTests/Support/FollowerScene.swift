// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

/// A follower beside which something breaks and is mended again: what it says, what it has open, and how it ends.
struct FollowerScene {
  let bench: IndexedStore
  /// Not touched by the fault of the follower.
  let shell: Shell
  let follower: Shell.Running
  let index: IndexDirectory
  /// How many descriptors of each file it had before anything broke.
  private let opened: [String: Int]

  init(_ bench: IndexedStore, _ shell: Shell, fault: [String: String] = [:]) throws {
    self.bench = bench
    self.shell = shell
    index = IndexDirectory(path: shell.environment["FOLLOWSPOT_INDEX"] ?? bench.index.path)
    var faulty = shell
    faulty.environment.merge(fault) { $1 }
    follower = try faulty.start(["index", "--follow"])
    try #require(follower.waitForError("following "), "\(follower.errors)")
    // The first save makes it open what it keeps open.
    try bench.insert(1)
    try Self.expectCaughtUp(shell)
    opened = Self.openFiles(follower.pid)
  }

  /// How many descriptors a process has of each file.
  static func openFiles(_ pid: Int32) -> [String: Int] {
    let directory = "/proc/\(pid)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let files = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/" + $0) }
    return Dictionary(files.map { ($0, 1) }, uniquingKeysWith: +)
  }

  static func expectCaughtUp(_ shell: Shell, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let waited = try shell.run("wait", "--timeout", "60s")
    #expect(waited.code == 0, "\(waited)", sourceLocation: sourceLocation)
  }

  /// Waits until a follower has noted its state in its lock file anew, as it does with every try.
  static func triesAgain(_ times: Int, in index: IndexDirectory) -> Bool {
    func noted() -> Date? {
      (try? FileManager.default.attributesOfItem(atPath: index.path + "/tailer.lock"))?[.modificationDate] as? Date
    }
    var last = noted()
    var seen = 0
    return eventually {
      let now = noted()
      if now != last { seen += 1 }
      last = now
      return seen >= times
    }
  }

  private var holder: FileLock.Holder? { FileLock.holder(.update, in: index) }

  /// Waits until the follower is stuck, has said so, and has tried twice more.
  func expectRetrying(sourceLocation: SourceLocation = #_sourceLocation) {
    let isSaid = follower.waitForError("retrying until it succeeds")
    #expect(isSaid, "\(follower.errors)", sourceLocation: sourceLocation)
    let isNoted = eventually { holder?.state == "retrying" }
    #expect(isNoted, "\(String(describing: holder))", sourceLocation: sourceLocation)
    let reason = holder?.reason
    #expect(reason.map { follower.errors.contains($0) } == true, sourceLocation: sourceLocation)
    #expect(Self.triesAgain(2, in: index), "\(follower.errors)", sourceLocation: sourceLocation)
  }

  /// After the trouble: the same process has gone on, said each thing once, and the index equals the store.
  func expectRecovered(
    saying sentence: String, isNewStore: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(follower.waitForError("followspot: resumed\n"), "\(follower.errors)", sourceLocation: sourceLocation)
    if !isNewStore { try bench.insert(1) }
    try Self.expectCaughtUp(shell, sourceLocation: sourceLocation)
    let lines = follower.errors.split(separator: "\n")
    #expect(Set(lines).count == lines.count, "\(follower.errors)", sourceLocation: sourceLocation)
    #expect(
      lines.contains { $0.contains(sentence) && $0.hasSuffix("; retrying until it succeeds") },
      "\(follower.errors)", sourceLocation: sourceLocation)
    let verified = try shell.run("verify")
    #expect(verified.code == 0, "\(verified)", sourceLocation: sourceLocation)
    #expect(eventually { holder?.state == "following" }, sourceLocation: sourceLocation)
    let status = try shell.run("status", "--format", "json").output
    #expect(
      status.contains("\"follower\":{\"pid\":\(follower.pid),\"state\":\"following\",\"since\":\"2"), "\(status)",
      sourceLocation: sourceLocation)
    let isTidy = eventually { leftOpen.isEmpty }
    #expect(isTidy, "left open: \(leftOpen)", sourceLocation: sourceLocation)
    let ended = follower.end()
    #expect(ended.code == 0, "\(ended)", sourceLocation: sourceLocation)
  }

  /// What a follower at rest has open that it had not before.
  private var leftOpen: [String] {
    Self.openFiles(follower.pid).filter { file, count in
      // SQLite closes a file no sooner than the last connection to it unlocks it: it may have kept one more for a while.
      let spare = file == shell.environment["FOLLOWSPOT_STORE"] ? 1 : 0
      return count > opened[file, default: 0] + spare
    }.keys.sorted()
  }
}
