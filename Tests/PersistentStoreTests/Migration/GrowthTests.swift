// SPDX-License-Identifier: MIT

import SQLite
import TestSupport
import Testing

@testable import Store

/// Migrations that only add, and therefore keep every value of every row.
@Suite(.overlapping, .temporaryDirectory)
struct GrowthTests {
  private func expect(
    _ verdict: TokenVerdict, after edits: [(inout ModelDescription) -> Void],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bench = try MigrationFixture()
    let token = try bench.store.token()
    for edit in edits { try bench.migrate(edit) }
    #expect(try bench.store.verdict(on: token) == verdict, sourceLocation: sourceLocation)
  }

  @Test func `a migration that only adds attributes, entities and relationships is reported as growth`() throws {
    try expect(
      .modelGrown, after: [{ $0["Book"].attributes.append(AttributeDescription("plot", .string, isOptional: true)) }])
    try expect(.modelGrown, after: [{ $0.entities.append(EntityDescription("Atlas", superentity: "Book")) }])
    try expect(.modelGrown, after: [{ $0["Shelf"].relationships.append(RelationshipDescription("best", to: "Book")) }])
    try expect(
      .modelGrown,
      after: [
        { $0.entities.append(EntityDescription("Atlas")) },
        { $0["Atlas"].attributes.append(AttributeDescription("scale", .double, isOptional: true)) },
      ])
  }

  @Test func `a migration that removes, renames or changes anything is reported as a change`() throws {
    try expect(.modelChanged, after: [{ $0.remove("Shelf") }])
    try expect(.modelChanged, after: [{ $0["Book"].attributes.removeAll { $0.name == "pages" } }])
    try expect(.modelChanged, after: [{ $0["Book"].renameAttribute("title", to: "name") }])
    try expect(.modelChanged, after: [{ $0["Author"][attribute: "born"].type = .integer64 }])
    try expect(
      .modelChanged,
      after: [
        {
          $0["Author"][attribute: "born"].isOptional = false
          $0["Author"][attribute: "born"].defaultValue = .integer(0)
        }
      ])
    try expect(.modelChanged, after: [{ $0["Book"][attribute: "title"].options.append(.spotlight) }])
  }

  @Test func `one removing migration among adding ones is reported as a change`() throws {
    try expect(
      .modelChanged,
      after: [
        { $0.entities.append(EntityDescription("Atlas")) }, { $0.remove("Shelf") },
        { $0.entities.append(EntityDescription("Map")) },
      ])
    let model = MigrationFixture.model
    try expect(.modelChanged, after: [{ $0["Book"].attributes.removeAll { $0.name == "pages" } }, { $0 = model }])
  }
}
