// SPDX-License-Identifier: MIT

import SQLite
internal import Store
import TestSupport
import Testing

@testable import Followspot
@testable import SearchIndex

/// The default definition looks at the values.
@Suite(.overlapping, .temporaryDirectory)
struct InferredDefinitionTests {
  private static let model = ModelDescription(
    entities: [
      EntityDescription(
        "Package",
        attributes: [
          AttributeDescription("name", .string), AttributeDescription("summary", .string, isOptional: true),
          AttributeDescription("section", .string, isOptional: true),
          AttributeDescription("version", .string, isOptional: true),
          AttributeDescription("depends", .strings, isOptional: true),
          AttributeDescription("tags", .strings, isOptional: true),
          AttributeDescription("authors", .strings, isOptional: true),
          AttributeDescription("votes", .integer64, isOptional: true),
        ])
    ])

  private static let people = ["Ann Lee", "Bob Ray", "Cleo de Vries", "Dan Brown", "Eve Adams", "Tom Hanks"]

  private static func list(_ items: [String]) -> Value {
    .blob(Array("[\(items.map { "\"\($0)\"" }.joined(separator: ","))]".utf8))
  }

  /// A store of packages. Every value is a function of the row's number.
  private func makePackages(_ count: Int) throws -> (String, IndexDirectory, PersistentStore) {
    let directory = TemporaryDirectory()
    let path = directory.file("packages.store")
    let store = try PersistentStore.create(path, model: Self.model)
    try insert(1...count, into: store)
    return (path, IndexDirectory(path: path + ".index"), store)
  }

  private func insert(_ numbers: ClosedRange<Int>, into store: PersistentStore, more: String = "") throws {
    try store.save { save in
      for number in numbers {
        let authors = [Self.people[number % 6], "Author \(number % 90) Smith"]
        try save.insert(
          store.layout.entities[0],
          [
            .text("tool-\(number)"),
            .text("A program that reads number \(number) of the files, and prints what it finds in them." + more),
            .text(["games", "web", "sound", "graphics"][number % 4]), .text("1.\(number).0-2"),
            Self.list(["libc6", "libssl\(number % 7)", "python3-\(number % 9)"]),
            Self.list([["Command Line", "Desktop"][number % 2]]), Self.list(authors), .integer(Int64(number)),
          ])
      }
    }
  }

  private func lines(_ definition: IndexDefinition) -> [String] {
    (definition.entities["Package"]?.fields ?? []).map { field in
      let roles = field.roles.map(\.rawValue).sorted().joined(separator: ",")
      return "\(field.name): \(field.holds?.rawValue ?? "-") \(roles) \(field.weight) \(field.languages.first ?? "-")"
        + (field.length.map { " \($0)" } ?? "")
    }
  }

  @Test func `each text gets the role that its values ask for`() throws {
    let (_, _, store) = try makePackages(200)
    let inferred = try IndexDefinition.inferred(from: store)
    #expect(
      lines(inferred) == [
        "authors: names facet,text 1 none",
        "depends: references facet 1 -", "name: identifiers text 2 - 2.0", "section: categories facet,text 0 - 1.0",
        "summary: prose text 1 - 7.0", "tags: categories facet,text 0 - 1.5",
        "version: identifiers facet,text 0 none 4.0", "votes: numbers number 1 -",
      ])
  }

  @Test func `too few values say nothing`() throws {
    let (_, _, store) = try makePackages(9)
    let inferred = try IndexDefinition.inferred(from: store)
    #expect(
      lines(inferred) == [
        "authors: prose facet,text 1 -", "depends: prose facet,text 1 -", "name: title text 5 -",
        "section: prose text 1 -", "summary: prose text 1 -", "tags: prose facet,text 1 -", "version: prose text 1 -",
        "votes: numbers number 1 -",
      ])
  }

  @Test func `an index keeps its definition until another is asked for`() throws {
    let (path, index, store) = try makePackages(9)
    func state() throws -> IndexState { try IndexState.read(path: #require(try index.serving()).path) }
    let options = Indexer.Options(storePath: path, directory: index)
    try Indexer(options).catchUp()
    let early = try state().definition
    #expect(try !state().isInferredTooEarly(for: store))
    try insert(10...200, into: store)
    try Indexer(options).catchUp()
    _ = try Rebuild(storePath: path, directory: index).run()
    #expect(try state().definition == early)
    #expect(try state().isInferredTooEarly(for: store))
    _ = try Rebuild(storePath: path, directory: index, infers: true).run()
    let inferred = try IndexDefinition.inferred(from: store)
    #expect(try state().definition == inferred)
    #expect(try !state().isInferredTooEarly(for: store))
    // From then on it stays, whatever is saved.
    try insert(201...260, into: store, more: " This one also sorts what it prints.")
    try Indexer(options).catchUp()
    _ = try Rebuild(storePath: path, directory: index).run()
    #expect(try state().definition == inferred)
    let later = try IndexDefinition.inferred(from: store)
    #expect(later != inferred)
    _ = try Rebuild(storePath: path, directory: index, infers: true).run()
    #expect(try state().definition == later)
    #expect(try Verify(storePath: path, directory: index).run(isQuick: false).isEqual)
  }

  @Test func `a definition that is given gets the typical lengths, and is known again without them`() throws {
    let (path, index, _) = try makePackages(200)
    let given = IndexDefinition(
      language: "english", stopWords: [],
      entities: [
        "Package": EntityDefinition(
          title: ["name"],
          fields: [FieldDefinition(name: "name", roles: [.text]), FieldDefinition(name: "summary", roles: [.text])])
      ])
    var options = Indexer.Options(storePath: path, directory: index)
    for _ in 0..<2 {
      options.definition = given
      try Indexer(options).catchUp()
      #expect(try index.serving()?.number == 1)
      let lengths = try IndexState.read(path: #require(try index.serving()).path).definition.entities["Package"]?
        .fields.map(\.length)
      #expect(lengths == [2, 16])
    }
  }

  @Test func `a word of a category is found, behind records whose texts have it`() throws {
    let (path, index, store) = try makePackages(200)
    try store.save { save in
      try save.insert(
        store.layout.entities[0],
        [.text("quiz"), .text("A collection of games"), .text("text"), .null, .null, .null, .null, .null])
    }
    try Indexer(Indexer.Options(storePath: path, directory: index)).catchUp()
    let searcher = try Searcher(storePath: path, directory: index)
    let found = try searcher.search(SearchRequest(query: "games"))
    #expect(found.hits.first?.title == "quiz")
    #expect(found.estimated == 51)
    // Another record's identifier in a list is a facet alone.
    #expect(try searcher.count(SearchRequest(query: "libc6")).count == 0)
    #expect(try searcher.count(SearchRequest(query: "depends:libc6")).count == 200)
  }

  @Test func `names are found by their exact words`() throws {
    let (path, index, _) = try makePackages(200)
    try Indexer(Indexer.Options(storePath: path, directory: index)).catchUp()
    let searcher = try Searcher(storePath: path, directory: index)
    var request = SearchRequest(query: "authors:hank")
    request.mayApproximate = false
    #expect(try searcher.search(request).hits.isEmpty)
    request.query = "authors:hanks"
    #expect(try searcher.search(request).estimated == 33)
    request.query = "hanks"
    #expect(try searcher.search(request).estimated == 33)
  }

  @Test func `popular records come first where that is asked for or defined, and explanations add up`() throws {
    let (path, index, store) = try makePackages(200)
    var definition = try IndexDefinition.inferred(from: store)
    func check(_ boosts: [String]) throws {
      let searcher = try Searcher(storePath: path, directory: index)
      var request = SearchRequest(query: "program")
      request.boosts = boosts
      let hits = try searcher.search(request).hits
      #expect(hits.map(\.title) == (181...200).reversed().map { "tool-\($0)" })
      for hit in hits.prefix(3) {
        let explained = try #require(try searcher.explain(hit.identifier, request))
        #expect(abs(explained.parts.reduce(0) { $0 + $1.score } - hit.score) < 1e-6)
        #expect(explained.parts.contains { $0.text == "votes is high" && $0.score > 0 })
      }
    }
    var options = Indexer.Options(storePath: path, directory: index)
    try Indexer(options).catchUp()
    try check(["votes"])
    let plain = try Searcher(storePath: path, directory: index).search(SearchRequest(query: "program"))
    #expect(Set(plain.hits.map(\.score)).count < 5)
    definition.entities["Package"]?.boost = "votes"
    options.definition = definition
    try Indexer(options).catchUp()
    try check([])
  }
}
