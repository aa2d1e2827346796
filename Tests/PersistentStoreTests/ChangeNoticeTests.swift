// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct ChangeNoticeTests {
  private let directory = TemporaryDirectory()

  /// The system limits a user to 128 inotify instances, and tests that run in parallel may use all of them for a while.
  private func notice(of path: String) throws -> ChangeNotice {
    var made: ChangeNotice?
    _ = eventually(within: 300) {
      made = ChangeNotice(storePath: path)
      return made != nil
    }
    return try #require(made)
  }

  @Test func `a save of another connection wakes the reader`() throws {
    let bench = try StoreFixture()
    let notice = try notice(of: bench.path)
    #expect(!notice.wait(milliseconds: 0, other: -1))
    let other = try PersistentStore.open(bench.path, access: .readWrite)
    let before = try bench.store.dataVersion()
    try other.save { try $0.insert(bench.actor, [.text("Tom")]) }
    #expect(notice.wait(milliseconds: 10_000, other: -1))
    let after = try bench.store.dataVersion()
    #expect(after != before)
    #expect(try bench.store.dataVersion() == after)
    // SQLite counts for each connection from 1.
    let reopened = try PersistentStore.open(bench.store.path)
    let version = try reopened.dataVersion()
    #expect(![before, after].contains(version))
    #expect(!notice.wait(milliseconds: 20, other: -1))
  }

  @Test func `a save through a symbolic link wakes the reader`() throws {
    let bench = try StoreFixture()
    let elsewhere = TemporaryDirectory()
    let link = elsewhere.file("link.store")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.path)
    let notice = try notice(of: link)
    try bench.addFilms("A")
    #expect(notice.wait(milliseconds: 10_000, other: -1))
  }

  @Test(arguments: ["notes.txt", "films.store.bak", "xfilms.store", "films.store-wal2", "films.store-"])
  func `an unrelated file does not wake the reader`(_ name: String) throws {
    let bench = try StoreFixture()
    let notice = try notice(of: bench.path)
    // The last event of an own file comes late if a process that another test starts has the descriptor until it executes.
    #expect(
      try eventually {
        _ = try bench.directory.write("x", to: name)
        return !notice.wait(milliseconds: 100, other: -1)
      })
    try bench.addFilms("A")
    #expect(notice.wait(milliseconds: 10_000, other: -1))
  }

  @Test func `a replaced store wakes the reader`() throws {
    let bench = try StoreFixture()
    let copy = bench.directory.file("copy.store")
    try bench.outside.execute("VACUUM INTO '\(copy)'")
    let notice = try notice(of: bench.path)
    #expect(rename(copy, bench.path) == 0)
    #expect(notice.wait(milliseconds: 10_000, other: -1))
  }

  @Test func `a save in rollback mode wakes the reader`() throws {
    let bench = try StoreFixture()
    let copy = bench.directory.file("copy.store")
    try bench.outside.execute("VACUUM INTO '\(copy)'")
    let connection = try Connection(path: copy, access: .readWrite)
    #expect(try StoreFixture.rows(connection, "PRAGMA journal_mode = DELETE") == ["delete"])
    let notice = try notice(of: copy)
    try connection.execute("UPDATE Z_METADATA SET Z_UUID = 'x'")
    #expect(notice.wait(milliseconds: 10_000, other: -1))
  }

  @Test func `the other descriptor ends the wait without reporting a change`() throws {
    let bench = try StoreFixture()
    let notice = try notice(of: bench.path)
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
    let clock = ContinuousClock()
    let start = clock.now
    #expect(!notice.wait(milliseconds: 30_000, other: pipe.fileHandleForReading.fileDescriptor))
    #expect(start.duration(to: clock.now) < .seconds(20))
  }

  /// The inotify instances of this process.
  private func instances() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == "anon_inode:inotify"
    }
  }

  @Test func `all notices of a process share one instance, and each one hears of its own store`() throws {
    let paths = try (0..<40).map { number in
      try FileManager.default.createDirectory(
        atPath: directory.file("\(number / 2)"), withIntermediateDirectories: true)
      return try directory.write("", to: "\(number / 2)/\(number).store")
    }
    var notices = try paths.map { try notice(of: $0) }
    // An instance that nobody needs any more is closed by its thread.
    #expect(try eventually { try instances() == 1 })
    for (path, notice) in zip(paths, notices) {
      // As above, a notice may be woken once more by its own file.
      #expect(
        try eventually {
          try "x".write(toFile: path + "-wal", atomically: false, encoding: .utf8)
          return notice.wait(milliseconds: 10_000, other: -1)
            && notices.count { $0.wait(milliseconds: 0, other: -1) } == 0
        })
    }
    // The other notice of the same directory stays.
    notices.remove(at: 0)
    try "y".write(toFile: paths[1], atomically: false, encoding: .utf8)
    #expect(notices[0].wait(milliseconds: 10_000, other: -1))
  }

  @Test func `a notice of a removed directory ends quietly, and a new one hears of the new directory`() throws {
    let place = directory.file("place")
    func store() throws -> String {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      return try directory.write("", to: "place/films.store")
    }
    let old = try notice(of: store())
    try FileManager.default.removeItem(atPath: place)
    #expect(old.wait(milliseconds: 10_000, other: -1))
    let path = try store()
    let new = try notice(of: path)
    try "x".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(new.wait(milliseconds: 10_000, other: -1))
    #expect(!old.wait(milliseconds: 0, other: -1))
  }

  @Test func `a missing file cannot be watched`() throws {
    #expect(ChangeNotice(storePath: directory.file("none/films.store")) == nil)
  }
}
