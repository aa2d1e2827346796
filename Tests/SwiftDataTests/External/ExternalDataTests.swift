// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model final class Poster {
  var name: String
  @Attribute(.externalStorage) var pixels: Data
  @Attribute(.externalStorage) var thumbnail: Data?
  /// No data: the option means nothing.
  @Attribute(.externalStorage) var caption: String = ""

  init(_ name: String, pixels: Data, thumbnail: Data? = nil) {
    self.name = name
    self.pixels = pixels
    self.thumbnail = thumbnail
  }
}

/// Data of attributes with external storage.
@Suite(.temporaryDirectory) struct ExternalDataTests {
  private let long = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  private let short = Data([1, 2, 3])

  private func makeStore() throws -> (URL, ModelContext) {
    let directory = TemporaryDirectory()
    let url = URL(fileURLWithPath: directory.file("pictures.store"))
    let container = try ModelContainer(for: Poster.self, configurations: ModelConfiguration(url: url))
    return (url, ModelContext(container))
  }

  /// The sizes of the files beside a store.
  private func files(_ url: URL) throws -> [Int] {
    let directory = url.deletingLastPathComponent().appendingPathComponent(".pictures_SUPPORT/_EXTERNAL_DATA")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return try names.map { name in
      let file = directory.appendingPathComponent(name).path
      return try #require(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    }.sorted()
  }

  @Test func `long data is stored in files and read back`() throws {
    let (url, context) = try makeStore()
    context.insert(Poster("a", pixels: long, thumbnail: short))
    context.insert(Poster("b", pixels: short, thumbnail: long + long))
    context.insert(Poster("c", pixels: Data()))
    try context.save()
    #expect(try files(url) == [300_000, 600_000])
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Poster>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.pixels) == [long, short, Data()])
    #expect(found.map(\.thumbnail) == [short, long + long, nil])
    #expect(!other.hasChanges)
  }

  @Test func `files are removed with their objects or their values`() throws {
    let (url, context) = try makeStore()
    let (first, second) = (Poster("a", pixels: long, thumbnail: long), Poster("b", pixels: long))
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(try files(url) == [300_000, 300_000, 300_000])
    first.thumbnail = nil
    first.pixels = short
    try context.save()
    #expect(try files(url) == [300_000])
    context.delete(second)
    try context.save()
    #expect(try files(url) == [])
  }

  @Test func `changes of other properties do not change an object's file`() throws {
    let (url, context) = try makeStore()
    context.insert(Poster("a", pixels: long))
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Poster>())[0]
    found.name = "b"
    try other.save()
    #expect(try files(url) == [300_000])
    #expect(try context.fetch(FetchDescriptor<Poster>())[0].pixels == long)
  }

  @Test func `data that is not read yet is read at the first access`() throws {
    let (_, context) = try makeStore()
    let picture = Poster("a", pixels: long)
    context.insert(picture)
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Poster>())[0]
    picture.pixels = long + short
    try context.save()
    #expect(found.pixels == long + short)
  }

  @Test func `data of a deleted object is empty`() throws {
    let (_, context) = try makeStore()
    let picture = Poster("a", pixels: long)
    context.insert(picture)
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Poster>())[0]
    context.delete(picture)
    try context.save()
    #expect(found.pixels == Data())
  }

  @Test func `a rollback restores data that was not read`() throws {
    let (_, context) = try makeStore()
    context.insert(Poster("a", pixels: long))
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Poster>())[0]
    found.pixels = short
    #expect(found.pixels == short)
    other.rollback()
    #expect(found.pixels == long)
  }

  @Test func `a failed save does not leave a file`() throws {
    let (url, context) = try makeStore()
    let picture = Poster("a", pixels: long)
    context.insert(picture)
    context.insert(Tag("never in this store"))
    #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(try files(url) == [])
  }

  @Test func `stores in memory keep everything in their rows`() throws {
    let container = try newContainer(Poster.self)
    let context = ModelContext(container)
    context.insert(Poster("a", pixels: long, thumbnail: short))
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Poster>())
    #expect(found.map(\.pixels) == [long])
    #expect(found.map(\.thumbnail) == [short])
  }
}

@Model final class Tag {
  var text: String
  init(_ text: String) { self.text = text }
}
