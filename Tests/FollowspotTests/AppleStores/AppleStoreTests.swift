// SPDX-License-Identifier: MIT

import Followspot
import Foundation
import SQLite
import TestSupport
import Testing

@testable import SearchIndex
@testable import Store

/// Stores that Apple's software wrote are indexed and followed unchanged. Without FOLLOWSPOT_DATA these tests are
/// skipped, with a message.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping, .temporaryDirectory)
struct AppleStoreTests {
  private func index(_ path: String, _ directory: TemporaryDirectory) throws -> (IndexState, IndexDirectory) {
    let index = IndexDirectory(path: directory.file("of.index"))
    return (try Pass.run(Indexer.Options(storePath: path, directory: index)).state, index)
  }

  private static func bytes(_ path: String) -> [Data?] {
    ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) }
  }

  @Test(arguments: AppleStore.all)
  func `index and store are equal, each row of an indexed entity has a document, and the files are not changed`(
    _ real: AppleStore
  ) throws {
    let (path, directory) = try real.copy()
    // The first program that opens a store in WAL mode creates an empty log.
    _ = try StoreFile.open(path).newest()
    let before = Self.bytes(path)
    let (state, index) = try index(path, directory)
    let outcome = try Verify(storePath: path, directory: index).run(isQuick: false)
    #expect(outcome.isEqual && outcome.leftOut.rejected == 0)
    _ = try Status(storePath: path, directory: index)
    _ = try Searcher(storePath: path, directory: index).search(SearchRequest(query: "*"))
    #expect(Self.bytes(path) == before)

    let plain = try Connection(path: path, access: .readOnly)
    var rows = 0
    for entity in state.definition.entities.keys {
      let root = try #require(
        try StoreRows.text(
          plain,
          """
          WITH RECURSIVE up(n, s) AS (
            SELECT Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'
            UNION ALL SELECT p.Z_NAME, p.Z_SUPER FROM up JOIN Z_PRIMARYKEY p ON p.Z_ENT = up.s)
          SELECT n FROM up WHERE s = 0
          """))
      rows += Int(
        try #require(
          try plain.integer(
            """
            SELECT COUNT(*) FROM "Z\(root.uppercased())"
            WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')
            """)))
    }
    #expect(rows > 0)
    #expect(outcome.documents == rows)
  }

  @Test(arguments: [
    (
      AppleStore.notes, "\"nothing special\"", "ICNote", "ZICCLOUDSYNCINGOBJECT WHERE ZSNIPPET LIKE '%nothing special%'"
    ),
    (.screenTime, "NanoTimer", "InstalledApp", "ZINSTALLEDAPP WHERE ZBUNDLEIDENTIFIER LIKE '%.NanoTimer'"),
    (.oldHistory, "isBacklit", "Event", "ZOBJECT WHERE ZSTREAMNAME LIKE '%/isBacklit'"),
    (.photos, "pumpkins", "AssetDescription", "ZASSETDESCRIPTION WHERE ZLONGDESCRIPTION LIKE '%pumpkins%'"),
    (.laterPhotos, "tulips", "AssetDescription", "ZASSETDESCRIPTION WHERE ZLONGDESCRIPTION LIKE '%tulips%'"),
  ])
  func `a known text is found`(_ real: AppleStore, _ query: String, _ entity: String, _ rows: String) throws {
    let (path, directory) = try real.copy()
    let (_, index) = try index(path, directory)
    let plain = try Connection(path: path, access: .readOnly).cursor("SELECT Z_PK FROM \(rows)")
    var expected: Set<String> = []
    while try plain.step() { expected.insert("\(entity)/p\(plain.integer(at: 0))") }
    #expect(!expected.isEmpty)
    let result = try Searcher(storePath: path, directory: index).search(SearchRequest(query: query))
    #expect(Set(result.hits.map(\.identifier.short)).isSuperset(of: expected))
  }

  @Test(arguments: AppleStore.withHistory)
  func `the counts of changes and tombstones equal those of the history`(_ real: AppleStore) throws {
    let (path, _) = try real.copy()
    let store = try StoreFile.open(path)
    var found = AppleStore.History(0, 0, 0, 0)
    var unread = 0
    var (bundles, tombstones) = (0, 0)
    try store.transactions { transaction in
      found.transactions += 1
      if transaction.bundle != nil, transaction.process != nil { bundles += 1 }
      for change in transaction.changes {
        switch change.kind {
        case .insert: found.inserts += 1
        case .update:
          found.updates += 1
          let entity = store.layout.entity(number: change.row.entity)
          if change.bitmap.flatMap({ entity?.properties(of: $0) }) == nil { unread += 1 }
        case .delete:
          found.deletes += 1
          tombstones += change.tombstone.count { !$0.isNull }
        }
      }
    }
    #expect(found == real.history)
    #expect(unread == 0)
    #expect(bundles == found.transactions)
    let plain = try Connection(path: path, access: .readOnly)
    var filled: Int64 = 0
    for column in try StoreRows.tombstones(plain) {
      filled += try plain.integer("SELECT COUNT(\(column)) FROM ACHANGE WHERE ZCHANGETYPE = 2") ?? 0
    }
    #expect(tombstones == Int(filled))
  }

  @Test func `if a newer copy replaces an older one, the transactions between them are indexed`() throws {
    let (path, directory) = try AppleStore.photos.copy()
    let (first, index) = try index(path, directory)
    #expect(first.token?.number == 19)
    let serving = try #require(try index.serving())
    try AppleStore.laterPhotos.copy(to: path)
    let store = try StoreFile.open(path)
    let token = try #require(first.token)
    #expect(try store.verdict(on: token) == .valid)
    var numbers: [Int64] = []
    try store.transactions(after: token.number) { numbers.append($0.number) }
    #expect(numbers == Array(20...38))
    var reports: [String] = []
    var options = Indexer.Options(storePath: path, directory: index)
    options.report = { reports.append($0) }
    let second = try Pass.run(options).state
    #expect(second.token?.number == 38)
    #expect(second.lastReconcile == nil && reports == [])
    #expect(try index.serving()?.number == serving.number)
    let outcome = try Verify(storePath: path, directory: index).run(isQuick: false)
    #expect(outcome.isEqual && outcome.documents == 135)
  }

  @Test func `an older copy that replaces a newer one is detected, and the index is reconciled`() throws {
    let (path, directory) = try AppleStore.laterPhotos.copy()
    let (_, index) = try index(path, directory)
    try AppleStore.photos.copy(to: path)
    let state = try Pass.run(Indexer.Options(storePath: path, directory: index)).state
    #expect(state.token?.number == 19 && state.lastReconcile != nil)
    #expect(try Verify(storePath: path, directory: index).run(isQuick: false).isEqual)
  }

  @Test func `another store that replaces the indexed one is detected, and the index is reconciled`() throws {
    let (path, directory) = try AppleStore.notes.copy()
    let (_, index) = try index(path, directory)
    try AppleStore.oldHistory.copy(to: path)
    let state = try Pass.run(Indexer.Options(storePath: path, directory: index)).state
    #expect(state.token?.number == 536)
    #expect(try Verify(storePath: path, directory: index).run(isQuick: false).isEqual)
  }

  @Test func `a token before the purged history has expired, and the index is reconciled`() throws {
    let (path, directory) = try AppleStore.screenTime.copy()
    let (state, index) = try index(path, directory)
    let store = try StoreFile.open(path)
    let token = try #require(state.token)
    let old = StoreToken(storeUUID: store.uuid, number: 50, stamp: 1, modelDigest: token.modelDigest)
    #expect(try store.verdict(on: old) == .expired(missing: [50...100]))
    let serving = try #require(try index.serving())
    let app = try #require(store.layout.entity(named: "InstalledApp"))
    let key = try #require(try store.keyRange(of: app))
    do {
      let writer = try GenerationWriter(path: serving.path)
      // A document that no transaction would restore.
      try writer.remove(entity: "InstalledApp", key: key.lowerBound)
      try writer.commit(token: old)
    }
    let healed = try Pass.run(Indexer.Options(storePath: path, directory: index)).state
    #expect(healed.token?.number == 1_039)
    #expect(healed.lastReconcile?.added == 1)
    #expect(try Verify(storePath: path, directory: index).run(isQuick: false).isEqual)
  }

  /// If an entity has several to-many relationships, their bits are in the order of a hash table.
  @Test func `a bit for one of several to-many relationships includes all of them`() throws {
    let (path, _) = try AppleStore.laterPhotos.copy()
    let store = try StoreFile.open(path)
    let entity = try #require(
      store.layout.entities.first { entity in
        entity.relationships.count { if case .inverseReference = $0.storage { true } else { false } } > 1
      })
    let backs = entity.bitmapOrder.filter { property in
      guard case .relationship(let index) = property, case .inverseReference = entity.relationships[index].storage
      else {
        return false
      }
      return true
    }
    let last = try #require(backs.last)
    let bitmap = entity.bitmap(of: [last])
    #expect(Set(entity.properties(of: bitmap) ?? []) == Set(backs))
    let attribute = try #require(entity.bitmapOrder.first { if case .attribute = $0 { true } else { false } })
    #expect(entity.properties(of: entity.bitmap(of: [attribute])) == [attribute])
  }

  @Test func `a store of Apple's software is not opened for writing, and its log is kept`() throws {
    let (path, _) = try AppleStore.photos.copy()
    let before = Self.bytes(path)
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path, access: .readWrite) }
    #expect(error?.code == .notWritable)
    #expect(Self.bytes(path) == before)
    #expect(before[1]?.count == 3_914_032)
  }
}

enum StoreRows {
  static func text(_ connection: Connection, _ sql: String) throws -> String? {
    let statement = try connection.cursor(sql)
    return try statement.step() ? statement.text(at: 0) : nil
  }

  static func tombstones(_ connection: Connection) throws -> [String] {
    let statement = try connection.cursor(
      "SELECT name FROM pragma_table_info('ACHANGE') WHERE name GLOB 'ZTOMBSTONE*'")
    var names: [String] = []
    while try statement.step() { names.append(statement.text(at: 0)) }
    return names
  }
}
