// SPDX-License-Identifier: MIT

import SwiftData
import Testing

extension FetchDescriptor {
  fileprivate static func first(_ limit: Int, where condition: Predicate<T>? = nil, by order: SortDescriptor<T>...)
    -> Self
  {
    var descriptor = FetchDescriptor<T>(predicate: condition, sortBy: order)
    descriptor.fetchLimit = limit
    return descriptor
  }

  fileprivate func reading(_ properties: PartialKeyPath<T>...) -> Self {
    var descriptor = self
    descriptor.propertiesToFetch = properties
    return descriptor
  }
}

extension FetchDescriptor where T == Film {
  fileprivate static func released(after year: Int) -> FetchDescriptor<T> {
    .first(2, where: #Predicate { $0.year > year }, by: SortDescriptor(\.year))
  }
}

extension FetchDescriptor<Studio> {
  fileprivate static var all: Self { .first(.max, by: SortDescriptor(\T.name)) }
}

extension DataStoreFetchRequest {
  fileprivate var model: T.Type { T.self }
}

extension DataStoreFetchResult where SnapshotType == DefaultSnapshot {
  fileprivate var order: [SortDescriptor<ModelType>] { descriptor.sortBy }
}

extension DataStoreSaveChangesRequest where SnapshotType == DefaultSnapshot {
  fileprivate var count: Int { inserted.count + updated.count + deleted.count }
}

extension DataStoreSaveChangesResult where T == DefaultSnapshot {
  fileprivate var isRemapped: Bool { !remappedIdentifiers.isEmpty }
}

extension Schema.Unique {
  fileprivate var model: T.Type { T.self }
}

extension Schema.Index {
  fileprivate var model: T.Type { T.self }
}

/// The names of generic parameters are part of the interface: extensions in other modules use them.
@Suite(.everyStore) struct DescriptorExtensionTests {
  @Test func `an extension of a fetch descriptor calls the model by the parameter's name`() throws {
    let context = ModelContext(try newContainer(Film.self))
    let pixar = Studio(name: "Pixar")
    for year in 1995...1999 { context.insert(Film("Film \(year)", year: year, studio: pixar)) }
    try context.save()
    #expect(try context.fetch(.released(after: 1996)).map(\.year) == [1997, 1998])
    #expect(
      try context.fetch(.first(1, by: SortDescriptor(\Film.year, order: .reverse)).reading(\.year)).map(\.year) == [
        1999
      ])
    #expect(try context.fetch(.all).map(\.name) == ["Pixar"])
  }

  @Test func `fetch results, requests and a schema's constraints also call the model by the parameter's name`() {
    let result = DataStoreFetchResult<Film, DefaultSnapshot>(
      descriptor: .released(after: 1), fetchedSnapshots: [])
    #expect(result.order == [SortDescriptor(\.year)])
    #expect(Schema.Unique<Film>([\.title]).model == Film.self)
    #expect(Schema.Index<Film>([\.title]).model == Film.self)
    let requested: KeyPath<DataStoreFetchRequest<Film>, Film.Type> = \.model
    #expect(type(of: requested).valueType == Film.Type.self)
    let changed: KeyPath<DataStoreSaveChangesRequest<DefaultSnapshot>, Int> = \.count
    #expect(type(of: changed).valueType == Int.self)
    #expect(!DataStoreSaveChangesResult<DefaultSnapshot>(for: "store").isRemapped)
  }

  @Test func `requests and results of stores are sent to other threads`() async {
    func requireSendable<Value: Sendable>(_ type: Value.Type) {}
    requireSendable(DataStoreFetchRequest<Film>.self)
    requireSendable(DataStoreFetchResult<Film, DefaultSnapshot>.self)
    requireSendable(DataStoreSaveChangesRequest<DefaultSnapshot>.self)
    requireSendable(DataStoreSaveChangesResult<DefaultSnapshot>.self)
    requireSendable(DataStoreBatchDeleteRequest<Film>.self)
    let result = DataStoreSaveChangesResult<DefaultSnapshot>(for: "store", historyToken: nil)
    #expect(await Task.detached { result.storeIdentifier }.value == "store")
  }

  @Test func `the short form of a save's result has a name of its own`() {
    let make = DataStoreSaveChangesResult<DefaultSnapshot>.init(for:remappedIdentifiers:snapshotsToReregister:)
    #expect(make("store", [:], [:]).historyToken == nil)
  }

  /// A token as programs for the releases of 2024 declare it.
  private struct PlainToken: HistoryToken {
    let tokenValue: Int?
    var id: Int { tokenValue ?? 0 }
    static func < (left: PlainToken, right: PlainToken) -> Bool { left.id < right.id }
  }

  @Test func `a token of a type that names no store has an empty store identifier`() {
    #expect(PlainToken(tokenValue: 1).storeIdentifier == "")
  }
}
