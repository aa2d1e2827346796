// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import TestSupport
import Testing

/// What is refused on stores that Apple's software made, and that nothing is written to them; without FOLLOWSPOT_DATA
/// these tests are skipped, and say so.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping, .temporaryDirectory)
struct AppleRefusalTests {
  /// A store, and a class of one of its entities.
  private static let stores: [(AppleStore, any PersistentModel.Type)] = [
    (.notes, AppleNotes.ICNote.self), (.screenTime, ScreenTime.InstalledApp.self),
    (.oldHistory, Knowledge.Event.self), (.withoutHistory, Knowledge.Event.self), (.photos, Photos.Asset.self),
    (.laterPhotos, Photos.Asset.self),
  ]

  @Test(arguments: 0..<6)
  func `a configuration that allows saving is refused with an error that names the read-only one`(_ index: Int) throws {
    let (real, type) = Self.stores[index]
    let (path, _) = try real.copy()
    let before = storeBytes(path)
    let url = URL(fileURLWithPath: path)
    let words = explanation(of: .loadIssueModelContainer) {
      _ = try ModelContainer(for: Schema([type]), configurations: ModelConfiguration(url: url))
    }
    #expect(
      words == "\(path) was made by Apple's software and can only be read: open it by "
        + "ModelConfiguration(url:allowsSave:) with allowsSave: false")
    // An empty log may be made by whoever opens a store in WAL mode first.
    #expect(storeBytes(path)[0] == before[0])
    #expect((storeBytes(path)[1] ?? Data()) == (before[1] ?? Data()))
  }

  @Test(arguments: 0..<6)
  func `objects that are fetched, changed, inserted and deleted leave the files as they are`(_ index: Int) throws {
    let (real, type) = Self.stores[index]
    func use<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws {
      let object = try #require(try context.fetch(FetchDescriptor<Model>()).first)
      context.delete(object)
      #expect(context.hasChanges)
      #expect(throws: SwiftDataError.saveFailure) { try context.save() }
      #expect(context.hasChanges)
      context.rollback()
      #expect(try context.fetchCount(FetchDescriptor<Model>()) > 0)
      #expect(throws: SwiftDataError.saveFailure) { try context.delete(model: Model.self) }
    }
    let (path, _) = try real.copy()
    // An empty log is made by whoever opens a store in WAL mode first.
    _ = try plainRows(path, "SELECT count(*) FROM Z_METADATA")
    let before = storeBytes(path)
    for _ in 0..<2 {
      let container = try readOnlyContainer(path, [type])
      let context = ModelContext(container)
      try use(type, context)
      if real.history != nil { _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
      #expect(throws: SwiftDataError.saveFailure) { try container.erase() }
      #expect(throws: SwiftDataError.saveFailure) {
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      }
    }
    #expect(storeBytes(path) == before)
  }

  @Test func `a save of a new or a changed object is refused with a reason, and the context keeps the object`() throws {
    let (context, _) = try AppleStore.photos.read(Photos.Keyword.self)
    let name = "Photos"
    let reason =
      "the configuration \(name) is read-only, because Apple's software made its store: save to a store of your own"
    context.insert(Photos.Keyword())
    #expect(explanation(of: .saveFailure) { try context.save() } == reason)
    #expect(context.hasChanges && context.insertedModelsArray.count == 1)
    context.rollback()
    let keyword = try #require(try context.fetch(FetchDescriptor<Photos.Keyword>()).first)
    let title = keyword.title
    keyword.title = "other"
    #expect(explanation(of: .saveFailure) { try context.save() } == reason)
    context.rollback()
    #expect(keyword.title == title)
  }

  @Test(
    .enabled(
      if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
      "only the super user can become another one"))
  func `another process reads a library with a log in a directory that it cannot write`() throws {
    let (path, directory) = try AppleStore.photos.copy()
    try FileManager.default.createDirectory(atPath: directory.file("closed"), withIntermediateDirectories: false)
    let store = directory.file("closed/Photos.sqlite")
    try AppleStore.photos.copy(to: store)
    for (file, rights) in [
      (directory.path, 0o777), (store, 0o444), (store + "-wal", 0o444), (directory.file("closed"), 0o555),
    ] {
      try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: file)
    }
    let before = storeBytes(store)
    var shell = Shell(in: directory)
    shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    let outcome = try shell.start([store, "reader", "keywords"], program: Shell.products + "/ModelWriter").wait()
    #expect(outcome.code == 0, "\(outcome)")
    #expect(
      try outcome.lines == plainRows(path, "SELECT ZTITLE FROM ZKEYWORD ORDER BY ZTITLE"))
    #expect(storeBytes(store) == before)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: directory.file("closed")))
        == ["Photos.sqlite", "Photos.sqlite-wal"])
  }
}
