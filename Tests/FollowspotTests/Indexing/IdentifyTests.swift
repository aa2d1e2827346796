// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import SearchIndex
@testable import Store

/// Documents identified by a value of their row. The value may move to another row.
@Suite(.overlapping, .temporaryDirectory)
struct IdentifyTests {
  private let directory = TemporaryDirectory()

  private static let model = ModelDescription(entities: [
    EntityDescription(
      "Page",
      attributes: [
        AttributeDescription("text", .string),
        AttributeDescription("slug", .string, isOptional: true, options: [.unique, .preserveValueOnDeletion]),
      ])
  ])
  private static let definition = IndexDefinition(
    language: "english", stopWords: [],
    entities: [
      "Page": EntityDefinition(
        title: ["text"], identify: "slug", fields: [FieldDefinition(name: "text", roles: [.text, .stored])])
    ])

  /// One save each.
  enum Step: Sendable {
    case insert(String?)
    case name(Int64, String?)
    case delete(Int64)
    case several([Step])
  }

  struct Story: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [Step]
  }

  private static let stories = [
    Story(
      testDescription: "two rows swap their values",
      steps: [.insert("a"), .insert("b"), .name(1, nil), .name(2, "a"), .name(1, "b")]),
    Story(
      testDescription: "two rows swap their values in one save",
      steps: [.insert("a"), .insert("b"), .several([.name(1, "x"), .name(2, "a"), .name(1, "b")])]),
    Story(
      testDescription: "three rows hand values round and back",
      steps: [
        .insert("a"), .insert("b"), .insert("c"), .name(1, nil), .name(2, "a"), .name(3, "b"), .name(1, "c"),
        .name(2, nil), .name(1, "a"), .name(2, "c"),
      ]),
    Story(testDescription: "a value goes and comes back", steps: [.insert("a"), .name(1, nil), .name(1, "a")]),
    Story(testDescription: "a row never had a value", steps: [.insert(nil), .insert(nil), .delete(1)]),
    Story(
      testDescription: "a value is inserted again under another key",
      steps: [.insert("a"), .delete(1), .insert("a"), .delete(2), .insert("a")]),
    Story(
      testDescription: "a row is deleted and its value taken over in the same save",
      steps: [.insert("a"), .insert("b"), .several([.delete(1), .name(2, "a")])]),
    Story(
      testDescription: "a value is taken over, then its new row deleted",
      steps: [.insert("a"), .insert("b"), .name(1, "c"), .name(2, "a"), .delete(2)]),
    Story(
      testDescription: "a value is taken over from a row that goes",
      steps: [.insert("a"), .insert("b"), .name(1, nil), .name(2, "a"), .delete(1)]),
    Story(
      testDescription: "values that differ in case and marks are different names",
      steps: [.insert("é"), .insert("e\u{301}"), .insert("É"), .delete(1), .insert("é")]),
    Story(
      testDescription: "a value too long for a term names by its digest",
      steps: [
        .insert(String(repeating: "a", count: 400)), .insert(String(repeating: "a", count: 400) + "b"), .delete(1),
      ]),
  ]

  @Test(arguments: stories, [1, 100])
  func `an updated index equals a rebuilt one when values move between rows`(_ story: Story, every count: Int) throws {
    let path = directory.file("pages.store")
    let store = try PersistentStore.create(path, model: Self.model)
    let index = IndexDirectory(path: path + ".index")
    var options = Indexer.Options(storePath: path, directory: index)
    options.definition = Self.definition
    let indexer = Indexer(options)
    try indexer.catchUp()
    for (number, step) in story.steps.enumerated() {
      try store.save { try Self.take(step, $0) }
      guard (number + 1) % count == 0 || number == story.steps.count - 1 else { continue }
      try indexer.catchUp()
      let tailed = try CanonicalDump(of: index)
      let fresh = IndexDirectory(path: directory.file("fresh.index"))
      _ = try Rebuild(storePath: path, directory: fresh, definition: Self.definition, keep: 0).run()
      #expect(try tailed == CanonicalDump(of: fresh))
      #expect(tailed.documents.count == (try store.count()))
      #expect(try Verify(storePath: path, directory: index).run(isQuick: false).isEqual)
    }
  }

  private static func take(_ step: Step, _ save: Save) throws {
    let page = save.store.layout.entities[0]
    func value(_ slug: String?) -> Value { slug.map { .text($0) } ?? .null }
    switch step {
    case .insert(let slug): try save.insert(page, [.text("page \(slug ?? "nameless")"), value(slug)])
    case .name(let key, let slug): try save.update(page, key: key, [(1, value(slug))])
    case .delete(let key): try save.delete(page, key: key)
    case .several(let steps): for step in steps { try take(step, save) }
    }
  }
}
