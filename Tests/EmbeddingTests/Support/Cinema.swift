// SPDX-License-Identifier: MIT

import Followspot
import SwiftData
import TestSupport
import Testing

@Model final class Studio {
  @Attribute(.unique, .spotlight) var name: String
  @Relationship(inverse: \Film.studio) var films: [Film] = []

  init(name: String) { self.name = name }
}

@Model final class Film {
  @Attribute(.unique, .spotlight, .preserveValueOnDeletion) var title: String
  @Attribute(.spotlight) var tags: [String]
  /// Not marked, so its words are not indexed.
  var remark: String
  var year: Int
  var price: Decimal?
  var released: Date?
  var isSeen = false
  var studio: Studio?

  init(_ title: String, year: Int, tags: [String] = [], remark: String = "", studio: Studio? = nil) {
    self.title = title
    self.year = year
    self.tags = tags
    self.remark = remark
    self.studio = studio
  }
}

/// A store of films that this process writes, with its index, in its own directory.
struct Cinema {
  let directory = TemporaryDirectory()
  let container: ModelContainer
  let context: ModelContext
  let index: StoreIndex

  private let name: String

  var store: URL { URL(fileURLWithPath: directory.file(name)) }
  /// The program `followspot` on the same store, which is another process.
  var shell: Shell { Shell(in: directory) }

  /// - Parameter folder: A directory in that of the test; nil for that of the test itself.
  init(in folder: String? = nil, definition: String? = nil) throws {
    if let folder {
      try FileManager.default.createDirectory(atPath: directory.file(folder), withIntermediateDirectories: true)
    }
    name = (folder.map { $0 + "/" } ?? "") + "films.store"
    let store = URL(fileURLWithPath: directory.file(name))
    container = try ModelContainer(for: Film.self, Studio.self, configurations: ModelConfiguration(url: store))
    context = ModelContext(container)
    context.author = "cinema"
    index = StoreIndex(of: store, definition: definition)
  }

  @discardableResult
  func save(_ films: Film...) throws -> [Film] {
    for film in films { context.insert(film) }
    try context.save()
    return films
  }

  /// The titles of a query's hits, in alphabetical order.
  func titles(_ query: String, isolation: isolated (any Actor)? = #isolation) async throws -> [String] {
    try await index.search(query, limit: nil).hits.map(\.title).sorted()
  }

  /// The object of a hit.
  func object<Model: PersistentModel>(of hit: SearchHit, as type: Model.Type) throws -> Model {
    let identifier = try #require(PersistentIdentifier(uriRepresentation: hit.id))
    return try #require(context.model(for: identifier) as? Model)
  }

  func film(_ title: String) throws -> Film {
    try #require(try context.fetch(FetchDescriptor<Film>(predicate: #Predicate { $0.title == title })).first)
  }

  /// Expects that index and store are equal.
  func expectEqual(documents: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let verified = try shell.run("verify")
    #expect(
      verified.output.hasPrefix("equal documents=\(documents) "), "\(verified)", sourceLocation: sourceLocation)
  }
}
