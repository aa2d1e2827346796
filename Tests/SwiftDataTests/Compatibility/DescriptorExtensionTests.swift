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

extension DataStoreFetchResult {
  fileprivate var order: [SortDescriptor<T>] { descriptor.sortBy }
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
  }
}
