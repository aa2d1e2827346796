// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

/// Configurations that cannot be opened, and several at once.
@Suite(.temporaryDirectory) struct ConfigurationTests {
  private let directory = TemporaryDirectory()

  @Test(arguments: ["a/b", "../up", "nul\0byte"])
  func `a configuration name that is not a valid file name is refused`(name: String) {
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(for: Film.self, configurations: ModelConfiguration(name))
    }
  }

  @Test func `a name that is too long is refused`() throws {
    let name = String(repeating: "é", count: 200)
    let words = explanation(of: .configurationFileNameTooLong) {
      _ = try ModelContainer(for: Film.self, configurations: ModelConfiguration(name))
    }
    #expect(words == "'\(name).store' is longer than 240 bytes: take a shorter name")
  }

  @Test func `two configurations of one file are refused`() throws {
    let url = newStoreURL()
    let directory = url.deletingLastPathComponent().path
    let twice = [
      ModelConfiguration("a", schema: Schema([Film.self]), url: url),
      ModelConfiguration(
        "b", schema: Schema([Tag.self]), url: URL(fileURLWithPath: directory + "/./" + url.lastPathComponent)),
    ]
    let words = explanation(of: .duplicateConfiguration) {
      _ = try ModelContainer(for: Schema([Film.self, Tag.self]), configurations: twice)
    }
    #expect(words == "two configurations have the file \(url.path): give each its own file")
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `two files of one name are two configurations`() throws {
    let container = try ModelContainer(
      for: Schema([Film.self, Tag.self]),
      configurations: [
        ModelConfiguration("same", schema: Schema([Film.self]), url: URL(fileURLWithPath: directory.file("a"))),
        ModelConfiguration("same", schema: Schema([Tag.self]), url: URL(fileURLWithPath: directory.file("b"))),
      ])
    #expect(container.configurations.count == 2)
  }

  @Test func `objects go to the store whose configuration names their class`() throws {
    let configurations = [
      ModelConfiguration("films", schema: Schema([Film.self]), url: URL(fileURLWithPath: directory.file("a.store"))),
      ModelConfiguration("tags", schema: Schema([Tag.self]), url: URL(fileURLWithPath: directory.file("b.store"))),
    ]
    let container = try ModelContainer(for: Schema([Film.self, Tag.self]), configurations: configurations)
    let context = ModelContext(container)
    let (film, tag) = (Film("Up", year: 2009), Tag("good"))
    context.insert(film)
    context.insert(tag)
    try context.save()
    let identifiers = [film.persistentModelID.storeIdentifier, tag.persistentModelID.storeIdentifier]
    #expect(identifiers == ["films", "tags"].map { container.storeIdentifier(forConfigurationNamed: $0) })
    #expect(
      identifiers.compactMap { $0 }.map { container.configurationName(forStoreIdentifier: $0) } == ["films", "tags"])
    #expect(identifiers[0] != identifiers[1])
    let other = ModelContext(try ModelContainer(for: Schema([Film.self, Tag.self]), configurations: configurations))
    #expect(try other.fetch(FetchDescriptor<Film>()).map(\.title) == ["Up"])
    #expect(try other.fetch(FetchDescriptor<Tag>()).map(\.text) == ["good"])
    let alone = ModelContext(try ModelContainer(for: Tag.self, configurations: configurations[1]))
    #expect(try alone.fetchCount(FetchDescriptor<Tag>()) == 1)
  }

  @Test func `a configuration that holds a class that the container lacks is refused`() throws {
    let words = explanation(of: .configurationSchemaNotFoundInContainerSchema) {
      _ = try ModelContainer(
        for: Schema([Tag.self]),
        configurations: [ModelConfiguration("films", schema: Schema([Film.self]), isStoredInMemoryOnly: true)])
    }
    #expect(words.hasPrefix("films holds "), "\(words)")
    #expect(words.hasSuffix(", which the container does not name: add it to the container"), "\(words)")
  }

  @Test func `a save in one store is kept if another store's fails, and the context keeps unsaved changes`() throws {
    let films = URL(fileURLWithPath: directory.file("a.store"))
    let tags = URL(fileURLWithPath: directory.file("b.store"))
    _ = try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: tags))
    let container = try ModelContainer(
      for: Schema([Film.self, Tag.self]),
      configurations: [
        ModelConfiguration("films", schema: Schema([Film.self]), url: films),
        ModelConfiguration("tags", schema: Schema([Tag.self]), url: tags, allowsSave: false),
      ])
    let context = ModelContext(container)
    context.insert(Film("Up", year: 2009))
    let tag = Tag("good")
    context.insert(tag)
    #expect(throws: SwiftDataError.saveFailure) { try context.save() }
    #expect(context.insertedModelsArray.map { $0.persistentModelID } == [tag.persistentModelID])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Film>()) == 1)
    context.rollback()
    try context.save()
  }
}
