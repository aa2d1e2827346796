import Foundation
import SQLite
import TestSupport
import Testing

@testable import PersistentStore

@Suite(.timeLimit(.minutes(30)))
struct ChangeNoticeTests {
  /// The system gives a user 128 of them: tests beside this one may have them all for a while.
  private func notice(of path: String) throws -> ChangeNotice {
    var made: ChangeNotice?
    _ = eventually(within: 300) {
      made = ChangeNotice(storePath: path)
      return made != nil
    }
    return try #require(made)
  }

  @Test func `another connection's save wakes`() throws {
    try StoreBench.with { bench in
      let notice = try notice(of: bench.path)
      #expect(!notice.wait(milliseconds: 0, other: -1))
      let other = try PersistentStore.open(bench.path, access: .readWrite)
      let before = try bench.store.dataVersion()
      try other.save { try $0.insert(bench.actor, [.text("Tom")]) }
      #expect(notice.wait(milliseconds: 10_000, other: -1))
      #expect(try bench.store.dataVersion() > before)
      #expect(!notice.wait(milliseconds: 20, other: -1))
    }
  }

  @Test func `a store reached through a link wakes`() throws {
    try StoreBench.with { bench in
      try TemporaryDirectory.with { elsewhere in
        let link = elsewhere.file("link.store")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.path)
        let notice = try notice(of: link)
        try bench.addFilms("A")
        #expect(notice.wait(milliseconds: 10_000, other: -1))
      }
    }
  }

  @Test(arguments: ["notes.txt", "films.store.bak", "xfilms.store", "films.store-wal2", "films.store-"])
  func `an unrelated file does not wake`(_ name: String) throws {
    try StoreBench.with { bench in
      let notice = try notice(of: bench.path)
      _ = try bench.directory.write("x", to: name)
      #expect(!notice.wait(milliseconds: 100, other: -1))
      try bench.addFilms("A")
      #expect(notice.wait(milliseconds: 10_000, other: -1))
    }
  }

  @Test func `a replaced store wakes`() throws {
    try StoreBench.with { bench in
      let copy = bench.directory.file("copy.store")
      try bench.outside.execute("VACUUM INTO '\(copy)'")
      let notice = try notice(of: bench.path)
      #expect(rename(copy, bench.path) == 0)
      #expect(notice.wait(milliseconds: 10_000, other: -1))
    }
  }

  @Test func `a store in rollback mode wakes too`() throws {
    try StoreBench.with { bench in
      let copy = bench.directory.file("copy.store")
      try bench.outside.execute("VACUUM INTO '\(copy)'")
      let connection = try Connection(path: copy, access: .readWrite)
      #expect(try StoreBench.rows(connection, "PRAGMA journal_mode = DELETE") == ["delete"])
      let notice = try notice(of: copy)
      try connection.execute("UPDATE Z_METADATA SET Z_UUID = 'x'")
      #expect(notice.wait(milliseconds: 10_000, other: -1))
    }
  }

  @Test func `the other descriptor ends the wait without a change`() throws {
    try StoreBench.with { bench in
      let notice = try notice(of: bench.path)
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
      let clock = ContinuousClock()
      let start = clock.now
      #expect(!notice.wait(milliseconds: 30_000, other: pipe.fileHandleForReading.fileDescriptor))
      #expect(start.duration(to: clock.now) < .seconds(20))
    }
  }

  @Test func `where there is no file there is no notice`() throws {
    try TemporaryDirectory.with { directory in
      #expect(ChangeNotice(storePath: directory.file("none/films.store")) == nil)
    }
  }
}
