// SPDX-License-Identifier: MIT

import Base
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// The newest transaction of a store whose main file is read by an immutable connection.
@Suite(.overlapping, .temporaryDirectory)
struct CheckpointedStoreTests {
  private let directory = TemporaryDirectory()

  /// Sets the modification time of a file to an hour ago.
  private static func age(_ path: String) throws {
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
  }

  /// What SQLite says.
  private static func token(_ path: String) throws -> StoreToken {
    let store = try PersistentStore.open(path)
    return try store.withSnapshot { try store.token() }
  }

  @Test(arguments: Rounds.seeds(8, full: 30, long: 300))
  func `the token equals that of SQLite`(_ seed: Int) throws {
    var random = RandomModel(seed: seed)
    let paths = (0..<3).map { directory.file("\($0).store") }
    for path in paths { _ = try PersistentStore.create(path, model: random.model) }
    for round in 0..<5 {
      for path in paths {
        let store = try PersistentStore.open(path, access: .readWrite)
        for _ in 0..<random.number(round == 0 ? 0...1 : 1...40) { try random.saveRandomly(store) }
      }
      if round == 0 {
        #expect(CheckpointedStore.token(ofStoreAt: paths[0]) == nil, "just written")
        for path in paths { try Self.age(path) }
        #expect(CheckpointedStore.token(ofStoreAt: paths[0]) == nil, "a schema that is not known")
      }
      // Other tests make the process forget it.
      try CheckpointedStore.learn(PersistentStore.open(paths[2]))
      for path in paths {
        try Self.age(path)
        let expected = try Self.token(path)
        #expect(CheckpointedStore.token(ofStoreAt: path) == (expected.stamp == nil ? nil : expected))
      }
    }
  }

  @Test func `a store that is not at rest is left to SQLite`() throws {
    let bench = try StoreFixture()
    try bench.addFilms("Up")
    try CheckpointedStore.learn(bench.store)
    _ = try bench.outside.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    try Self.age(bench.path)
    func token(opened: Set<FileIdentity> = []) -> StoreToken? {
      CheckpointedStore.token(ofStoreAt: bench.path, opened: opened)
    }
    #expect(token()?.number == 1)
    let identity = try #require(FileIdentity(path: bench.path))
    #expect(token(opened: [identity]) == nil)
    // A commit in the log.
    try bench.addFilms("Cars")
    #expect(token() == nil)
    _ = try bench.outside.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(CheckpointedStore.token(ofStoreAt: bench.path, recent: -1)?.number == 2)
    #expect(token() == nil, "the checkpoint has just written")
    try Self.age(bench.path)
    #expect(token()?.number == 2)
    // A journal that SQLite would look at.
    #expect(FileManager.default.createFile(atPath: bench.path + "-journal", contents: Data()))
    #expect(token() == nil)
    try FileManager.default.removeItem(atPath: bench.path + "-journal")
    // A second name.
    let other = bench.directory.file("other.store")
    try FileManager.default.linkItem(atPath: bench.path, toPath: other)
    #expect(token() == nil && CheckpointedStore.token(ofStoreAt: other) == nil)
    try FileManager.default.removeItem(atPath: other)
    #expect(token()?.number == 2)
    // A symbolic link leads to the log of the file.
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: bench.path)
    #expect(CheckpointedStore.token(ofStoreAt: other)?.number == 2)
    try bench.addFilms("Coco")
    try Self.age(bench.path)
    #expect(CheckpointedStore.token(ofStoreAt: other) == nil)
  }

  @Test func `a store with another schema or journal mode is left to SQLite`() throws {
    do {
      let bench = try StoreFixture()
      try bench.addFilms("Up")
      try CheckpointedStore.learn(bench.store)
      func token(after sql: String) throws -> StoreToken? {
        try bench.outside.execute(sql + "; PRAGMA wal_checkpoint(TRUNCATE)")
        try Self.age(bench.path)
        return CheckpointedStore.token(ofStoreAt: bench.path)
      }
      #expect(try token(after: "SELECT 1")?.number == 1)
      #expect(try token(after: "CREATE TABLE others (x)") == nil)
      #expect(try token(after: "DROP TABLE others")?.number == 1)
      #expect(try token(after: "UPDATE Z_METADATA SET Z_PLIST = x'00'") == nil)
    }
    try TemporaryDirectory.with { directory in
      let path = directory.file("films.store")
      let store = try PersistentStore.create(path, model: StoreFixture.model)
      try store.save { save in
        try save.insert(store.layout.entities[0], [.text("Ann")])
      }
      try CheckpointedStore.learn(store)
    }
    try TemporaryDirectory.with { directory in
      let path = directory.file("films.store")
      do {
        let store = try PersistentStore.create(path, model: StoreFixture.model)
        try store.save { save in
          try save.insert(store.layout.entities[0], [.text("Ann")])
        }
      }
      try Self.age(path)
      #expect(CheckpointedStore.token(ofStoreAt: path)?.number == 1)
      try Connection(path: path, access: .readWrite).execute("PRAGMA journal_mode = DELETE")
      try Self.age(path)
      #expect(CheckpointedStore.token(ofStoreAt: path) == nil)
    }
  }

  @Test func `a purged history and other numbers are as SQLite says`() throws {
    let bench = try StoreFixture()
    for title in ["Up", "Cars", "Coco"] { try bench.addFilms(title) }
    try CheckpointedStore.learn(bench.store)
    func token(after sql: String) throws -> StoreToken? {
      try bench.outside.execute(sql + "; PRAGMA wal_checkpoint(TRUNCATE)")
      try Self.age(bench.path)
      return CheckpointedStore.token(ofStoreAt: bench.path)
    }
    let stamp = try Self.token(bench.path).stamp
    #expect(try token(after: "SELECT 1")?.stamp == stamp)
    #expect(try token(after: "UPDATE ATRANSACTION SET ZTIMESTAMP = 4 WHERE Z_PK = 3")?.stamp == 4.0.bitPattern)
    #expect(try token(after: "UPDATE ATRANSACTION SET ZTIMESTAMP = 0 WHERE Z_PK = 3")?.stamp == 0.0.bitPattern)
    #expect(try token(after: "UPDATE ATRANSACTION SET ZTIMESTAMP = 1 WHERE Z_PK = 3")?.stamp == 1.0.bitPattern)
    #expect(try token(after: "UPDATE ATRANSACTION SET ZTIMESTAMP = -9e9 WHERE Z_PK = 3")?.stamp == (-9e9).bitPattern)
    #expect(try token(after: "DELETE FROM ATRANSACTION WHERE Z_PK < 3")?.number == 3)
    #expect(try token(after: "UPDATE Z_METADATA SET Z_UUID = 'other'")?.storeUUID == "other")
    // A number without its row, and a row without its number.
    #expect(try token(after: "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 16002") == nil)
    #expect(try token(after: "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16002") == nil)
    #expect(try token(after: "DELETE FROM ATRANSACTION") == nil)
  }

  /// Damage never ends the process, and never gives another token than SQLite.
  @Test(arguments: Rounds.seeds(10, full: 40, long: 1_000))
  func `a damaged file gives no other token than SQLite`(_ seed: Int) throws {
    let path = directory.file("films.store")
    do {
      let store = try PersistentStore.create(path, model: StoreFixture.model)
      for number in 0..<60 {
        try store.save { save in
          try save.insert(store.layout.entities[0], [.text("Ann \(number)")])
        }
      }
      try CheckpointedStore.learn(store)
    }
    let whole = try Data(contentsOf: URL(filePath: path))
    for round in 0..<50 {
      try whole.write(to: URL(filePath: path))
      for damage in Damage.several(size: whole.count, seed: seed * 50 + round) { try damage.happen(to: path) }
      guard FileManager.default.fileExists(atPath: path) else { continue }
      try Self.age(path)
      guard let found = CheckpointedStore.token(ofStoreAt: path) else { continue }
      #expect(throws: Never.self) {
        let expected = try Self.token(path)
        #expect(found == expected, "seed \(seed), round \(round)")
      }
    }
  }

  /// A token is never older than the call, whatever another connection does meanwhile.
  @Test func `a token beside a writer is that of a moment of the call`() throws {
    let path = directory.file("films.store")
    let store = try PersistentStore.create(path, model: StoreFixture.model)
    func save() throws {
      try store.save { save in
        try save.insert(store.layout.entities[0], [.text("Ann")])
      }
    }
    try save()
    try CheckpointedStore.learn(store)
    let progress = Progress()
    let reader = Thread {
      while !progress.hasEnded {
        let before = progress.saved
        guard let token = CheckpointedStore.token(ofStoreAt: path, recent: -1) else { continue }
        progress.note(before...progress.begun, token.number)
      }
      progress.readerHasEnded = true
    }
    reader.start()
    for number in Int64(2)...2_000 {
      progress.begun = number
      try save()
      progress.saved = number
      if number % 3 == 0 { _ = try store.connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
    progress.hasEnded = true
    #expect(eventually { progress.readerHasEnded })
    #expect(progress.faults == [])
    #expect(progress.tokens > 0)
  }

  @dynamicMemberLookup
  private final class Progress: @unchecked Sendable {
    struct Values {
      var begun: Int64 = 1
      var saved: Int64 = 1
      var hasEnded = false
      var readerHasEnded = false
    }

    private let lock = NSLock()
    private var values = Values()
    private(set) var faults: [String] = []
    private(set) var tokens = 0

    subscript<Value>(dynamicMember member: WritableKeyPath<Values, Value>) -> Value {
      get { lock.withLock { values[keyPath: member] } }
      set { lock.withLock { values[keyPath: member] = newValue } }
    }

    func note(_ allowed: ClosedRange<Int64>, _ number: Int64) {
      tokens += 1
      if !allowed.contains(number) { faults.append("\(number) is not in \(allowed)") }
    }
  }
}
