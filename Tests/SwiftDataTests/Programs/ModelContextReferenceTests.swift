// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

@Model class Asset {
  var label: String
  var parts: [AssetPart] = []
  init(_ label: String) { self.label = label }
}

@Model final class PaidAsset: Asset {
  var price: Int = 0
  init(_ label: String, price: Int) {
    super.init(label)
    self.price = price
  }
}

@Model final class AssetPart {
  var text: String
  @Relationship(inverse: \Asset.parts) var asset: Asset?
  init(_ text: String) { self.text = text }
}

/// What the reference page of the context promises.
@Suite(.everyStore, .overlapping) struct ModelContextReferenceTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Asset.self, PaidAsset.self, AssetPart.self)
    context = ModelContext(container)
  }

  private func labels() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Asset>(sortBy: [SortDescriptor(\.label)])).map(\.label)
  }

  @Test func `inserting an object inserts those it leads to`() throws {
    let asset = Asset("house")
    let door = AssetPart("door")
    asset.parts = [door, AssetPart("roof")]
    context.insert(asset)
    #expect(context.insertedModelsArray.count == 3)
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<AssetPart>()).map(\.asset?.label) == ["house", "house"])
    #expect(door.asset === asset)
  }

  @Test func `a context posts notifications before and after a save`() throws {
    let heard = ConcurrentLog<String>()
    let center = NotificationCenter.default
    let registrations = [
      center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { notification in
        let context = notification.object as? ModelContext
        heard.add("will save \(context?.insertedModelsArray.count ?? -1)")
      },
      center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notification in
        let inserted = notification.userInfo?[ModelContext.NotificationKey.insertedIdentifiers.rawValue]
        heard.add("did save \((inserted as? [PersistentIdentifier])?.count ?? -1)")
      },
    ]
    defer { for registration in registrations { center.removeObserver(registration) } }
    context.insert(Asset("house"))
    let other = ModelContext(container)
    other.insert(Asset("of another context"))
    try other.save()
    try context.save()
    try context.save()
    #expect(heard.all == ["will save 1", "did save 1"])
  }

  @Test func `a batch delete takes what a predicate selects, with subclasses or without`() throws {
    for label in ["a1", "a2", "b1"] { context.insert(Asset(label)) }
    for label in ["a3", "b2"] { context.insert(PaidAsset(label, price: 1)) }
    try context.save()
    try context.delete(model: Asset.self, where: #Predicate { $0.label.starts(with: "a") }, includeSubclasses: false)
    #expect(try labels() == ["a3", "b1", "b2"])
    try context.delete(model: Asset.self, where: #Predicate { $0.label.starts(with: "a") })
    #expect(try labels() == ["b1", "b2"])
    try context.delete(model: PaidAsset.self)
    #expect(try labels() == ["b1"])
    try context.delete(model: Asset.self)
    #expect(try labels() == [])
  }

  @Test func `a rollback undoes every unsaved change`() throws {
    let (kept, gone) = (Asset("kept"), Asset("gone"))
    context.insert(kept)
    context.insert(gone)
    try context.save()
    kept.label = "changed"
    context.delete(gone)
    context.insert(Asset("new"))
    context.rollback()
    #expect(kept.label == "kept")
    #expect(!context.hasChanges)
    try context.save()
    #expect(try labels() == ["gone", "kept"])
  }

  @Test func `objects are fetched, counted and named, at once and in batches`() throws {
    for number in 0..<25 { context.insert(Asset(String(format: "%02d", number))) }
    try context.save()
    var descriptor = FetchDescriptor<Asset>(
      predicate: #Predicate { $0.label >= "05" }, sortBy: [SortDescriptor(\.label, order: .reverse)])
    let expected = (5..<25).reversed().map { String(format: "%02d", $0) }
    #expect(try context.fetch(descriptor).map(\.label) == expected)
    #expect(try context.fetchCount(descriptor) == 20)
    let identifiers = try context.fetchIdentifiers(descriptor)
    #expect(identifiers.map { (context.model(for: $0) as? Asset)?.label } == expected)
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 7).map(\.label) == expected)
    #expect(try Array(context.fetchIdentifiers(descriptor, batchSize: 7)) == identifiers)
    descriptor.includePendingChanges = true
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetch(descriptor, batchSize: 7) }
    var seen: [String] = []
    try context.enumerate(descriptor, batchSize: 6) { seen.append($0.label) }
    #expect(seen == expected)
  }

  @MainActor @Test func `the main context saves automatically, other contexts do not`() async throws {
    let main = container.mainContext
    #expect(main.autosaveEnabled)
    #expect(!context.autosaveEnabled)
    context.insert(Asset("by hand"))
    main.insert(Asset("by itself"))
    #expect(main.hasChanges)
    #expect(await waitUntil { !main.hasChanges })
    #expect(try labels() == ["by itself"])
    #expect(context.hasChanges)
  }

  @Test func `a transaction is saved whole, or taken back whole`() throws {
    struct Refusal: Error {}
    context.author = "transaction"
    try context.transaction {
      context.insert(Asset("one"))
      context.insert(Asset("two"))
    }
    #expect(throws: Refusal.self) {
      try context.transaction {
        context.insert(Asset("three"))
        throw Refusal()
      }
    }
    #expect(try labels() == ["one", "two"])
    #expect(!context.hasChanges)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["transaction"])
    #expect(history[0].changes.count == 2)
  }
}
