// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SearchIndex
import Store
import TestSupport
import Testing

/// The load of a soak, second by second.
struct Soak {
  private let bench: IndexedStore
  private let disk: SmallDisk?
  /// For the index that is left alone.
  private let calm: Shell
  /// For the one that is not.
  private let rough: Shell
  private let roughIndex: IndexDirectory
  private let watched: Shell.Running
  private var follower: Shell.Running
  private var random: SeededGenerator
  private var keys: [Int64] = []

  private(set) var saves = 0
  /// The number of each event.
  private(set) var done: [String: Int] = [:]
  private(set) var curve = ProcessCurve()
  /// Transactions that the watched follower was behind, sampled.
  private(set) var lags: [Int64] = []

  /// More films than this are deleted again: what grows has no bound to compare with.
  private static let mostFilms = 1_000

  init(in directory: TemporaryDirectory, disk: SmallDisk?, seed: Int) throws {
    bench = try IndexedStore(in: directory, seed: seed)
    self.disk = disk
    random = SeededGenerator(seed: seed)
    calm = Shell(in: directory)
    var rough = calm
    roughIndex = IndexDirectory(path: (disk?.path ?? directory.path) + "/rough.index")
    rough.environment["FOLLOWSPOT_INDEX"] = roughIndex.path
    self.rough = rough
    watched = try calm.start(["index", "--follow"])
    #expect(watched.waitForError("following"))
    follower = try rough.start(["index", "--follow"])
    #expect(follower.waitForError("following"))
  }

  /// About a second of saves and samples, then something that goes wrong.
  mutating func second(_ elapsed: Double) throws {
    let end = Date().addingTimeInterval(0.8)
    while Date() < end {
      try save()
      usleep(UInt32(random.number(0...10)) * 1_000)
    }
    curve.add(ProcessSample(of: watched.pid, at: elapsed))
    lags.append(max(0, try bench.store.newest() - (try bench.state().token?.number ?? 0)))
    try happen()
  }

  private mutating func save() throws {
    var now = keys
    try bench.store.save(author: "soak") { save in
      for _ in 0..<random.number(1...6) {
        if now.count < Self.mostFilms {
          now.append(try save.insert(bench.film, bench.catalogue.film()).key)
        } else {
          try save.delete(bench.film, key: now.remove(at: random.number(0...(now.count - 1))))
        }
      }
      for _ in 0..<random.number(0...4) {
        guard let key = now.randomElement(using: &random) else { continue }
        try save.update(bench.film, key: key, [(attribute: 0, value: .text(bench.catalogue.words(3)))])
      }
    }
    keys = now
    saves += 1
  }

  // MARK: Events

  private mutating func happen() throws {
    let event = random.number(0...6)
    switch event {
    case 0, 1: try killFollower()
    case 2: try race()
    case 3: try rebuild()
    case 4: try purge()
    case 5: try search()
    default: try fillDisk()
    }
  }

  private mutating func count(_ event: String) { done[event, default: 0] += 1 }

  private mutating func killFollower() throws {
    count("kills")
    follower.signal(SIGKILL)
    let ended = follower.wait()
    #expect(ended.signal == SIGKILL, "\(ended)")
    follower = try rough.start(["index", "--follow"])
  }

  private mutating func race() throws {
    count("races")
    follower.signal(SIGTERM)
    let ended = follower.wait()
    #expect(ended.code == 0, "\(ended)")
    try Race.run(10, rough, roughIndex, "race \(done["races"] ?? 0)")
    follower = try rough.start(["index", "--follow"])
  }

  private mutating func rebuild() throws {
    count("rebuilds")
    let outcome = try (random.number(0...1) == 0 ? calm : rough).run("rebuild")
    #expect(outcome.code == 0, "\(outcome)")
  }

  private mutating func purge() throws {
    count("purges")
    let outcome = try calm.run("history", "purge", "--before", "\(Int64.max)")
    #expect(outcome.code == 0, "\(outcome)")
  }

  private mutating func search() throws {
    count("searches")
    for shell in [calm, rough] {
      let outcome = try shell.run("search", bench.catalogue.word())
      #expect(outcome.code == 0 || outcome.code == 1, "\(outcome)")
    }
  }

  /// Fills the disk of the index. The follower reports that, and continues when there is space.
  private mutating func fillDisk() throws {
    guard let disk, follower.waitForError("following") else { return }
    count("full disks")
    try disk.fill()
    let end = Date().addingTimeInterval(20)
    while Date() < end, follower.isRunning, !follower.errors.contains("no space left") { try save() }
    #expect(follower.errors.contains("no space left"), "\(follower.errors)")
    let searched = try rough.run("count", "*")
    #expect(searched.code == 0, "\(searched)")
    disk.empty()
    try outlive()
    // What it said is not to be taken for what it says the next time.
    try killFollower()
  }

  /// The follower goes on by itself, or ends because Xapian's own recovery has failed: a rebuild helps then.
  private mutating func outlive() throws {
    let end = Date().addingTimeInterval(60)
    let newest = try bench.store.newest()
    while Date() < end, follower.isRunning {
      if try rough.run("wait", "--token", "\(newest)", "--timeout", "1s").code == 0 { return }
    }
    let ended = follower.wait()
    #expect(ended.code == 7 && ended.errors.contains("hint: followspot rebuild"), "\(ended)")
    count("indexes lost on full disks")
    let rebuilt = try rough.run("rebuild")
    #expect(rebuilt.code == 0, "\(rebuilt)")
    follower = try rough.start(["index", "--follow"])
  }

  // MARK: End

  /// Ends all processes, and expects that both indexes equal the store.
  mutating func end() throws {
    for (follower, shell) in [(watched, calm), (follower, rough)] {
      #expect(follower.waitForError("following"))
      try shell.succeed("wait", "--timeout", "60s")
      follower.signal(SIGTERM)
      let ended = follower.wait()
      #expect(ended.code == 0, "\(ended)")
      try shell.succeed("verify")
      #expect(try shell.run("count", "*").output == "\(keys.count)\n")
    }
    for index in [bench.index, roughIndex] {
      #expect(FileLock.holder(.update, in: index) == nil && FileLock.holder(.rebuild, in: index) == nil)
      #expect(index.generations().count <= 2)
    }
    let check = try Connection(path: bench.storePath, access: .readOnly).cursor("PRAGMA integrity_check")
    #expect(try check.step() && check.text(at: 0) == "ok")
  }
}
