// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import TestSupport
import Testing

/// Histories that Apple's software recorded; without FOLLOWSPOT_DATA these tests are skipped, and say so.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping, .temporaryDirectory)
struct AppleHistoryTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private func after(_ token: DefaultHistoryToken, limit: Int = 0) -> Descriptor {
    var descriptor = Descriptor(predicate: #Predicate { $0.token > token })
    descriptor.fetchLimit = UInt64(limit)
    return descriptor
  }

  private static func line(_ transaction: DefaultHistoryTransaction) -> String {
    row(
      transaction.transactionIdentifier, transaction.timestamp, transaction.author, transaction.bundleIdentifier,
      transaction.processIdentifier)
  }

  @Test func `transactions are fetched in pages, with the names that the file stores once`() throws {
    let (context, path) = try AppleStore.screenTime.read(ScreenTime.InstalledApp.self)
    let expected = try plainRows(
      path,
      """
      SELECT t.Z_PK, CAST(ZTIMESTAMP AS REAL), a.ZNAME, b.ZNAME, p.ZNAME FROM ATRANSACTION t
      LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = ZAUTHORTS LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = ZBUNDLEIDTS
      LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = ZPROCESSIDTS ORDER BY t.Z_PK
      """)
    #expect(expected.count == 939)
    #expect(try context.fetchHistory(Descriptor()).map(Self.line) == expected)
    var found: [String] = []
    var first = Descriptor()
    first.fetchLimit = 100
    var page = try context.fetchHistory(first)
    while let last = page.last {
      found += page.map(Self.line)
      page = try context.fetchHistory(after(last.token, limit: 100))
    }
    #expect(found == expected)
  }

  @Test func `a token before the purged history has expired`() throws {
    let (context, _) = try AppleStore.screenTime.read(ScreenTime.InstalledApp.self)
    let newest = try #require(try context.fetchHistory(Descriptor()).last?.token)
    let json = String(decoding: try JSONEncoder().encode(newest), as: UTF8.self)
    let old = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(json.replacing(":1039", with: ":50").utf8))
    #expect(throws: SwiftDataError.historyTokenExpired) { _ = try context.fetchHistory(after(old)) }
  }

  @Test func `deletes carry the preserved values of the file`() throws {
    let (context, path) = try AppleStore.screenTime.read(ScreenTime.InstalledApp.self)
    var found: [String] = []
    for change in try context.fetchHistory(Descriptor()).flatMap(\.changes) {
      guard case .delete(let change) = change,
        let delete = change as? DefaultHistoryDelete<ScreenTime.InstalledApp>
      else { continue }
      let tombstone = delete.tombstone
      found.append(
        row(
          keyText(delete.changedPersistentIdentifier), tombstone[\.bundleIdentifier], tombstone[\.installedLocally],
          tombstone[\.sortKey], tombstone[\.uniqueIdentifier], tombstone[\.displayName]))
    }
    #expect(!found.isEmpty)
    // Preserved attributes in the order of their names.
    #expect(
      try found
        == plainRows(
          path,
          """
          SELECT ZENTITYPK, ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2, ZTOMBSTONE3, NULL FROM ACHANGE
          WHERE ZCHANGETYPE = 2 AND ZENTITY = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'InstalledApp')
          ORDER BY ZTRANSACTIONID, Z_PK
          """))
  }

  @Test func `the history of macOS 10.13 is read with its names and its inherited tombstones`() throws {
    let (context, path) = try AppleStore.oldHistory.read(Knowledge.Event.self)
    let history = try context.fetchHistory(Descriptor())
    #expect(
      try history.map(Self.line)
        == plainRows(
          path,
          "SELECT Z_PK, CAST(ZTIMESTAMP AS REAL), ZAUTHOR, ZBUNDLEID, ZPROCESSID FROM ATRANSACTION ORDER BY Z_PK"))
    let deletes = history.flatMap(\.changes).compactMap { change -> String? in
      guard case .delete(let change) = change, let delete = change as? DefaultHistoryDelete<Knowledge.Event> else {
        return nil
      }
      return row(delete.tombstone[\.uuid], delete.tombstone[\.shouldSync])
    }
    #expect(
      try deletes
        == plainRows(
          path,
          """
          SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2
          AND ZENTITY = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Event') ORDER BY ZTRANSACTIONID, Z_PK
          """))
    #expect(deletes.count == 507)
  }

  @Test func `the history of a newer copy continues after the token of the older copy`() throws {
    let (path, _) = try AppleStore.photos.copy()
    let token = try #require(
      try ModelContext(try readOnlyContainer(path, Photos.all)).fetchHistory(Descriptor()).last?.token)
    try AppleStore.laterPhotos.copy(to: path)
    let context = ModelContext(try readOnlyContainer(path, Photos.all))
    let fresh = try context.fetchHistory(after(token))
    #expect(fresh.map(\.transactionIdentifier) == Array(20...38))
    var updates: [String: Set<String>] = [:]
    for change in fresh.flatMap(\.changes) {
      guard case .update(let change) = change, let update = change as? DefaultHistoryUpdate<Photos.Asset> else {
        continue
      }
      let names = [
        (\Photos.Asset.favorite as PartialKeyPath, "favorite"), (\.moment, "moment"), (\.albums, "albums"),
        (\.additionalAttributes, "additionalAttributes"), (\.width, "width"),
      ]
      for (path, name) in names where update.updatedAttributes.contains(where: { $0 as AnyKeyPath == path }) {
        updates[keyText(update.changedPersistentIdentifier), default: []].insert(name)
      }
    }
    #expect(updates.values.contains { $0.contains("albums") })
    let changed = try plainRows(
      path,
      """
      SELECT DISTINCT ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID > 19 AND ZCHANGETYPE = 1
      AND ZENTITY = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Asset')
      """)
    #expect(Set(updates.keys).isSubset(of: changed))
  }

  @Test func `the error of a history fetch says that the store does not record history`() throws {
    let (context, path) = try AppleStore.withoutHistory.read(Knowledge.Event.self)
    let words = explanation(of: .invalidTransactionFetchRequest) { _ = try context.fetchHistory(Descriptor()) }
    #expect(
      words == "\(path) keeps no transaction history: the program that made it does not record one; fetch the objects")
  }
}
