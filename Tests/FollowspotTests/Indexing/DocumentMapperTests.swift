// SPDX-License-Identifier: MIT

import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

@Suite(.overlapping, .temporaryDirectory)
struct DocumentMapperTests {
  private let directory = TemporaryDirectory()

  /// The document of row 1, made by a new mapper.
  private func map(_ bench: IndexedStore, _ definition: IndexDefinition? = nil) throws -> MappedDocument {
    let store = try PersistentStore.open(bench.storePath)
    let mapper = try DocumentMapper(
      definition: definition ?? .standard(for: store.layout.shape), layout: store.layout)
    let plan = try #require(mapper.plan(ofEntity: 1))
    return try store.withRow(of: plan.entity, key: 1, attributes: plan.attributes) { row in
      try mapper.map(try #require(row), plan, from: store)
    }
  }

  private static let film: [Value?] = [
    .text("A title"), .text("The plot"), .integer(1995), .real(8.5), .real(0), .integer(1),
    .blob(Array("[\"Drama\",\"Film noir\"]".utf8)), .blob(Array("[{\"name\":\"Ann Lee\",\"role\":\"editor\"}]".utf8)),
    .text("code-1"), .blob([1, 2]),
  ]

  private func bench(_ directory: TemporaryDirectory) throws -> IndexedStore {
    let bench = try IndexedStore(in: directory, seed: 1)
    try bench.store.save { save in try save.insert(bench.film, Self.film) }
    return bench
  }

  @Test func `a document does not depend on author, transaction and time of a change`() throws {
    let bench = try bench(directory)
    let before = try map(bench)
    for (author, title) in [("ann", "Another"), ("bob", "A title")] {
      try bench.store.save(author: author) { save in
        try save.update(bench.film, key: 1, [(attribute: 0, value: .text(title))])
      }
    }
    let after = try map(bench)
    #expect(after.digest == before.digest)
    #expect(after.identity == before.identity)
    #expect(try bench.expected(1) == bench.expected(1))
  }

  @Test(
    arguments: zip(
      0..<10,
      [
        Value.text("B title"), .text("A plot"), .integer(1996), .real(8.25), .real(86_400), .integer(0),
        .blob(Array("[\"Drama\"]".utf8)), .blob(Array("[{\"name\":\"Ann Lee\",\"role\":\"cook\"}]".utf8)),
        .text("code-2"), .blob([3]),
      ]))
  func `the digest changes with indexed attributes only`(
    attribute: Int, value: Value
  ) throws {
    let bench = try bench(directory)
    let before = try map(bench)
    try bench.store.save { save in try save.update(bench.film, key: 1, [(attribute: attribute, value: value)]) }
    let isIndexed = Catalogue.entity.attributes[attribute].name != "poster"
    #expect((try map(bench).digest != before.digest) == isIndexed)
  }

  @Test func `every role of a field adds its terms and values`() throws {
    let bench = try bench(directory)
    let definition = IndexDefinition(
      language: "none", stopWords: [],
      entities: [
        "Film": EntityDefinition(
          title: ["title"],
          fields: [
            FieldDefinition(name: "genres", roles: [.facet]),
            FieldDefinition(name: "isFavorite", roles: [.flag]),
            FieldDefinition(name: "released", roles: [.date]),
            FieldDefinition(name: "title", roles: [.text, .stored], weight: 5),
            FieldDefinition(name: "who", path: "people.name", roles: [.text]),
          ])
      ])
    let lines = try #require(try bench.expected(1, definition)).split(separator: "\n").map(String.init)
    #expect(
      lines.filter { $0.hasPrefix("term ") } == [
        "term Da 107 2", "term Dtitle 107 3", "term Eann 26 2", "term Elee 26 3", "term QFilm/p1 0",
        "term XB:isfavorite 0", "term XE:Film 0", "term XGA:drama 0", "term XGA:film%20noir 0",
        "term XH:a%20title 0", "term XMC:2001-1 0", "term XV:E 0", "term XYC:2001 0",
      ])
    #expect(lines.last == "data {\"title\":\"A title\"}")
  }

  @Test func `strings inside a JSON value are found by their keys`() throws {
    let text = try #require(try bench(directory).expected(1))
    let terms = text.split(separator: "\n").map(String.init).filter { $0.contains(".name:") || $0.contains(".role:") }
    #expect(
      terms == [
        "term D.name:ann 26 2", "term D.name:lee 26 3", "term D.role:editor 26 2",
      ])
  }

  @Test func `a value that is not JSON is skipped with a reason, and the rest is indexed`() throws {
    let bench = try bench(directory)
    let whole = try map(bench)
    #expect(whole.reason == nil)
    try bench.store.save { save in
      try save.update(bench.film, key: 1, [(attribute: 7, value: .blob(Array("[{\"name\":".utf8)))])
    }
    let damaged = try map(bench)
    #expect(damaged.reason == "people is not JSON")
    let text = try #require(try bench.expected(1))
    #expect(text.contains("term Htitle 128"))
    #expect(!text.contains("editor"))
  }

  @Test func `truncated words are counted, and the row is recorded until it is fixed`() throws {
    let bench = try bench(directory)
    let indexer = Indexer(bench.options())
    try indexer.catchUp()
    func failed() throws -> Int {
      try Status(storePath: bench.storePath, directory: bench.index).index?.state.leftOut.failed ?? -1
    }
    #expect(try failed() == 0)
    for (plot, count) in [(String(repeating: "x", count: 10_000), 1), ("short again", 0)] {
      try bench.store.save { save in
        try save.update(bench.film, key: 1, [(attribute: 1, value: .text(plot))])
      }
      try indexer.catchUp()
      #expect(try failed() == count)
    }
  }
}
